/** One text to one module: the checked statement tree plus the header that linking needs (RFC 7950 section 7.1, 7.2). */
import { type Result, type SourcePosition, failure } from "../diagnostic.ts";
import { checkGrammar } from "./check-grammar.ts";
import type { YangVersion } from "./grammar.ts";
import { parseStatements } from "./parse-statements.ts";
import {
  type YangSource,
  type YangStatement,
  argumentOf,
  childArgument,
  describe,
  findChild,
  findChildren,
} from "./statement.ts";
import { type YangDiagnostic, YangReport } from "./yang-report.ts";

/** An `import` or `include` statement. `prefix` is undefined for an include. */
export interface ModuleReference {
  readonly name: string;
  readonly revision: string | undefined;
  readonly prefix: string | undefined;
  readonly position: SourcePosition;
}

export interface YangModule {
  readonly kind: "module" | "submodule";
  readonly name: string;
  /** The newest revision statement; undefined when there is none. */
  readonly revision: string | undefined;
  readonly yangVersion: YangVersion;
  /** Of a module; undefined for a submodule, which has its module's. */
  readonly namespace: string | undefined;
  /** Own prefix, or the one that a submodule gives its module. */
  readonly prefix: string;
  /** The module a submodule belongs to. */
  readonly belongsTo: string | undefined;
  readonly imports: readonly ModuleReference[];
  readonly includes: readonly ModuleReference[];
  readonly statement: YangStatement;
  readonly source: YangSource;
}

/**
 * Reads one text and checks its grammar by itself, without looking at other modules. Guarantees of a value: as
 * `checkGrammar` says. Every error of the text is in the diagnostics, except that grammar is looked at only when the
 * text could be read as statements. Never throws.
 */
export function parseYangModule(source: YangSource): Result<YangModule, YangDiagnostic> {
  const report = new YangReport();
  const { statements, quirks } = parseStatements(source, report);
  const [root, extra] = statements;
  if (report.errorCount === 0) {
    if (root === undefined || (root.keyword !== "module" && root.keyword !== "submodule"))
      report.error("not-a-module", "the text is neither a module nor a submodule", root?.position ?? startOf(source), {
        expected: "module or submodule",
      });
    else if (extra !== undefined)
      report.error("statement-syntax", `${describe(extra)} stands after the end of ${describe(root)}`, [
        extra.position,
        root.position,
      ]);
  }
  if (root === undefined || report.errorCount > 0) return failure(report.diagnostics);
  const yangVersion = childArgument(root, "yang-version") === "1.1" ? "1.1" : "1";
  checkGrammar(root, yangVersion, report);
  if (yangVersion === "1.1") {
    for (const { message, position } of quirks) report.error("illegal-escape", message, position);
  }
  if (report.errorCount > 0) return failure(report.diagnostics);
  const belongsTo = findChild(root, "belongs-to");
  const module: YangModule = {
    kind: root.keyword === "submodule" ? "submodule" : "module",
    name: argumentOf(root),
    revision: findChildren(root, "revision").map(argumentOf).sort().at(-1),
    yangVersion,
    namespace: childArgument(root, "namespace"),
    prefix: childArgument(belongsTo ?? root, "prefix") ?? "",
    belongsTo: belongsTo?.argument,
    imports: findChildren(root, "import").map(reference),
    includes: findChildren(root, "include").map(reference),
    statement: root,
    source,
  };
  return { kind: "ok", value: module, warnings: [] };
}

function reference(statement: YangStatement): ModuleReference {
  return {
    name: argumentOf(statement),
    revision: childArgument(statement, "revision-date"),
    prefix: childArgument(statement, "prefix"),
    position: statement.position,
  };
}

function startOf(source: YangSource): SourcePosition {
  return { source: source.name, line: 1, column: 1 };
}
