/** The laws that a reviewer relies on: what a plan says is exactly what makes the device as desired, in every form of it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dataFromXml } from "../../codec/xml/data-from-xml.ts";
import { dataToXml } from "../../codec/xml/data-to-xml.ts";
import { formatXml } from "../../codec/xml/format-xml.ts";
import { parseXml } from "../../codec/xml/read-xml.ts";
import { type XmlElement, childElements, xmlElement } from "../../codec/xml/xml-element.ts";
import {
  type Children,
  type DataNode,
  type DataTree,
  type LeafNode,
  type LeafOrigin,
  childrenOf,
  hasChildren,
} from "../../model/tree.ts";
import { applyOperations } from "../../plan/apply-operations.ts";
import { type CompareOptions, compare } from "../../plan/compare.ts";
import { operationToDocument, operationsFromDocuments } from "../../plan/operation-json.ts";
import { operationPath } from "../../plan/operation.ts";
import { orderOperations } from "../../plan/order.ts";
import { renderEditConfig } from "../../plan/render-edit-config.ts";
import { applyEdit } from "../../simulator/apply-edit.ts";
import { readEdit } from "../../simulator/read-edit.ts";
import { arbitrarySchema, arbitraryTree } from "../support/arbitrary-data.ts";
import { valueOf } from "../support/results.ts";
import { outlineOf } from "../support/tree-outline.ts";

const numRuns = Number(process.env["PLAN_RUNS"] ?? 300);
const pin: CompareOptions = { defaultsMode: "explicit", explicitness: "pin" };

/** Two trees of one schema. Often the second is the first with parts of another, since unrelated trees share little. */
function pair(origins: readonly LeafOrigin[]): fc.Arbitrary<readonly [DataTree, DataTree]> {
  return arbitrarySchema.chain((schema) => {
    const tree = arbitraryTree(schema, { origins, opaque: "xml" });
    return fc
      .record({ one: tree, two: tree, seed: fc.integer(), kind: fc.constantFrom("other", "mixed", "mixed") })
      .map(({ one, two, seed, kind }) => {
        const random = randomOf(seed);
        const other = kind === "other" ? two : { schema, roots: mix(one.roots, two.roots, random) };
        return readable([honest(one), honest(other)]);
      });
  });
}

/** Counterexamples show outlines; the schema would fill pages. */
function readable(trees: readonly [DataTree, DataTree]): readonly [DataTree, DataTree] {
  const describePair = (): string => JSON.stringify(trees.map(outlineOf), undefined, 1);
  return Object.defineProperty(trees, fc.toStringMethod, { value: describePair, enumerable: false });
}

/** A server that reports what is not the default as default has its own test; here defaults are what the schema says. */
function honest(tree: DataTree): DataTree {
  const fix = (children: Children): Children =>
    childrenOf(
      [...children.values()].map((node): DataNode => {
        if (node.kind === "leaf" && node.origin === "default" && !isSchemaDefault(node))
          return { ...node, origin: "set" };
        return hasChildren(node) ? { ...node, children: fix(node.children) } : node;
      }),
    );
  return { ...tree, roots: fix(tree.roots) };
}

function isSchemaDefault(node: LeafNode): boolean {
  return node.value.kind === "plain" && node.value.text === node.schema.defaultText;
}

function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Most of `base`, some of `other`, in shuffled order; cases stay exclusive because all of one choice comes from one side. */
function mix(base: Children, other: Children, random: () => number): Children {
  const fromOther = new Map<string, boolean>();
  const isFromOther = (node: DataNode): boolean => {
    const choice = node.schema.cases[0]?.choice;
    if (choice === undefined) return random() < 0.3;
    const known = fromOther.get(choice) ?? random() < 0.3;
    fromOther.set(choice, known);
    return known;
  };
  const nodes: DataNode[] = [];
  for (const [key, node] of base) {
    const counterpart = other.get(key);
    const isExclusive = node.schema.cases.length > 0;
    if (isExclusive && isFromOther(node)) continue;
    if (counterpart === undefined) {
      if (isExclusive || random() < 0.7) nodes.push(node);
    } else if (hasChildren(node) && hasChildren(counterpart)) {
      const children = mix(node.children, counterpart.children, random);
      nodes.push({ ...node, children });
    } else {
      nodes.push(!isExclusive && random() < 0.5 ? counterpart : node);
    }
  }
  for (const [key, node] of other) {
    if (node.schema.cases.length > 0 ? isFromOther(node) : !base.has(key) && random() < 0.3) nodes.push(node);
  }
  for (let index = nodes.length - 1; index > 0; index -= 1) {
    const swap = Math.floor(random() * (index + 1));
    [nodes[index], nodes[swap]] = [nodes[swap]!, nodes[index]!];
  }
  return childrenOf(nodes);
}

/** The outline without what may differ where findings say so: defaults, known or written, and origins. */
function effective(tree: DataTree): unknown {
  const strip = (children: Children): Children =>
    childrenOf(
      [...children.values()].flatMap((node): DataNode[] => {
        if (node.kind === "leaf") {
          return node.origin === "default" || isSchemaDefault(node) ? [] : [{ ...node, origin: "set" }];
        }
        return [hasChildren(node) ? { ...node, children: strip(node.children) } : node];
      }),
    );
  return outlineOf({ ...tree, roots: strip(tree.roots) });
}

