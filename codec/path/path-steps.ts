import { parseValue } from "../../model/values/canonical-value.ts";
import { type InstancePath, type KeyValue, type PathSegment, formatInstancePath } from "../../model/path.ts";
import { type PathProblem, type PathResult, pathOk, writeProblem } from "../../model/paths/path-diagnostic.ts";
import { keyProblem, missingKey, unknownKey, unusedPosition, wholeList } from "../../model/paths/resolve-path.ts";
import {
  type DataSchemaNode,
  type LeafListSchema,
  type LeafSchema,
  type ListSchema,
  type Schema,
  isParentSchema,
} from "../../model/schema.ts";
import type { PlainValue } from "../../model/value.ts";

/** One segment of a path that the schema has, with the types its key values resolved to. */
export type PathStep =
  | { readonly kind: "node"; readonly schema: DataSchemaNode }
  | { readonly kind: "entry"; readonly schema: ListSchema; readonly keys: readonly PlainValue[] }
  /** Of a list without keys. */
  | { readonly kind: "position"; readonly schema: ListSchema; readonly position: number }
  | {
      readonly kind: "leaf-list-entry";
      readonly schema: LeafListSchema;
      readonly value: PlainValue;
      /** Among equal values, where it is not the first. */
      readonly position: number | undefined;
    };

export interface StepOptions {
  /** A list or leaf-list as a whole at the end: refused, taken, or taken for a leaf-list only. */
  readonly whole: "refuse" | "leaf-list" | "take";
}

const NOTHING_BELOW: ReadonlyMap<string, DataSchemaNode> = new Map();

/**
 * Holds a path against the schema before it is written: every writer starts here, so that a path with a missing key or
 * of another schema never gets a text. Values come out canonical, keys in schema order.
 */
export function pathSteps(schema: Schema, path: InstancePath, { whole }: StepOptions): PathResult<readonly PathStep[]> {
  const steps: PathStep[] = [];
  let children = schema.roots;
  for (const [index, segment] of path.entries()) {
    const problem = (each: PathProblem): PathResult<never> =>
      writeProblem(formatInstancePath(path.slice(0, index + 1)), each);
    const node = children.get(`${segment.module}:${segment.name}`);
    if (node === undefined)
      return problem({ code: "path-unknown-node", message: `no node ${segment.module}:${segment.name} in the schema` });
    const step = stepOf(schema, node, segment);
    if ("code" in step) return problem(step);
    if (step.kind === "node" && (node.kind === "list" || node.kind === "leaf-list")) {
      const taken = whole === "take" || (whole === "leaf-list" && node.kind === "leaf-list");
      if (!taken || index < path.length - 1) return problem(wholeList(node));
    }
    steps.push(step);
    children = isParentSchema(node) ? node.children : NOTHING_BELOW;
  }
  return pathOk(steps);
}

/** The canonical path. */
export function pathOfSteps(steps: readonly PathStep[]): InstancePath {
  return steps.map((step): PathSegment => {
    const { module, name } = step.schema;
    switch (step.kind) {
      case "node":
        return { kind: "node", module, name };
      case "entry":
        return {
          kind: "entry",
          module,
          name,
          keys: step.schema.keys.map(
            (key, index): KeyValue => ({ name: key.name, value: step.keys[index]?.text ?? "" }),
          ),
        };
      case "leaf-list-entry":
        return { kind: "leaf-list-entry", module, name, value: step.value.text, ...positionOf(step) };
      case "position":
        return { kind: "entry", module, name, keys: [], ...positionOf(step) };
    }
  });
}

function positionOf({ position }: { readonly position: number | undefined }): { readonly position?: number } {
  return position === undefined ? {} : { position };
}

/** Only XPath and our own text count entries. */
export function uncounted(step: PathStep, encoding: string): PathProblem | undefined {
  const counts = step.kind === "position" || (step.kind === "leaf-list-entry" && step.position !== undefined);
  if (!counts) return undefined;
  const message = `${encoding} has no path to an entry of ${step.schema.name} that only its position tells apart`;
  return { code: "path-not-expressible", message };
}

function stepOf(schema: Schema, node: DataSchemaNode, segment: PathSegment): PathStep | PathProblem {
  switch (segment.kind) {
    case "node":
      return { kind: "node", schema: node };
    case "entry":
      if (node.kind !== "list") return notOfKind(node, "list");
      if (segment.position === undefined) return entryOf(schema, node, segment.keys);
      return node.keys.length > 0 || segment.keys.length > 0
        ? unusedPosition(node)
        : { kind: "position", schema: node, position: segment.position };
    case "leaf-list-entry": {
      if (node.kind !== "leaf-list") return notOfKind(node, "leaf-list");
      const value = valueOf(schema, node, segment.value);
      if ("code" in value) return value;
      if (segment.position !== undefined && node.config) return unusedPosition(node);
      return { kind: "leaf-list-entry", schema: node, value, position: segment.position };
    }
  }
}

function entryOf(schema: Schema, list: ListSchema, given: readonly KeyValue[]): PathStep | PathProblem {
  if (list.keys.length === 0) return wholeList(list);
  const surplus = given.find((key, index) => {
    const known = list.keys.some((each) => each.name === key.name);
    return !known || given.findIndex((each) => each.name === key.name) !== index;
  });
  if (surplus !== undefined) return unknownKey(list, surplus.name);
  const keys: PlainValue[] = [];
  for (const leaf of list.keys) {
    const key = given.find((each) => each.name === leaf.name);
    if (key === undefined) return missingKey(list, [leaf.name]);
    const value = valueOf(schema, leaf, key.value);
    if ("code" in value) return value;
    keys.push(value);
  }
  return { kind: "entry", schema: list, keys };
}

function valueOf(schema: Schema, leaf: LeafSchema | LeafListSchema, text: string): PlainValue | PathProblem {
  const read = parseValue(leaf.type, text, { schema, form: { kind: "canonical" } });
  return read.kind === "ok" ? read.value : keyProblem(leaf, read);
}

function notOfKind(node: DataSchemaNode, kind: "list" | "leaf-list"): PathProblem {
  return {
    code: "path-not-a-list",
    message: `the path has an entry of ${node.name}, which is a ${node.kind} and no ${kind}`,
  };
}
