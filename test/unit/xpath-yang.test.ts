/** What RFC 7950 adds to XPath 1.0: the accessible tree (6.4.1), its functions (10), values without canonical form. */
import { describe, expect, it } from "vitest";
import { compileLeafref, compileXPath } from "../../model/xpath/compile-xpath.ts";
import { DataDocument, type DataDocumentOptions, type XPathNode } from "../../model/xpath/data-document.ts";
import { type DataNode, childrenOf } from "../../model/tree.ts";
import { plainValue } from "../../model/value.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";
import { valueOf } from "../support/results.ts";
import { compiled as compileModule, documentOf, evaluate, expressionOf, nodeAt, placeOf } from "./xpath-fixture.ts";
import { compiled, leafAt, listAt, nodeAt as schemaAt, yangModule } from "./yang-fixture.ts";

const schema = compiled([
  yangModule("other", "identity base; identity far { base base; } identity same { base far; }"),
  yangModule(
    "m",
    `import other { prefix o; }
     identity own { base o:base; } identity same { base own; }
     container c {
       leaf set { type uint8; } leaf preset { type uint8; default 7; }
       leaf-list many { type string; default a; default b; }
       container inner { leaf low { type string; default x; } container deeper { leaf-list l { type string; } } }
       container on { presence "is set"; leaf low { type string; default x; } }
       leaf state { config false; type string; } leaf usual { config false; type string; default s; }
       choice way { default air;
         case air { leaf wings { type uint8; default 2; } container sky { } leaf-list cloud { type string; default c; } }
         case land { leaf wheels { type uint8; default 4; } container road { } }
         case sea { leaf ship { config false; type string; } list boats { config false; leaf b { type string; } } } }
       leaf a { type string; } leaf guarded { when "../a = 'yes'"; type string; default g; }
       leaf kind { type identityref { base o:base; } }
       leaf mixed { type union { type identityref { base o:base; } type uint8; type string; } }
       leaf colour { type enumeration { enum red { value 3; } enum green { value 7; } enum blue; } }
       leaf flags { type bits { bit one; bit two; bit three; } }
       leaf where { type instance-identifier { require-instance false; } }
       leaf price { type decimal64 { fraction-digits 2; } }
       leaf nothing { type empty; }
       anydata opaque;
       list item { key "k j"; leaf j { type uint8; } leaf k { type string; } leaf next { type leafref { path "../../item/k"; } }
         leaf exact { type leafref { path "/m:c/m:item[m:k = current()/../next]/m:j"; } }
         leaf either { type union { type leafref { path "../../item/j"; } type leafref { path "../../item/k"; } } }
         leaf back { type leafref { path "../next"; } }
         leaf v { type uint8; } }
     }`,
  ),
]);

const item = (k: string, j: number, more: object = {}): object => ({ k, j, ...more });
const document = documentOf(schema, {
  "m:c": {
    set: 1,
    kind: "m:same",
    mixed: "other:same",
    colour: "green",
    flags: "three one",
    where: "/m:c/item[k='b'][j='2']/v",
    price: "1.50",
    nothing: [null],
    opaque: { x: 1 },
    item: [
      item("a", 1, { next: "b", exact: 2, either: "b", back: "b" }),
      item("b", 2, { next: "a", v: 9, either: "1" }),
      item("b", 3),
    ],
  },
});

type Row = readonly [expression: string, value: readonly string[] | string | number | boolean];
function table(section: string, rows: readonly Row[], context = "/m:c/set"): void {
  describe(`RFC 7950 section ${section}`, () => {
    it.each(rows)("%s", (expression, value) => {
      expect(evaluate(document, expression, context)).toEqual(value);
    });
  });
}

const first = "/m:c/item[k='a'][j='1']";
const second = "/m:c/item[k='b'][j='2']";

