/** Paths of data resources in RESTCONF URIs: api-path of RFC 8040 section 3.5.3. */
import { type InstancePath, formatInstancePath } from "../../model/path.ts";
import {
  type PathResult,
  pathOk,
  readProblem,
  syntaxProblem,
  writeProblem,
} from "../../model/paths/path-diagnostic.ts";
import { type ResolvedPath, resolvePath } from "../../model/paths/resolve-path.ts";
import type { Schema } from "../../model/schema.ts";
import {
  type SpelledPath,
  type SpelledPredicate,
  type SpelledSegment,
  type SpelledValue,
  scanName,
} from "../../model/paths/spelled-path.ts";
import { keyReader } from "./key-text.ts";
import { type PathStep, pathSteps, uncounted } from "./path-steps.ts";

/**
 * A datastore resource at the beginning: `/restconf/data`, or that of RFC 8527. The root must be named, since `/data`
 * alone could be meant as a node, and reading it as the whole datastore would widen it. For the same reason nothing in
 * front of it may be percent-encoded: `/m%3Atop/restconf/data` is a node three levels deep and no datastore.
 */
const RESOURCE = /^(?:https?:\/\/[^/?#]+)?(?:\/[^/?#:=%]+)*?\/restconf\/(?:data|ds\/[^/?#]+)(?=[/?#]|$)/i;

/**
 * Reads the path below a datastore resource (`/m:top/list=key1,key2/leaf`), or a whole URI up to `/restconf/data`.
 * `list=` is the entry whose key is empty. Key values stand in the order of the key statement, so `l=a,b` and `l=b,a`
 * are two entries. `%XX` is read as UTF-8; an unescaped character other than `/ , ? # %` stands for itself.
 * Refused, with the offset: a list or leaf-list without value, too few or too many values, a query or fragment, an
 * empty segment, `%` without two hexadecimal digits or with octets that are no UTF-8.
 */
export function parseRestconfPath(schema: Schema, text: string): PathResult<ResolvedPath> {
  const spelled = scanRestconfPath(text);
  if (spelled.kind === "error") return spelled;
  return resolvePath(schema, spelled.value, {
    moduleOf: (name) => name,
    unqualified: "parent-module",
    whole: "refuse",
    read: keyReader(schema, { kind: "modules" }),
  });
}

/**
 * Writes the path below a datastore resource; empty for the datastore itself. Every octet but the unreserved ones of
 * RFC 3986 section 2.3 is percent-encoded. Identities are always qualified by their module (RFC 7951 section 6.8).
 * A missing key is an error: no text ever widens from an entry to its list.
 */
export function formatRestconfPath(schema: Schema, path: InstancePath): PathResult<string> {
  const steps = pathSteps(schema, path, { whole: "refuse" });
  if (steps.kind === "error") return steps;
  let text = "";
  let parent: string | undefined;
  for (const step of steps.value) {
    const { module, name } = step.schema;
    const problem = uncounted(step, "RESTCONF");
    if (problem !== undefined) return writeProblem(formatInstancePath(path), problem);
    text += `/${module === parent ? name : `${module}:${name}`}${formatValues(step)}`;
    parent = module;
  }
  return pathOk(text);
}

function formatValues(step: PathStep): string {
  switch (step.kind) {
    case "node":
    case "position":
      return "";
    case "entry":
      return `=${step.keys.map((key) => percentEncode(key.text)).join(",")}`;
    case "leaf-list-entry":
      return `=${percentEncode(step.value.text)}`;
  }
}

function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function scanRestconfPath(text: string): PathResult<SpelledPath> {
  const extra = /[?#]/.exec(text);
  if (extra !== null) {
    const what = extra[0] === "?" ? "a query" : "a fragment";
    return readProblem(text, extra.index, {
      code: "path-syntax",
      message: `${what} is no part of the path`,
      expected: `the path alone; inside of a value ${extra[0]} is written ${extra[0] === "?" ? "%3F" : "%23"}`,
    });
  }
  let at = RESOURCE.exec(text)?.[0].length ?? 0;
  if (at === text.length || text.slice(at) === "/") return pathOk({ text, segments: [] });
  const segments: SpelledSegment[] = [];
  while (at < text.length) {
    if (text[at] !== "/") return syntaxProblem(text, at, "'/' before the first name");
    const slash = text.indexOf("/", at + 1);
    const end = slash < 0 ? text.length : slash;
    const segment = scanSegment(text, at + 1, end);
    if (segment.kind === "error") return segment;
    segments.push(segment.value);
    at = end;
  }
  return pathOk({ text, segments });
}

/** Looks into the segment alone: a search to the end of the text for each segment would cost its square. */
function scanSegment(text: string, at: number, end: number): PathResult<SpelledSegment> {
  const segment = text.slice(at, end);
  const equals = segment.indexOf("=");
  const decoded = percentDecode(text, at, equals < 0 ? end : at + equals);
  if (decoded.kind === "error") return decoded;
  const name = scanName(decoded.value, 0);
  if (name?.end !== decoded.value.length) return syntaxProblem(text, at, "a node name, or module:name");
  const named = { at, qualifier: name.qualifier, name: name.name };
  if (equals < 0) return pathOk({ ...named, predicate: undefined });
  const values: SpelledValue[] = [];
  let from = at + equals + 1;
  for (const piece of segment.slice(equals + 1).split(",")) {
    const value = percentDecode(text, from, from + piece.length);
    if (value.kind === "error") return value;
    values.push({ at: from, value: value.value });
    from += piece.length + 1;
  }
  const predicate: SpelledPredicate = { kind: "positional", at: at + equals, values };
  return pathOk({ ...named, predicate });
}

function percentDecode(text: string, from: number, to: number): PathResult<string> {
  const piece = text.slice(from, to);
  try {
    return pathOk(decodeURIComponent(piece));
  } catch {
    const broken = /%(?![0-9A-Fa-f]{2})/.exec(piece)?.index ?? piece.indexOf("%");
    return readProblem(text, from + broken, {
      code: "path-syntax",
      message: `cannot decode ${JSON.stringify(piece.slice(broken, broken + 20))}`,
      expected: "% with two hexadecimal digits, the octets being UTF-8; % itself is %25",
    });
  }
}
