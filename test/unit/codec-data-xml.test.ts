import { describe, expect, it } from "vitest";
import type { ReadDataOptions } from "../../codec/data-reading.ts";
import { dataFromXml } from "../../codec/xml/data-from-xml.ts";
import { dataToXml, keysToXml, nodeToXml } from "../../codec/xml/data-to-xml.ts";
import { formatXml } from "../../codec/xml/format-xml.ts";
import { parseXml } from "../../codec/xml/read-xml.ts";
import { type XmlElement, childElements } from "../../codec/xml/xml-element.ts";
import { itemsOf } from "../../codec/items.ts";
import type { Result } from "../../model/diagnostic.ts";
import { type DataTree, findNode } from "../../model/tree.ts";
import { parseCanonicalPath } from "../../model/values/canonical-value.ts";
import { problemsOf, valueOf, warningsOf } from "../support/results.ts";
import { buildSchema, types } from "../support/schema-builder.ts";

const schema = buildSchema([
  {
    name: "ex",
    namespace: "urn:ex",
    identities: { kind: [] },
    nodes: [
      {
        kind: "container",
        name: "c",
        children: [
          { kind: "leaf", name: "descr", type: types.string() },
          { kind: "leaf", name: "mtu", type: types.integer("uint16"), default: "1500" },
          { kind: "leaf", name: "ctr", type: types.integer("uint64") },
          { kind: "leaf", name: "flag", type: types.boolean },
          { kind: "leaf", name: "shut", type: types.empty },
          { kind: "leaf", name: "type", type: types.identityref("ex:kind") },
          { kind: "leaf", name: "where", type: types.instanceIdentifier },
          { kind: "leaf", name: "leaf", type: types.string() },
          { kind: "leaf", name: "leaf", module: "b", type: types.string() },
          { kind: "list", name: "srv", keys: ["n"], children: [{ kind: "leaf", name: "n", type: types.string() }] },
          { kind: "leaf-list", name: "dns", type: types.string(), orderedBy: "user" },
          {
            kind: "list",
            name: "net",
            keys: ["addr", "mask"],
            children: [
              { kind: "leaf", name: "descr", type: types.string() },
              { kind: "leaf", name: "mask", type: types.integer("uint8") },
              { kind: "leaf", name: "addr", type: types.string() },
            ],
          },
          {
            kind: "container",
            name: "client",
            presence: true,
            children: [{ kind: "leaf", name: "id", type: types.string() }],
          },
          { kind: "container", name: "plain", children: [{ kind: "leaf", name: "x", type: types.string() }] },
          {
            kind: "container",
            name: "state",
            config: false,
            children: [{ kind: "list", name: "seg", keys: [], children: [] }],
          },
          { kind: "anydata", name: "any" },
        ],
      },
    ],
  },
  { name: "types", namespace: "urn:types", prefix: "t", identities: { ethernet: ["ex:kind"] } },
  {
    name: "b",
    namespace: "urn:b",
    prefix: "ex",
    nodes: [{ kind: "container", name: "c", children: [{ kind: "leaf", name: "x", type: types.string() }] }],
  },
]);

const explicit: ReadDataOptions = { unknown: "error", nodes: "config", defaultsMode: "explicit" };

function read(content: string, options: ReadDataOptions = explicit): Result<DataTree> {
  const data = parseXml(`<data xmlns="urn:ietf:params:xml:ns:netconf:base:1.0">${content}</data>`);
  if (data.kind === "failed") throw new Error(data.error.message);
  return dataFromXml(schema, childElements(data.value), options);
}
function inC(content: string, options: ReadDataOptions = explicit): Result<DataTree> {
  return read(`<c xmlns="urn:ex">${content}</c>`, options);
}
/** `path = text` of each leaf and entry. */
function flat(tree: DataTree): readonly string[] {
  return itemsOf(tree).map((item) =>
    "value" in item && item.value.kind === "plain" ? `${item.path} = ${item.value.text}` : item.path,
  );
}
function write(elements: Result<readonly XmlElement[]>): string {
  return valueOf(elements)
    .map((element) => {
      const text = formatXml(element);
      if (text.kind === "failed") throw new Error(text.error.message);
      return text.value;
    })
    .join("");
}

