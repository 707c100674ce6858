/** Public cases that concern both encodings at once, on a compiled module. */
import { describe, expect, it } from "vitest";
import { dataFromJsonText } from "../../codec/json/data-from-json.ts";
import { dataToJson } from "../../codec/json/data-to-json.ts";
import { formatJson } from "../../codec/json/json-value.ts";
import type { JsonQuirk } from "../../codec/json/value-from-json.ts";
import { dataFromXmlText } from "../../codec/xml/data-from-xml-text.ts";
import { dataToXml, keysToXml } from "../../codec/xml/data-to-xml.ts";
import { formatXml } from "../../codec/xml/format-xml.ts";
import type { XmlLimits } from "../../codec/xml/read-xml.ts";
import { removeAt } from "../../codec/edit-tree.ts";
import { formatInstancePath } from "../../model/path.ts";
import { parseCanonicalPath } from "../../model/values/canonical-value.ts";
import type { Result } from "../../model/diagnostic.ts";
import { type DataTree, type EntryNode, findNode, walkTree } from "../../model/tree.ts";
import { compileYang } from "../../model/yang/compile-yang.ts";
import { compare } from "../../plan/compare.ts";
import { problemsOf, valueOf, warningsOf } from "../support/results.ts";

const sources = [
  {
    name: "plant.yang",
    text: `module plant { yang-version 1.1; namespace "urn:example:plant"; prefix pl; include plant-more;
      identity medium;
      identity copper { base medium; }
      container c {
        leaf area { type string; } leaf esi { type string; } leaf key-id { type string; } leaf word { type string; }
        leaf hex { type string; } leaf truth { type string; } leaf version { type string; } leaf plus { type string; }
        leaf as { type uint32; } leaf ctr { type uint64; } leaf big { type uint64; } leaf low { type int64; }
        leaf price { type decimal64 { fraction-digits 2; } }
        leaf enabled { type boolean; } leaf mtu { type uint16; }
        leaf shut { type empty; } leaf-list shuts { type empty; }
        leaf speed { type enumeration { enum 25 { value 1; } enum 50 { value 2; } } }
        leaf medium { type identityref { base medium; } }
        leaf where { type instance-identifier { require-instance false; } }
        list server { key name; leaf name { type string; } leaf port { type uint16; } }
        leaf-list dns { type string; }
        list via { key path; leaf path { type instance-identifier { require-instance false; } } }
        container dhcp { presence "on"; leaf lease { type uint32; } }
        container plain { leaf x { type string; } }
        anydata blob;
        anyxml loose;
      }
      container path { config false;
        list segment { leaf kind { type string; } leaf-list member { type uint32; } } } }`,
  },
  {
    name: "plant-more.yang",
    text: `submodule plant-more { yang-version 1.1; belongs-to plant { prefix pl; }
      augment /pl:c { leaf from-part { type string; } } }`,
  },
  {
    name: "maker.yang",
    text: `module maker { yang-version 1.1; namespace "urn:example:maker"; prefix mk; import plant { prefix pl; }
      identity glass { base pl:medium; }
      grouping g { leaf z { type string; } } }`,
  },
  {
    name: "user.yang",
    text: `module user { yang-version 1.1; namespace "urn:example:user"; prefix us; import maker { prefix mk; }
      identity glass; identity wood;
      uses mk:g; }`,
  },
];
const schema = valueOf(compileYang(sources, { implement: "all", features: "all" }));

const comparing = { defaultsMode: "explicit" } as const;
const options = { unknown: "error", nodes: "all", defaultsMode: "explicit", source: "in" } as const;

function xml(text: string, limits: Partial<XmlLimits> = {}): Result<DataTree> {
  return dataFromXmlText(schema, text, { ...options, limits });
}
function xmlInC(content: string): Result<DataTree> {
  return xml(`<c xmlns="urn:example:plant">${content}</c>`);
}
function json(text: string, quirks: readonly JsonQuirk[] = []): Result<DataTree> {
  return dataFromJsonText(schema, text, { ...options, quirks });
}
function jsonInC(members: string, quirks: readonly JsonQuirk[] = []): Result<DataTree> {
  return json(`{"plant:c":{${members}}}`, quirks);
}
function toXml(tree: Result<DataTree>): string {
  return valueOf(dataToXml(valueOf(tree)))
    .map((element) => {
      const text = formatXml(element);
      if (text.kind === "failed") throw new Error(text.error.message);
      return text.value;
    })
    .join("");
}
function toJson(tree: Result<DataTree>): string {
  return formatJson(valueOf(dataToJson(valueOf(tree))), { layout: "compact" });
}
function paths(tree: Result<DataTree>): readonly string[] {
  return [...walkTree(valueOf(tree))].map(({ path, node }) => {
    const value = "value" in node && node.value.kind === "plain" ? ` = ${node.value.text}` : "";
    return formatInstancePath(path) + value;
  });
}
function inC(content: string): string {
  return `<c xmlns="urn:example:plant">${content}</c>`;
}

