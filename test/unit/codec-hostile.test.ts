/** Texts that were made to do harm: each gets an error with a place and a reason, or is read for what it says. */
import { describe, expect, it, vi } from "vitest";
import { decodeText } from "../../codec/decode-text.ts";
import { dataFromJsonText } from "../../codec/json/data-from-json.ts";
import { dataToJson } from "../../codec/json/data-to-json.ts";
import { formatJson } from "../../codec/json/json-value.ts";
import { parseJson } from "../../codec/json/parse-json.ts";
import { dataFromXmlText } from "../../codec/xml/data-from-xml-text.ts";
import { dataToXml } from "../../codec/xml/data-to-xml.ts";
import { formatXml } from "../../codec/xml/format-xml.ts";
import { decodeUtf8 } from "../../codec/xml/read-xml.ts";
import { type Result, formatPlace } from "../../model/diagnostic.ts";
import { type DataTree, walkTree } from "../../model/tree.ts";
import { compileYang } from "../../model/yang/compile-yang.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";
import { problemsOf, valueOf } from "../support/results.ts";

const sources = [
  {
    name: "odd.yang",
    text: `module odd { yang-version 1.1; namespace "urn:odd"; prefix o;
      container __proto__ { leaf constructor { type string; } leaf toString { type int32; } }
      container c {
        leaf s { type string; } leaf n { type int32; } leaf wide { type uint64; } leaf fine { type decimal64 { fraction-digits 2; } }
        list hasOwnProperty { key "__proto__ constructor"; leaf __proto__ { type string; } leaf constructor { type string; } leaf v { type string; } }
        leaf-list valueOf { type string; }
        anydata any; } }`,
  },
];
const schema = valueOf(compileYang(sources, { implement: "all", features: "all" }));
const options = { unknown: "error", nodes: "all", defaultsMode: "explicit", source: "in" } as const;

function json(text: string): Result<DataTree> {
  return dataFromJsonText(schema, text, options);
}
function xml(text: string): Result<DataTree> {
  return dataFromXmlText(schema, text, options);
}
function xmlInC(content: string): Result<DataTree> {
  return xml(`<c xmlns="urn:odd">${content}</c>`);
}
function jsonText(tree: Result<DataTree>): string {
  return formatJson(valueOf(dataToJson(valueOf(tree))), { layout: "compact" });
}
function xmlText(tree: Result<DataTree>): string {
  const [element] = valueOf(dataToXml(valueOf(tree)));
  const text = element && formatXml(element);
  if (text?.kind !== "ok") throw new Error("nothing was written");
  return text.value;
}
/** `code place..` of the first error. */
function firstProblem(result: Result<unknown>): string {
  if (result.kind === "ok") throw new Error("the result is ok");
  const [first] = result.diagnostics;
  expect(first?.message).not.toBe("");
  return [first?.code, ...(first?.places.map(formatPlace) ?? [])].join(" ");
}

const goodJson =
  '{"odd:c": {"s":"t\\u00e9\\n","n":-5,"wide":"18446744073709551615","fine":"1.5","hasOwnProperty":[{"__proto__":"a","constructor":"b","v":"x"}],"valueOf":["1","2"],"any":{"k":[null,true,1.50]}}}';
const goodXml =
  '<?xml version="1.0" encoding="UTF-8"?>\n<o:c xmlns:o="urn:odd"><o:s>t&#233;<![CDATA[<&]]></o:s><!-- note --><o:n> -5 </o:n><o:hasOwnProperty><o:v/><o:__proto__>a</o:__proto__><o:constructor>b</o:constructor></o:hasOwnProperty><o:any z="1"><x xmlns="urn:x">&amp;</x></o:any></o:c>';

describe("a text that is cut", () => {
  it("after any octet is an error with a place, in JSON", () => {
    expect(valueOf(json(goodJson)).roots.size).toBe(1);
    const bytes = new TextEncoder().encode(goodJson);
    for (let length = 0; length < bytes.length; length += 1) {
      const text = decodeText(bytes.subarray(0, length), "in");
      expect(firstProblem(text.kind === "ok" ? json(text.value) : text)).toMatch(/^(json-syntax|not-utf8) in:1:\d+$/);
    }
  });

  it("after any octet is an error with a place, in XML", () => {
    expect(valueOf(xml(goodXml)).roots.size).toBe(1);
    const bytes = new TextEncoder().encode(goodXml);
    for (let length = 0; length < bytes.length; length += 1) {
      const text = decodeText(bytes.subarray(0, length), "in");
      expect(firstProblem(text.kind === "ok" ? xml(text.value) : text)).toMatch(/^xml-syntax in:\d+:\d+$/);
    }
  });
});

