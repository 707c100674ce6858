/** The four types of XPath 1.0 (section 1) and the conversions between them (sections 4.2 to 4.4). */
import type { XPathNode } from "./xpath-node.ts";

/** Nodes are in document order, each once. */
export type XPathValue =
  | { readonly kind: "nodes"; readonly nodes: readonly XPathNode[] }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "boolean"; readonly value: boolean };

const NUMBER = /^[ \t\r\n]*(-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))[ \t\r\n]*$/;

/** Section 4.4, `number()`: blanks around it, a minus, digits and a point; everything else is NaN, "1e3" and "+1" too. */
export function stringToNumber(text: string): number {
  // Short plain digits are nearly all that data holds, and Number alone reads them right.
  const first = text.charCodeAt(0);
  if (text.length < 16 && first >= 48 && first <= 57) {
    let value = first - 48;
    let at = 1;
    for (; at < text.length; at += 1) {
      const digit = text.charCodeAt(at) - 48;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    if (at === text.length) return value;
  }
  const digits = NUMBER.exec(text)?.[1];
  return digits === undefined ? Number.NaN : Number(digits);
}

/**
 * Section 4.2, `string()` of a number: no exponent, no decimal point in an integer, negative zero is "0", and as many
 * digits as tell the number from its neighbours.
 */
export function numberToString(value: number): string {
  if (value === 0) return "0";
  const text = String(value);
  const mark = text.indexOf("e");
  if (mark < 0) return text;
  const sign = text.startsWith("-") ? "-" : "";
  const [whole = "", fraction = ""] = text.slice(sign.length, mark).split(".");
  const exponent = Number(text.slice(mark + 1));
  const digits = whole + fraction;
  // JavaScript writes an exponent only from 10^21 upwards and below 10^-6, so the point never falls inside the digits.
  return exponent > 0
    ? sign + digits.padEnd(whole.length + exponent, "0")
    : `${sign}0.${"0".repeat(-exponent - whole.length)}${digits}`;
}

/** Section 4.4, `round()`: to the nearest integer, halves towards positive infinity, zero keeps the sign of its origin. */
export function roundNumber(value: number): number {
  return Math.round(value);
}
