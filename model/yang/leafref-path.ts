/**
 * The argument of a leafref's `path` (RFC 7950 sections 9.9.2 and 14, path-arg): a part of XPath that names one schema
 * node. It is read as XPath, then held against that part.
 *
 * `deref(PATH)/..` at the front is not in the grammar. Modules use it all the same, and what it names is clear, so it
 * is read.
 */
import type { XPathExpression, XPathStep } from "../xpath/expression.ts";
import { parseXPath } from "../xpath/parse-xpath.ts";

export interface LeafrefName {
  readonly prefix: string | undefined;
  readonly name: string;
}

export interface LeafrefStep extends LeafrefName {
  readonly predicates: readonly LeafrefPredicate[];
}

/** `[key = current()/../path]`: from the leaf `up`, then down. */
export interface LeafrefPredicate {
  readonly key: LeafrefName;
  readonly up: number;
  readonly steps: readonly LeafrefName[];
}

export interface LeafrefPath {
  /** `leaf`: the leaf itself; another path: what the leafref that it leads to points at, `deref(..)`. */
  readonly start: "root" | "leaf" | LeafrefPath;
  /** Steps up before those down. */
  readonly up: number;
  readonly steps: readonly LeafrefStep[];
}

export interface LeafrefPathProblem {
  readonly kind: "problem";
  readonly message: string;
  readonly expected: string | undefined;
  /** In UTF-16 units of the text. */
  readonly offset: number;
  readonly unknownPrefix: boolean;
}

const EXPECTED = "names joined by '/', after a '/' or steps '..'; predicates like [name = current()/../name]";

/** Never throws; a wrong path is a problem with its offset. */
export function parseLeafrefPath(
  text: string,
  prefixes?: ReadonlyMap<string, unknown>,
): { readonly kind: "path"; readonly path: LeafrefPath } | LeafrefPathProblem {
  const parsed = parseXPath(text, prefixes === undefined ? {} : { prefixes });
  if (parsed.kind === "error") {
    const [first] = parsed.diagnostics;
    return {
      kind: "problem",
      message: first?.message ?? "cannot be read",
      expected: first?.expected,
      offset: first?.offset ?? 0,
      unknownPrefix: first?.code === "xpath-unknown-prefix",
    };
  }
  const read = readPath(parsed.value);
  if (typeof read !== "number") return { kind: "path", path: read };
  return {
    kind: "problem",
    message: "this is no path of a leafref",
    expected: EXPECTED,
    offset: read,
    unknownPrefix: false,
  };
}

/** The path, or the offset of what does not belong. */
function readPath(expression: XPathExpression): LeafrefPath | number {
  if (expression.kind !== "path") return expression.offset;
  const start = readStart(expression.start);
  if (typeof start === "number") return start;
  let up = 0;
  const steps: LeafrefStep[] = [];
  for (const step of expression.steps) {
    if (isUp(step) && steps.length === 0 && start !== "root") up += 1;
    else if (step.axis === "child" && step.test.kind === "name") {
      const { prefix, name } = step.test;
      const predicates: LeafrefPredicate[] = [];
      for (const each of step.predicates) {
        const predicate = readPredicate(each);
        if (predicate === undefined) return each.offset;
        predicates.push(predicate);
      }
      steps.push({ prefix, name, predicates });
    } else return step.offset;
  }
  if (steps.length === 0 || (start === "leaf" && up === 0)) return expression.offset;
  return { start, up, steps };
}

function readStart(start: "root" | "context" | XPathExpression): LeafrefPath["start"] | number {
  if (start === "root") return "root";
  if (start === "context") return "leaf";
  const [argument] = start.kind === "call" && start.name === "deref" ? start.arguments : [];
  return argument === undefined ? start.offset : readPath(argument);
}

function isUp(step: XPathStep): boolean {
  return step.axis === "parent" && step.test.kind === "node" && step.predicates.length === 0;
}

/** path-equality-expr: `name = current()/../name`; undefined for anything else. */
function readPredicate(expression: XPathExpression): LeafrefPredicate | undefined {
  if (expression.kind !== "comparison" || expression.operator !== "=") return undefined;
  const { left, right } = expression;
  if (left.kind !== "path" || left.start !== "context" || left.steps.length !== 1) return undefined;
  const key = left.steps[0] && plainName(left.steps[0]);
  if (key === undefined || right.kind !== "path" || typeof right.start === "string") return undefined;
  if (right.start.kind !== "call" || right.start.name !== "current") return undefined;
  const up = right.steps.findIndex((step) => !isUp(step));
  if (up <= 0) return undefined;
  const steps = right.steps.slice(up).map(plainName);
  const names = steps.filter((step) => step !== undefined);
  return names.length < steps.length ? undefined : { key, up, steps: names };
}

function plainName({ axis, test, predicates }: XPathStep): LeafrefName | undefined {
  if (axis !== "child" || test.kind !== "name" || predicates.length > 0) return undefined;
  return { prefix: test.prefix, name: test.name };
}
