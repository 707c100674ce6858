/**
 * What can be said of a statement before the tree stands: expressions and patterns can be read and name declared
 * prefixes, extensions are defined, what is current refers to nothing obsolete. One walk over the texts of all linked
 * modules; a grouping is looked at once, however often it is used.
 */
import type { SourcePosition } from "../diagnostic.ts";
import { parseXPath } from "../xpath/parse-xpath.ts";
import { patternMatcher } from "../patterns/xsd-pattern.ts";
import { parseLeafrefPath } from "./leafref-path.ts";
import {
  type Definition,
  type DefinitionKind,
  type LinkedModule,
  type Scope,
  type ScopeTable,
  type SourceUnit,
  lookUpDefinition,
  moduleOf,
} from "./linked-module.ts";
import { locateInArgument } from "./locate-argument.ts";
import { hasPosixPatterns, withoutAnchors } from "./posix-pattern.ts";
import { nearNames } from "../near-names.ts";
import { isBuiltInType } from "./resolve-type.ts";
import {
  type YangStatement,
  argumentOf,
  childArgument,
  describe,
  findChild,
  isExtensionStatement,
  splitName,
} from "./statement.ts";
import { ageOf } from "./statement-status.ts";
import type { YangReport } from "./yang-report.ts";

/** Statements whose argument refers to a definition, by the kind of it. */
const REFERENCES: ReadonlyMap<string, Exclude<DefinitionKind, "extension">> = new Map([
  ["type", "typedef"],
  ["uses", "grouping"],
  ["base", "identity"],
  ["if-feature", "feature"],
]);

/** What stands in the modules and is looked at further by itself, each with the scope it stands in. */
export interface FoundStatements {
  /** Nested ones after those around them, used or not. */
  readonly typedefs: readonly Definition[];
  readonly groupings: readonly Definition[];
  /** `type` statements, the members of unions left out. */
  readonly types: readonly Definition[];
}

/** Checks all units of the modules. No later stage needs what is wrong here, so an error is none for it. */
export function checkStatements(
  modules: readonly LinkedModule[],
  scopes: ScopeTable,
  report: YangReport,
): FoundStatements {
  const found = { typedefs: [], groupings: [], types: [] };
  for (const { units } of modules) {
    for (const unit of units) {
      const checker = new StatementChecker(unit, scopes, report, found);
      checker.visit(unit.parsed.statement, { scope: unit.scope, age: 0 });
    }
  }
  return found;
}

interface Context {
  readonly scope: Scope;
  /** Of the statement and all around it: what stands in an obsolete container may use obsolete typedefs. */
  readonly age: number;
}

class StatementChecker {
  readonly #unit: SourceUnit;
  readonly #scopes: ScopeTable;
  readonly #report: YangReport;
  /** Expressions found right; the same ones stand in a text again and again. */
  readonly #read = new Set<string>();

  #saidAnchored = false;

  readonly #found: { readonly [K in keyof FoundStatements]: Definition[] };

  constructor(
    unit: SourceUnit,
    scopes: ScopeTable,
    report: YangReport,
    found: { readonly [K in keyof FoundStatements]: Definition[] },
  ) {
    this.#found = found;
    this.#unit = unit;
    this.#scopes = scopes;
    this.#report = report;
  }

  visit(statement: YangStatement, outer: Context): void {
    const { keyword } = statement;
    if (isExtensionStatement(statement)) {
      this.#checkExtension(statement);
      return;
    }
    switch (keyword) {
      case "must":
      case "when":
        this.#checkXPath(statement);
        break;
      case "path":
        this.#checkPath(statement);
        break;
      case "pattern":
        this.#checkPattern(statement);
        break;
      case "typedef":
        this.#checkTypedefName(statement);
        this.#found.typedefs.push({ statement, scope: outer.scope });
        break;
      case "grouping":
        this.#found.groupings.push({ statement, scope: outer.scope });
        break;
      default: {
        const kind = REFERENCES.get(keyword);
        if (kind !== undefined) this.#checkReference(kind, statement, outer);
      }
    }
    if (statement.children.length === 0) return;
    const isUnit = statement === this.#unit.parsed.statement;
    const context = {
      scope: isUnit ? outer.scope : this.#scopes.within(statement, outer.scope),
      age: Math.max(outer.age, ageOf(statement)),
    };
    for (const child of statement.children) {
      if (child.keyword === "type" && keyword !== "type")
        this.#found.types.push({ statement: child, scope: context.scope });
      this.visit(child, context);
    }
  }

