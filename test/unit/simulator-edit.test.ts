import { describe, expect, test } from "vitest";
import { formatXml } from "../../codec/xml/format-xml.ts";
import { parseXml } from "../../codec/xml/read-xml.ts";
import { type XmlElement, childElements, xmlElement } from "../../codec/xml/xml-element.ts";
import { formatInstancePath } from "../../model/path.ts";
import type { Schema } from "../../model/schema.ts";
import { type DataTree, emptyTree } from "../../model/tree.ts";
import { compileYang } from "../../model/yang/compile-yang.ts";
import { type ApplyOptions, applyEdit } from "../../simulator/apply-edit.ts";
import { checkTree } from "../../simulator/check-tree.ts";
import type { EditResult } from "../../simulator/datastores.ts";
import { readEdit } from "../../simulator/read-edit.ts";
import { reportXml } from "../../simulator/report.ts";
import type { RpcError } from "../../simulator/rpc-error.ts";
import { filterSubtree } from "../../simulator/subtree-filter.ts";
import type { ReportMode } from "../../simulator/with-defaults.ts";

const shopModule = `module shop {
  yang-version 1.1;
  namespace "urn:shop";
  prefix sh;
  identity colour;
  identity red { base colour; }
  container shop {
    leaf open { type boolean; default "true"; }
    leaf owner { type string; }
    container till {
      leaf float { type uint32; default "100"; }
      leaf currency { type string; }
    }
    container alarm {
      presence "there is one";
      leaf code { type string; mandatory true; }
    }
    list shelf {
      key "row column";
      unique "label";
      leaf row { type uint8; }
      leaf column { type uint8; }
      leaf label { type string; }
      leaf colour { type identityref { base colour; } }
      leaf-list tag { type string; ordered-by user; }
    }
    list customer {
      key "name";
      ordered-by user;
      leaf name { type string; }
      leaf limit { type uint16 { range "1..1000"; } }
    }
    leaf best { type leafref { path "../customer/name"; } }
    choice payment {
      default cash;
      case cash { leaf coins { type uint8; default "5"; } }
      case card { leaf issuer { type string; } leaf fee { type uint8; default "2"; } }
    }
    choice contact { mandatory true; leaf phone { type string; } leaf mail { type string; } }
    leaf-list language { type string; default "en"; default "nl"; }
    anydata note;
    leaf visitors { config false; type uint32; }
  }
}`;

function compile(): Schema {
  const result = compileYang([{ name: "shop.yang", text: shopModule }], { implement: "all", features: "all" });
  if (result.kind === "error") throw new Error(JSON.stringify(result.diagnostics));
  return result.value;
}
const schema = compile();
const empty = emptyTree(schema);

function elementsOf(inside: string): readonly XmlElement[] {
  const text = `<config xmlns="urn:shop" xmlns:sh="urn:shop" xmlns:nc="urn:ietf:params:xml:ns:netconf:base:1.0" xmlns:yang="urn:ietf:params:xml:ns:yang:1">${inside}</config>`;
  const parsed = parseXml(text);
  if (parsed.kind === "failed") throw new Error(parsed.error.message);
  return childElements(parsed.value);
}

interface EditOptions extends Partial<ApplyOptions> {
  readonly defaultOperation?: "merge" | "replace" | "none";
}

function edit(tree: DataTree, inside: string, options: EditOptions = {}): EditResult {
  const { defaultOperation = "merge", errorOption = "stop-on-error", basicMode = "explicit" } = options;
  const { edits, errors } = readEdit(schema, elementsOf(inside), defaultOperation);
  return errors.length > 0 ? { tree, errors } : applyEdit(tree, edits, { errorOption, basicMode });
}

function treeOf(inside: string): DataTree {
  const { tree, errors } = edit(empty, `<shop>${inside}</shop>`);
  expect(errors).toEqual([]);
  return tree;
}

function textOfElements(elements: readonly XmlElement[]): string {
  const text = formatXml(xmlElement({ namespace: "urn:shop", name: "x", children: elements }));
  if (text.kind === "failed") throw new Error(text.error.message);
  return text.value.replace(/^<x[^>]*>(?:(.*)<\/x>)?$/su, "$1");
}

/** The content of the shop, as the device reports it. */
function inside(tree: DataTree, mode: ReportMode = "explicit"): string {
  return textOfElements(reportXml(tree, mode)).replace(/^<shop>(.*)<\/shop>$/u, "$1");
}