it("case 08: blanks around numbers and booleans are read and never written; those of a string are the string", () => {
  const tree = xmlInC("\n <word>  two blanks each side  </word><mtu> 9000 </mtu><enabled>\n true </enabled>\n");
  expect(toXml(tree)).toBe(inC("<word>  two blanks each side  </word><mtu>9000</mtu><enabled>true</enabled>"));
  expect(toJson(tree)).toBe('{"plant:c":{"word":"  two blanks each side  ","mtu":9000,"enabled":true}}');
  expect(problemsOf(jsonInC('"word":"x","ctr":" 5 "'))).toEqual(["value-syntax /plant:c/ctr"]);
});

describe("case 12", () => {
  const entries = Array.from({ length: 2000 }, (_, index) => `<server><name>s${String(index)}</name></server>`);

  it("a document that ends early is an error and no tree, wherever it ends", () => {
    const text = `<data xmlns="urn:ietf:params:xml:ns:netconf:base:1.0">${inC(entries.join(""))}</data>`;
    expect(valueOf(xml(text)).roots.size).toBe(1);
    for (const length of [text.length - 1, text.length - 7, 60_000, 300, 1, 0]) {
      expect(problemsOf(xml(text.slice(0, length)))).toEqual(["xml-syntax"]);
    }
  });

  it.each([
    [{ maxLength: 1000 }, "maxLength of 1000"],
    [{ maxElements: 1000 }, "maxElements of 1000"],
    [{ maxDepth: 2 }, "maxDepth of 2"],
    [{ maxTextLength: 3 }, "maxTextLength of 3"],
  ])("passing the limit %j is one error that names it, and no tree", (limits, words) => {
    const read = xml(inC(entries.join("")), limits);
    expect(problemsOf(read)).toEqual(["xml-limit"]);
    expect(read.kind === "error" && read.diagnostics[0]?.message).toContain(words);
  });

  it("a long text is one value", () => {
    const long = "leaf x; ".repeat(1_500_000);
    const tree = xmlInC(`<word><![CDATA[${long}]]></word>`);
    expect(toJson(tree)).toBe(`{"plant:c":{"word":"${long}"}}`);
  });
});

it("case 13: a document type is refused, with its place, before anything of it is read", () => {
  const text = `<!DOCTYPE x [<!ENTITY a "0123456789"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/hostname">]>`;
  const read = xml(`\n${text}${inC("<word>&b;&f;</word>")}`.trimStart());
  expect(problemsOf(read)).toEqual(["xml-doctype"]);
  expect(read).toMatchObject({ diagnostics: [{ places: [{ kind: "source", position: { source: "in", line: 1 } }] }] });
  expect(toJson(xmlInC("<word>&amp; &lt; &#x41; <![CDATA[a<b]]></word>"))).toBe('{"plant:c":{"word":"& < A a<b"}}');
  expect(problemsOf(xmlInC("<word>&nbsp;</word>"))).toEqual(["xml-syntax"]);
});

it("case 14: names in values are kept as module and name, and written with a prefix that is declared", () => {
  const tree = xml(
    '<c xmlns="urn:example:plant" xmlns:m="urn:example:maker" xmlns:p="urn:example:plant"><medium>m:glass</medium>' +
      '<via><path xmlns:q="urn:example:plant">/q:c/q:via[q:path="/p:c/p:server[p:name=\'a\']"]</path></via></c>',
  );
  expect(problemsOf(tree.kind === "ok" ? xmlInC("<medium>m:glass</medium>") : tree)).toEqual([
    "value-identity /plant:c/medium",
  ]);
  expect(toJson(tree)).toContain('"medium":"maker:glass"');
  const text = toXml(tree);
  expect(text).toContain('<medium xmlns:mk="urn:example:maker">mk:glass</medium>');
  // A path within a predicate of a path takes prefixes like the rest of it.
  expect(text).toContain(
    `<path xmlns:pl="urn:example:plant">/pl:c/pl:via[pl:path="/pl:c/pl:server[pl:name='a']"]</path>`,
  );
  expect(toJson(xml(text))).toBe(toJson(tree));
});