describe("reading", () => {
  it("case 08: keeps blanks of strings exactly and accepts them around other values and between elements", () => {
    const tree = valueOf(inC("\n <descr>  two blanks each side  </descr>\n<mtu> 9000 </mtu><flag>\n true </flag> "));
    expect(flat(tree)).toEqual(["/ex:c/descr =   two blanks each side  ", "/ex:c/mtu = 9000", "/ex:c/flag = true"]);
  });

  it("case 19: tells empty, blank and absent apart", () => {
    for (const [xml, expected] of [
      ["<descr/>", ""],
      ["<descr></descr>", ""],
      ["<descr> </descr>", " "],
    ] as const) {
      expect(flat(valueOf(inC(xml)))).toEqual([`/ex:c/descr = ${expected}`]);
    }
    expect(flat(valueOf(inC("")))).toEqual([]);
  });

  it("case 21: keeps every digit", () => {
    expect(flat(valueOf(inC("<ctr>18446744073709551615</ctr>")))).toEqual(["/ex:c/ctr = 18446744073709551615"]);
  });

  it("case 18: reads lists by the schema, with any number of entries, interleaved or not", () => {
    expect(flat(valueOf(inC("<srv><n>a</n></srv><dns>1</dns>")))).toEqual([
      "/ex:c/dns",
      "/ex:c/srv[n='a']",
      "/ex:c/dns[.='1'] = 1",
    ]);
    const interleaved = valueOf(inC("<srv><n>a</n></srv><dns>1</dns><srv><n>b</n></srv><dns>2</dns>"));
    expect(itemsOf(interleaved).find((item) => item.kind === "order")).toMatchObject({
      order: ["ex:dns[.='1']", "ex:dns[.='2']"],
    });
    expect(flat(interleaved)).toHaveLength(5);
  });

  it("case 29: keeps nodes of one name from two modules apart", () => {
    const tree = valueOf(
      read('<c xmlns="urn:ex"><leaf>1</leaf><leaf xmlns="urn:b">2</leaf></c><c xmlns="urn:b"><x>3</x></c>'),
    );
    expect(flat(tree)).toEqual(["/ex:c/leaf = 1", "/ex:c/b:leaf = 2", "/b:c/x = 3"]);
  });

  it("case 20: takes keys from anywhere in the entry", () => {
    const tree = valueOf(inC("<net><descr>d</descr><mask> 24</mask><addr>a</addr></net>"));
    expect(flat(tree)).toEqual(["/ex:c/net[addr='a'][mask='24']", "/ex:c/net[addr='a'][mask='24']/descr = d"]);
  });

  it("case 60: an empty presence container is data, an empty non-presence container is not", () => {
    expect(flat(valueOf(inC("<client/><plain/>")))).toEqual(["/ex:c/client"]);
  });

  it("case 14: resolves identities and instance-identifiers by the namespaces in scope", () => {
    const tree = valueOf(
      read(
        '<e:c xmlns:e="urn:ex" xmlns:q="urn:types"><e:type> q:ethernet </e:type><e:where xmlns:z="urn:ex">/z:c/z:net[z:mask="024"][z:addr=\'a\']</e:where></e:c>',
      ),
    );
    expect(flat(tree)).toEqual(["/ex:c/type = types:ethernet", "/ex:c/where = /ex:c/net[addr='a'][mask='24']"]);
    expect(problemsOf(inC("<type>q:ethernet</type>"))).toEqual(["value-identity /ex:c/type"]);
  });

  it("leaves state out without looking into it", () => {
    expect(flat(valueOf(inC("<state><seg/><seg/><nonsense/></state><mtu>1</mtu>")))).toEqual(["/ex:c/mtu = 1"]);
    expect(problemsOf(inC("<state><nonsense/></state>", { ...explicit, nodes: "all" }))).toEqual([
      "unknown-node /ex:c/state/ex:nonsense",
    ]);
  });

  it("reports everything that is wrong, each with its place", () => {
    const result = inC(
      '<nope/><x xmlns="urn:unknown"/>text<mtu>70000</mtu><mtu>1</mtu><mtu>2</mtu><srv/><srv><n>a</n></srv><srv><n>a</n></srv>' +
        "<dns>1</dns><dns>1</dns><descr><b/></descr><net><addr>a</addr><addr>b</addr><mask>x</mask></net><shut>x</shut>",
    );
    expect(problemsOf(result)).toEqual([
      "unknown-node /ex:c/ex:nope",
      "unknown-node /ex:c/{urn:unknown}x",
      "unexpected-text /ex:c",
      "value-range /ex:c/mtu",
      "duplicate-node /ex:c/mtu",
      "missing-key /ex:c/srv",
      "duplicate-node /ex:c/srv[n='a']",
      "duplicate-node /ex:c/dns[.='1']",
      "unexpected-element /ex:c/descr",
      "duplicate-node /ex:c/net/addr",
      "value-syntax /ex:c/net/mask",
      "value-syntax /ex:c/shut",
    ]);
  });

  it("tells once for each leaf and each parent that it holds what it cannot", () => {
    expect(problemsOf(inC("<descr><a/><b/></descr>one<mtu>1</mtu>two<flag/>"))).toEqual([
      "unexpected-element /ex:c/descr",
      "unexpected-text /ex:c",
      "value-syntax /ex:c/flag",
    ]);
  });

  it("leaves unknown nodes out with a warning where that is asked for", () => {
    const result = inC("<nope><deep/></nope><mtu>1</mtu>", { ...explicit, unknown: "warn" });
    expect(warningsOf(result)).toEqual(["unknown-node /ex:c/ex:nope"]);
    expect(flat(valueOf(result))).toEqual(["/ex:c/mtu = 1"]);
  });
});

