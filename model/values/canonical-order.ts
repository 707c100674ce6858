/**
 * An order over canonical values: the one in which system-ordered lists and leaf-lists stand in documents, so that
 * equal data gives equal bytes. Numbers are ordered as numbers; texts by UTF-16 code units, whatever the locale.
 */
import { BUILT_IN_TYPES, type BuiltInType, type Value } from "../value.ts";

const RANKS: ReadonlyMap<BuiltInType, number> = new Map(BUILT_IN_TYPES.map((type, rank) => [type, rank]));

/** A value prepared for many comparisons. */
export interface SortKey {
  readonly rank: number;
  readonly number: bigint | number;
  readonly text: string;
}

/** Guarantees: `compareSortKeys` of two values' keys is 0 exactly when they are equal values. */
export function sortKeyOf(value: Value): SortKey {
  if (value.kind === "sealed") return { rank: BUILT_IN_TYPES.length, number: 0, text: `${value.keyId} ${value.hmac}` };
  const rank = RANKS.get(value.type) ?? -1;
  switch (value.type) {
    case "int8":
    case "int16":
    case "int32":
    case "uint8":
    case "uint16":
    case "uint32":
      return { rank, number: Number(value.text), text: "" };
    case "int64":
    case "uint64":
      return { rank, number: BigInt(value.text), text: "" };
    case "decimal64":
      return { rank, number: scaledDecimal(value.text), text: "" };
    default:
      return { rank, number: 0, text: value.text };
  }
}

/** Negative, zero or positive. A list key is an array of sort keys, first key first. */
export function compareSortKeys(a: readonly SortKey[], b: readonly SortKey[]): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a[index];
    const right = b[index];
    if (left === undefined || right === undefined) break;
    const order = left.rank - right.rank || compare(left.number, right.number) || compare(left.text, right.text);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** The same for two single values. */
export function compareValues(a: Value, b: Value): number {
  return compareSortKeys([sortKeyOf(a)], [sortKeyOf(b)]);
}

function compare<T extends bigint | number | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The canonical text of a decimal64 times 10^18, exactly: 18 is the largest number of fraction digits. */
export function scaledDecimal(canonical: string): bigint {
  const [whole = "0", fraction = ""] = canonical.split(".");
  return BigInt(whole + fraction.padEnd(18, "0"));
}
