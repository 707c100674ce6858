import { describe, expect, it } from "vitest";
import { type SetItemOptions, removeAt, setItem, setNode } from "../../codec/edit-tree.ts";
import { itemsOf } from "../../codec/items.ts";
import { parseCanonicalPath } from "../../model/values/canonical-value.ts";
import type { InstancePath } from "../../model/path.ts";
import { type DataTree, emptyTree, findNode } from "../../model/tree.ts";
import { plainValue } from "../../model/value.ts";
import { problemsOf, valueOf } from "../support/results.ts";
import { buildSchema, types } from "../support/schema-builder.ts";

const schema = buildSchema([
  {
    name: "ex",
    nodes: [
      {
        kind: "container",
        name: "c",
        children: [
          { kind: "leaf", name: "mtu", type: types.integer("uint16") },
          {
            kind: "container",
            name: "p",
            presence: true,
            children: [{ kind: "leaf", name: "x", type: types.string() }],
          },
          {
            kind: "list",
            name: "rule",
            keys: ["name"],
            orderedBy: "user",
            children: [
              { kind: "leaf", name: "name", type: types.integer("uint8") },
              { kind: "leaf", name: "x", type: types.string() },
            ],
          },
          { kind: "leaf-list", name: "tag", type: types.string(), orderedBy: "user" },
          {
            kind: "choice",
            name: "way",
            cases: {
              one: [
                { kind: "leaf", name: "one-a", type: types.string() },
                { kind: "leaf", name: "one-b", type: types.string() },
              ],
              two: [{ kind: "container", name: "two", children: [{ kind: "leaf", name: "x", type: types.string() }] }],
            },
          },
          { kind: "anydata", name: "any" },
        ],
      },
    ],
  },
]);

const path = (text: string): InstancePath => valueOf(parseCanonicalPath(schema, text)).path;
const set = (tree: DataTree, text: string, options: SetItemOptions = {}): DataTree =>
  valueOf(setItem(tree, path(text), options));
const text = (value: string): SetItemOptions => ({ value: plainValue("string", value) });
const paths = (tree: DataTree): readonly string[] =>
  itemsOf(tree)
    .filter((item) => item.kind !== "order")
    .map((item) => item.path.replace("/ex:c/", ""));
const rules = (...names: readonly number[]): DataTree =>
  names.reduce((tree, name) => set(tree, `/ex:c/rule[name='${String(name)}']`), emptyTree(schema));