it("case 16: what says that it is an edit is never read as data, be it without its namespace", () => {
  const nc = 'xmlns:nc="urn:ietf:params:xml:ns:netconf:base:1.0"';
  expect(problemsOf(xmlInC(`<server ${nc} nc:operation="delete"><name>a</name></server>`))).toEqual([
    "edit-attribute /plant:c/plant:server",
  ]);
  expect(problemsOf(jsonInC('"server":[{"@":{"ietf-netconf:operation":"delete"},"name":"a"}]'))).toEqual([
    "edit-attribute /plant:c/server[name='a']/@",
  ]);
  expect(problemsOf(jsonInC('"dns":["1"],"@dns":[{"yang:insert":"first"}]'))).toEqual(["edit-attribute /plant:c/@dns"]);
  expect(problemsOf(xmlInC('<dns xmlns:y="urn:ietf:params:xml:ns:yang:1" y:insert="first">1</dns>'))).toEqual([
    "edit-attribute /plant:c/plant:dns",
  ]);
  expect(problemsOf(jsonInC('"mtu":5,"@mtu":{"ietf-netconf:operation":"delete"}'))).toEqual([
    "edit-attribute /plant:c/@mtu",
  ]);
  expect(problemsOf(xmlInC('<server operation="delete"><name>a</name></server>'))).toEqual([
    "edit-attribute /plant:c/plant:server",
  ]);
  const other = xmlInC('<server inactive="inactive"><name>a</name></server>');
  expect(paths(other)).toContain("/plant:c/server[name='a']");
  expect(other).toMatchObject({ warnings: [{ code: "attribute-ignored" }] });
});

it("case 17: a string is what was written, whatever it looks like; numbers keep every digit", () => {
  const content =
    "<area>00</area><esi>00:01:02</esi><key-id>0E68</key-id><word>1e3</word><hex>0x1F</hex><truth>true</truth>" +
    "<version>1.10</version><plus>+5</plus><as>4200000001</as><ctr>18446744073709551615</ctr>";
  expect(toXml(xmlInC(content))).toBe(inC(content));
  expect(toJson(xmlInC(content))).toBe(
    '{"plant:c":{"area":"00","esi":"00:01:02","key-id":"0E68","word":"1e3","hex":"0x1F","truth":"true",' +
      '"version":"1.10","plus":"+5","as":4200000001,"ctr":"18446744073709551615"}}',
  );
});

it("case 18: none, one and two entries are entries of a list, in their order, however they are interleaved", () => {
  const server = (name: string): string => `<server><name>${name}</name></server>`;
  expect(toJson(xmlInC(""))).toBe("{}");
  expect(toJson(xmlInC(`${server("a")}<dns>1</dns>`))).toBe('{"plant:c":{"server":[{"name":"a"}],"dns":["1"]}}');
  const two = '{"plant:c":{"server":[{"name":"b"},{"name":"a"}],"dns":["2","1"]}}';
  expect(toJson(xmlInC(`${server("b")}<dns>2</dns>${server("a")}<dns>1</dns>`))).toBe(two);
  expect(toJson(xmlInC(`${server("b")}${server("a")}<dns>2</dns><dns>1</dns>`))).toBe(two);
  expect(problemsOf(jsonInC('"server":{"name":"a"}'))).toEqual(["wrong-json-type /plant:c/server"]);
  expect(problemsOf(jsonInC('"dns":"1"'))).toEqual(["wrong-json-type /plant:c/dns"]);
  expect(problemsOf(jsonInC('"server":[5,null]'))).toEqual([
    "wrong-json-type /plant:c/server",
    "wrong-json-type /plant:c/server",
  ]);
});

it("case 19: the empty string is a value in both encodings, and the way to it is an update", () => {
  for (const empty of [xmlInC("<word/>"), xmlInC("<word></word>"), jsonInC('"word":""')]) {
    expect(toXml(empty)).toBe(inC("<word/>"));
    expect(toJson(empty)).toBe('{"plant:c":{"word":""}}');
  }
  expect(toJson(xmlInC("<word> </word>"))).toBe('{"plant:c":{"word":" "}}');
  expect(paths(xmlInC(""))).toEqual([]);
  const change = compare(valueOf(xmlInC("<word/>")), valueOf(xmlInC("<word>aa</word>")), comparing).operations;
  expect(change).toMatchObject([{ op: "replace", after: { value: { text: "" } } }]);
});