function brief(errors: readonly RpcError[]): readonly string[] {
  return errors.map(({ tag, appTag, path }) =>
    [tag, appTag, path === undefined ? undefined : formatInstancePath(path)]
      .filter((each) => each !== undefined)
      .join(" "),
  );
}

describe("operations of edit-config", () => {
  const before = treeOf(
    `<owner>Ann</owner><shelf><row>1</row><column>2</column><label>tea</label></shelf><phone>1</phone>`,
  );

  test("merge keeps what it does not name, by reference", () => {
    const { tree, errors } = edit(before, "<shop><till><currency>EUR</currency></till></shop>");
    expect(errors).toEqual([]);
    expect(inside(tree)).toBe(
      "<owner>Ann</owner><shelf><row>1</row><column>2</column><label>tea</label></shelf><phone>1</phone><till><currency>EUR</currency></till>",
    );
    expect(edit(tree, "<shop><owner>Ann</owner></shop>").tree).toBe(tree);
  });

  test("replace of an entry drops what it does not name, and leaves its neighbours", () => {
    const { tree } = edit(
      before,
      `<shop><shelf nc:operation="replace"><row>1</row><column>2</column><tag>x</tag></shelf></shop>`,
    );
    expect(inside(tree)).toBe(
      "<owner>Ann</owner><shelf><row>1</row><column>2</column><tag>x</tag></shelf><phone>1</phone>",
    );
    const all = edit(before, "<shop><mail>m</mail></shop>", { defaultOperation: "replace" });
    expect(inside(all.tree)).toBe("<mail>m</mail>");
  });

  test("create of what exists is data-exists, with the path of it", () => {
    const { tree, errors } = edit(
      before,
      `<shop><shelf nc:operation="create"><row>1</row><column>2</column></shelf></shop>`,
    );
    expect(brief(errors)).toEqual(["data-exists /shop:shop/shelf[row='1'][column='2']"]);
    expect(tree).toBe(before);
    expect(edit(before, `<shop><till nc:operation="create"><float>1</float></till></shop>`).errors).toEqual([]);
  });

  test("case 52: delete of nothing is data-missing, remove of nothing is fine", () => {
    const target = (operation: string): string =>
      `<shop><shelf nc:operation="${operation}"><row>9</row><column>9</column></shelf></shop>`;
    expect(brief(edit(before, target("delete")).errors)).toEqual([
      "data-missing /shop:shop/shelf[row='9'][column='9']",
    ]);
    expect(edit(before, target("remove"))).toEqual({ tree: before, errors: [] });
    expect(brief(edit(before, `<shop><till nc:operation="delete"/></shop>`).errors)).toEqual([
      "data-missing /shop:shop/till",
    ]);
  });

  test.each(["delete", "remove"])("case 53: %s of an entry needs every key", (operation) => {
    const without = edit(before, `<shop><shelf nc:operation="${operation}"><row>1</row></shelf></shop>`);
    expect(without.errors).toMatchObject([{ tag: "missing-element", info: [{ name: "bad-element", text: "column" }] }]);
    expect(edit(before, `<shop><shelf nc:operation="${operation}"/></shop>`).errors).toHaveLength(2);
    const named = `<shop><customer nc:operation="create"><name/></customer></shop>`;
    expect(inside(edit(before, named).tree)).toContain("<customer><name/></customer>");
  });

  test("none demands that levels exist, and changes only what says so", () => {
    const gone = `<shop><shelf><row>9</row><column>9</column><label nc:operation="remove"/></shelf></shop>`;
    expect(brief(edit(before, gone, { defaultOperation: "none" }).errors)).toEqual([
      "data-missing /shop:shop/shelf[row='9'][column='9']",
    ]);
    const there = `<shop><owner>Bob</owner><shelf><row>1</row><column>2</column><label nc:operation="delete"/></shelf></shop>`;
    expect(inside(edit(before, there, { defaultOperation: "none" }).tree)).toBe(
      "<owner>Ann</owner><shelf><row>1</row><column>2</column></shelf><phone>1</phone>",
    );
  });

  test("the last child takes its non-presence container along; case 60: an empty presence container stays", () => {
    const till = treeOf("<till><currency>EUR</currency></till><alarm><code>1</code></alarm>");
    const { tree } = edit(
      till,
      `<shop><till><currency nc:operation="delete"/></till><alarm><code nc:operation="delete"/></alarm></shop>`,
    );
    expect(inside(tree)).toBe("<alarm/>");
  });

  test("a case pushes the other cases of its choice out", () => {
    const { tree } = edit(
      treeOf("<phone>1</phone><issuer>bank</issuer><fee>3</fee>"),
      "<shop><mail>m</mail><coins>1</coins></shop>",
    );
    expect(inside(tree)).toBe("<mail>m</mail><coins>1</coins>");
    const both = edit(before, "<shop><mail>m</mail><phone>2</phone></shop>");
    expect(both.errors).toMatchObject([{ tag: "bad-element", info: [{ text: "phone" }] }]);
    const moved = edit(before, `<shop><phone nc:operation="delete"/><mail>m</mail></shop>`);
    expect(moved.errors).toEqual([]);
  });

  const half = `<shop><owner>Bob</owner><best nc:operation="delete"/><till><float>7</float></till></shop>`;
  test.each([
    ["stop-on-error", "<owner>Bob</owner>", "absent"],
    ["continue-on-error", "<owner>Bob</owner>", "present"],
    ["rollback-on-error", "<owner>Ann</owner>", "absent"],
  ] as const)("%s", (errorOption, owner, float) => {
    const { tree, errors } = edit(before, half, { errorOption });
    expect(brief(errors)).toEqual(["data-missing /shop:shop/best"]);
    expect(inside(tree)).toContain(owner);
    expect(inside(tree).includes("<float>7</float>")).toBe(float === "present");
  });

  test("anydata is kept whole", () => {
    const { tree } = edit(empty, `<shop><note><a xmlns="urn:other"><b>  x </b></a></note></shop>`);
    expect(inside(tree)).toBe(`<note><a xmlns="urn:other"><b>  x </b></a></note>`);
  });
});

