/**
 * Patterns that are no XSD although YANG says so. OpenConfig writes its patterns as POSIX expressions (the extension
 * `regexp-posix` of openconfig-extensions says it, in those modules that have been revised since), between `^` and `$`.
 * In XSD these are characters like others (XML Schema part 2, appendix F), so that no address would be of the type
 * `openconfig-inet-types:ipv4-address`, and no configuration of such a device could be read.
 */
import type { SourceUnit } from "./linked-module.ts";

const EXTENSIONS = "openconfig-extensions";

/** Does the module belong to those whose patterns are POSIX? */
export function hasPosixPatterns(unit: SourceUnit): boolean {
  return unit.parsed.imports.some(({ name }) => name === EXTENSIONS);
}

/**
 * The same pattern in XSD, which always matches the whole text: without the `^` that begins and the `$` that ends a
 * branch. The pattern itself where there is none.
 */
export function withoutAnchors(pattern: string): string {
  let text = "";
  let at = 0;
  let inClass = false;
  /** The character before, unless it is escaped. */
  let before = "";
  while (at < pattern.length) {
    const character = pattern.charAt(at);
    if (character === "\\") {
      text += pattern.slice(at, at + 2);
      before = "";
      at += 2;
      continue;
    }
    const beginsBranch = at === 0 || before === "(" || before === "|";
    const endsBranch = at === pattern.length - 1 || /[)|]/.test(pattern.charAt(at + 1));
    const isAnchor = !inClass && ((character === "^" && beginsBranch) || (character === "$" && endsBranch));
    if (character === "[") inClass = true;
    else if (character === "]") inClass = false;
    if (!isAnchor) text += character;
    before = character;
    at += 1;
  }
  return text;
}