it("case 20: keys come first and in key order, from whatever order", () => {
  const text = inC("<server><name>a</name><port>1</port></server>");
  expect(toXml(xmlInC("<server><port>1</port><name>a</name></server>"))).toBe(text);
  expect(toXml(jsonInC('"server":[{"port":1,"name":"a"}]'))).toBe(text);
  expect(toJson(jsonInC('"server":[{"port":1,"name":"a"}]'))).toBe('{"plant:c":{"server":[{"name":"a","port":1}]}}');
});

it("case 21: numbers of 64 bits and decimals are strings; a number is read exactly where the profile allows one", () => {
  const members = '"ctr":"18446744073709551615","low":"-9223372036854775808","price":"0.1"';
  expect(toJson(jsonInC(members))).toBe(`{"plant:c":{${members}}}`);
  expect(toXml(jsonInC(members))).toBe(
    inC("<ctr>18446744073709551615</ctr><low>-9223372036854775808</low><price>0.1</price>"),
  );
  const numbers = '"ctr":18446744073709551615,"big":9007199254740993,"price":1.50';
  expect(problemsOf(jsonInC(numbers))).toEqual([
    "wrong-json-type /plant:c/ctr",
    "wrong-json-type /plant:c/big",
    "wrong-json-type /plant:c/price",
  ]);
  const loose = jsonInC(numbers, ["stringly"]);
  expect(paths(loose)).toEqual([
    "/plant:c",
    "/plant:c/ctr = 18446744073709551615",
    "/plant:c/big = 9007199254740993",
    "/plant:c/price = 1.5",
  ]);
  expect(warningsOf(loose)).toEqual([
    "device-deviation /plant:c/ctr",
    "device-deviation /plant:c/big",
    "device-deviation /plant:c/price",
  ]);
  expect(problemsOf(jsonInC('"ctr":18446744073709551616', ["stringly"]))).toEqual(["value-range /plant:c/ctr"]);
});

it("case 23: an empty leaf goes from one encoding into the other", () => {
  const text = '{"plant:c":{"shut":[null],"shuts":[[null]]}}';
  expect(toXml(json(' {"plant:c":{"shut":[ null ],"shuts":[ [ null ] ]}}'))).toBe(inC("<shut/><shuts/>"));
  expect(toJson(xmlInC("<shut/><shuts></shuts>"))).toBe(text);
  expect(problemsOf(xmlInC("<shut>x</shut>"))).toEqual(["value-syntax /plant:c/shut"]);
  for (const bad of ["null", "true", '"null"', "[]", '[""]']) {
    expect(problemsOf(jsonInC(`"shut":${bad}`))).toEqual(["wrong-json-type /plant:c/shut"]);
  }
});

it("case 24: no entries differ in nothing from none at all; null is never data", () => {
  const change = compare(valueOf(jsonInC('"dns":[],"server":[]')), valueOf(json("{}")), comparing);
  expect(change.operations).toEqual([]);
  expect(toJson(jsonInC('"dns":[],"server":[]'))).toBe("{}");
  const clear = compare(valueOf(jsonInC('"dns":[]')), valueOf(jsonInC('"dns":["1"]')), comparing).operations;
  expect(clear.map(({ op, path }) => `${op} ${formatInstancePath(path)}`)).toEqual(["delete /plant:c/dns[.='1']"]);
  for (const name of ["word", "dns", "server", "plain", "dhcp"]) {
    expect(problemsOf(jsonInC(`"${name}":null`))).toEqual([`wrong-json-type /plant:c/${name}`]);
  }
});

it("an anyxml holds any JSON and any XML (RFC 7951 section 5.6), and stays in its encoding", () => {
  for (const value of ["5", "null", '"x"', "[1,null]", '{"a":1.0}']) {
    const tree = jsonInC(`"loose":${value}`);
    expect(toJson(tree)).toBe(`{"plant:c":{"loose":${value}}}`);
    expect(problemsOf(dataToXml(valueOf(tree)))).toEqual(["opaque-content /plant:c/loose"]);
  }
  const tree = xmlInC("<loose>text <b/></loose>");
  expect(toXml(tree)).toBe(inC("<loose>text <b/></loose>"));
  expect(problemsOf(dataToJson(valueOf(tree)))).toEqual(["opaque-content /plant:c/loose"]);
});