table("6.4.1, the accessible tree", [
  ["../preset", ["/m:c/preset"]],
  ["../preset + 1", 8],
  ["../many", ["/m:c/many[.='a']", "/m:c/many[.='b']"]],
  ["count(../many)", 2],
  ["../inner/low = 'x'", true],
  ["../inner/deeper", ["/m:c/inner/deeper"]],
  ["../on", []],
  ["../on/low", []],
  ["../wings", ["/m:c/wings"]],
  ["../sky", ["/m:c/sky"]],
  ["../cloud = 'c'", true],
  ["../wheels | ../road", []],
  ["../item[1]/*[1]", [`${first}/k`]],
  ["../item[1]/*[2]", [`${first}/j`]],
  ["/c/item/k", [`${first}/k`, `${second}/k`, "/m:c/item[k='b'][j='3']/k"]],
  ["/m:c/m:set", ["/m:c/set"]],
  ["/o:c", []],
  ["current()", ["/m:c/set"]],
  ["../item[j = current()]/k", [`${first}/k`]],
  ["../item[j = ../set]/k", [`${first}/k`]],
  ["../nothing", ["/m:c/nothing"]],
  ["string(../nothing)", ""],
  ["../nothing/node()", []],
  ["../opaque", ["/m:c/opaque"]],
  ["../opaque/node()", []],
  ["string(../price)", "1.5"],
  ["../price = '1.50'", false],
  ["../price = 1.50", true],
  ["string(../flags)", "one three"],
  ["string(../kind)", "m:same"],
]);

table("9.10.3, identities compare by value, whatever prefix the text has", [
  ["../kind = 'm:same'", true],
  ["../kind = 'same'", true],
  ["../kind = 'o:same'", false],
  ["../kind != 'same'", false],
  ["../kind = concat('m:', 'same')", true],
  ["../mixed = 'o:same'", true],
  ["../mixed = 'other:same'", true],
  ["../mixed = 'same'", false],
  ["../kind = ../mixed", false],
  ["/c[kind = 'same']", ["/m:c"]],
  ["/c[mixed = 'o:same'][kind = 'm:same']", ["/m:c"]],
]);

table("9.13, instance-identifiers too", [
  ["../where = \"/m:c/m:item[m:k='b'][m:j='2']/m:v\"", true],
  ["../where = '/m:c/m:set'", false],
]);

table("10.2.1, re-match()", [
  ["re-match('1.22.333', '\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}')", true],
  ["re-match('xab', 'ab')", false],
  ["re-match(../set, '[0-9]')", true],
  ["re-match('a', ../item[1]/k)", true],
  ["re-match('a', '[')", false],
]);

table("10.3.1, deref()", [
  ["deref(../item[1]/next)", [`${second}/k`, "/m:c/item[k='b'][j='3']/k"]],
  ["deref(../item[1]/next)/../j", [`${second}/j`, "/m:c/item[k='b'][j='3']/j"]],
  ["deref(../item[1]/exact)", [`${second}/j`]],
  ["deref(../item[1]/back)", [`${first}/next`]],
  ["deref(deref(../item[1]/back))/../v = 9", true],
  ["deref(../item[1]/either)", [`${second}/k`, "/m:c/item[k='b'][j='3']/k"]],
  ["deref(../item[2]/either)", [`${first}/j`]],
  ["deref(../item/next)", [`${second}/k`, "/m:c/item[k='b'][j='3']/k"]],
  ["deref(../where)", [`${second}/v`]],
  ["deref(../set)", []],
  ["deref(../item[3]/next)", []],
]);

table("10.4, derived-from() and derived-from-or-self()", [
  ["derived-from(../kind, 'o:base')", true],
  ["derived-from(../kind, 'm:own')", true],
  ["derived-from(../kind, 'own')", true],
  ["derived-from(../kind, 'same')", false],
  ["derived-from-or-self(../kind, 'same')", true],
  ["derived-from-or-self(../kind, 'o:same')", false],
  ["derived-from(../mixed, 'o:far')", true],
  ["derived-from(../kind, 'o:far')", false],
  ["derived-from(../set, 'o:base')", false],
  ["derived-from(../nothing | ../kind, 'o:base')", true],
  ["derived-from(../kind, 'm:unheard')", false],
  ["derived-from(../kind, concat('o:', 'base'))", true],
]);

table("10.5.1, enum-value()", [
  ["enum-value(../colour)", 7],
  ["enum-value(../set)", Number.NaN],
  ["enum-value(../item)", Number.NaN],
  ["enum-value(../on)", Number.NaN],
  ["enum-value(../colour) >= 5", true],
]);

table("10.6.1, bit-is-set()", [
  ["bit-is-set(../flags, 'one')", true],
  ["bit-is-set(../flags, 'two')", false],
  ["bit-is-set(../set, 'one')", false],
  ["bit-is-set(../on, 'one')", false],
]);

