/** Public cases of paths that concern several encodings at once: what one names, the others name too, and data hold. */
import { describe, expect, it, test } from "vitest";
import { dataFromJsonText } from "../../codec/json/data-from-json.ts";
import { dataToJson } from "../../codec/json/data-to-json.ts";
import { formatJson } from "../../codec/json/json-value.ts";
import { PATH_FORMS, type PathForm, formatPath, parsePath } from "../../codec/path/path-codec.ts";
import { dataFromXmlText } from "../../codec/xml/data-from-xml-text.ts";
import { keysToXml } from "../../codec/xml/data-to-xml.ts";
import { textOf } from "../../codec/xml/xml-element.ts";
import { type InstancePath, formatInstancePath } from "../../model/path.ts";
import { type DataTree, type EntryNode, findNode, walkTree } from "../../model/tree.ts";
import { compileYang } from "../../model/yang/compile-yang.ts";
import { compare } from "../../plan/compare.ts";
import { valueOf } from "../support/results.ts";

const schema = valueOf(
  compileYang(
    [
      {
        name: "box.yang",
        text: `module box { yang-version 1.1; namespace "urn:example:box"; prefix bx; import kinds { prefix k; }
          list l { key "k1 k2"; leaf k1 { type string; } leaf k2 { type string; } leaf descr { type string; } }
          list one { key k; leaf k { type string; } leaf descr { type string; } }
          list family { key name; leaf name { type identityref { base k:family; } } } }`,
      },
      {
        name: "kinds.yang",
        text: `module kinds { yang-version 1.1; namespace "urn:example:kinds"; prefix kd;
          identity family; identity IPV4_UNICAST { base family; } }`,
      },
    ],
    { implement: "all", features: "all" },
  ),
);
const reading = { unknown: "error", nodes: "all", defaultsMode: "explicit", source: "in" } as const;
const xml = (text: string): DataTree => valueOf(dataFromXmlText(schema, text, reading));
const json = (data: object): DataTree => valueOf(dataFromJsonText(schema, JSON.stringify(data), reading));
const instance = (form: PathForm, text: string): string =>
  formatInstancePath(valueOf(parsePath(schema, form, text)).path);
const entryAt = (tree: DataTree, path: InstancePath): EntryNode => {
  const node = findNode(tree, path);
  if (node?.kind !== "entry") throw new Error(`no entry ${formatInstancePath(path)}`);
  return node;
};
const code = (form: PathForm, text: string): string => {
  const result = parsePath(schema, form, text);
  return result.kind === "ok" ? "taken" : (result.diagnostics[0]?.code ?? "");
};

test.each(["O'Brien", 'say "hi"', `it's "x"`, "a' or '1'='1", "]", "\\", ""])(
  "case 36: the key %j names its own entry and no other, in data of both encodings and in paths",
  (key) => {
    const tree = json({ "box:one": [{ k: key }, { k: `${key}.` }, { k: "1" }] });
    const path = [{ kind: "entry", module: "box", name: "one", keys: [{ name: "k", value: key }] }] as const;
    const entry = entryAt(tree, path);
    expect(entry.keys).toMatchObject([{ text: key }]);
    // What an edit and a subtree filter carry: the key as the text of its element.
    expect(valueOf(keysToXml(schema, entry)).map(textOf)).toEqual([key]);
    for (const form of ["instance", "restconf", "gnmi"] as const)
      expect(entryAt(tree, valueOf(parsePath(schema, form, valueOf(formatPath(schema, form, path)))).path)).toBe(entry);
    const xpath = formatPath(schema, "xpath", path);
    if (key === `it's "x"`) expect(xpath).toMatchObject({ diagnostics: [{ code: "path-not-expressible" }] });
    else expect(entryAt(tree, valueOf(parsePath(schema, "xpath", valueOf(xpath))).path)).toBe(entry);
  },
);

