/** XPath 1.0 against a peer that walks a DOM (the npm package `xpath`): same data, same expression, same result. */
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
  ours,
  peerOutcome,
  theirs,
  worldOf,
} from "./xpath-world.ts";

const RUNS = 6000;

function expressionOf(text: string): SchemaExpression {
  return { text, prefixes: PREFIXES, module: "t", position: { source: "test", line: 1, column: 1 } };
}

/** A world whose nodes have the labels of their twins in the DOM, found by walking only. */
interface Labelled {
  readonly world: World;
  readonly contexts: readonly { readonly label: string; readonly node: XPathNode }[];
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
  return { world, contexts, labelOf };
}

it("gives what the peer gives, for random data and expressions", () => {
  // One document sees many expressions, as it does in a validation, so what it keeps for one must not disturb another.
  const worlds = fc.sample(fc.integer(), 40).map(labelled);
  let telling = 0;
  fc.assert(
    fc.property(fc.constantFrom(...worlds), fc.nat(), arbitraryExpression, (each, pick, text) => {
      const { world, contexts, labelOf } = each;
      const { label, node } = contexts[pick % contexts.length]!;
      const expected = peerOutcome(world, theirs(text), world.nodes.get(label)!);
      const value = valueOf(compileXPath(expressionOf(ours(text)), SCHEMA, node.schema)).evaluate(node);
      if (value === "too-costly") throw new Error("too costly");
      const found: Outcome = value.kind === "nodes" ? value.nodes.map(labelOf) : value.value;
      expect(found).toEqual(expected);
      if (Array.isArray(found) ? found.length > 0 : found !== "" && found !== false && found !== 0) telling += 1;
    }),
    { numRuns: RUNS },
  );
  // A generator that asks for nothing would agree with everybody.
  expect(telling).toBeGreaterThan(RUNS / 3);
}, 60_000);
