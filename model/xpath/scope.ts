/** What is known where a sub-expression stands. */
import type { Schema } from "../schema.ts";
import type { XPathExpression } from "./expression.ts";
import type { ExpressionNames } from "./names.ts";
import type { Operand } from "./operand.ts";
import type { PossibleNodes } from "./possible-nodes.ts";
import type { XPathDiagnosticCode } from "./xpath-diagnostic.ts";

export interface Scope {
  readonly schema: Schema;
  readonly names: ExpressionNames;
  /** What the context node can be; within a predicate it is one of the nodes that are filtered. */
  readonly context: PossibleNodes;
  /** What `current()` can be. */
  readonly current: PossibleNodes;
  readonly warn: (code: XPathDiagnosticCode, message: string, offset: number, expected?: string) => void;
  readonly compile: (expression: XPathExpression, scope: Scope) => Operand;
  /**
   * What has been compiled. An index asks for the sides of a predicate once more; compiled anew at every level, the
   * time would double with each.
   */
  readonly compiled: Map<XPathExpression, { readonly operand: Operand; readonly context: PossibleNodes }>;
}
