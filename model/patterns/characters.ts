/** Sets of characters, as the classes of XSD regular expressions name them. */
import { UNICODE_BLOCKS } from "./unicode-blocks.ts";

/**
 * Membership by code point. `key` is equal for sets made in the same way, so that an automaton asks each only once.
 */
export interface CharacterSet {
  readonly key: string;
  readonly has: (code: number) => boolean;
}

export function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

export function single(character: string): CharacterSet {
  const only = codeOf(character);
  return { key: character, has: (code) => code === only };
}

export function range(first: string, last: string): CharacterSet {
  return codes(codeOf(first), codeOf(last));
}

function codes(first: number, last: number): CharacterSet {
  return { key: `${first.toString(16)}-${last.toString(16)}`, has: (code) => code >= first && code <= last };
}

export function unite(sets: readonly CharacterSet[]): CharacterSet {
  const [only] = sets;
  if (sets.length === 1 && only !== undefined) return only;
  return { key: `[${sets.map((set) => set.key).join(" ")}]`, has: (code) => sets.some((set) => set.has(code)) };
}

export function complement(set: CharacterSet): CharacterSet {
  return { key: `[^${set.key}]`, has: (code) => !set.has(code) };
}

export function difference(set: CharacterSet, without: CharacterSet): CharacterSet {
  return { key: `[${set.key}--${without.key}]`, has: (code) => set.has(code) && !without.has(code) };
}

/** A general category of Unicode, or a group of them; undefined when there is none of that name. */
export function categorySet(name: string): CharacterSet | undefined {
  if (!/^(?:L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|Z[slp]?|S[mcko]?|C[cfon]?)$/.test(name)) return undefined;
  const property = new RegExp(`^\\p{${name}}$`, "u");
  return { key: `p{${name}}`, has: (code) => property.test(String.fromCodePoint(code)) };
}

/** A Unicode block by its name without `Is`; undefined when there is none. */
export function blockSet(name: string): CharacterSet | undefined {
  const block = UNICODE_BLOCKS.get(name);
  return block && codes(block.first, block.last);
}

function listed(...characters: readonly string[]): CharacterSet {
  return unite(
    characters.map((each) => {
      const [first = "", last = first] = each.split("..");
      return range(first, last);
    }),
  );
}

function category(name: string): CharacterSet {
  const set = categorySet(name);
  if (set === undefined) throw new RangeError(`no category ${name}`);
  return set;
}

const SPACE = listed("\t", "\n", "\r", " ");
const DIGIT = category("Nd");
/** What `\W` matches. */
const SEPARATING = unite([category("P"), category("Z"), category("C")]);
/** NameStartChar and NameChar of XML 1.0, fifth edition, which XML Schema 1.1 refers to; older editions list more of both. */
const NAME_START = listed(
  ":",
  "A..Z",
  "_",
  "a..z",
  "\u{c0}..\u{d6}",
  "\u{d8}..\u{f6}",
  "\u{f8}..\u{2ff}",
  "\u{370}..\u{37d}",
  "\u{37f}..\u{1fff}",
  "\u{200c}..\u{200d}",
  "\u{2070}..\u{218f}",
  "\u{2c00}..\u{2fef}",
  "\u{3001}..\u{d7ff}",
  "\u{f900}..\u{fdcf}",
  "\u{fdf0}..\u{fffd}",
  "\u{10000}..\u{effff}",
);
const NAME = unite([NAME_START, listed("-", ".", "0..9", "\u{b7}", "\u{300}..\u{36f}", "\u{203f}..\u{2040}")]);

/** `.` */
export const WILDCARD: CharacterSet = complement(listed("\n", "\r"));

/** By the letter after the backslash. */
export const CLASS_ESCAPES: ReadonlyMap<string, CharacterSet> = new Map([
  ["s", SPACE],
  ["S", complement(SPACE)],
  ["d", DIGIT],
  ["D", complement(DIGIT)],
  ["w", complement(SEPARATING)],
  ["W", SEPARATING],
  ["i", NAME_START],
  ["I", complement(NAME_START)],
  ["c", NAME],
  ["C", complement(NAME)],
]);
