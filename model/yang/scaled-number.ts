/** Exact numbers of YANG's integer types and decimal64 as bigints scaled by a power of ten; never a double. */

export type IntegerKind = "int8" | "int16" | "int32" | "int64" | "uint8" | "uint16" | "uint32" | "uint64";

export interface Bounds {
  readonly min: bigint;
  readonly max: bigint;
}

const BITS = { "8": 8n, "16": 16n, "32": 32n, "64": 64n } as const;

/** RFC 7950 section 9.2. */
export function integerBounds(kind: IntegerKind): Bounds {
  const bits = BITS[kind.replace(/^u?int/, "") as keyof typeof BITS];
  return kind.startsWith("u")
    ? { min: 0n, max: (1n << bits) - 1n }
    : { min: -(1n << (bits - 1n)), max: (1n << (bits - 1n)) - 1n };
}

/** All decimal64 values, whatever the fraction digits, are 64-bit integers after scaling (RFC 7950 section 9.3). */
export const DECIMAL64_BOUNDS: Bounds = integerBounds("int64");

/** Lengths are 0 to 2^64 - 1 (RFC 7950 section 9.4.4). */
export const LENGTH_BOUNDS: Bounds = integerBounds("uint64");

const DECIMAL = /^([+-]?)([0-9]{1,40})(?:\.([0-9]{1,40}))?$/;

/** Decimal text to `value * 10^digits`; undefined when it is none or has more fraction digits than that. */
export function parseScaled(text: string, digits: number): bigint | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const fraction = match[3] ?? "";
  if (fraction.length > digits) return undefined;
  const value = BigInt((match[2] ?? "") + fraction.padEnd(digits, "0"));
  return match[1] === "-" ? -value : value;
}

/** Canonical text: no leading zeros or `+`; a decimal64 (digits > 0) has at least one fraction digit (section 9.3.2). */
export function formatScaled(value: bigint, digits: number): string {
  if (digits === 0) return value.toString();
  const text = (value < 0n ? -value : value).toString().padStart(digits + 1, "0");
  const fraction = text.slice(-digits).replace(/0+$/, "");
  return `${value < 0n ? "-" : ""}${text.slice(0, -digits)}.${fraction === "" ? "0" : fraction}`;
}