test("case 37: predicates and gNMI's keys name one entry in any order; RESTCONF's values in their order only", () => {
  const ab = "/box:l[k1='a'][k2='b']";
  expect(instance("xpath", "/bx:l[bx:k2='b'][bx:k1='a']")).toBe(ab);
  expect(instance("xpath", "/bx:l[bx:k1='a'][bx:k2='b']")).toBe(ab);
  expect(instance("gnmi", "/l[k2=b][k1=a]")).toBe(ab);
  expect(instance("instance", "/box:l[k2='b'][k1='a']")).toBe(ab);
  expect(instance("restconf", "/box:l=a,b")).toBe(ab);
  expect(instance("restconf", "/box:l=b,a")).toBe("/box:l[k1='b'][k2='a']");
});

describe("case 38: all keys of a list", () => {
  const texts: Readonly<Record<PathForm, readonly [whole: string, part: string]>> = {
    instance: ["/box:l[k1='10'][k2='x']/descr", "/box:l[k1='10']"],
    xpath: ["/bx:l[bx:k1='10'][bx:k2='x']/bx:descr", "/bx:l[bx:k1='10']"],
    restconf: ["/box:l=10,x/descr", "/box:l=10"],
    gnmi: ["/l[k2=x][k1=10]/descr", "/l[k1=10]"],
  };
  it.each(PATH_FORMS)("are kept in %s paths and in the entry that such a path names, and all are required", (form) => {
    const { path } = valueOf(parsePath(schema, form, texts[form][0]));
    expect(formatInstancePath(path)).toBe("/box:l[k1='10'][k2='x']/descr");
    const tree = xml('<l xmlns="urn:example:box"><k2>x</k2><descr>d</descr><k1>10</k1></l>');
    expect(findNode(tree, path)).toMatchObject({ kind: "leaf", value: { text: "d" } });
    const text = formatJson(valueOf(dataToJson(tree)), { layout: "compact" });
    expect(text).toBe('{"box:l":[{"k1":"10","k2":"x","descr":"d"}]}');
    expect(code(form, texts[form][1])).toBe("path-missing-key");
  });
});

describe("case 40: the empty key", () => {
  it("is one of two keys, both ways", () => {
    for (const [text, path] of [
      ["/box:l=,b", "/box:l[k1=''][k2='b']"],
      ["/box:l=a,", "/box:l[k1='a'][k2='']"],
      ["/box:l=,", "/box:l[k1=''][k2='']"],
    ] as const) {
      expect(instance("restconf", text)).toBe(path);
      expect(valueOf(formatPath(schema, "restconf", valueOf(parsePath(schema, "instance", path)).path))).toBe(text);
    }
  });
  it.each(PATH_FORMS)("is never made of a key that is missing: no %s text", (form) => {
    const entry = { kind: "entry", module: "box", name: "one" } as const;
    const result = formatPath(schema, form, [{ ...entry, keys: [] }]);
    expect(result).toMatchObject({ kind: "error", diagnostics: [{ code: "path-missing-key" }] });
    const forgotten = [{ ...entry, keys: [{ name: "k", value: undefined as unknown as string }] }];
    expect(() => formatPath(schema, form, forgotten)).toThrow();
  });
});

test("case 43: an identity as key is one entry in XML, JSON, RESTCONF and gNMI, and there is nothing to change", () => {
  const trees = [
    xml('<family xmlns="urn:example:box" xmlns:t="urn:example:kinds"><name>t:IPV4_UNICAST</name></family>'),
    xml('<f:family xmlns:f="urn:example:box"><f:name xmlns="urn:example:kinds">IPV4_UNICAST</f:name></f:family>'),
    json({ "box:family": [{ name: "kinds:IPV4_UNICAST" }] }),
  ];
  const [first] = trees;
  for (const tree of trees) {
    expect([...walkTree(tree)].map((each) => formatInstancePath(each.path))).toEqual([
      "/box:family[name='kinds:IPV4_UNICAST']",
    ]);
    if (first !== undefined) expect(compare(tree, first, { defaultsMode: "explicit" }).operations).toEqual([]);
    for (const [form, text] of [
      ["gnmi", "/family[name=IPV4_UNICAST]"],
      ["gnmi", "/family[name=kinds:IPV4_UNICAST]"],
      ["restconf", "/box:family=kinds%3AIPV4_UNICAST"],
      ["xpath", "/bx:family[bx:name='kd:IPV4_UNICAST']"],
    ] as const)
      expect(entryAt(tree, valueOf(parsePath(schema, form, text)).path).kind).toBe("entry");
  }
});
