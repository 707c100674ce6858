import canonicalize from "canonicalize";
import fc from "fast-check";
import { expect, it } from "vitest";
import { dataFromJson } from "../../codec/json/data-from-json.ts";
import { dataToJson } from "../../codec/json/data-to-json.ts";
import { formatJson } from "../../codec/json/json-value.ts";
import { parseJson } from "../../codec/json/parse-json.ts";
import type { ReadDataOptions } from "../../codec/data-reading.ts";
import { dataFromXml } from "../../codec/xml/data-from-xml.ts";
import { dataToXml } from "../../codec/xml/data-to-xml.ts";
import { formatXml } from "../../codec/xml/format-xml.ts";
import { parseXml } from "../../codec/xml/read-xml.ts";
import { childElements, xmlElement } from "../../codec/xml/xml-element.ts";
import { parseGoal, renderGoal } from "../../goal/device-goal.ts";
import { type DataNode, type DataTree, hasChildren, isUserOrdered } from "../../model/tree.ts";
import { arbitraryData, arbitraryTree, arbitrarySchema } from "../support/arbitrary-data.ts";
import { valueOf } from "../support/results.ts";
import { outlineOf } from "../support/tree-outline.ts";

const tagged: ReadDataOptions = { unknown: "error", nodes: "config", defaultsMode: "report-all-tagged" };

function throughXml(tree: DataTree): DataTree {
  const data = xmlElement({
    namespace: "urn:ietf:params:xml:ns:netconf:base:1.0",
    name: "data",
    children: valueOf(dataToXml(tree, { defaults: "tag" })),
  });
  const text = formatXml(data);
  if (text.kind === "failed") throw new Error(text.error.message);
  const read = parseXml(text.value);
  if (read.kind === "failed") throw new Error(read.error.message);
  return valueOf(dataFromXml(tree.schema, childElements(read.value), tagged));
}

it("reads from XML what it wrote", () => {
  fc.assert(
    fc.property(arbitraryData({ origins: ["set", "default"], opaque: "xml" }), (tree) => {
      expect(outlineOf(throughXml(tree))).toEqual(outlineOf(tree));
    }),
    { numRuns: 300 },
  );
});

it("reads every top-level element from XML by itself, so that all prefixes are declared where they are used", () => {
  fc.assert(
    fc.property(arbitraryData({ origins: ["set"], opaque: "xml" }), (tree) => {
      const elements = valueOf(dataToXml(tree)).map((element) => {
        const text = formatXml(element);
        const read = text.kind === "ok" ? parseXml(text.value) : text;
        if (read.kind === "failed") throw new Error(read.error.message);
        return read.value;
      });
      expect(outlineOf(valueOf(dataFromXml(tree.schema, elements, tagged)))).toEqual(outlineOf(tree));
    }),
    { numRuns: 100 },
  );
});

it("reads from RFC 7951 JSON what it wrote", () => {
  fc.assert(
    fc.property(
      arbitraryData({ origins: ["set"], opaque: "json" }),
      fc.constantFrom("compact", "indented"),
      (tree, layout) => {
        const text = formatJson(valueOf(dataToJson(tree)), { layout });
        expect(() => JSON.parse(text) as unknown).not.toThrow();
        const read = dataFromJson(tree.schema, valueOf(parseJson(text, { source: "test" })), {
          ...tagged,
          defaultsMode: "explicit",
        });
        expect(outlineOf(valueOf(read))).toEqual(outlineOf(tree));
      },
    ),
    { numRuns: 300 },
  );
});

it("keeps origins and opaque XML in the JSON of our own documents", () => {
  fc.assert(
    fc.property(arbitraryData({ origins: ["set", "default", "unknown"], opaque: "xml" }), (tree) => {
      const json = valueOf(dataToJson(tree, { dialect: "tenure", defaults: "write", origins: "annotate" }));
      const read = dataFromJson(tree.schema, json, { ...tagged, dialect: "tenure", defaultsMode: "explicit" });
      expect(outlineOf(valueOf(read))).toEqual(outlineOf(tree));
    }),
    { numRuns: 200 },
  );
});

it("gives equal goals for equal data in any order, in the bytes of RFC 8785", () => {
  const pairs = arbitrarySchema.chain((schema) =>
    arbitraryTree(schema, { origins: ["set"], opaque: "xml" }).chain((tree) =>
      fc.record({ tree: fc.constant(tree), seed: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }) }),
    ),
  );
  fc.assert(
    fc.property(pairs, ({ tree, seed }) => {
      const goal = renderGoal(tree);
      expect(renderGoal(reordered(tree, seed))).toBe(goal);
      expect(goal).toBe(canonicalize(JSON.parse(goal)));
      const read = valueOf(parseGoal(tree.schema, goal));
      expect(outlineOf(read)).toEqual(outlineOf(tree));
      expect(renderGoal(read)).toBe(goal);
      expect(renderGoal(throughXml(tree))).toBe(goal);
    }),
    { numRuns: 200 },
  );
});

/** The same data with the children in another order, except those whose order carries meaning. */
function reordered(tree: DataTree, seed: readonly number[]): DataTree {
  let turn = 0;
  const shuffle = (children: DataTree["roots"]): DataTree["roots"] => {
    const below = [...children].map(([key, node]): [string, DataNode] => [
      key,
      hasChildren(node) ? { ...node, children: shuffle(node.children) } : node,
    ]);
    const free = below.filter(([, node]) => !isUserOrdered(node.schema));
    const fixed = below.filter(([, node]) => isUserOrdered(node.schema));
    turn += 1;
    const at = (seed[turn % seed.length] ?? 0) % Math.max(free.length, 1);
    return new Map([...free.slice(at), ...free.slice(0, at)].reverse().concat(fixed));
  };
  return { ...tree, roots: shuffle(tree.roots) };
}