class TextDecoderOfNothing {
  decode(): string {
    throw new RangeError("no string is that long");
  }
}

describe("octets", () => {
  it.each([
    ["a cut character", [0x22, 0x0a, 0x22, 0xe6, 0x97], "not-utf8 in:2:2"],
    ["an overlong form", [0xc0, 0xaf], "not-utf8 in:1:1"],
    ["an overlong form of three octets", [0xe0, 0x80, 0xaf], "not-utf8 in:1:1"],
    ["a surrogate", [0x31, 0xed, 0xa0, 0x80], "not-utf8 in:1:2"],
    ["beyond the last character", [0xf4, 0x90, 0x80, 0x80], "not-utf8 in:1:1"],
    ["Latin-1 behind a character of two UTF-16 units", [0xf0, 0x9f, 0x9b, 0xb0, 0xfc, 0x72], "not-utf8 in:1:3"],
    ["UTF-16", [0xff, 0xfe, 0x3c, 0x00], "not-utf8 in:1:1"],
  ])("%s is told with its place", (_title, bytes, problem) => {
    expect(firstProblem(decodeText(Uint8Array.from(bytes), "in"))).toBe(problem);
  });

  it("that are too many for one text are an error with a place", () => {
    // What engines do where a text would be longer than any can be; half a gigabyte is too much for a test.
    vi.stubGlobal("TextDecoder", TextDecoderOfNothing);
    try {
      expect(firstProblem(decodeText(new TextEncoder().encode("too long"), "in"))).toBe("text-too-long in:1:1");
      expect(decodeUtf8(new TextEncoder().encode("too long"))).toMatchObject({ error: { code: "LimitExceeded" } });
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it("a byte order mark is dropped where octets are decoded, and nowhere else", () => {
    const bytes = Uint8Array.from([0xef, 0xbb, 0xbf, ...new TextEncoder().encode(goodJson)]);
    expect(jsonText(json(valueOf(decodeText(bytes, "in"))))).toBe(jsonText(json(goodJson)));
    expect(firstProblem(json(`\ufeff${goodJson}`))).toBe("json-syntax in:1:1");
    expect(jsonText(xml(`\ufeff${goodXml.slice(goodXml.indexOf("<o:c"))}`.replace(/<o:any.*any>/, "")))).toContain(
      '"n":-5',
    );
  });

  it("NUL is no character of either", () => {
    expect(firstProblem(xmlInC("<s>a\u0000b</s>"))).toBe("xml-syntax in:1:25");
    expect(firstProblem(xmlInC("<s>&#0;</s>"))).toMatch(/^xml-syntax/);
    expect(firstProblem(json('{"odd:c":{"s":"a\u0000b"}}'))).toBe("json-syntax in:1:17");
    expect(firstProblem(json('{"odd:c":{"s":"a\\u0000b"}}'))).toBe("value-character /odd:c/s in:1:15");
    expect(firstProblem(json('\u0000{"odd:c":{}}'))).toBe("json-syntax in:1:1");
  });

  it("surrogates stand in pairs or not at all", () => {
    expect(jsonText(json('{"odd:c":{"s":"\\ud83d\\ude00"}}'))).toBe('{"odd:c":{"s":"\u{1F600}"}}');
    for (const lone of ["\\ud83d", "\\ude00", "\\ude00\\ud83d"]) {
      expect(firstProblem(json(`{"odd:c":{"s":"${lone}"}}`))).toBe("value-character /odd:c/s in:1:15");
    }
    expect(firstProblem(xmlInC("<s>&#xD83D;&#xDE00;</s>"))).toMatch(/^xml-syntax in:1:/);
    for (const lone of ["\ud83d", "\ude00", "\ude00\ud83d"]) {
      expect(firstProblem(xmlInC(`<s>a${lone}b</s>`))).toBe("xml-syntax in:1:24");
      expect(firstProblem(xmlInC(`<s>\u{1F600}${lone}</s>`))).toBe("xml-syntax in:1:25");
    }
    // What is opaque may hold anything that JSON can carry, and keeps it.
    const opaque = '{"odd:c":{"any":{"\\ud83d":"\\ude00"}}}';
    expect(jsonText(json(opaque))).toBe(opaque);
  });

  it("line ends are those of XML 1.0 section 2.11, and in JSON what is written", () => {
    expect(jsonText(xmlInC("<s>a\r\nb\rc&#13;d</s>"))).toBe('{"odd:c":{"s":"a\\nb\\nc\\rd"}}');
    expect(jsonText(xml(xmlText(xmlInC("<s>a&#13;&#10;b</s>"))))).toBe('{"odd:c":{"s":"a\\r\\nb"}}');
    expect(firstProblem(json('{"odd:c":\r\n{"s":"a\rb"}}'))).toBe("json-syntax in:2:8");
  });
});

describe("size", () => {
  it("10,000 levels are one error that names the limit", () => {
    expect(firstProblem(json("[".repeat(10_000)))).toBe("json-limit in:1:513");
    expect(firstProblem(json(`{"odd:c":${'{"odd:c":'.repeat(10_000)}`))).toBe("json-limit in:1:4609");
    expect(firstProblem(json(`{"odd:c":{"any":${"[".repeat(10_000)}`))).toMatch(/^json-limit in:1:/);
    expect(firstProblem(xml(`<c xmlns="urn:odd">${"<any>".repeat(10_000)}`))).toMatch(/^xml-limit in:1:/);
    expect(firstProblem(xml(`<c xmlns="urn:odd">${"<c>".repeat(10_000)}${"</c>".repeat(10_000)}</c>`))).toMatch(
      /^xml-limit in:1:/,
    );
  });

  it("a hundred thousand findings are told as the first thousand and a count", () => {
    const many = xmlInC("<nope/>".repeat(100_000));
    expect(problemsOf(many)).toHaveLength(1001);
    expect(many.kind === "error" && many.diagnostics.at(-1)).toMatchObject({
      code: "more-findings",
      message: "99000 more findings of severity error are not listed",
    });
    expect(problemsOf(json(`{"odd:c":{"valueOf":[${"1,".repeat(100_000)}1]}}`))).toHaveLength(1001);
  });

  it("attributes without end are refused before they are gathered", () => {
    const attributes = Array.from({ length: 100_000 }, (_, index) => `a${String(index)}=""`).join(" ");
    // 256 attributes have passed, of a text of a million characters.
    expect(firstProblem(xml(`<c xmlns="urn:odd" ${attributes}/>`))).toMatch(/^xml-limit in:1:1957$/);
  });

  it("characters that cost much are counted first", () => {
    for (const each of ["&amp;", "<![CDATA[]a]]>", "<!-- - -->", "<?a ??>"]) {
      const limits = { maxSpecialCharacters: 100 };
      const read = dataFromXmlText(schema, `<c xmlns="urn:odd"><s>${each.repeat(101)}</s></c>`, { ...options, limits });
      expect(problemsOf(read)).toEqual(["xml-limit"]);
    }
  });

  it("a string of nothing but escapes is read in the memory of its length", () => {
    const text = `{"odd:c":{"s":"${"\\n\\u0041".repeat(1_000_000)}"}}`;
    const tree = valueOf(json(text));
    const [leaf] = [...walkTree(tree)].slice(-1);
    expect(leaf?.node.kind === "leaf" && leaf.node.value.kind === "plain" && leaf.node.value.text).toBe(
      "\nA".repeat(1_000_000),
    );
  });

  it("scopes that multiply are refused before they fill the memory", () => {
    const prefixes = Array.from({ length: 200 }, (_, index) => `xmlns:p${String(index)}="u"`).join(" ");
    const each = Array.from({ length: 20_000 }, (_, index) => `<s xmlns:q="${String(index)}"/>`).join("");
    const problem = firstProblem(xml(`<c xmlns="urn:odd" ${prefixes}>${each}</c>`));
    expect(problem).toMatch(/^xml-limit in:1:/);
    // The same declarations again and again are one scope.
    const same = '<valueOf xmlns:q="urn:q"/>'.repeat(20_000);
    expect(problemsOf(xml(`<c xmlns="urn:odd" ${prefixes}>${same}</c>`))[0]).toBe(
      "duplicate-node /odd:c/valueOf[.='']",
    );
  });

  it("entities do not exist, so they do not multiply", () => {
    const laughs = Array.from(
      { length: 9 },
      (_, level) => `<!ENTITY l${String(level + 1)} "${`&l${String(level)};`.repeat(10)}">`,
    );
    const text = `<!DOCTYPE c [<!ENTITY l0 "ha">${laughs.join("")}]><c xmlns="urn:odd"><s>&l9;</s></c>`;
    expect(firstProblem(xml(text))).toMatch(/^xml-doctype in:1:/);
    expect(firstProblem(xmlInC("<s>&l9;</s>"))).toMatch(/^xml-syntax in:1:/);
  });
});

describe("declarations of many prefixes", () => {
  /** Twenty elements within each other that declare and use a prefix `count` times each, and around 20 * `count` others. */
  function prefixes(count: number, leaf: string): string {
    let open = "";
    for (let level = 0; level < 20; level += 1) {
      const names = Array.from({ length: count }, (_, each) => `p${String(level)}_${String(each)}`);
      const declared = names.map((prefix) => `xmlns:${prefix}="u:${prefix}"`);
      for (const prefix of names) declared.push(`${prefix}:a="1"`);
      open += `<l ${declared.join(" ")}>`;
    }
    return `<c xmlns="urn:odd"><any>${open}${leaf.repeat(20 * count)}${"</l>".repeat(20)}</any></c>`;
  }
  function cost(text: string): number {
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3; round += 1) {
      const start = cpuTimeMs();
      expect(xmlText(xml(text)) === text).toBe(true);
      best = Math.min(best, cpuTimeMs() - start);
    }
    return best;
  }

  it.each(["<x>a:b : c:d</x>", '<x xmlns:q="v" q:b=""/>', '<x xmlns:q="v">q:b</x>'])(
    "in opaque content cost what they are long, read and written, around %s",
    (leaf) => {
      cost(prefixes(10, leaf));
      // Four times the text; what looks at each prefix for each element takes sixteen times as long.
      expect(cost(prefixes(120, leaf)) / cost(prefixes(30, leaf))).toBeLessThan(9);
    },
  );
});

describe("numbers", () => {
  it.each([
    ['"n":2147483648', "value-range /odd:c/n in:1:15"],
    ['"n":18446744073709551616', "value-range /odd:c/n in:1:15"],
    ['"n":1e400', "value-range /odd:c/n in:1:15"],
    ['"n":1e999999999999', "value-syntax /odd:c/n in:1:15"],
    ['"n":1e-999999999999', "value-syntax /odd:c/n in:1:15"],
    ['"n":1.5', "value-syntax /odd:c/n in:1:15"],
    ['"n":-', "json-syntax in:1:15"],
    ['"n":0x10', "json-syntax in:1:16"],
    ['"n":Infinity', "json-syntax in:1:15"],
    [`"n":${"9".repeat(1_000_000)}`, "value-range /odd:c/n in:1:15"],
    ['"wide":"18446744073709551616"', "value-range /odd:c/wide in:1:18"],
    ['"wide":"-1"', "value-range /odd:c/wide in:1:18"],
    ['"fine":"92233720368547758.08"', "value-range /odd:c/fine in:1:18"],
    ['"fine":"1e400"', "value-syntax /odd:c/fine in:1:18"],
  ])("%.40s is refused", (members, problem) => {
    expect(firstProblem(json(`{"odd:c":{${members}}}`))).toBe(problem);
  });

  it("minus nought is nought", () => {
    expect(jsonText(json('{"odd:c":{"n":-0,"wide":"-0","fine":"-0.00"}}'))).toBe(
      '{"odd:c":{"n":0,"wide":"0","fine":"0.0"}}',
    );
    expect(xmlText(xmlInC("<n>-0</n><fine>-0.0</fine>"))).toBe('<c xmlns="urn:odd"><n>0</n><fine>0.0</fine></c>');
  });

  it("opaque numbers keep their text", () => {
    const text = '{"odd:c":{"any":{"n":[1e400,-0,18446744073709551616,0.10]}}}';
    expect(jsonText(json(text))).toBe(text);
  });
});

describe("names that mean something to JavaScript", () => {
  it("are names like any other, of containers, leafs, lists, keys and leaf-lists", () => {
    const text =
      '{"odd:__proto__":{"constructor":"__proto__","toString":1},' +
      '"odd:c":{"hasOwnProperty":[{"__proto__":"a","constructor":"b","v":"x"},{"__proto__":"__proto__","constructor":""}],"valueOf":["constructor"]}}';
    expect(jsonText(json(text))).toBe(text);
    expect([...walkTree(valueOf(json(text)))]).toHaveLength(8);
    const wrapped = valueOf(dataToXml(valueOf(json(text)))).map((element) => {
      const written = formatXml(element);
      return written.kind === "ok" ? written.value : "";
    });
    const data = `<data xmlns="urn:ietf:params:xml:ns:netconf:base:1.0">${wrapped.join("")}</data>`;
    expect(jsonText(xml(data))).toBe(text);
    expect({}).not.toHaveProperty("polluted");
  });

  it.each(["toString", "__proto__", "constructor", "valueOf"])(
    "%s is unknown where the schema does not have it",
    (name) => {
      expect(firstProblem(json(`{"odd:c":{"n":1,"${name}x":{"polluted":1}}}`))).toMatch(/^unknown-node/);
      expect(firstProblem(json(`{"odd:${name}s":1}`))).toMatch(/^unknown-node/);
      expect(firstProblem(json(`{"${name}:c":1}`))).toMatch(/^unknown-node/);
      expect(firstProblem(xml(`<${name}s xmlns="urn:odd"/>`))).toMatch(/^unknown-node/);
      expect(firstProblem(xml(`<c xmlns="${name}"/>`))).toMatch(/^unknown-node/);
      expect(firstProblem(xml(`<${name}:c/>`))).toMatch(/^xml-syntax/);
      expect(firstProblem(xmlInC(`<s>&${name};</s>`))).toMatch(/^xml-syntax/);
    },
  );

  it("are prefixes like any other", () => {
    expect(jsonText(xml('<__proto__:c xmlns:__proto__="urn:odd"><__proto__:n>1</__proto__:n></__proto__:c>'))).toBe(
      '{"odd:c":{"n":1}}',
    );
    expect(jsonText(xml('<c xmlns="urn:odd" xmlns:constructor="urn:x" constructor:__proto__="1"><n>1</n></c>'))).toBe(
      '{"odd:c":{"n":1}}',
    );
  });
});

describe("twice, and in no place", () => {
  it.each([
    ["an attribute twice", '<c xmlns="urn:odd" a="1" a="2"/>', "xml-syntax"],
    ["one attribute by two prefixes", '<c xmlns="urn:odd" xmlns:p="u" xmlns:q="u" p:a="1" q:a="2"/>', "xml-syntax"],
    ["a default namespace twice", '<c xmlns="urn:odd" xmlns="urn:odd"/>', "xml-syntax"],
    ["an undeclared prefix", "<p:c/>", "xml-syntax"],
    ["a name that begins with a hyphen behind its prefix", '<p:-c xmlns:p="urn:odd"/>', "xml-syntax"],
    ["the same in an attribute", '<c xmlns="urn:odd" xmlns:p="urn:odd" p:-a=""/>', "xml-syntax"],
    ["a declaration of such a prefix", '<c xmlns="urn:odd" xmlns:-p="urn:odd"/>', "xml-syntax"],
    ["an undeclared prefix of an attribute", '<c xmlns="urn:odd" p:a="1"/>', "xml-syntax"],
    ["a prefix that ended", '<c xmlns="urn:odd"><any xmlns:p="urn:odd"/><p:n>1</p:n></c>', "xml-syntax"],
    ["xml bound to something else", '<c xmlns:xml="urn:odd"/>', "xml-syntax"],
    ["something else bound to the xml namespace", '<c xmlns:p="http://www.w3.org/XML/1998/namespace"/>', "xml-syntax"],
    ["xmlns declared", '<c xmlns:xmlns="urn:odd"/>', "xml-syntax"],
    ["a prefix for no namespace", '<c xmlns:p=""/>', "xml-syntax"],
    ["another encoding", '<?xml version="1.0" encoding="UTF-16"?><c xmlns="urn:odd"/>', "xml-encoding"],
    ["two roots", '<c xmlns="urn:odd"/><c xmlns="urn:odd"/>', "xml-syntax"],
    ["no namespace", "<c/>", "unknown-node"],
    ["the namespace taken away again", '<c xmlns="urn:odd"><n xmlns="">1</n></c>', "unknown-node"],
    ["an empty reply", '<rpc-reply xmlns="urn:ietf:params:xml:ns:netconf:base:1.0"/>', "no-data"],
    [
      "a reply that says ok",
      '<rpc-reply xmlns="urn:ietf:params:xml:ns:netconf:base:1.0"><ok/></rpc-reply>',
      "unknown-node",
    ],
    ["text between nodes", '<c xmlns="urn:odd">text</c>', "unexpected-text"],
    ["text around data", '<data xmlns="urn:ietf:params:xml:ns:netconf:base:1.0">text</data>', "unexpected-text"],
  ])("%s is refused in XML, with a place", (_title, text, code) => {
    expect(firstProblem(xml(text))).toMatch(new RegExp(`^${code} .*in:1:`));
  });

  it("what stands around data is data within it", () => {
    const text = '<c xmlns="urn:odd"><any><data xmlns="urn:ietf:params:xml:ns:netconf:base:1.0"><x/></data></any></c>';
    expect(xmlText(xml(`<data xmlns="urn:ietf:params:xml:ns:netconf:base:1.0">${text}</data>`))).toBe(text);
    expect(firstProblem(xmlInC('<data xmlns="urn:ietf:params:xml:ns:netconf:base:1.0"/>'))).toMatch(/^unknown-node/);
  });

  it("declarations that look alike in one line are different scopes", () => {
    const text = '<c xmlns="urn:odd"><any xmlns:a="urn:x b=urn:y" z="a:1 b:1"/></c>';
    expect(xmlText(xml(text))).toContain('xmlns:a="urn:x b=urn:y"');
    const both = `<c xmlns="urn:odd"><s xmlns:a="urn:x b=urn:y"/><any xmlns:a="urn:x" xmlns:b="urn:y" z="a:1 b:1"/></c>`;
    expect(xmlText(xml(both))).toContain('xmlns:a="urn:x" xmlns:b="urn:y"');
  });

  it.each([
    ['{"odd:c":{"n":1,"n":2}}', "duplicate-node /odd:c/n in:1:21 in:1:15"],
    ['{"odd:c":{"n":1,"\\u006e":2}}', "duplicate-node /odd:c/n in:1:26 in:1:15"],
    ['{"odd:c":{"n":1,"odd:n":2}}', "duplicate-node /odd:c/n in:1:25 in:1:15"],
    ['{"odd:c":{"any":{"a":1,"a":1}}}', "json-duplicate-member in:1:24"],
    ['{"odd:c":{"n":1,"@n":{},"@n":{}}}', "duplicate-node /odd:c/@n in:1:25"],
    ['{"odd:c":{},"odd:c":{}}', "duplicate-node /odd:c in:1:13"],
    ['{"odd:c":{"n":1}} {}', "json-syntax in:1:19"],
    ["", "json-syntax in:1:1"],
    ["null", "wrong-json-type / in:1:1"],
    ["[]", "wrong-json-type / in:1:1"],
    ['{"odd:c":[{}]}', "wrong-json-type /odd:c in:1:10"],
    ['{"odd:c":{"valueOf":["1","1"]}}', "duplicate-node /odd:c/valueOf[.='1'] in:1:26 in:1:22"],
  ])("%s is refused in JSON, with its place", (text, problem) => {
    expect(firstProblem(json(text))).toBe(problem);
  });

  it("errors quote no value, which may be a secret", () => {
    const secret = "hunter2hunter2";
    const results = [
      json(`{"odd:c":{"n":"${secret}"}}`),
      json(`{"odd:c":{"s":"${secret}\u0001"}}`),
      json(`{"odd:c":{"s":"${secret}\\u0001"}}`),
      json(`{"odd:c":{"s":{"${secret}":1}}}`),
      xmlInC(`<s>${secret}\u0001</s>`),
      xmlInC(`<s>${secret}<n/></s>`),
      parseJson(`["${secret}" 1]`, { source: "in" }),
    ];
    for (const result of results) {
      expect(result.kind).toBe("error");
      expect(JSON.stringify(result)).not.toContain("hunter2");
    }
  });
});