it("case 25: strings that look like booleans and numbers are errors, or deviations that are recorded", () => {
  const members = '"enabled":"false","mtu":"9000","ctr":5';
  const paths = ["/plant:c/enabled", "/plant:c/mtu", "/plant:c/ctr"];
  expect(problemsOf(jsonInC(members))).toEqual(paths.map((path) => `wrong-json-type ${path}`));
  const loose = jsonInC(members, ["stringly"]);
  expect(toJson(loose)).toBe('{"plant:c":{"enabled":false,"mtu":9000,"ctr":"5"}}');
  expect(warningsOf(loose)).toEqual(paths.map((path) => `device-deviation ${path}`));
  for (const bad of ["1", "0", "null", '"TRUE"', '""']) {
    expect(problemsOf(jsonInC(`"enabled":${bad}`, ["stringly"])), bad).toHaveLength(1);
  }
});

it("case 27: an enum is its name in both encodings", () => {
  expect(toJson(xmlInC("<speed>50</speed>"))).toBe('{"plant:c":{"speed":"50"}}');
  expect(toXml(jsonInC('"speed":"50"'))).toBe(inC("<speed>50</speed>"));
  for (const bad of ["50", "2"])
    expect(problemsOf(jsonInC(`"speed":${bad}`, ["stringly"]))).toEqual(["wrong-json-type /plant:c/speed"]);
  expect(problemsOf(jsonInC('"speed":"2"'))).toEqual(["value-enum /plant:c/speed"]);
  expect(problemsOf(xmlInC("<speed>2</speed>"))).toEqual(["value-enum /plant:c/speed"]);
});

it("case 28: an identity is written with its module; other spellings are deviations, where one identity is meant", () => {
  for (const own of ['"copper"', '"plant:copper"']) {
    expect(toJson(jsonInC(`"medium":${own}`))).toBe('{"plant:c":{"medium":"plant:copper"}}');
  }
  expect(toJson(jsonInC('"medium":"maker:glass"'))).toBe('{"plant:c":{"medium":"maker:glass"}}');
  for (const spelled of ['"mk:glass"', '"glass"']) {
    expect(problemsOf(jsonInC(`"medium":${spelled}`))).toEqual(["value-identity /plant:c/medium"]);
    const loose = jsonInC(`"medium":${spelled}`, ["loose-identity"]);
    expect(toJson(loose)).toBe('{"plant:c":{"medium":"maker:glass"}}');
    expect(warningsOf(loose)).toEqual(["device-deviation /plant:c/medium"]);
  }
  // Those that do not derive from the base are not meant, whatever they are called.
  for (const other of ['"wood"', '"user:wood"', '"medium"']) {
    expect(problemsOf(jsonInC(`"medium":${other}`, ["loose-identity"]))).toEqual(["value-identity /plant:c/medium"]);
  }
});

it("case 30: nodes of a submodule belong to its module, nodes of a grouping to who uses it", () => {
  expect(toXml(jsonInC('"from-part":"v"'))).toBe(inC("<from-part>v</from-part>"));
  expect(toXml(json('{"user:z":"1"}'))).toBe('<z xmlns="urn:example:user">1</z>');
  expect(problemsOf(jsonInC('"plant-more:from-part":"v"'))).toEqual(["unknown-node /plant:c/plant-more:from-part"]);
  expect(problemsOf(json('{"maker:z":"1"}'))).toEqual(["unknown-node /maker:z"]);
  for (const name of [":word", "plant:", "plant:plant:word", "plant: word"]) {
    expect(problemsOf(jsonInC(`"${name}":"v"`))).toEqual([`unknown-node /plant:c/${name}`]);
  }
});

