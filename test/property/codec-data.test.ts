import canonicalize from "canonicalize";
import fc from "fast-check";
import { expect, it } from "vitest";
import { dataFromJson, dataFromJsonText } from "../../codec/json/data-from-json.ts";
import { type DataToJsonOptions, dataToJson } from "../../codec/json/data-to-json.ts";
import { formatJson } from "../../codec/json/json-value.ts";
import { parseJson } from "../../codec/json/parse-json.ts";
import type { ReadDataOptions } from "../../codec/data-reading.ts";
import { dataFromXml } from "../../codec/xml/data-from-xml.ts";
import { dataFromXmlText } from "../../codec/xml/data-from-xml-text.ts";
import { dataToXml } from "../../codec/xml/data-to-xml.ts";
import { formatXml } from "../../codec/xml/format-xml.ts";
import { parseXml } from "../../codec/xml/read-xml.ts";
import { childElements, xmlElement } from "../../codec/xml/xml-element.ts";
import { parseGoal, renderGoal } from "../../goal/device-goal.ts";
import { type DataNode, type DataTree, hasChildren, isUserOrdered } from "../../model/tree.ts";
import { arbitraryData, arbitraryModules, arbitraryTree, arbitrarySchema } from "../support/arbitrary-data.ts";
import { StatementCount, percentageBut } from "../support/arbitrary-yang.ts";
import { valueOf } from "../support/results.ts";
import { outlineOf } from "../support/tree-outline.ts";

const tagged: ReadDataOptions = { unknown: "error", nodes: "all", defaultsMode: "report-all-tagged" };

function xmlTextOf(tree: DataTree): string {
  const data = xmlElement({
    namespace: "urn:ietf:params:xml:ns:netconf:base:1.0",
    name: "data",
    children: valueOf(dataToXml(tree, { defaults: "tag" })),
  });
  const text = formatXml(data);
  if (text.kind === "failed") throw new Error(text.error.message);
  return text.value;
}

function throughXml(tree: DataTree): DataTree {
  return valueOf(dataFromXmlText(tree.schema, xmlTextOf(tree), { ...tagged, source: "test" }));
}

function throughJson(tree: DataTree, options: DataToJsonOptions, layout: "compact" | "indented" = "compact"): DataTree {
  const text = formatJson(valueOf(dataToJson(tree, options)), { layout });
  expect(() => JSON.parse(text) as unknown).not.toThrow();
  const { dialect = "rfc7951" } = options;
  return valueOf(dataFromJsonText(tree.schema, text, { ...tagged, dialect, source: "test" }));
}

it("generates schemas from at least 90 % of the statements that the compiler knows", () => {
  const count = new StatementCount();
  for (const sources of fc.sample(arbitraryModules, 100)) count.add(sources);
  const [reached, varied] = [percentageBut(count.missing), percentageBut(count.fixed)];
  const left = [...count.missing, ...count.fixed].join(", ");
  console.log(
    `generated schemas reach ${String(reached)} % of the statements, ${String(varied)} % in number and place that differ from schema to schema (not: ${left})`,
  );
  expect(reached).toBeGreaterThanOrEqual(90);
  expect(varied).toBeGreaterThanOrEqual(80);
});

it("reads from XML what it wrote, configuration and state", () => {
  fc.assert(
    fc.property(arbitraryData({ origins: ["set", "default"], opaque: "xml", nodes: "all" }), (tree) => {
      expect(outlineOf(throughXml(tree))).toEqual(outlineOf(tree));
    }),
    { numRuns: 200 },
  );
});

it("reads the same from the elements of a document as from its text", () => {
  fc.assert(
    fc.property(arbitraryData({ origins: ["set", "default"], opaque: "xml", nodes: "all" }), (tree) => {
      const read = parseXml(xmlTextOf(tree));
      if (read.kind === "failed") throw new Error(read.error.message);
      const again = valueOf(dataFromXml(tree.schema, childElements(read.value), tagged));
      expect(outlineOf(again)).toEqual(outlineOf(tree));
    }),
    { numRuns: 50 },
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

it("reads from RFC 7951 JSON what it wrote, configuration and state, with tags of defaults", () => {
  fc.assert(
    fc.property(
      arbitraryData({ origins: ["set", "default"], opaque: "json", nodes: "all" }),
      fc.constantFrom("compact", "indented"),
      (tree, layout) => {
        expect(outlineOf(throughJson(tree, { defaults: "tag" }, layout))).toEqual(outlineOf(tree));
      },
    ),
    { numRuns: 200 },
  );
});

it("reads the same from values as from their text", () => {
  fc.assert(
    fc.property(arbitraryData({ origins: ["set", "default"], opaque: "json", nodes: "all" }), (tree) => {
      const json = valueOf(dataToJson(tree, { defaults: "tag" }));
      const text = formatJson(json, { layout: "compact" });
      expect(valueOf(parseJson(text, { source: "test" }))).toEqual(json);
      expect(outlineOf(valueOf(dataFromJson(tree.schema, json, tagged)))).toEqual(outlineOf(tree));
    }),
    { numRuns: 50 },
  );
});

it("keeps data that goes from one encoding into the other and back", () => {
  fc.assert(
    fc.property(arbitraryData({ origins: ["set", "default"], opaque: "none", nodes: "all" }), (tree) => {
      const viaXml = throughXml(tree);
      expect(outlineOf(throughJson(viaXml, { defaults: "tag" }))).toEqual(outlineOf(tree));
      const viaJson = throughJson(tree, { defaults: "tag" });
      expect(outlineOf(throughXml(viaJson))).toEqual(outlineOf(tree));
    }),
    { numRuns: 100 },
  );
});

it("keeps origins and opaque XML in the JSON of our own documents", () => {
  fc.assert(
    fc.property(arbitraryData({ origins: ["set", "default", "unknown"], opaque: "xml" }), (tree) => {
      const json = valueOf(dataToJson(tree, { dialect: "tenure", defaults: "write", origins: "annotate" }));
      const read = dataFromJson(tree.schema, json, { ...tagged, dialect: "tenure" });
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
