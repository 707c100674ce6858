/** `enum` and `bit` statements: names with numbers, given or counted (RFC 7950 sections 9.6.4.2, 9.7.4.2). */
import type { FeatureSet } from "./feature-set.ts";
import type { Scope } from "./linked-module.ts";
import { type YangStatement, argumentOf, childArgument, describe, findChild } from "./statement.ts";
import type { YangReport } from "./yang-report.ts";

export interface NumberedName {
  readonly name: string;
  readonly number: number;
  /** The statement, where it has an `if-feature`. */
  readonly conditional: YangStatement | undefined;
}

interface NumberRule {
  /** The substatement that gives a number. */
  readonly keyword: "value" | "position";
  readonly min: number;
  readonly max: number;
}

export const ENUM_NUMBERS: NumberRule = { keyword: "value", min: -2147483648, max: 2147483647 };
export const BIT_NUMBERS: NumberRule = { keyword: "position", min: 0, max: 4294967295 };

interface Place {
  readonly scope: Scope;
  readonly features: FeatureSet;
  readonly report: YangReport;
}

/** The names of a new enumeration or bits type. Numbers are counted before `if-feature` takes names away. */
export function numberNames(
  statements: readonly YangStatement[],
  rule: NumberRule,
  place: Place,
): readonly NumberedName[] {
  const names = new Map<string, YangStatement>();
  const numbers = new Map<number, YangStatement>();
  const found: NumberedName[] = [];
  /** Of the names before; the first one that gives no number gets 0, any other one more than the highest. */
  let highest: number | undefined;
  for (const statement of statements) {
    const name = argumentOf(statement);
    const given = childArgument(statement, rule.keyword);
    const number: number = given === undefined ? (highest ?? -1) + 1 : Number(given);
    if (number < rule.min || number > rule.max) {
      place.report.error(
        "restriction-invalid",
        `the ${rule.keyword} of ${describe(statement)} is out of bounds`,
        statement.position,
        { expected: `${String(rule.min)} to ${String(rule.max)}` },
      );
      continue;
    }
    const twin = names.get(name) ?? numbers.get(number);
    if (twin !== undefined)
      place.report.error(
        "duplicate-enum-or-bit",
        `${describe(statement)} has the name or ${rule.keyword} of another one`,
        [statement.position, twin.position],
      );
    names.set(name, statement);
    numbers.set(number, statement);
    highest = Math.max(highest ?? number, number);
    if (place.features.allows(statement, place.scope))
      found.push({ name, number, conditional: conditionalOf(statement) });
  }
  return found;
}

/** The names that a derived type keeps (YANG 1.1); they keep their numbers. */
export function restrictNames(
  base: readonly NumberedName[],
  statements: readonly YangStatement[],
  rule: NumberRule,
  place: Place,
): readonly NumberedName[] {
  if (statements.length === 0) return base;
  const kept = new Map<string, YangStatement | undefined>();
  const names = new Map<string, YangStatement>();
  for (const statement of statements) {
    const name = argumentOf(statement);
    const twin = names.get(name);
    if (twin !== undefined)
      place.report.error("duplicate-enum-or-bit", `${describe(statement)} has the name of another one`, [
        statement.position,
        twin.position,
      ]);
    names.set(name, statement);
    const original = base.find((each) => each.name === name);
    const given = childArgument(statement, rule.keyword);
    const allowed = place.features.allows(statement, place.scope);
    if (original === undefined || (given !== undefined && Number(given) !== original.number))
      place.report.error(
        "restriction-wider",
        `${describe(statement)} is not in the type that it restricts${original === undefined ? "" : ` with that ${rule.keyword}`}`,
        statement.position,
      );
    else if (allowed) kept.set(name, original.conditional ?? conditionalOf(statement));
  }
  return base.filter((each) => kept.has(each.name)).map((each) => ({ ...each, conditional: kept.get(each.name) }));
}

function conditionalOf(statement: YangStatement): YangStatement | undefined {
  return findChild(statement, "if-feature") === undefined ? undefined : statement;
}
