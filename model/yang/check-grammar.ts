/** Holds a statement tree against the tables of `grammar.ts`: what may stand where, how often, with which argument. */
import { unexpectedArgument } from "./argument-forms.ts";
import {
  KEYWORDS,
  SECTION_NAMES,
  type StatementGrammar,
  type YangVersion,
  grammarOf,
  isYangKeyword,
  sectionOf,
} from "./grammar.ts";
import { nearNames } from "../near-names.ts";
import { type YangStatement, describe, findChild, isExtensionStatement } from "./statement.ts";
import type { YangReport } from "./yang-report.ts";

/**
 * Reports every breach below `root`. After a run without errors, each statement of YANG itself has its argument in the
 * right lexical form and the substatements that the later stages take for granted. Extensions are passed over with all
 * they contain (RFC 7950 section 6.3.1: their substatements are theirs to define).
 */
export function checkGrammar(root: YangStatement, version: YangVersion, report: YangReport): void {
  checkStatement(root, version, report);
  checkSections(root, report);
}

/** RFC 7950 section 14, input-stmt and output-stmt. */
const NOT_EMPTY: ReadonlySet<string> = new Set(["input", "output"]);
const DATA_DEFINITIONS: ReadonlySet<string> = new Set([
  "container",
  "list",
  "leaf",
  "leaf-list",
  "choice",
  "anydata",
  "anyxml",
  "uses",
]);

function checkStatement(statement: YangStatement, version: YangVersion, report: YangReport): void {
  const grammar = grammarOf(statement.keyword, statement.argument);
  if (grammar === undefined) return;
  checkArgument(statement, grammar, version, report);
  const allowed = grammar.children[version];
  const required = grammar.required[version];
  if (statement.children.length === 0 && required.length === 0 && !NOT_EMPTY.has(statement.keyword)) return;
  /** Those seen that may stand once; there are few of them in any statement. */
  const single: YangStatement[] = [];
  for (const child of statement.children) {
    if (isExtensionStatement(child)) continue;
    const { keyword } = child;
    const cardinality = allowed.get(keyword);
    if (cardinality === undefined) {
      reportMisplaced(statement, child, version, report);
      continue;
    }
    if (cardinality.max === 1) {
      const earlier = single.find((each) => each.keyword === keyword);
      if (earlier === undefined) single.push(child);
      else
        report.error("statement-repeated", `${keyword} stands more than once in ${describe(statement)}`, [
          child.position,
          earlier.position,
        ]);
    }
    checkStatement(child, version, report);
  }
  if (NOT_EMPTY.has(statement.keyword) && !statement.children.some((child) => DATA_DEFINITIONS.has(child.keyword)))
    report.error("statement-missing", `${describe(statement)} holds no node`, statement.position, {
      expected: "a node within it, or no such statement",
    });
  for (const keyword of required) {
    if (findChild(statement, keyword) === undefined)
      report.error("statement-missing", `${describe(statement)} lacks ${keyword}`, statement.position, {
        expected: `${keyword} within it`,
      });
  }
}

function reportMisplaced(parent: YangStatement, child: YangStatement, version: YangVersion, report: YangReport): void {
  if (!isYangKeyword(child.keyword)) {
    const near = report.isFull ? [] : nearNames(child.keyword, KEYWORDS);
    report.error(
      "unknown-statement",
      `YANG has no statement ${child.keyword}`,
      child.position,
      near.length === 0 ? {} : { expected: near.join(" or ") },
    );
    return;
  }
  const newer =
    version === "1" && grammarOf(parent.keyword, parent.argument)?.children["1.1"].has(child.keyword) === true;
  report.error(
    "statement-not-allowed",
    `${child.keyword} must not stand in ${parent.keyword === "deviate" ? describe(parent) : parent.keyword}${newer ? " of a YANG 1 module" : ""}`,
    [child.position, parent.position],
    newer ? { remedy: "yang-version 1.1" } : {},
  );
}

function checkArgument(
  statement: YangStatement,
  grammar: StatementGrammar,
  version: YangVersion,
  report: YangReport,
): void {
  const form = grammar.argument;
  if (form === "none") {
    if (statement.argument !== undefined)
      report.error("argument-unexpected", `${statement.keyword} takes no argument`, statement.position);
    return;
  }
  if (statement.argument === undefined) {
    report.error("argument-missing", `${statement.keyword} needs an argument`, statement.position);
    return;
  }
  const expected = unexpectedArgument(statement.argument, form);
  if (expected !== undefined)
    report.error("argument-invalid", `${describe(statement)} is not well-formed`, statement.position, { expected });
  // RFC 6020 section 6.2; RFC 7950 section 1.1 lifted it.
  else if (version === "1" && form === "identifier" && /^xml/i.test(statement.argument))
    report.error("argument-invalid", `${describe(statement)} begins with xml`, statement.position, {
      expected: "another name, which YANG 1 demands",
      remedy: "yang-version 1.1",
    });
}

function checkSections(root: YangStatement, report: YangReport): void {
  let last: YangStatement | undefined;
  for (const child of root.children) {
    if (isExtensionStatement(child) || !isYangKeyword(child.keyword)) continue;
    if (last !== undefined && sectionOf(child.keyword) < sectionOf(last.keyword)) {
      const section = SECTION_NAMES[sectionOf(child.keyword)] ?? "header";
      report.error("statement-order", `${child.keyword} belongs to the ${section} and stands after ${last.keyword}`, [
        child.position,
        last.position,
      ]);
      continue;
    }
    last = child;
  }
}