describe("case 58: origins of leafs", () => {
  const origins = (content: string, defaultsMode: ReadDataOptions["defaultsMode"]): unknown =>
    itemsOf(valueOf(inC(content, { ...explicit, defaultsMode }))).map((item) => item.kind === "leaf" && item.origin);
  const tag = 'xmlns:wd="urn:ietf:params:xml:ns:netconf:default:1.0" wd:default="true"';

  it.each([
    ["explicit", "<mtu>1500</mtu>", "set"],
    ["report-all", "<mtu>1500</mtu>", "unknown"],
    ["report-all", "<mtu>9000</mtu>", "set"],
    ["report-all", "<ctr>1</ctr>", "set"],
    ["trim", "<mtu>9000</mtu>", "set"],
    ["trim", "<mtu>1500</mtu>", "unknown"],
    ["trim", `<mtu ${tag}>1500</mtu>`, "default"],
    ["report-all-tagged", `<mtu ${tag}>1500</mtu>`, "default"],
    ["report-all-tagged", "<mtu>1500</mtu>", "set"],
    ["explicit", `<mtu ${tag}>1500</mtu>`, "default"],
    ["explicit", '<mtu default="true">1500</mtu>', "set"],
    ["explicit", `<mtu ${tag.replace("true", "false")}>1500</mtu>`, "set"],
    ["explicit", `<mtu ${tag.replace("true", "1")}>1500</mtu>`, "default"],
  ] as const)("%s: %s is %s", (mode, content, expected) => {
    expect(origins(content, mode)).toEqual([expected]);
  });

  it("leaves leaf-list entries out that are only defaults", () => {
    expect(flat(valueOf(inC(`<dns ${tag}>1</dns>`)))).toEqual([]);
  });
});

