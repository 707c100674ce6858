/**
 * XPath 1.0 against a peer that walks a DOM (the npm package `xpath`): same data, same expression, same result. Each
 * expression is compiled once and asked of several nodes, so that what it keeps for one is seen to be right for another.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { SchemaExpression } from "../../model/schema.ts";
import { compileXPath } from "../../model/xpath/compile-xpath.ts";
import { DataDocument, type XPathNode } from "../../model/xpath/data-document.ts";
import { valueOf } from "../support/results.ts";
import {
  type Outcome,
  PREFIXES,
  SCHEMA,
  type World,
  arbitraryExpression,
  isAffordable,
  ours,
  peerOutcome,
  theirs,
  worldOf,
} from "./xpath-world.ts";

const RUNS = 3000;
/** Nodes that one compiled expression is asked of. */
const CONTEXTS = 3;

function expressionOf(text: string): SchemaExpression {
  return { text, prefixes: PREFIXES, module: "t", definedIn: "t", position: { source: "test", line: 1, column: 1 } };
}

/** A world whose nodes have the labels of their twins in the DOM, found by walking only. */
interface Labelled {
  readonly world: World;
  /** The nodes of each schema node. */
  readonly contexts: readonly (readonly { readonly label: string; readonly node: XPathNode }[])[];
  readonly labelOf: (node: XPathNode) => string;
}

function labelled(seed: number): Labelled {
  const world = worldOf(seed);
  const document = new DataDocument(world.tree);
  const below = new Map<XPathNode, Map<string, string>>();
  const contexts = [{ label: "/", node: document.root }];
  const place = (node: XPathNode): string => `${node.schema?.id ?? ""} ${String(node.index)}`;
  let at = 0;
  const walk = (node: XPathNode): void => {
    for (const child of document.elements(node)) {
      const instance = world.instances[at];
      at += 1;
      if (instance === undefined || instance.schema !== child.schema) throw new Error("the trees differ");
      const known = below.get(node) ?? new Map<string, string>();
      below.set(node, known.set(place(child), instance.label));
      contexts.push({ label: instance.label, node: child });
      walk(child);
    }
  };
  walk(document.root);
  if (at !== world.instances.length) throw new Error("the DOM has more nodes");
  const labelOf = (node: XPathNode): string => {
    if (node.parent === undefined) return "/";
    if (node.kind === "text") return `${labelOf(node.parent)}/text()`;
    return below.get(node.parent)?.get(place(node)) ?? "?";
  };
  const bySchema = new Map<XPathNode["schema"], typeof contexts>();
  for (const context of contexts) {
    const group = bySchema.get(context.node.schema) ?? [];
    bySchema.set(context.node.schema, group);
    group.push(context);
  }
  return { world, contexts: [...bySchema.values()], labelOf };
}

it("gives what the peer gives, for random data and expressions", () => {
  // One document sees many expressions, as it does in a validation, so what it keeps for one must not disturb another.
  const worlds = fc.sample(fc.integer(), 40).map(labelled);
  let telling = 0;
  fc.assert(
    fc.property(fc.constantFrom(...worlds), fc.nat(), arbitraryExpression, (each, pick, text) => {
      fc.pre(isAffordable(text));
      const { world, contexts, labelOf } = each;
      const nodes = contexts[pick % contexts.length]!;
      const compiled = valueOf(compileXPath(expressionOf(ours(text)), SCHEMA, nodes[0]!.node.schema));
      let found: Outcome = "";
      for (const { label, node } of nodes.slice(0, CONTEXTS)) {
        const value = compiled.evaluate(node);
        if (value === "too-costly") throw new Error("too costly");
        found = value.kind === "nodes" ? value.nodes.map(labelOf) : value.value;
        expect(found).toEqual(peerOutcome(world, theirs(text), world.nodes.get(label)!));
      }
      if (Array.isArray(found) ? found.length > 0 : found !== "" && found !== false && found !== 0) telling += 1;
    }),
    { numRuns: RUNS },
  );
  // A generator that asks for nothing would agree with everybody.
  expect(telling).toBeGreaterThan(RUNS / 3);
}, 60_000);