describe("compare", () => {
  it("finds nothing between a tree and itself", () => {
    fc.assert(
      fc.property(pair(["set", "unknown", "default"]), ([tree]) => {
        expect(compare(tree, tree, pin)).toEqual({ operations: [], findings: [] });
      }),
      { numRuns },
    );
  });

  it("pinned: the operations make exactly the desired tree, and comparing again finds nothing", () => {
    fc.assert(
      fc.property(pair(["set"]), ([desired, observed]) => {
        const { operations } = compare(desired, observed, pin);
        const result = applyOperations(observed, operations);
        expect(outlineOf(result)).toEqual(outlineOf(desired));
        expect(compare(desired, result, pin)).toEqual({ operations: [], findings: [] });
      }),
      { numRuns },
    );
  });

  for (const defaultsMode of ["explicit", "trim", "report-all"] as const) {
    it(`${defaultsMode}: the operations make the desired configuration but for written defaults, and are enough`, () => {
      fc.assert(
        fc.property(pair(["set", "unknown", "default"]), ([desired, observed]) => {
          const { operations } = compare(desired, observed, { defaultsMode });
          const result = applyOperations(observed, operations);
          expect(effective(result)).toEqual(effective(desired));
          expect(compare(desired, result, { defaultsMode }).operations).toEqual([]);
        }),
        { numRuns },
      );
    });
  }

  it("says nothing twice and leaves no operation out that could be", () => {
    fc.assert(
      fc.property(pair(["set"]), fc.nat(), ([desired, observed], choice) => {
        const { operations } = compare(desired, observed, pin);
        expect(new Set(operations.map(operationPath)).size).toBe(operations.length);
        if (operations.length === 0) return;
        // Without any one of them the tree is another one - or the plan cannot be carried out, its anchor being missing.
        const without = operations.filter((_each, index) => index !== choice % operations.length);
        let outline: unknown;
        try {
          outline = outlineOf(applyOperations(observed, without));
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          return;
        }
        expect(outline).not.toEqual(outlineOf(desired));
      }),
      { numRuns },
    );
  });
});

describe("plan forms", () => {
  it("ordering keeps the outcome and does not depend on the order of reading", () => {
    fc.assert(
      fc.property(pair(["set"]), ([desired, observed]) => {
        const ordered = orderOperations(desired.schema, compare(desired, observed, pin).operations);
        expect(outlineOf(applyOperations(observed, ordered.operations))).toEqual(outlineOf(desired));
        const reread = { ...observed, roots: new Map([...observed.roots].reverse()) };
        const userOrdered = [...observed.roots.values()].some(
          ({ schema }) => "orderedBy" in schema && schema.orderedBy === "user",
        );
        if (userOrdered) return;
        const again = orderOperations(desired.schema, compare(desired, reread, pin).operations);
        expect(again.operations.map(operationToDocument)).toEqual(ordered.operations.map(operationToDocument));
      }),
      { numRuns },
    );
  });

  it("operations survive their documents", () => {
    fc.assert(
      fc.property(pair(["set"]), ([desired, observed]) => {
        const { operations } = compare(desired, observed, pin);
        const documents = JSON.parse(JSON.stringify(operations.map(operationToDocument))) as ReturnType<
          typeof operationToDocument
        >[];
        const read = valueOf(operationsFromDocuments(desired.schema, documents));
        expect(read.map(operationToDocument)).toEqual(documents);
        expect(outlineOf(applyOperations(observed, read))).toEqual(outlineOf(desired));
      }),
      { numRuns },
    );
  });

  it("a server that follows the RFCs makes the desired tree of the edit-config", () => {
    let rendered = 0;
    fc.assert(
      fc.property(pair(["set"]), ([desired, observed]) => {
        // Prefixes can make the text of an instance-identifier one of another member of its union: XML cannot carry it.
        fc.pre(survivesXml(desired) && survivesXml(observed));
        const { operations } = orderOperations(desired.schema, compare(desired, observed, pin).operations);
        const edits = renderEditConfig(desired.schema, operations);
        if (edits.kind === "error") {
          expect(edits.diagnostics.map(({ code }) => code)).toContain("anchor-not-expressible");
          return;
        }
        expect(edits.value.length).toBeLessThanOrEqual(1);
        const result = edits.value.reduce((tree, edit) => serve(tree, edit), observed);
        expect(outlineOf(result)).toEqual(outlineOf(desired));
        rendered += 1;
      }),
      { numRuns },
    );
    expect(rendered).toBeGreaterThan(numRuns / 2);
  });
});

function survivesXml(tree: DataTree): boolean {
  const options = { unknown: "error", nodes: "all", defaultsMode: "explicit" } as const;
  const read = dataFromXml(tree.schema, valueOf(dataToXml(tree)), options);
  return read.kind === "ok" && JSON.stringify(outlineOf(read.value)) === JSON.stringify(outlineOf(tree));
}

/** The edit over the wire, carried out by the simulator's rules for edit-config. */
function serve(tree: DataTree, edit: readonly XmlElement[]): DataTree {
  const wire = formatXml(
    xmlElement({ namespace: "urn:ietf:params:xml:ns:netconf:base:1.0", name: "config", children: edit }),
  );
  if (wire.kind === "failed") throw new Error(wire.error.message);
  const read = parseXml(wire.value);
  if (read.kind === "failed") throw new Error(read.error.message);
  const { edits, errors } = readEdit(tree.schema, childElements(read.value), "merge");
  expect(errors, wire.value).toEqual([]);
  const served = applyEdit(tree, edits, { errorOption: "rollback-on-error", basicMode: "explicit" });
  expect(served.errors, wire.value).toEqual([]);
  return served.tree;
}
