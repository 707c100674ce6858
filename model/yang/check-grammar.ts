/** Holds a statement tree against the tables of `grammar.ts`: what may stand where, how often, with which argument. */
import { unexpectedArgument } from "./argument-forms.ts";
import { GRAMMAR, SECTION_NAMES, type YangVersion, sectionOf } from "./grammar.ts";
import { type YangStatement, describe, isExtensionStatement } from "./statement.ts";
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

function checkStatement(statement: YangStatement, version: YangVersion, report: YangReport): void {
  const grammar = GRAMMAR.get(statement.keyword);
  if (grammar === undefined) return;
  checkArgument(statement, report);
  const allowed = grammar.children[version];
  const first = new Map<string, YangStatement>();
  const counts = new Map<string, number>();
  for (const child of statement.children) {
    if (isExtensionStatement(child)) continue;
    const cardinality = allowed.get(child.keyword);
    if (cardinality === undefined) {
      reportMisplaced(statement, child, version, report);
      continue;
    }
    const count = (counts.get(child.keyword) ?? 0) + 1;
    counts.set(child.keyword, count);
    const earlier = first.get(child.keyword);
    if (earlier === undefined) first.set(child.keyword, child);
    else if (count > cardinality.max)
      report.error("statement-repeated", `${child.keyword} stands more than once in ${describe(statement)}`, [
        child.position,
        earlier.position,
      ]);
    checkStatement(child, version, report);
  }
  for (const [keyword, { min }] of allowed) {
    if ((counts.get(keyword) ?? 0) < min)
      report.error("statement-missing", `${describe(statement)} lacks ${keyword}`, statement.position, {
        expected: `${keyword} within it`,
      });
  }
}

function reportMisplaced(parent: YangStatement, child: YangStatement, version: YangVersion, report: YangReport): void {
  if (!GRAMMAR.has(child.keyword)) {
    report.error("unknown-statement", `YANG has no statement ${child.keyword}`, child.position);
    return;
  }
  const newer = version === "1" && GRAMMAR.get(parent.keyword)?.children["1.1"].has(child.keyword) === true;
  report.error(
    "statement-not-allowed",
    `${child.keyword} must not stand in ${parent.keyword}${newer ? " of a YANG 1 module" : ""}`,
    [child.position, parent.position],
    newer ? { remedy: "yang-version 1.1" } : {},
  );
}

function checkArgument(statement: YangStatement, report: YangReport): void {
  const form = GRAMMAR.get(statement.keyword)?.argument ?? "none";
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
}

function checkSections(root: YangStatement, report: YangReport): void {
  let last: YangStatement | undefined;
  for (const child of root.children) {
    if (isExtensionStatement(child) || !GRAMMAR.has(child.keyword)) continue;
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