describe("what is there by default depends on the data", () => {
  const exists = (data: object, expression: string, options?: DataDocumentOptions): boolean => {
    const { root } = documentOf(schema, { "m:c": data }, options);
    return valueOf(compileXPath(expressionOf(expression), schema, undefined)).test(root) === true;
  };

  it("chooses the case that has a node (section 7.9.3)", () => {
    expect(exists({ wheels: 3 }, "/c/wings or /c/sky or /c/cloud")).toBe(false);
    expect(exists({ wheels: 3 }, "/c/road and /c/wheels = 3")).toBe(true);
    expect(exists({ cloud: ["z"] }, "/c/wings = 2 and count(/c/cloud) = 1")).toBe(true);
  });

  it("has nothing by default where a when is false (section 7.6.1)", () => {
    const whenHolds = (node: XPathNode): boolean => compileModule(schema, "../a = 'yes'", node).test(node) === true;
    expect(exists({ a: "yes" }, "/c/guarded = 'g'", { whenHolds })).toBe(true);
    expect(exists({ a: "no" }, "/c/guarded", { whenHolds })).toBe(false);
  });

  it("ends where a when asks for the very node it decides about (section 7.21.5 forbids that)", () => {
    const whenHolds = (node: XPathNode): boolean => compileModule(schema, "../guarded", node).test(node) === true;
    expect(exists({ a: "yes" }, "/c/guarded", { whenHolds })).toBe(false);
  });

  it("takes the dummy of a leaf for a node that is there and empty (section 7.21.5)", () => {
    const guarded = (expression: string): boolean => {
      const whenHolds = (node: XPathNode): boolean => compileModule(schema, expression, node).test(node) === true;
      return exists({ a: "yes" }, "/c/guarded = 'g'", { whenHolds });
    };
    for (const holds of [".", ". != 'x'", ". = ''", "count(.) = 1", "not(text())", "../a != .", "string(.) = ''"])
      expect([holds, guarded(holds)]).toEqual([holds, true]);
    for (const fails of [". = 'g'", ". > 0", "not(.)", ". = ../a"])
      expect([fails, guarded(fails)]).toEqual([fails, false]);
  });

  it("shows state only where state may be seen", () => {
    expect(exists({ state: "s" }, "/c/state")).toBe(true);
    expect(exists({ state: "s" }, "/c/state", { content: "config" })).toBe(false);
    expect(exists({ state: "s" }, "//state | /c/*[. = 's']", { content: "config" })).toBe(false);
    expect(exists({}, "/c/usual")).toBe(true);
    expect(exists({}, "/c/usual", { content: "config" })).toBe(false);
    // Nor does it choose a case there.
    expect(exists({ ship: "s" }, "/c/wings")).toBe(false);
    expect(exists({ ship: "s" }, "/c/wings", { content: "config" })).toBe(true);
    expect(exists({ boats: [{}] }, "/c/wings", { content: "config" })).toBe(true);
  });

  it("has a non-presence container in an empty tree", () => {
    const { root } = new DataDocument({ schema, roots: new Map() });
    expect(valueOf(compileXPath(expressionOf("/c/inner/low"), schema, undefined)).test(root)).toBe(true);
  });

  it("finds nodes by path, those by default too", () => {
    expect(placeOf(nodeAt(document, "/m:c/many[.='b']"))).toBe("/m:c/many[.='b']");
    expect(nodeAt(document, `${second}/k`).value).toEqual({ kind: "plain", type: "string", text: "b" });
    expect(document.nodeAt([{ kind: "node", module: "m", name: "on" }])).toBeUndefined();
  });
});

describe("the target of a leafref (section 9.9)", () => {
  it.each([
    ["next", first, 2],
    ["exact", first, 1],
    ["back", first, 1],
    ["next", second, 1],
  ] as const)("%s of %s has %i", (name, entry, count) => {
    const leaf = leafAt(schema, `/m:c/m:item/m:${name}`);
    if (leaf.type.kind !== "leafref") throw new Error("no leafref");
    const target = valueOf(compileLeafref(leaf.type, leaf, schema));
    const node = nodeAt(document, `${entry}/${name}`);
    expect(target.nodes(node)).toHaveLength(count);
    expect(target.test(node)).toBe(true);
  });
});

