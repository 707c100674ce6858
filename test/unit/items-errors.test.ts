import { describe, expect, it } from "vitest";
import { itemsOf, treeFromItems } from "../../codec/items.ts";
import type { Item } from "../../model/item.ts";
import { plainValue } from "../../model/value.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";
import { problemsOf, valueOf } from "../support/results.ts";
import { buildSchema, types } from "../support/schema-builder.ts";
import { outlineOf } from "../support/tree-outline.ts";

const schema = buildSchema([
  {
    name: "ex",
    nodes: [
      {
        kind: "container",
        name: "c",
        children: [
          { kind: "leaf", name: "mtu", type: types.integer("uint16") },
          { kind: "leaf", name: "any-type", type: types.union(types.integer("uint8"), types.string()) },
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
              { kind: "leaf", name: "name", type: types.union(types.integer("uint8"), types.string()) },
              { kind: "leaf", name: "x", type: types.string() },
            ],
          },
          { kind: "leaf-list", name: "tag", type: types.string() },
        ],
      },
    ],
  },
]);

const leaf = (path: string, text: string, type: "uint16" | "string" = "string"): Item => ({
  kind: "leaf",
  path,
  value: plainValue(type, text),
  origin: "set",
});
const rule = (name: string): Item => ({ kind: "entry", path: `/ex:c/rule[name='${name}']`, keyTypes: ["string"] });
const order = (...names: readonly string[]): Item => ({
  kind: "order",
  path: "/ex:c/rule",
  order: names.map((name) => `ex:rule[name='${name}']`),
});
const problems = (...items: readonly Item[]): readonly string[] => problemsOf(treeFromItems(schema, items));

describe("treeFromItems", () => {
  it("orders entries by their order item, not by the order of items", () => {
    const tree = valueOf(
      treeFromItems(schema, [rule("a"), rule("b"), order("b", "a"), leaf("/ex:c/rule[name='a']/x", "1")]),
    );
    expect(itemsOf(tree).map((item) => item.path)).toEqual([
      "/ex:c/rule",
      "/ex:c/rule[name='b']",
      "/ex:c/rule[name='a']",
      "/ex:c/rule[name='a']/x",
    ]);
  });

  it("keeps the types that keys and values had in their unions", () => {
    const items: readonly Item[] = [
      { kind: "entry", path: "/ex:c/rule[name='7']", keyTypes: ["string"] },
      order("7"),
      leaf("/ex:c/any-type", "7"),
    ];
    const tree = valueOf(treeFromItems(schema, items));
    expect(itemsOf(tree)).toEqual(expect.arrayContaining([...items]));
    const numbered = valueOf(
      treeFromItems(schema, [{ kind: "entry", path: "/ex:c/rule[name='7']", keyTypes: ["uint8"] }, order("7")]),
    );
    expect(outlineOf(numbered)).not.toEqual(outlineOf(tree));
  });

  it("keeps sealed values", () => {
    const sealed = { kind: "sealed", type: "string", keyId: "k", hmac: "00" } as const;
    const items: readonly Item[] = [
      { kind: "leaf", path: "/ex:c/any-type", value: sealed, origin: "set" },
      { kind: "leaf-list-entry", path: "/ex:c/tag[.='k:00']", value: sealed },
    ];
    expect(itemsOf(valueOf(treeFromItems(schema, items)))).toEqual(items);
  });

  it("refuses what the schema does not have, in place and in kind", () => {
    expect(problems(leaf("/ex:c/nope", "x"))).toEqual(["item-path /ex:c/nope"]);
    expect(problems({ kind: "container", path: "/ex:c/mtu" })).toEqual(["item-kind /ex:c/mtu"]);
    expect(problems({ kind: "container", path: "/ex:c" })).toEqual(["item-kind /ex:c"]);
    expect(problems(rule("a"), order("a"), leaf("/ex:c/rule[name='a']/name", "a"))).toEqual([
      "item-kind /ex:c/rule[name='a']/name",
    ]);
    expect(problems({ kind: "order", path: "/ex:c/tag", order: [] })).toEqual(["item-kind /ex:c/tag"]);
  });

  it("refuses values that no longer fit their type or are not canonical", () => {
    expect(problems(leaf("/ex:c/mtu", "70000", "uint16"))).toEqual(["item-value /ex:c/mtu"]);
    expect(problems(leaf("/ex:c/mtu", "07", "uint16"))).toEqual(["item-value /ex:c/mtu"]);
    expect(problems(leaf("/ex:c/mtu", "7", "string"))).toEqual(["item-value /ex:c/mtu"]);
    const sealed = { kind: "sealed", type: "string", keyId: "k", hmac: "00" } as const;
    expect(problems({ kind: "leaf", path: "/ex:c/mtu", value: sealed, origin: "set" })).toEqual([
      "item-value /ex:c/mtu",
    ]);
    expect(problems({ kind: "leaf-list-entry", path: "/ex:c/tag[.='a']", value: plainValue("string", "b") })).toEqual([
      "item-value /ex:c/tag[.='a']",
    ]);
    expect(problems({ kind: "entry", path: "/ex:c/rule[name='x']", keyTypes: ["uint8"] })).toEqual([
      "item-value /ex:c/rule[name='x']",
    ]);
  });

  it("refuses items whose parent is none, and items that stand twice", () => {
    expect(problems(leaf("/ex:c/p/x", "1"))).toEqual(["item-without-parent /ex:c/p"]);
    expect(problems(leaf("/ex:c/rule[name='a']/x", "1"), order("a"))).toEqual([
      "item-without-parent /ex:c/rule[name='a']",
    ]);
    expect(problems(leaf("/ex:c/mtu", "1", "uint16"), leaf("/ex:c/mtu", "2", "uint16"))).toEqual([
      "item-duplicate /ex:c/mtu",
    ]);
    expect(problems(rule("a"), rule("a"), order("a"), order("a"))).toEqual([
      "item-duplicate /ex:c/rule[name='a']",
      "item-duplicate /ex:c/rule",
    ]);
  });

  it("refuses an order that is not exactly that of the entries", () => {
    expect(problems(rule("a"), rule("b"))).toEqual(["item-order /ex:c/rule"]);
    expect(problems(rule("a"), rule("b"), order("a"))).toEqual(["item-order /ex:c/rule"]);
    expect(problems(rule("a"), order("a", "a"))).toEqual(["item-order /ex:c/rule"]);
    expect(problems(rule("a"), order("b"))).toEqual(["item-order /ex:c/rule"]);
    expect(problems(order("a"))).toEqual(["item-order /ex:c/rule"]);
  });

  it("case 93: takes time in proportion to the number of items", () => {
    const build = (count: number): number => {
      const items = [
        ...Array.from({ length: count }, (_each, index) => rule(String(index))),
        order(...Array.from({ length: count }, (_each, index) => String(count - 1 - index))),
      ];
      const start = cpuTimeMs();
      const tree = valueOf(treeFromItems(schema, items));
      expect(itemsOf(tree)).toHaveLength(count + 1);
      return cpuTimeMs() - start;
    };
    build(4_000);
    const small = Math.min(build(4_000), build(4_000), build(4_000));
    const large = Math.min(build(32_000), build(32_000));
    // Eight times the items; quadratic work would take 64 times as long.
    expect(large / small).toBeLessThan(30);
  });
});
