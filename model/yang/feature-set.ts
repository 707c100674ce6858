/** Which features hold, and `if-feature` over them (RFC 7950 sections 7.20.1, 7.20.2). */
import { type Definition, type LinkedModule, type Scope, findDefinition } from "./linked-module.ts";
import { type YangStatement, argumentOf, findChildren } from "./statement.ts";
import type { YangReport } from "./yang-report.ts";

/** Supported features by module name; a module that is not named supports none. */
export type FeatureSelection = ReadonlyMap<string, ReadonlySet<string>> | "all";

const TOKEN = /\s*([()]|[^\s()]+)/y;
const MAX_PARENTHESES = 50;
/** Features that depend on features, more than any in use; evaluation recurses along them. */
const MAX_CHAIN = 100;

export class FeatureSet {
  readonly #selection: FeatureSelection;
  readonly #report: YangReport;
  readonly #known = new Map<Definition, boolean>();
  readonly #open: Definition[] = [];

  constructor(selection: FeatureSelection, report: YangReport) {
    this.#selection = selection;
    this.#report = report;
  }

  /** Do all `if-feature` substatements of `statement` hold? Mistakes are reported and count as holding. */
  allows(statement: YangStatement, scope: Scope): boolean {
    let allowed = true;
    // No short cut: every expression is looked at, so that every mistake is found.
    for (const condition of findChildren(statement, "if-feature")) {
      if (!this.#evaluate(condition, scope)) allowed = false;
    }
    return allowed;
  }

  /** Names of the module's features that hold, sorted. */
  enabled(module: LinkedModule): readonly string[] {
    return [...module.definitions.feature]
      .filter(([, definition]) => this.#holds(definition))
      .map(([name]) => name)
      .sort();
  }

  #holds(definition: Definition): boolean {
    const known = this.#known.get(definition);
    if (known !== undefined) return known;
    if (this.#open.includes(definition)) {
      this.#report.error(
        "circular-feature",
        `feature ${argumentOf(definition.statement)} depends on itself`,
        this.#open.map((each) => each.statement.position),
      );
      return true;
    }
    if (this.#open.length >= MAX_CHAIN) {
      const { position } = definition.statement;
      this.#report.error("nesting-too-deep", `more than ${String(MAX_CHAIN)} features in a chain`, position);
      return true;
    }
    this.#open.push(definition);
    const module = definition.scope.unit.module.name;
    const selected =
      this.#selection === "all" || this.#selection.get(module)?.has(argumentOf(definition.statement)) === true;
    // RFC 7950 section 7.20.2: a feature with if-feature holds only where that holds.
    const holds = this.allows(definition.statement, definition.scope) && selected;
    this.#open.pop();
    this.#known.set(definition, holds);
    return holds;
  }

  #evaluate(condition: YangStatement, scope: Scope): boolean {
    const text = argumentOf(condition);
    const tokens: string[] = [];
    TOKEN.lastIndex = 0;
    for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) tokens.push(match[1] ?? "");
    const parser = new FeatureExpression(tokens, (name) => {
      const definition = findDefinition("feature", name, scope, condition, this.#report);
      return definition === undefined || this.#holds(definition);
    });
    const value = scope.unit.parsed.yangVersion === "1" && tokens.length > 1 ? undefined : parser.value();
    if (value === undefined) {
      this.#report.error("invalid-if-feature", `cannot read the feature expression ${text}`, condition.position, {
        expected:
          scope.unit.parsed.yangVersion === "1"
            ? "one feature name (YANG 1)"
            : "features joined by 'and' and 'or', 'not' before a factor, parentheses",
      });
      return true;
    }
    return value;
  }
}

/** if-feature-expr of RFC 7950 section 14: `not` binds closest, then `and`, then `or`. */
class FeatureExpression {
  readonly #tokens: readonly string[];
  readonly #holds: (name: string) => boolean;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly string[], holds: (name: string) => boolean) {
    this.#tokens = tokens;
    this.#holds = holds;
  }

  /** undefined when the tokens are no expression. */
  value(): boolean | undefined {
    const value = this.#or();
    return this.#at === this.#tokens.length ? value : undefined;
  }

  #or(): boolean | undefined {
    let value = this.#and();
    while (value !== undefined && this.#tokens[this.#at] === "or") {
      this.#at += 1;
      const right = this.#and();
      value = right === undefined ? undefined : value || right;
    }
    return value;
  }

  #and(): boolean | undefined {
    let value = this.#factor();
    while (value !== undefined && this.#tokens[this.#at] === "and") {
      this.#at += 1;
      const right = this.#factor();
      value = right === undefined ? undefined : value && right;
    }
    return value;
  }

  #factor(): boolean | undefined {
    let negated = false;
    while (this.#tokens[this.#at] === "not") {
      negated = !negated;
      this.#at += 1;
    }
    const value = this.#primary();
    return value === undefined ? undefined : value !== negated;
  }

  #primary(): boolean | undefined {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    if (token === "(") {
      if (this.#depth === MAX_PARENTHESES) return undefined;
      this.#depth += 1;
      const value = this.#or();
      this.#depth -= 1;
      const closed = this.#tokens[this.#at] === ")";
      this.#at += 1;
      return closed ? value : undefined;
    }
    if (token === undefined || token === ")" || token === "and" || token === "or") return undefined;
    return this.#holds(token);
  }
}
