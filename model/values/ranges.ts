/** `range` and `length` restrictions, prepared for many checks (RFC 7950 sections 9.2.4, 9.3.4, 9.4.4). */
import type { RangeRestriction } from "../schema.ts";

/** Numbers as the caller scales them: integers as they are, decimals times a power of ten. */
export interface RangeChecks {
  /** The first restriction that an exactly represented number breaks. */
  readonly brokenBy: (number: number) => RangeRestriction | undefined;
  /** The same for numbers of any size. */
  readonly brokenByLarge: (number: bigint) => RangeRestriction | undefined;
}

const NOTHING_BROKEN: RangeChecks = { brokenBy: () => undefined, brokenByLarge: () => undefined };

export function rangeChecks(ranges: readonly RangeRestriction[], scale: (bound: string) => bigint): RangeChecks {
  if (ranges.length === 0) return NOTHING_BROKEN;
  const large = ranges.map((restriction) => ({
    restriction,
    parts: restriction.parts.map((part) => ({ min: scale(part.min), max: scale(part.max) })),
  }));
  // A bound too large to be exact rounds to a number that lies on the same side of every exact one.
  const small = large.map(({ restriction, parts }) => ({
    restriction,
    parts: parts.map((part) => ({ min: Number(part.min), max: Number(part.max) })),
  }));
  return {
    brokenBy: (number) => {
      for (const { restriction, parts } of small)
        if (!parts.some((part) => part.min <= number && number <= part.max)) return restriction;
      return undefined;
    },
    brokenByLarge: (number) =>
      large.find(({ parts }) => !parts.some((part) => part.min <= number && number <= part.max))?.restriction,
  };
}

export function describeRange(restriction: RangeRestriction): string {
  return restriction.parts.map((part) => (part.min === part.max ? part.min : `${part.min}..${part.max}`)).join(" | ");
}