  #place(statement: YangStatement, offset: number): SourcePosition {
    return this.#report.isFull ? statement.position : locateInArgument(this.#unit.parsed.source, statement, offset);
  }

  #checkXPath(statement: YangStatement): void {
    const text = argumentOf(statement);
    if (this.#read.has(text)) return;
    const parsed = parseXPath(text, { prefixes: this.#unit.prefixes });
    if (parsed.kind === "ok" && parsed.warnings.length === 0) this.#read.add(text);
    for (const { code, severity, message, offset, expected } of parsed.kind === "ok"
      ? parsed.warnings
      : parsed.diagnostics) {
      this.#report[severity](
        code === "xpath-unknown-prefix" ? "unknown-prefix" : "xpath-invalid",
        `${describe(statement)}: ${message}`,
        this.#place(statement, offset),
        expected === undefined ? {} : { expected },
      );
    }
  }

  #checkPath(statement: YangStatement): void {
    const read = parseLeafrefPath(argumentOf(statement), this.#unit.prefixes);
    if (read.kind === "path") return;
    this.#report.error(
      read.unknownPrefix ? "unknown-prefix" : "path-invalid",
      `${describe(statement)}: ${read.message}`,
      this.#place(statement, read.offset),
      read.expected === undefined ? {} : { expected: read.expected },
    );
  }

  #checkPattern(statement: YangStatement): void {
    const written = argumentOf(statement);
    const text = hasPosixPatterns(this.#unit) ? withoutAnchors(written) : written;
    if (text !== written && !this.#saidAnchored) {
      this.#saidAnchored = true;
      const message = "this pattern, and others of the module, are POSIX expressions: ^ and $ are read as anchors";
      this.#report.warning("pattern-anchored", message, statement.position);
    }
    if (patternMatcher(text) === undefined)
      this.#report.error("pattern-invalid", `${describe(statement)} is no regular expression`, statement.position, {
        expected: "a regular expression of XML Schema, part 2, appendix F",
      });
  }

  /** RFC 7950 section 7.3. */
  #checkTypedefName(statement: YangStatement): void {
    if (isBuiltInType(argumentOf(statement)))
      this.#report.error(
        "duplicate-definition",
        `${describe(statement)} has the name of a built-in type`,
        statement.position,
      );
  }

  /** RFC 7950 sections 6.3.1 and 7.19. An extension that its module does not define is kept, like any other. */
  #checkExtension(statement: YangStatement): void {
    const { prefix, name } = splitName(statement.keyword);
    const module = moduleOf(this.#unit, prefix);
    if (module === undefined) {
      this.#report.error(
        "unknown-prefix",
        `prefix ${prefix ?? ""} of ${statement.keyword} is not declared`,
        statement.position,
        { expected: `one of ${[...this.#unit.prefixes.keys()].join(", ")}` },
      );
      return;
    }
    const definition = module.definitions.extension.get(name);
    if (definition === undefined) {
      const near = this.#report.isFull ? [] : nearNames(name, module.definitions.extension.keys());
      this.#report.warning(
        "unknown-extension",
        `no extension ${name} in ${module.name}`,
        statement.position,
        near.length === 0 ? {} : { expected: near.join(" or ") },
      );
      return;
    }
    const argument = findChild(definition.statement, "argument");
    if ((argument === undefined) === (statement.argument === undefined)) return;
    this.#report.error(
      argument === undefined ? "argument-unexpected" : "argument-missing",
      argument === undefined
        ? `extension ${statement.keyword} takes no argument`
        : `extension ${statement.keyword} needs an argument, ${argumentOf(argument)}`,
      [statement.position, definition.statement.position],
    );
  }

  /** RFC 7950 section 7.21.2, for definitions of the same module. */
  #checkReference(kind: Exclude<DefinitionKind, "extension">, statement: YangStatement, outer: Context): void {
    const text = argumentOf(statement);
    if (kind === "typedef" && isBuiltInType(text)) return;
    for (const name of kind === "feature" ? text.split(/[\s()]+/) : [text]) {
      if (kind === "feature" && (name === "" || name === "and" || name === "or" || name === "not")) continue;
      const definition = lookUpDefinition(kind, splitName(name), outer.scope);
      if (definition === undefined || definition.scope.unit.module !== this.#unit.module) continue;
      const age = ageOf(definition.statement);
      if (age > outer.age)
        this.#report.error(
          "status-conflict",
          `${describe(statement)} refers to ${childArgument(definition.statement, "status") ?? ""} ${describe(definition.statement)}`,
          [statement.position, definition.statement.position],
          { expected: `status ${childArgument(definition.statement, "status") ?? ""} here, or another definition` },
        );
    }
  }
}
