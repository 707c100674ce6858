/** Node tests (XPath 1.0 section 2.3) with their names resolved, and what to say of those that can never hold. */
import type { DataSchemaNode } from "../schema.ts";
import type { NodeTest, XPathStep } from "./expression.ts";
import type { ExpressionNames } from "./names.ts";
import { type ElementTest, type PossibleNodes, childrenOfPossible } from "./possible-nodes.ts";
import type { Scope } from "./scope.ts";

/** Prefixes have been checked: `*` in a module, or a name in it, or one of the kinds of nodes. */
export function elementTest(test: NodeTest, names: ExpressionNames): ElementTest {
  switch (test.kind) {
    case "name": {
      const id = `${names.moduleOf(test.prefix) ?? ""}:${test.name}`;
      return { kind: test.kind, id, matches: (schema) => schema.id === id };
    }
    case "any-name": {
      const module = test.prefix === undefined ? undefined : names.moduleOf(test.prefix);
      const matches = module === undefined ? (): boolean => true : (schema: DataSchemaNode) => schema.module === module;
      return { kind: test.kind, id: undefined, matches };
    }
    case "node":
      return { kind: test.kind, id: undefined, matches: () => true };
    case "text":
    case "comment":
    case "processing-instruction":
      return { kind: test.kind, id: undefined, matches: () => false };
  }
}

/** Warns of a step that leads from something to nothing. */
export function warnIfImpossible(from: PossibleNodes, step: XPathStep, possible: PossibleNodes, scope: Scope): void {
  if (possible === "any" || possible.length > 0 || from === "any" || from.length === 0) return;
  const { test } = step;
  const name = test.kind === "name" ? `${test.prefix === undefined ? "" : `${test.prefix}:`}${test.name}` : test.kind;
  const where = from.map((each) => (each === "root" ? "/" : each.schemaPath));
  const children =
    step.axis === "child"
      ? from.flatMap((each) => [...childrenOfPossible(each, scope.schema).values()].map((child) => child.id))
      : [];
  const some = (texts: readonly string[], count: number): string =>
    texts.length > count ? `${texts.slice(0, count).join(", ")}, ...` : texts.join(", ");
  scope.warn(
    "xpath-never-matches",
    `${step.axis}::${name} is nothing that data at ${some(where, 3)} has`,
    step.offset,
    children.length === 0 ? undefined : `one of ${some(children, 12)}`,
  );
}