describe("user order", () => {
  const names = (tree: DataTree): string[] =>
    [...inside(tree).matchAll(/<name>(\w+)<\/name>/gu)].map(([, name]) => name ?? "");
  const abc = treeOf(["a", "b", "c"].map((name) => `<customer><name>${name}</name></customer>`).join(""));
  const put = (name: string, attributes: string): EditResult =>
    edit(abc, `<shop><customer ${attributes}><name>${name}</name></customer></shop>`);

  test.each([
    ["d", "", "abcd"],
    ["d", `yang:insert="first"`, "dabc"],
    ["d", `yang:insert="before" yang:key="[sh:name='b']"`, "adbc"],
    ["d", `nc:operation="create" yang:insert="after" yang:key='[sh:name="b"]'`, "abdc"],
    ["c", `yang:insert="first"`, "cab"],
    ["a", `yang:insert="last"`, "bca"],
    ["a", `yang:insert="after" yang:key="[sh:name='b']"`, "bac"],
    ["b", "", "abc"],
    ["b", `nc:operation="replace"`, "abc"],
  ])("%s with %s gives %s", (name, attributes, order) => {
    const result = put(name, attributes);
    expect(result.errors).toEqual([]);
    expect(names(result.tree).join("")).toBe(order);
  });

  test("case 55: an anchor that is not there, or is the entry itself, is missing-instance", () => {
    for (const anchor of ["x", "b"]) {
      const { tree, errors } = put("b", `yang:insert="before" yang:key="[sh:name='${anchor}']"`);
      expect(brief(errors)).toEqual(["bad-attribute missing-instance /shop:shop/customer[name='b']"]);
      expect(tree).toBe(abc);
    }
  });

  test("leaf-list entries are placed by value", () => {
    const shelf = (tags: string): string => `<shop><shelf><row>1</row><column>1</column>${tags}</shelf></shop>`;
    const { tree } = edit(empty, shelf("<tag>x</tag><tag>y</tag>"));
    const moved = edit(
      tree,
      shelf(`<tag yang:insert="after" yang:value="x">z</tag><tag nc:operation="delete">y</tag>`),
    );
    expect(inside(moved.tree)).toContain("<tag>x</tag><tag>z</tag></shelf>");
  });

  test.each([
    [`yang:insert="before"`, "missing-attribute"],
    [`yang:insert="somewhere"`, "bad-attribute"],
    [`yang:insert="before" yang:key="name=b"`, "bad-attribute"],
    [`yang:insert="before" yang:key="[yang:name='b']"`, "bad-attribute"],
  ])("%s is %s", (attributes, tag) => {
    expect(put("d", attributes).errors).toMatchObject([{ tag }]);
  });

  test("a system-ordered list has no places", () => {
    const { errors } = edit(empty, `<shop><shelf yang:insert="first"><row>1</row><column>1</column></shelf></shop>`);
    expect(errors).toMatchObject([{ tag: "unknown-attribute" }]);
  });
});