describe("setItem", () => {
  it("creates every ancestor, with keys of their type", () => {
    const tree = set(emptyTree(schema), "/ex:c/rule[name='7']/x", text("1"));
    expect(paths(tree)).toEqual(["rule[name='7']", "rule[name='7']/x"]);
    expect(findNode(tree, path("/ex:c/rule[name='7']"))).toMatchObject({ keys: [plainValue("uint8", "7")] });
  });

  it("shares what it does not touch", () => {
    const before = set(rules(1, 2), "/ex:c/p/x", text("1"));
    const after = set(before, "/ex:c/rule[name='1']/x", text("1"));
    for (const each of ["/ex:c/p", "/ex:c/rule[name='2']"])
      expect(findNode(after, path(each))).toBe(findNode(before, path(each)));
    expect(findNode(before, path("/ex:c/rule[name='1']/x"))).toBeUndefined();
  });

  it("keeps the place and the content of an entry that stands", () => {
    const tree = set(set(rules(1, 2), "/ex:c/rule[name='1']/x", text("1")), "/ex:c/rule[name='1']");
    expect(paths(tree)).toEqual(["rule[name='1']", "rule[name='1']/x", "rule[name='2']"]);
  });

  it("puts and moves entries of user-ordered lists", () => {
    const at = (tree: DataTree, name: number, position: SetItemOptions["position"]): readonly string[] =>
      paths(
        valueOf(setItem(tree, path(`/ex:c/rule[name='${String(name)}']`), position === undefined ? {} : { position })),
      ).map((each) => /\d/.exec(each)?.[0] ?? "");
    const anchor = (name: number): string => `ex:rule[name='${String(name)}']`;
    expect(at(rules(1, 2), 3, undefined)).toEqual(["1", "2", "3"]);
    expect(at(rules(1, 2), 3, { where: "first" })).toEqual(["3", "1", "2"]);
    expect(at(rules(1, 2), 3, { where: "before", anchor: anchor(2) })).toEqual(["1", "3", "2"]);
    expect(at(rules(1, 2), 3, { where: "after", anchor: anchor(1) })).toEqual(["1", "3", "2"]);
    expect(at(rules(1, 2, 3), 1, { where: "last" })).toEqual(["2", "3", "1"]);
    expect(at(rules(1, 2, 3), 1, { where: "after", anchor: anchor(2) })).toEqual(["2", "1", "3"]);
    const bad = setItem(rules(1, 2), path("/ex:c/rule[name='1']"), { position: { where: "after", anchor: anchor(1) } });
    expect(problemsOf(bad)).toEqual(["edit-anchor"]);
  });

  it("takes the other cases of a choice away", () => {
    let tree = set(set(emptyTree(schema), "/ex:c/one-a", text("1")), "/ex:c/one-b", text("2"));
    expect(paths(tree)).toEqual(["one-a", "one-b"]);
    tree = set(tree, "/ex:c/two/x", text("3"));
    expect(paths(tree)).toEqual(["two/x"]);
  });

  it("reads a leaf-list value from the path", () => {
    expect(paths(set(emptyTree(schema), "/ex:c/tag[.='a']"))).toEqual(["tag[.='a']"]);
  });

  it("refuses paths that are no item and values that are missing or wrong", () => {
    const problem = (at: InstancePath, options: SetItemOptions = {}): readonly string[] =>
      problemsOf(setItem(emptyTree(schema), at, options));
    expect(problem([])).toEqual(["edit-path"]);
    expect(problem([{ kind: "node", module: "ex", name: "no" }])).toEqual(["edit-path"]);
    expect(problem(path("/ex:c/rule"))).toEqual(["edit-path"]);
    expect(problem(path("/ex:c/any"))).toEqual(["edit-path"]);
    expect(problem(path("/ex:c/rule[name='1']/name"), text("1"))).toEqual(["edit-path"]);
    expect(problem(path("/ex:c/mtu"))).toEqual(["edit-value"]);
    const raw = { kind: "entry", module: "ex", name: "rule", keys: [{ name: "name", value: "007" }] } as const;
    expect(problem([...path("/ex:c"), raw])).toEqual(["edit-value"]);
  });
});

describe("removeAt", () => {
  it("case 60: takes empty containers along, but neither presence containers nor entries", () => {
    const tree = set(set(emptyTree(schema), "/ex:c/p/x", text("1")), "/ex:c/rule[name='1']/x", text("1"));
    expect(paths(removeAt(tree, path("/ex:c/p/x")))).toEqual(["p", "rule[name='1']", "rule[name='1']/x"]);
    expect(paths(removeAt(tree, path("/ex:c/rule[name='1']/x")))).toEqual(["p", "p/x", "rule[name='1']"]);
    const only = set(emptyTree(schema), "/ex:c/two/x", text("1"));
    expect(removeAt(only, path("/ex:c/two/x")).roots.size).toBe(0);
  });

  it("case 70: removes one entry by its key and leaves the others as they are", () => {
    const tree = rules(10, 20, 30, 40);
    const left = removeAt(tree, path("/ex:c/rule[name='30']"));
    expect(paths(left)).toEqual(["rule[name='10']", "rule[name='20']", "rule[name='40']"]);
    for (const name of ["10", "20", "40"]) {
      const at = path(`/ex:c/rule[name='${name}']`);
      expect(findNode(left, at)).toBe(findNode(tree, at));
    }
  });

  it("gives the same tree back where nothing stands", () => {
    const tree = rules(1);
    for (const each of ["/ex:c/mtu", "/ex:c/rule[name='2']", "/ex:c/rule[name='2']/x", "/ex:c/p/x"]) {
      expect(removeAt(tree, path(each))).toBe(tree);
    }
  });

  it("takes a whole list where it is named without a predicate", () => {
    const tree = set(rules(1, 2), "/ex:c/mtu", { value: plainValue("uint16", "1") });
    expect(paths(removeAt(tree, path("/ex:c/rule")))).toEqual(["mtu"]);
  });
});

it("puts a whole node", () => {
  const node = findNode(set(rules(1), "/ex:c/rule[name='1']/x", text("1")), path("/ex:c/rule[name='1']"));
  const tree = valueOf(setNode(rules(1, 2), path("/ex:c/rule[name='1']"), node!));
  expect(paths(tree)).toEqual(["rule[name='1']", "rule[name='1']/x", "rule[name='2']"]);
});
