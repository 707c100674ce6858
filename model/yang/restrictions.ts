/** `range`, `length` and `pattern` statements, each narrowing what stands below it (RFC 7950 sections 9.2.4, 9.4). */
import type { PatternRestriction, RangePart, RangeRestriction } from "../schema.ts";
import type { SourceUnit } from "./linked-module.ts";
import { hasPosixPatterns, withoutAnchors } from "./posix-pattern.ts";
import { type Bounds, formatScaled, parseScaled } from "./scaled-number.ts";
import { type YangStatement, argumentOf, childArgument, describe } from "./statement.ts";
import type { YangReport } from "./yang-report.ts";

/** What a restriction narrows: the parts below it, as text with so many fraction digits, or the built-in bounds. */
export interface RestrictionBase {
  readonly bounds: Bounds;
  readonly digits: number;
  /** Of the chain so far, outermost last. */
  readonly restrictions: readonly RangeRestriction[];
}

/** The chain with the restriction that `statement` adds; the chain as it is when there is none or it is wrong. */
export function addRestriction(
  base: RestrictionBase,
  statement: YangStatement | undefined,
  report: YangReport,
): readonly RangeRestriction[] {
  if (statement === undefined) return base.restrictions;
  const outer = partsBelow(base);
  const parts: Bounds[] = [];
  for (const text of argumentOf(statement).split("|")) {
    const part = readPart(text, outer, base.digits);
    const last = parts.at(-1);
    if (part === undefined || part.min > part.max || (last !== undefined && part.min <= last.max)) {
      report.error("restriction-invalid", `${describe(statement)} is not well-formed`, statement.position, {
        expected: "disjoint parts in ascending order, within the type's numbers",
      });
      return base.restrictions;
    }
    if (!outer.some((each) => each.min <= part.min && part.max <= each.max)) {
      report.error(
        "restriction-wider",
        `${describe(statement)} allows more than what it restricts`,
        statement.position,
        {
          expected: `within ${outer.map((each) => formatPart(each, base.digits)).join(" | ")}`,
        },
      );
      return base.restrictions;
    }
    parts.push(part);
  }
  return [...base.restrictions, { parts: parts.map((part) => toText(part, base.digits)), ...messages(statement) }];
}

function partsBelow(base: RestrictionBase): readonly Bounds[] {
  const last = base.restrictions.at(-1);
  if (last === undefined) return [base.bounds];
  return last.parts.map((part) => ({
    min: parseScaled(part.min, base.digits) ?? base.bounds.min,
    max: parseScaled(part.max, base.digits) ?? base.bounds.max,
  }));
}

function readPart(text: string, outer: readonly Bounds[], digits: number): Bounds | undefined {
  const [first = "", second = first] = text.split("..").map((each) => each.trim());
  const read = (bound: string): bigint | undefined =>
    bound === "min" ? outer[0]?.min : bound === "max" ? outer.at(-1)?.max : parseScaled(bound, digits);
  const [min, max] = [read(first), read(second)];
  return min === undefined || max === undefined ? undefined : { min, max };
}

function toText(part: Bounds, digits: number): RangePart {
  return { min: formatScaled(part.min, digits), max: formatScaled(part.max, digits) };
}

function formatPart(part: Bounds, digits: number): string {
  return `${formatScaled(part.min, digits)}..${formatScaled(part.max, digits)}`;
}

export function patternOf(statement: YangStatement, unit: SourceUnit): PatternRestriction {
  const pattern = argumentOf(statement);
  return {
    pattern: hasPosixPatterns(unit) ? withoutAnchors(pattern) : pattern,
    invert: childArgument(statement, "modifier") === "invert-match",
    ...messages(statement),
  };
}

function messages(statement: YangStatement): Pick<RangeRestriction, "errorMessage" | "errorAppTag"> {
  return {
    errorMessage: childArgument(statement, "error-message"),
    errorAppTag: childArgument(statement, "error-app-tag"),
  };
}