describe("what is refused before anything is done", () => {
  test.each([
    ["<shop><nothing/></shop>", "unknown-element /shop:shop"],
    [`<shop><x xmlns="urn:nobody"/></shop>`, "unknown-namespace /shop:shop"],
    ["<shop><visitors>1</visitors></shop>", "unknown-element /shop:shop"],
    ["<shop><open>yes</open></shop>", "invalid-value /shop:shop/open"],
    [
      "<shop><customer><name>a</name><limit>1001</limit></customer></shop>",
      "invalid-value /shop:shop/customer[name='a']/limit",
    ],
    ["<shop><owner>a</owner><owner>b</owner></shop>", "bad-element /shop:shop/owner"],
    ["<shop>text</shop>", "bad-element /shop:shop"],
    ["<shop><owner><b/></owner></shop>", "bad-element /shop:shop/owner"],
    [`<shop nc:operation="set"/>`, "bad-attribute /shop:shop"],
  ])("%s is %s", (config, error) => {
    expect(brief(edit(empty, config).errors)).toEqual([error]);
  });

  test("case 16: an operation in no namespace is refused, never taken for a merge", () => {
    const { errors } = edit(treeOf("<owner>Ann</owner>"), `<shop><owner operation="delete"/></shop>`);
    expect(errors).toMatchObject([{ tag: "unknown-attribute", info: [{ text: "operation" }, { text: "owner" }] }]);
  });

  test("case 14: an identity is read in the scope of its own element, whatever other prefixes its namespace has", () => {
    const shelf = (colour: string): string => `<shop><shelf><row>1</row><column>1</column>${colour}</shelf></shop>`;
    for (const colour of [
      `<colour xmlns:x="urn:shop">x:red</colour>`,
      "<colour>sh:red</colour>",
      "<colour>red</colour>",
    ]) {
      expect(inside(edit(empty, shelf(colour)).tree)).toContain(`<colour xmlns:sh="urn:shop">sh:red</colour>`);
    }
    expect(edit(empty, shelf("<colour>y:red</colour>")).errors).toMatchObject([{ tag: "invalid-value" }]);
  });

  test("all findings are reported at once", () => {
    expect(edit(empty, "<shop><nothing/><open>yes</open></shop>").errors).toHaveLength(2);
  });
});

describe("case 58 and 59: defaults", () => {
  const shown = (mode: ReportMode, tree: DataTree): string => inside(tree, mode);
  const set = treeOf("<open>true</open><phone>1</phone>");
  const unset = treeOf("<phone>1</phone>");

  test("explicit shows what was set, trim what is no default, report-all everything in use", () => {
    expect(shown("explicit", set)).toBe("<open>true</open><phone>1</phone>");
    expect(shown("trim", set)).toBe("<phone>1</phone>");
    expect(shown("report-all", unset)).toBe(
      "<phone>1</phone><open>true</open><till><float>100</float></till><coins>5</coins><language>en</language><language>nl</language>",
    );
  });

  test("tags stand on defaults, set or not, and on nothing else", () => {
    const tag = `xmlns:wd="urn:ietf:params:xml:ns:netconf:default:1.0" wd:default="true"`;
    expect(shown("report-all-tagged", set)).toBe(
      `<open ${tag}>true</open><phone>1</phone><till><float ${tag}>100</float></till><coins ${tag}>5</coins>`,
    );
    expect(shown("report-all-tagged", treeOf("<phone>1</phone><open>false</open>"))).toContain("<open>false</open>");
  });

  test("defaults of a case show while it is chosen", () => {
    const card = shown("report-all", treeOf("<phone>1</phone><issuer>bank</issuer>"));
    expect(card).toContain("<fee>2</fee>");
    expect(card).not.toContain("coins");
  });

  test.each([
    ["explicit", "create", "set", "data-exists"],
    ["explicit", "create", "unset", undefined],
    ["explicit", "delete", "set", undefined],
    ["explicit", "delete", "unset", "data-missing"],
    ["trim", "create", "unset", undefined],
    ["trim", "delete", "unset", "data-missing"],
    ["report-all", "create", "set", "data-exists"],
    ["report-all", "create", "unset", "data-exists"],
    ["report-all", "delete", "set", undefined],
    ["report-all", "delete", "unset", undefined],
  ] as const)("%s: %s of a default that is %s: %s", (basicMode, operation, state, tag) => {
    const result = edit(state === "set" ? set : unset, `<shop><open nc:operation="${operation}">true</open></shop>`, {
      basicMode,
    });
    expect(result.errors[0]?.tag).toBe(tag);
  });

  test("a default of a case that is not in use does not exist for report-all either", () => {
    const create = `<shop><fee nc:operation="create">2</fee></shop>`;
    expect(edit(unset, create, { basicMode: "report-all" }).errors).toEqual([]);
    const chosen = edit(treeOf("<issuer>bank</issuer>"), create, { basicMode: "report-all" });
    expect(chosen.errors[0]?.tag).toBe("data-exists");
  });
});

