/** Strings and binary (RFC 7950 sections 9.4, 9.8). Errors never quote the value: it might be a secret. */
import { typedefCanonicaliser } from "./canonical-address.ts";
import type { Result } from "../diagnostic.ts";
import type { BinaryType, PatternRestriction, StringType } from "../schema.ts";
import { type RangeChecks, describeRange, rangeChecks } from "./ranges.ts";
import { type ValueDiagnostic, type ValueReader, good, problem, quoted } from "./reading.ts";
import { patternMatcher } from "../patterns/xsd-pattern.ts";

/** Outside of YANG's characters (RFC 7950 section 14, `yang-char`): controls, lone surrogates, noncharacters. */
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\p{Cs}\p{Noncharacter_Code_Point}]/u;

export function stringReader(type: StringType): ValueReader {
  const lengths = rangeChecks(type.lengths, BigInt);
  const patterns = type.patterns.flatMap((restriction) => {
    const matches = patternMatcher(restriction.pattern);
    return matches === undefined
      ? []
      : [{ matches, invert: restriction.invert, broken: brokenPattern(restriction, type.typedefs[0]) }];
  });
  const warnings = type.patterns.filter(({ pattern }) => patternMatcher(pattern) === undefined).map(unreadable);
  const canonical = typedefCanonicaliser(type.typedefs);
  const unlimited = type.lengths.length === 0;

  return (text) => {
    const plain = isPlain(text);
    const forbidden = plain ? undefined : FORBIDDEN.exec(text)?.[0];
    if (forbidden !== undefined) return forbiddenCharacter(forbidden);
    const length = unlimited
      ? undefined
      : brokenLength(lengths, plain ? text.length : characterCount(text), "characters");
    if (length !== undefined) return length;
    for (const { matches, invert, broken } of patterns) if (matches(text) === invert) return broken;
    return good("string", canonical === undefined ? text : canonical(text), warnings);
  };
}

/** Characters of one UTF-16 unit that YANG allows, almost every text. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20 ? unit !== 0x0a && unit !== 0x09 && unit !== 0x0d : unit >= 0xd800) return false;
  }
  return true;
}

function forbiddenCharacter(character: string): Result<never, ValueDiagnostic> {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return problem("value-character", `the text holds the character U+${code}, which YANG does not allow`);
}

/** Unicode characters, not UTF-16 units (RFC 7950 section 9.4.4). */
function characterCount(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

/** The name of a type says more than a pattern does. */
function brokenPattern(restriction: PatternRestriction, typedef: string | undefined): Result<never, ValueDiagnostic> {
  const pattern = `a text that ${restriction.invert ? "does not match" : "matches"} ${restriction.pattern}`;
  const expected = typedef === undefined ? pattern : `${typedef}, ${pattern}`;
  return problem("value-pattern", "the text breaks the pattern of its type", expected, restriction);
}

function unreadable({ pattern }: PatternRestriction): ValueDiagnostic {
  const message = `the pattern ${quoted(pattern)} is no XSD regular expression and was not checked`;
  return { code: "pattern-not-readable", severity: "warning", message, places: [] };
}

function brokenLength(
  lengths: RangeChecks,
  length: number,
  unit: "characters" | "octets",
): Result<never, ValueDiagnostic> | undefined {
  const broken = lengths.brokenBy(length);
  const message = `the value has ${String(length)} ${unit}`;
  return broken && problem("value-length", message, `${describeRange(broken)} ${unit}`, broken);
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** RFC 4648 section 4. Line breaks are dropped, unused bits before the padding are zeroed. */
export function binaryReader(type: BinaryType): ValueReader {
  const lengths = rangeChecks(type.lengths, BigInt);
  return (text) => {
    const compact = /[ \t\n\r]/.test(text) ? text.replace(/[ \t\n\r]+/g, "") : text;
    const [, digits] = /^([A-Za-z0-9+/]*)={0,2}$/.exec(compact) ?? [];
    if (digits === undefined || compact.length % 4 !== 0) {
      return problem("value-syntax", "the value is not base64", "base64 with padding (RFC 4648 section 4)");
    }
    const padding = compact.length - digits.length;
    const length = brokenLength(lengths, (compact.length / 4) * 3 - padding, "octets");
    if (length !== undefined) return length;
    if (padding === 0) return good("binary", compact);
    const last = BASE64.indexOf(digits.slice(-1));
    const kept = BASE64.charAt(last - (last % (padding === 1 ? 4 : 16)));
    return good("binary", digits.slice(0, -1) + kept + "=".repeat(padding));
  };
}
