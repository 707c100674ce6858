/** Integers and decimal64 (RFC 7950 sections 9.2, 9.3): exact, with a short way for numbers that JavaScript holds exactly. */
import type { Decimal64Type, NumberType } from "../schema.ts";
import { type RangeChecks, describeRange, rangeChecks } from "./ranges.ts";
import {
  type ValueDiagnostic,
  type ValueForm,
  type ValueReader,
  type ValueResult,
  good,
  problem,
  quoted,
  wrongSyntax,
} from "./reading.ts";
import type { Result } from "../diagnostic.ts";

const INTEGER_BOUNDS: Readonly<Record<NumberType["kind"], readonly [bigint, bigint]>> = {
  int8: [-(2n ** 7n), 2n ** 7n - 1n],
  int16: [-(2n ** 15n), 2n ** 15n - 1n],
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint8: [0n, 2n ** 8n - 1n],
  uint16: [0n, 2n ** 16n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};

/** Digits whose number is exact in JavaScript, whatever they are. */
const EXACT_DIGITS = 15;
/** Results for the numbers 0 to 1023 of each type are made once: a large configuration holds thousands of each. */
const SHARED_NUMBERS = 1024;
const shared = new Map<NumberType["kind"], (ValueResult | undefined)[]>();

export function integerReader(type: NumberType): ValueReader {
  const { kind } = type;
  const [min, max] = INTEGER_BOUNDS[kind];
  const [smallMin, smallMax] = [Number(min), Number(max)];
  const ranges = rangeChecks(type.ranges, BigInt);
  const results = shared.get(kind) ?? Array.from({ length: SHARED_NUMBERS }, () => undefined);
  shared.set(kind, results);
  const outside = (text: string): ValueResult =>
    problem("value-range", `${quoted(text)} is out of range`, `${String(min)}..${String(max)} (${kind})`);

  return (text, { form }) => {
    const small = form.kind === "yang" ? undefined : exactInteger(text);
    if (small !== undefined) {
      if (small < smallMin || small > smallMax) return outside(text);
      const broken = brokenRange(ranges, small);
      if (broken !== undefined) return broken;
      if (small < 0 || small >= SHARED_NUMBERS) return good(kind, isCanonicalInteger(text) ? text : String(small));
      return (results[small] ??= good(kind, String(small)));
    }
    const number = largeInteger(text, form);
    if (number === undefined) return wrongSyntax(text, `an integer (${kind})`);
    if (number === "large" || number < min || number > max) return outside(text);
    return brokenRange(ranges, number) ?? good(kind, String(number));
  };
}

/** An integer of few decimal digits; undefined for any other text. */
function exactInteger(text: string): number | undefined {
  const first = text.charCodeAt(0);
  const signed = first === 0x2d || first === 0x2b;
  const start = signed ? 1 : 0;
  if (text.length === start || text.length - start > EXACT_DIGITS) return undefined;
  let number = 0;
  for (let at = start; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    number = number * 10 + digit;
  }
  // Not -0, which String would print as 0 and Object.is tells from it.
  return first === 0x2d && number !== 0 ? -number : number;
}

function isCanonicalInteger(text: string): boolean {
  const first = text.charCodeAt(0);
  const digit = first === 0x2d ? text.charCodeAt(1) : first;
  return digit >= 0x31 && digit <= 0x39;
}

/** Any integer; `large` where its digits alone say that no type holds it, before they cost time. */
function largeInteger(text: string, form: ValueForm): bigint | "large" | undefined {
  const match = /^([+-]?)(?:0[xX]([0-9A-Fa-f]+)|(\d+))$/.exec(text);
  const [, sign, hexadecimal, decimal = ""] = match ?? [];
  if (match === null || (hexadecimal !== undefined && form.kind !== "yang")) return undefined;
  const octal = form.kind === "yang" && /^0[0-7]+$/.test(decimal);
  const digits = (hexadecimal ?? decimal).replace(/^0+(?=.)/, "");
  // 22 octal digits and 20 decimal ones hold every 64-bit number.
  if (digits.length > 22) return "large";
  const magnitude = BigInt((hexadecimal !== undefined ? "0x" : octal ? "0o" : "") + digits);
  return sign === "-" ? -magnitude : magnitude;
}

export function decimalReader(type: Decimal64Type): ValueReader {
  const { fractionDigits } = type;
  const ranges = rangeChecks(type.ranges, (bound) => scaled(bound, fractionDigits));
  return (text) => {
    const [, sign, whole, fraction = ""] = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
    if (whole === undefined)
      return wrongSyntax(text, `a decimal number with up to ${String(fractionDigits)} fraction digits`);
    const digits = withoutTrailingZeros(fraction);
    if (digits.length > fractionDigits) {
      return problem("value-range", `${quoted(text)} has too many fraction digits`, `up to ${String(fractionDigits)}`);
    }
    const integer = whole.replace(/^0+(?=.)/, "");
    const negative = sign === "-" && (integer !== "0" || digits !== "");
    const canonical = `${negative ? "-" : ""}${integer}.${digits === "" ? "0" : digits}`;
    if (integer.length + fractionDigits <= EXACT_DIGITS) {
      const number = Number(integer + digits.padEnd(fractionDigits, "0"));
      return brokenRange(ranges, negative ? -number : number) ?? good("decimal64", canonical);
    }
    const magnitude = integer.length > 19 ? undefined : BigInt(integer + digits.padEnd(fractionDigits, "0"));
    const number = magnitude === undefined || !negative ? magnitude : -magnitude;
    const [min, max] = INTEGER_BOUNDS.int64;
    if (number === undefined || number < min || number > max) {
      const expected = `decimal64 with ${String(fractionDigits)} fraction digits`;
      return problem("value-range", `${quoted(text)} is out of range`, expected);
    }
    return brokenRange(ranges, number) ?? good("decimal64", canonical);
  };
}

/** A loop, since a regular expression tries every zero of a long run as the first. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 0x30) end -= 1;
  return digits.slice(0, end);
}

/** A canonical bound times ten to the power of `digits`, of which it has no more. */
function scaled(bound: string, digits: number): bigint {
  const [whole = "0", fraction = ""] = bound.split(".");
  return BigInt(whole + (fraction === "0" ? "" : fraction).padEnd(digits, "0"));
}

function brokenRange(ranges: RangeChecks, number: number | bigint): Result<never, ValueDiagnostic> | undefined {
  const broken = typeof number === "number" ? ranges.brokenBy(number) : ranges.brokenByLarge(number);
  return broken && problem("value-range", "the number is out of range", describeRange(broken), broken);
}
