/** The numbers that JSON can spell and YANG's lexical forms cannot: those with an exponent. */

/** More than any type has, and few enough to be written out. */
const MAX_DIGITS = 1000;

/**
 * The same number without exponent, and without a fraction where it is whole: `1e1` and `10.0` are the number 10 (RFC
 * 8259 section 6, to which RFC 7951 section 6.1 leaves the spelling), and no text of RFC 7950 section 9.2.1. Exact.
 * Needs a number of JSON. One that takes more than 1,000 digits without its exponent comes back as it is.
 */
export function plainNumber(text: string): string {
  if (!/[.eE]/.test(text)) return text;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = whole + fraction;
  const start = countZeros(digits, "front");
  if (start === digits.length) return "0";
  const end = digits.length - countZeros(digits, "back");
  const significant = digits.slice(start, end);
  /** Where the point stands: behind so many of the significant digits, or so far in front of them. */
  const point = whole.length - start + Number(exponent);
  if (Math.abs(point) + significant.length > MAX_DIGITS) return text;
  if (point >= significant.length) return sign + significant.padEnd(point, "0");
  if (point > 0) return `${sign}${significant.slice(0, point)}.${significant.slice(point)}`;
  return `${sign}0.${"0".repeat(-point)}${significant}`;
}

/** A loop, since a regular expression tries every zero of a long run as the first. */
function countZeros(digits: string, from: "front" | "back"): number {
  let count = 0;
  while (count < digits.length && digits[from === "front" ? count : digits.length - 1 - count] === "0") count += 1;
  return count;
}