describe("validity of a whole configuration", () => {
  test.each([
    ["<phone>1</phone>", []],
    ["<owner>a</owner>", ["data-missing missing-choice /shop:shop"]],
    ["<phone>1</phone><alarm/>", ["data-missing /shop:shop/alarm/code"]],
    ["<phone>1</phone><best>zoe</best>", ["data-missing instance-required /shop:shop/best"]],
    ["<phone>1</phone><best>zoe</best><customer><name>zoe</name></customer>", []],
    [
      "<phone>1</phone><shelf><row>1</row><column>1</column><label>x</label></shelf><shelf><row>1</row><column>2</column><label>x</label></shelf>",
      ["operation-failed data-not-unique /shop:shop/shelf[row='1'][column='2']"],
    ],
    ["<phone>1</phone><shelf><row>1</row><column>1</column></shelf><shelf><row>1</row><column>2</column></shelf>", []],
  ])("%s: %j", (config, errors) => {
    expect(brief(checkTree(treeOf(config)))).toEqual(errors);
  });
});

describe("subtree filters (RFC 6241, section 6)", () => {
  const data = reportXml(
    treeOf(
      `<owner>Ann</owner><till><float>1</float><currency>EUR</currency></till>
       <shelf><row>1</row><column>1</column><label>tea</label><tag>hot</tag></shelf>
       <shelf><row>1</row><column>2</column><label>ice</label></shelf>
       <customer><name>zoe</name><limit>5</limit></customer><phone>1</phone>`,
    ),
    "explicit",
  );
  const selected = (filter: string): string => textOfElements(filterSubtree(schema, data, elementsOf(filter)));

  test.each([
    ["", ""],
    ["<shop/>", textOfElements(data)],
    ["<shop><till/></shop>", "<shop><till><float>1</float><currency>EUR</currency></till></shop>"],
    [`<shop xmlns=""><owner/></shop>`, "<shop><owner>Ann</owner></shop>"],
    [`<shop xmlns="urn:other"/>`, ""],
    ["<shop><nothing/></shop>", ""],
    [
      "<shop><shelf><label/></shelf></shop>",
      "<shop><shelf><row>1</row><column>1</column><label>tea</label></shelf><shelf><row>1</row><column>2</column><label>ice</label></shelf></shop>",
    ],
    [
      "<shop><shelf><label>ice</label></shelf></shop>",
      "<shop><shelf><row>1</row><column>2</column><label>ice</label></shelf></shop>",
    ],
    [
      "<shop><shelf><label>ice</label><tag/></shelf></shop>",
      "<shop><shelf><row>1</row><column>2</column><label>ice</label></shelf></shop>",
    ],
    [
      "<shop><shelf><row>1</row><column>1</column><tag/></shelf></shop>",
      "<shop><shelf><row>1</row><column>1</column><tag>hot</tag></shelf></shop>",
    ],
    ["<shop><shelf><label>coal</label></shelf></shop>", ""],
    [
      "<shop><shelf><label>tea</label><tag/></shelf><customer/></shop>",
      "<shop><shelf><row>1</row><column>1</column><label>tea</label><tag>hot</tag></shelf><customer><name>zoe</name><limit>5</limit></customer></shop>",
    ],
    ["<shop><owner/></shop><shop><phone/></shop>", "<shop><owner>Ann</owner><phone>1</phone></shop>"],
  ])("%s", (filter, expected) => {
    expect(selected(filter)).toBe(expected);
  });
});
