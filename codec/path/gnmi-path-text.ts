/**
 * gNMI paths as structured values and their text for people (gnmi-path-strings of the OpenConfig reference). On the
 * wire only the structure is ever sent. No schema is needed here, and selections with wildcards are legal paths here.
 */
import { type PathResult, pathOk, readProblem, syntaxProblem } from "../../model/paths/path-diagnostic.ts";

export interface GnmiPathElem {
  readonly name: string;
  /** Empty where the element has no keys. */
  readonly key: ReadonlyMap<string, string>;
}

/** `Path` of gNMI. Empty texts are its unset fields. The path without elements is the root. */
export interface GnmiPath {
  readonly origin: string;
  readonly target: string;
  readonly elem: readonly GnmiPathElem[];
}

const ORIGIN = /^([A-Za-z_][A-Za-z0-9_.-]*):(?=\/)/;

/**
 * Reads the text form. `origin:/a/b` has an origin, which only a colon right before a slash ends; in `m:a/b` and
 * `/m:a/b` the first element is named `m:a`. `/` and the empty text are the root, a leading or a trailing slash adds no
 * element. In key values only `\]` and `\\` are escapes; quotes, slashes, blanks and the rest are characters of the
 * value, and the first `=` ends the key's name.
 *
 * Refused, with the offset: an empty element, text after `]`, a key without name or `=`, an open bracket, a key twice,
 * and a backslash before any other character, because implementations differ on what `\n` means.
 */
export function parseGnmiPath(text: string): PathResult<GnmiPath> {
  const origin = ORIGIN.exec(text)?.[1] ?? "";
  const start = origin === "" ? 0 : origin.length + 1;
  let at = text[start] === "/" ? start + 1 : start;
  const elem: GnmiPathElem[] = [];
  while (at < text.length) {
    const scanned = scanElement(text, at);
    if (scanned.kind === "error") return scanned;
    elem.push(scanned.value.elem);
    at = scanned.value.end;
    if (at === text.length) break;
    if (text[at] !== "/") return syntaxProblem(text, at, "'/', '[' or the end after ']'");
    at += 1;
  }
  return pathOk({ origin, target: "", elem });
}

/**
 * Writes the text form, with the origin in front where there is one. Keys stand in the order of their names. Reading it
 * gives the same elements, provided that no name holds `/`, a bracket or a backslash.
 */
export function formatGnmiPath(path: Pick<GnmiPath, "origin" | "elem">): string {
  const elements = path.elem.map((each) => `/${formatGnmiElem(each)}`).join("");
  return `${path.origin === "" ? "" : `${path.origin}:`}${elements === "" ? "/" : elements}`;
}

export function formatGnmiElem({ name, key }: GnmiPathElem): string {
  const keys = [...key].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return name + keys.map(([each, value]) => `[${each}=${value.replace(/[\]\\]/g, "\\$&")}]`).join("");
}

interface Scanned<T> {
  readonly end: number;
  readonly elem: T;
}

const NAME = /[^/[\]\\]*/y;
const KEY_NAME = /[^=/[\]\\]*/y;
/** Up to a backslash or the closing bracket. */
const VALUE_RUN = /[^\]\\]*/y;

function run(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

function scanElement(text: string, from: number): PathResult<Scanned<GnmiPathElem>> {
  const name = run(NAME, text, from);
  if (name === "") return syntaxProblem(text, from, "a node name");
  const key = new Map<string, string>();
  let at = from + name.length;
  while (text[at] === "[") {
    const keyName = run(KEY_NAME, text, at + 1);
    const equals = at + 1 + keyName.length;
    if (keyName === "" || text[equals] !== "=") return syntaxProblem(text, at, "[key=value]");
    if (key.has(keyName))
      return readProblem(text, at + 1, { code: "path-duplicate-key", message: `key ${keyName} is given twice` });
    const value = scanValue(text, equals + 1);
    if (value.kind === "error") return value;
    key.set(keyName, value.value.elem);
    at = value.value.end;
  }
  if (text[at] === "]" || text[at] === "\\") return syntaxProblem(text, at, "'/', '[' or the end after a name");
  return pathOk({ elem: { name, key }, end: at });
}

function scanValue(text: string, from: number): PathResult<Scanned<string>> {
  let value = "";
  let at = from;
  for (;;) {
    const piece = run(VALUE_RUN, text, at);
    value += piece;
    at += piece.length;
    if (at >= text.length) return syntaxProblem(text, at, "']' at the end of the value; inside of it \\]");
    if (text[at] === "]") return pathOk({ elem: value, end: at + 1 });
    const escaped = text[at + 1];
    if (escaped !== "]" && escaped !== "\\") return syntaxProblem(text, at, "\\] or \\\\; a backslash itself is \\\\");
    value += escaped;
    at += 2;
  }
}