describe("case 44: state without keys", () => {
  const members =
    '{"plant:path":{"segment":[{"kind":"SEQ","member":[65001,65001]},{"kind":"SEQ","member":[65001,65001]},{}]}}';

  it("keeps every entry and every repeated value, by position, in both encodings", () => {
    const tree = json(members);
    expect(paths(tree)).toEqual([
      "/plant:path",
      "/plant:path/segment[1]",
      "/plant:path/segment[1]/kind = SEQ",
      "/plant:path/segment[1]/member[.='65001'] = 65001",
      "/plant:path/segment[1]/member[.='65001'][2] = 65001",
      "/plant:path/segment[2]",
      "/plant:path/segment[2]/kind = SEQ",
      "/plant:path/segment[2]/member[.='65001'] = 65001",
      "/plant:path/segment[2]/member[.='65001'][2] = 65001",
      "/plant:path/segment[3]",
    ]);
    expect(toJson(tree)).toBe(members);
    expect(toJson(xml(toXml(tree)))).toBe(members);
  });

  it("is told apart by position in an instance-identifier too, in both encodings", () => {
    const text = `<where xmlns:pl="urn:example:plant">/pl:path/pl:segment[2]/pl:kind</where>`;
    const tree = xmlInC(text);
    expect(toJson(tree)).toBe('{"plant:c":{"where":"/plant:path/segment[2]/kind"}}');
    expect(toXml(json(toJson(tree)))).toBe(inC(text));
  });

  it("keeps values that are tagged as defaults: only configuration is free of them", () => {
    const tag = '{"ietf-netconf-with-defaults:default":true}';
    const tagged = json(`{"plant:path":{"segment":[{"member":[1,1,2],"@member":[${tag},null,${tag}]}]}}`);
    const plain = '{"plant:path":{"segment":[{"member":[1,1,2]}]}}';
    expect(toJson(tagged)).toBe(plain);
    const wd = 'xmlns:wd="urn:ietf:params:xml:ns:netconf:default:1.0" wd:default="true"';
    const members = `<member ${wd}>1</member><member>1</member><member ${wd}>2</member>`;
    expect(toJson(xml(`<path xmlns="urn:example:plant"><segment>${members}</segment></path>`))).toBe(plain);
  });

  it("is left out where configuration is asked for, which is what plans are made of", () => {
    const tree = valueOf(dataFromJsonText(schema, members, { ...options, nodes: "config" }));
    expect(tree.roots.size).toBe(0);
  });

  it("gives findings the position of their entry", () => {
    const read = json('{"plant:path":{"segment":[{"kind":"a"},{"kind":1}]}}');
    expect(problemsOf(read)).toEqual(["wrong-json-type /plant:path/segment[2]/kind"]);
  });
});

describe("case 53: an entry without all its keys", () => {
  it("is not read", () => {
    expect(problemsOf(xmlInC("<server><port>1</port></server>"))).toEqual(["missing-key /plant:c/server"]);
    expect(problemsOf(jsonInC('"server":[{"port":1}]'))).toEqual(["missing-key /plant:c/server"]);
  });

  it("is not written, neither whole nor its keys alone", () => {
    const tree = valueOf(xmlInC("<server><name>a</name></server>"));
    const path = valueOf(parseCanonicalPath(schema, "/plant:c/server[name='a']")).path;
    const broken: EntryNode = { ...(findNode(tree, path) as EntryNode), keys: [] };
    expect(() => keysToXml(schema, broken)).toThrow(RangeError);
    const inside = new Map([["plant:server", broken]]);
    const container = tree.roots.get("plant:c");
    if (container?.kind !== "container") throw new Error("no container");
    const roots = new Map([["plant:c", { ...container, children: inside }]]);
    expect(() => dataToXml({ schema, roots })).toThrow(RangeError);
    expect(() => dataToJson({ schema, roots })).toThrow(RangeError);
  });

  it("the empty key is a key and is written", () => {
    const text = inC("<server><name/></server>");
    expect(toXml(xml(text))).toBe(text);
    expect(toJson(xml(text))).toBe('{"plant:c":{"server":[{"name":""}]}}');
  });
});

describe("case 60: an empty presence container", () => {
  it("is data in both encodings, and an empty container without presence is none", () => {
    for (const tree of [xmlInC("<dhcp/><plain/>"), jsonInC('"dhcp":{},"plain":{}')]) {
      expect(toXml(tree)).toBe(inC("<dhcp/>"));
      expect(toJson(tree)).toBe('{"plant:c":{"dhcp":{}}}');
    }
    expect(toJson(jsonInC('"plain":{}'))).toBe("{}");
  });

  it("stays when its last child goes", () => {
    const tree = valueOf(xmlInC("<dhcp><lease>5</lease></dhcp>"));
    const without = removeAt(tree, valueOf(parseCanonicalPath(schema, "/plant:c/dhcp/lease")).path);
    expect(toJson({ kind: "ok", value: without, warnings: [] })).toBe('{"plant:c":{"dhcp":{}}}');
  });
});