describe("writing", () => {
  it("case 20: writes keys first and in key order", () => {
    const tree = valueOf(inC("<net><descr>d</descr><mask>24</mask><addr>a</addr></net>"));
    expect(write(dataToXml(tree))).toBe(
      '<c xmlns="urn:ex"><net><addr>a</addr><mask>24</mask><descr>d</descr></net></c>',
    );
  });

  it("case 14: declares the prefixes of a value on its own element, so that it can be sent alone", () => {
    const tree = valueOf(read('<c xmlns="urn:ex" xmlns:q="urn:types"><type>q:ethernet</type></c>'));
    const node = findNode(tree, valueOf(parseCanonicalPath(schema, "/ex:c/type")).path);
    expect(node).toBeDefined();
    const element = nodeToXml(schema, node!);
    expect(write({ kind: "ok", value: [valueOf(element)], warnings: [] })).toBe(
      '<type xmlns="urn:ex" xmlns:t="urn:types">t:ethernet</type>',
    );
    expect(write(dataToXml(tree))).toBe('<c xmlns="urn:ex"><type xmlns:t="urn:types">t:ethernet</type></c>');
  });

  it("qualifies every name of an instance-identifier", () => {
    const tree = valueOf(inC('<where xmlns:z="urn:ex">/z:c/z:net[z:mask="24"][z:addr="it\'s"]</where>'));
    expect(write(dataToXml(tree))).toBe(
      `<c xmlns="urn:ex"><where xmlns:ex="urn:ex">/ex:c/ex:net[ex:addr="it's"][ex:mask='24']</where></c>`,
    );
  });

  it("tells modules apart that have one prefix", () => {
    const tree = valueOf(inC('<where xmlns:y="urn:ex" xmlns:z="urn:b">/y:c/z:leaf</where>'));
    const text = write(dataToXml(tree));
    expect(text).toBe('<c xmlns="urn:ex"><where xmlns:ex="urn:ex" xmlns:ex-2="urn:b">/ex:c/ex-2:leaf</where></c>');
    expect(flat(valueOf(read(text)))).toEqual(["/ex:c/where = /ex:c/b:leaf"]);
  });

  it("leaves defaults out, writes them or tags them, as asked", () => {
    const tree = valueOf(inC('<mtu xmlns:wd="urn:ietf:params:xml:ns:netconf:default:1.0" wd:default="1">1500</mtu>'));
    expect(write(dataToXml(tree))).toBe("");
    expect(write(dataToXml(tree, { defaults: "write" }))).toBe('<c xmlns="urn:ex"><mtu>1500</mtu></c>');
    expect(write(dataToXml(tree, { defaults: "tag" }))).toBe(
      '<c xmlns="urn:ex"><mtu xmlns:wd="urn:ietf:params:xml:ns:netconf:default:1.0" wd:default="true">1500</mtu></c>',
    );
  });

  it("writes one node with all below it, its defaults too", () => {
    const tree = valueOf(inC('<mtu xmlns:wd="urn:ietf:params:xml:ns:netconf:default:1.0" wd:default="1">1500</mtu>'));
    const node = findNode(tree, valueOf(parseCanonicalPath(schema, "/ex:c")).path)!;
    const text = (element: Result<XmlElement>): string =>
      write({ kind: "ok", value: [valueOf(element)], warnings: [] });
    expect(text(nodeToXml(schema, node))).toBe('<c xmlns="urn:ex"><mtu>1500</mtu></c>');
    expect(text(nodeToXml(schema, node, { defaults: "omit" }))).toBe('<c xmlns="urn:ex"/>');
  });

  it("gives the keys of an entry alone", () => {
    const tree = valueOf(inC("<net><mask>24</mask><addr>a</addr></net>"));
    const entry = findNode(tree, valueOf(parseCanonicalPath(schema, "/ex:c/net[mask='24'][addr='a']")).path);
    expect(entry?.kind === "entry" && write(keysToXml(schema, entry))).toBe(
      '<addr xmlns="urn:ex">a</addr><mask xmlns="urn:ex">24</mask>',
    );
  });

  it("keeps opaque content readable without the document it came from", () => {
    const tree = valueOf(
      read('<c xmlns="urn:ex" xmlns:q="urn:q" xmlns:unused="urn:u"><any><a z="q:x">q:y</a><q:b/></any></c>'),
    );
    const [item] = itemsOf(tree);
    expect(item).toMatchObject({
      kind: "anydata",
      content: '<any xmlns="urn:ex"><a xmlns:q="urn:q" z="q:x">q:y</a><q:b xmlns:q="urn:q"/></any>',
    });
  });

  it("declares in opaque content what its texts may refer to, and its attributes", () => {
    const declared = ["p", "q", "r", "s", "t"].map((prefix) => `xmlns:${prefix}="urn:${prefix}"`).join(" ");
    const content = (texts: string): unknown => {
      const [item] = itemsOf(valueOf(read(`<c xmlns="urn:ex" ${declared}><any>${texts}</any></c>`)));
      return item?.kind === "anydata" && /^<any xmlns="urn:ex">(.*)<\/any>$/s.exec(item.content)?.[1];
    };
    expect(content("<a>/p:x[1-q:y='r:z'] xs:no</a>")).toBe(
      '<a xmlns:p="urn:p" xmlns:q="urn:q" xmlns:r="urn:r">/p:x[1-q:y=\'r:z\'] xs:no</a>',
    );
    expect(content('<a p:b="s::c">t :r</a>')).toBe('<a xmlns:p="urn:p" xmlns:s="urn:s" p:b="s::c">t :r</a>');
    expect(content('<a xml:lang="p"/>')).toBe('<a xml:lang="p"/>');
  });

  it("refuses text right within an anydata, where only elements can stand (RFC 7950 section 7.10)", () => {
    expect(problemsOf(inC("<any>text</any>"))).toEqual(["unexpected-text /ex:c/any"]);
    expect(problemsOf(inC("<any><a/>text</any>"))).toEqual(["unexpected-text /ex:c/any"]);
    expect(flat(valueOf(inC("<any>\n <a>text</a> \n</any>")))).toEqual(["/ex:c/any"]);
  });

  it("refuses to write a sealed secret", () => {
    const tree = valueOf(inC("<descr>clear</descr>"));
    const container = [...tree.roots.values()][0];
    const leaf = container?.kind === "container" ? [...container.children.values()][0] : undefined;
    if (container?.kind !== "container" || leaf?.kind !== "leaf") throw new Error("no leaf");
    const sealed = { ...leaf, value: { kind: "sealed", type: "string", keyId: "k1", hmac: "00ff" } as const };
    const children = new Map([["ex:descr", sealed]]);
    expect(problemsOf(dataToXml({ schema, roots: new Map([["ex:c", { ...container, children }]]) }))).toEqual([
      "sealed-value /ex:c/descr",
    ]);
  });
});