describe("identities without prefix (section 10.4.1)", () => {
  const shared = compiled([
    yangModule(
      "holder",
      `identity base; identity near { base base; } identity twice { base base; }
       grouping g { leaf kind { type identityref { base base; } must "derived-from-or-self(., 'near')"; }
         leaf other { type identityref { base base; } must "derived-from-or-self(., 'twice')"; } }`,
    ),
    yangModule("m", "import holder { prefix h; } identity twice { base h:base; } container c { uses h:g; }"),
  ]);

  it.each([
    ["kind", "holder:near", true, "only the module that holds the text has it"],
    ["kind", "holder:twice", false, "it is another one"],
    ["other", "m:twice", true, "the module that uses the text comes first"],
    ["other", "holder:twice", false, "the one that holds it second"],
  ])("%s %s: %s, %s", (name, value, verdict) => {
    const leaf = leafAt(shared, `/m:c/m:${name}`);
    const expression = leaf.musts[0]!.expression;
    expect([expression.module, expression.definedIn]).toEqual(["m", "holder"]);
    const node = nodeAt(documentOf(shared, { "m:c": { [name]: value } }), `/m:c/${name}`);
    // Nothing rests on the order of the prefixes.
    const prefixes = new Map([...expression.prefixes].reverse());
    for (const each of [expression, { ...expression, prefixes }])
      expect(valueOf(compileXPath(each, shared, leaf)).test(node)).toBe(verdict);
  });
});

describe("names that objects have in JavaScript", () => {
  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("%s is a name like any other", (name) => {
    expect(evaluate(document, `/${name} | /c/${name} | //${name}`)).toEqual([]);
    expect(evaluate(document, `/c/item[k = '${name}']`)).toEqual([]);
  });
});

describe("long lists", () => {
  const list = listAt(schema, "/m:c/m:item");
  const container = schemaAt(schema, "/m:c");
  if (container.kind !== "container") throw new Error("no container");
  const text = (value: string) => plainValue("string", value);
  const longDocument = (count: number, options: DataDocumentOptions = {}): DataDocument => {
    const next = leafAt(schema, "/m:c/m:item/m:next");
    const entries = Array.from({ length: count }, (_, index): DataNode => {
      const value = text(`k${String((index * 7 + 1) % count)}`);
      const children = childrenOf([{ kind: "leaf", schema: next, value, origin: "set" }]);
      return { kind: "entry", schema: list, keys: [text(`k${String(index)}`), plainValue("uint8", "1")], children };
    });
    const c: DataNode = { kind: "container", schema: container, children: childrenOf(entries) };
    return new DataDocument({ schema, roots: childrenOf([c]) }, options);
  };
  /** Processor time of one expression over all entries; all must hold. */
  const time = (expression: string, count: number): number => {
    const document = longDocument(count);
    const entries = document.instances(nodeAt(document, "/m:c"), list);
    const test = compileModule(schema, expression, entries[0]!);
    const start = cpuTimeMs();
    for (const entry of entries) if (test.test(entry) !== true) throw new Error(`${expression} does not hold`);
    return cpuTimeMs() - start;
  };

  it.each([
    "/c/item[k = current()/next]/j = 1",
    "../item[k = current()/next][j = '1']",
    "../item[j = 1 and k = current()/next]",
    "next = /c/item/k",
    "next = ../item/k",
    "deref(next)/../j = 1",
    "count(/c/item[j = 1]) > 1",
    "count(../item[j > 0]) > 1",
    "sum(/c/item/j) > 1",
    "sum(../item/j) > 1",
    "not(preceding-sibling::item[1]/k = k)",
    "count(//item) > 1",
    "count(//item/k) > 1 and //item/next = k",
    "/c/item[last()]/j and ../item[1]/j",
  ])("take time in proportion: %s", (expression) => {
    time(expression, 500);
    const small = Math.min(time(expression, 1000), time(expression, 1000));
    // Sixteen times the entries; quadratic work would take 256 times the time.
    expect(time(expression, 16_000)).toBeLessThan(Math.max(small, 2) * 80);
  });

  it("are given up on when an expression looks at too much of them", () => {
    const document = longDocument(1000, { maxVisits: 5000 });
    const { root } = document;
    const costly = compileModule(schema, "//item[not(//item[next = 'none'] = 'x')]/../item[k != ../item/next]", root);
    expect(costly.test(root)).toBe("too-costly");
    expect(costly.nodes(root)).toBe("too-costly");
    expect(costly.evaluate(root)).toBe("too-costly");
    // The next evaluation has its own limit, and walking outside of one has none.
    expect(compileModule(schema, "count(/c/item) = 1000", root).test(root)).toBe(true);
    const c = nodeAt(document, "/m:c");
    for (let round = 0; round < 10; round += 1) expect(document.elements(c).length).toBeGreaterThan(1000);
  });

  it("are not visited by looking among them", () => {
    const { root } = longDocument(1000, { maxVisits: 20_000 });
    for (const expression of ["/c/item[not(deref(next))]", "/c/item[not(../item[k = current()/c/item[1]/k])]"])
      expect(compileModule(schema, expression, root).nodes(root)).toEqual([]);
  });
});
