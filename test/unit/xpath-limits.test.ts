/** What an expression may take: stack, time to compile, nodes to look at. */
import { describe, expect, it } from "vitest";
import { compileXPath } from "../../model/xpath/compile-xpath.ts";
import type { XPathNode } from "../../model/xpath/data-document.ts";
import { evaluationDepth } from "../../model/xpath/evaluation-depth.ts";
import { parseXPath } from "../../model/xpath/parse-xpath.ts";
import { valueOf } from "../support/results.ts";
import { compiled as compile, documentOf, evaluate, expressionOf } from "./xpath-fixture.ts";
import { compiled, yangModule } from "./yang-fixture.ts";

const schema = compiled([
  yangModule("other", `import m { prefix m; } augment "/m:c" { leaf extra { type string; } }`),
  yangModule(
    "m",
    `container c { leaf x { type string; } list item { key k; leaf k { type string; } leaf n { type int32; } } }`,
  ),
]);
const entries = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({ k: `k${String(index)}`, n: index }));
const small = documentOf(schema, { "m:c": { item: entries(1) } });
const repeated = (text: string, count: number, between = "/"): string => Array<string>(count).fill(text).join(between);

describe("the stack", () => {
  it.each([
    ["steps", repeated("../c", 990)],
    ["operators", repeated("1", 990, "+")],
    ["or", repeated("item/k = 'z'", 450, " or ")],
    ["predicates", repeated("item[", 190, "") + "1" + repeated(" = n]", 190, "")],
    ["steps behind predicates", repeated(".[", 190, "") + "1" + repeated("]/../c/../c", 190, "")],
  ])("is enough for what is read: %s", (_what, text) => {
    expect(typeof evaluate(small, `boolean(${text})`, "/m:c")).toBe("boolean");
  });

  it.each([
    ["a path", repeated("..", 20_000)],
    ["descendants", `/${repeated("/*", 20_000, "")}`],
    ["paths within predicates", repeated(`${repeated("..", 30)}[`, 150, "") + "1" + repeated("]", 150, "")],
    ["paths behind predicates", repeated("item[", 150, "") + "1" + repeated(`]/${repeated("..", 30)}`, 150, "")],
  ])("is not enough for %s, which is refused", (_what, text) => {
    expect(compileXPath(expressionOf(text), schema, schema.roots.get("m:c"))).toMatchObject({
      kind: "error",
      diagnostics: [{ code: "xpath-too-deep" }],
    });
  });

  it.each([
    ["1", 1],
    ["a", 1],
    ["/a/b/c", 3],
    ["a[b/c/d]/e", 5],
    ["a[1]/b[2]", 3],
    ["(a | b/c)[d]", 4],
    ["current()/a", 2],
    ["1 + 2 * -a", 4],
    ["a and b and c", 2],
    ["concat(a, b/c, 'd')", 3],
  ])("is counted: %s takes %i", (text, depth) => {
    expect(evaluationDepth(valueOf(parseXPath(text)))).toBe(depth);
  });

  it("is bounded where defaults wait for each other", () => {
    const links = (count: number): string =>
      Array.from(
        { length: count },
        (_, index) => `leaf d${String(index)} { when "../d${String(index + 1)}"; type string; default x; }`,
      ).join("\n");
    for (const [count, verdict] of [
      [50, true],
      [5000, "too-costly"],
    ] as const) {
      const chain = compiled([
        yangModule("other", ""),
        yangModule("m", `container c { ${links(count)} leaf d${String(count)} { type string; default y; } }`),
      ]);
      const whenHolds = (node: XPathNode): boolean => {
        const [when] = node.schema?.whens ?? [];
        if (when === undefined) return true;
        return valueOf(compileXPath(when.expression, chain, node.schema)).test(node) === true;
      };
      const { root } = documentOf(chain, {}, { whenHolds });
      // The verdict of an inner evaluation that was too costly is that of all around it.
      expect(compile(chain, "/c/d0", root).test(root)).toBe(verdict);
      expect(compile(chain, `/c/d${String(count - 1)}`, root).test(root)).toBe(true);
    }
  });
});

it("compiling takes no longer for each level of predicates than for the one before", () => {
  // Twice the time for each level would be 2^190.
  const nested = repeated("item[", 190, "") + "1" + repeated(" = n]", 190, "");
  expect(evaluate(small, nested, "/m:c")).toEqual([]);
});

describe("visits", () => {
  const document = documentOf(schema, { "m:c": { item: entries(1000) } }, { maxVisits: 20_000 });
  const test = (text: string): boolean | "too-costly" => compile(schema, text, document.root).test(document.root);

  it("count all nodes that a name test is held against, those without success too", () => {
    expect(test("/c/item[../o:*[. != current()]]")).toBe("too-costly");
    expect(test("count(/c/o:*[. != current()]) = 0")).toBe(true);
    // What is found once for all entries is kept.
    expect(test("/c/item[../o:* = 'x']")).toBe(false);
  });

  it.each([
    "/c/item[../comment()]",
    "/c/item[../processing-instruction('a')]",
    "/c/item[following::comment()]",
    "/c/item[../item/x]",
    "/c/item[..//k/descendant::*]",
    "/c/item[../o:item/k]",
  ])("are not made where nothing can be: %s", (text) => {
    expect(test(text)).toBe(false);
  });
});
