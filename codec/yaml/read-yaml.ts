/**
 * YAML (and JSON, its subset) with positions: every value and key knows its line and column, duplicate keys are
 * refused, integers keep all their digits. What a person wrote can then be blamed on the very line.
 */
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type Document,
  type Node,
} from "yaml";
import { type Diagnostic, type Result, type SourcePosition, failure, ok } from "../../model/diagnostic.ts";
import { tooMuchAt } from "./nesting.ts";

export type PositionedValue =
  | { readonly kind: "map"; readonly position: SourcePosition; readonly entries: readonly PositionedEntry[] }
  | { readonly kind: "sequence"; readonly position: SourcePosition; readonly items: readonly PositionedValue[] }
  | {
      readonly kind: "scalar";
      readonly position: SourcePosition;
      readonly value: string | bigint | number | boolean | null;
    };

export interface PositionedEntry {
  readonly key: string;
  readonly position: SourcePosition;
  readonly value: PositionedValue;
}

export type YamlDiagnosticCode =
  | "yaml-syntax"
  | "yaml-duplicate-key"
  | "yaml-alias"
  | "yaml-key"
  | "yaml-number"
  | "yaml-version"
  | "yaml-empty"
  | "yaml-limit";

/** Characters of one text; a service document is some kilobytes. */
export const YAML_MAX_CHARACTERS = 4 * 1024 * 1024;
/** Levels of maps and sequences in one another. */
export const YAML_MAX_NESTING = 100;
/** Names, values and signs of one text: `a: 1` has three. */
export const YAML_MAX_TOKENS = 300_000;

/**
 * Reads every document of a text (separated by `---`). Guarantees: keys are strings and unique in their map; integers
 * are bigint; aliases, tags and other versions of YAML are refused, since what stands there is what counts; the text
 * is bounded in length, depth and number of values. Errors, all of the text: `yaml-syntax`, `yaml-duplicate-key`, `yaml-alias`,
 * `yaml-key`, `yaml-number` (a spelling that would come back changed), `yaml-version`, `yaml-limit`, `yaml-empty`.
 */
export function readYaml(
  source: string,
  text: string,
): Result<readonly PositionedValue[], Diagnostic<YamlDiagnosticCode>> {
  const errors: Diagnostic<YamlDiagnosticCode>[] = [];
  if (text.length > YAML_MAX_CHARACTERS) {
    return failure([
      problem(
        "yaml-limit",
        `the text has ${String(text.length)} characters; the limit is ${String(YAML_MAX_CHARACTERS)}`,
        { source, line: 1, column: 1 },
      ),
    ]);
  }
  const lines = new LineCounter();
  const position = (offset: number): SourcePosition => {
    const at = lines.linePos(offset);
    return { source, line: Math.max(at.line, 1), column: Math.max(at.col, 1) };
  };
  const tooMuch = tooMuchAt(text, { levels: YAML_MAX_NESTING, tokens: YAML_MAX_TOKENS });
  if (tooMuch !== undefined) {
    const { what, line, column } = tooMuch;
    const message =
      what === "levels"
        ? `maps and sequences stand more than ${String(YAML_MAX_NESTING)} levels deep`
        : `the text has more than ${String(YAML_MAX_TOKENS)} names, values and signs`;
    return failure([problem("yaml-limit", message, { source, line, column })]);
  }
  const parsed: readonly Document.Parsed[] | { readonly empty: true } = parseAllDocuments(text, {
    lineCounter: lines,
    uniqueKeys: true,
    intAsBigInt: true,
    prettyErrors: false,
    version: "1.2",
  });
  const documents = "empty" in parsed ? [] : parsed;
  const values: PositionedValue[] = [];
  for (const document of documents) {
    if (document.directives.yaml.version !== "1.2") {
      errors.push(
        problem("yaml-version", "only YAML 1.2 is read here", position(document.range[0]), "no %YAML directive"),
      );
      continue;
    }
    for (const error of [...document.errors, ...document.warnings]) {
      const code = error.code === "DUPLICATE_KEY" ? "yaml-duplicate-key" : "yaml-syntax";
      errors.push(problem(code, firstLine(error.message), position(error.pos[0])));
    }
    // Nothing between two separators, or behind the last, is no document.
    const { contents } = document;
    if (document.errors.length > 0 || contents === null || isNothing(contents)) continue;
    const value = convert(contents, position, errors);
    if (value !== undefined) values.push(value);
  }
  if (errors.length === 0 && values.length === 0)
    errors.push(problem("yaml-empty", "no document in this text", { source, line: 1, column: 1 }));
  return errors.length > 0
    ? failure(errors)
    : (ok(values) as Result<readonly PositionedValue[], Diagnostic<YamlDiagnosticCode>>);
}

function problem(
  code: YamlDiagnosticCode,
  message: string,
  position: SourcePosition,
  expected?: string,
): Diagnostic<YamlDiagnosticCode> {
  const base = { code, severity: "error" as const, message, places: [{ kind: "source" as const, position }] };
  return expected === undefined ? base : { ...base, expected };
}

function isNothing(node: Node): boolean {
  return isScalar(node) && node.value === null && node.source === "";
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? text;
}

function convert(
  node: Node,
  position: (offset: number) => SourcePosition,
  errors: Diagnostic<YamlDiagnosticCode>[],
): PositionedValue | undefined {
  const at = position(node.range?.[0] ?? 0);
  if (isAlias(node)) {
    errors.push(problem("yaml-alias", "aliases are not taken: write the value out", at));
    return undefined;
  }
  if (isMap(node)) {
    const entries: PositionedEntry[] = [];
    for (const pair of node.items) {
      const key: unknown = pair.key;
      if (!isScalar(key) || typeof key.value !== "string") {
        const keyAt = isNode(key) ? position(key.range?.[0] ?? 0) : at;
        errors.push(problem("yaml-key", "keys are strings; quote a key that looks like a number or a boolean", keyAt));
        continue;
      }
      const keyPosition = position(key.range?.[0] ?? 0);
      const raw: unknown = pair.value;
      const value: PositionedValue | undefined =
        raw === null ? { kind: "scalar", position: keyPosition, value: null } : convert(raw as Node, position, errors);
      if (value !== undefined) entries.push({ key: key.value, position: keyPosition, value });
    }
    return { kind: "map", position: at, entries };
  }
  if (isSeq(node)) {
    const items: PositionedValue[] = [];
    for (const item of node.items) {
      const value = convert(item as Node, position, errors);
      if (value !== undefined) items.push(value);
    }
    return { kind: "sequence", position: at, items };
  }
  if (isScalar(node)) {
    const value = node.value;
    if (typeof value === "bigint" && /^[-+]?0\d/.test(node.source ?? "")) {
      errors.push(
        problem("yaml-number", "an integer with leading zeros: say whether it is a text", at, "quotes, or no zeros"),
      );
      return undefined;
    }
    if (
      value === null ||
      typeof value === "string" ||
      typeof value === "bigint" ||
      typeof value === "number" ||
      typeof value === "boolean"
    )
      return { kind: "scalar", position: at, value };
  }
  errors.push(problem("yaml-syntax", "this kind of value is not taken here", at));
  return undefined;
}

/** Plain data for expressions: integers stay bigint. */
export function plainData(value: PositionedValue): unknown {
  return strip(value, (integer) => integer);
}

/** JSON data for canonical documents: integers become numbers where exact, else decimal text. */
export function jsonData(value: PositionedValue): unknown {
  return strip(value, (integer) => {
    const number = Number(integer);
    return Number.isSafeInteger(number) ? number : integer.toString();
  });
}

/** For checks against a JSON Schema only, which knows no other numbers: integers are rounded beyond 2^53. */
export function roundedData(value: PositionedValue): unknown {
  return strip(value, Number);
}

function strip(value: PositionedValue, integer: (value: bigint) => unknown): unknown {
  switch (value.kind) {
    case "map":
      return Object.fromEntries(value.entries.map((entry) => [entry.key, strip(entry.value, integer)]));
    case "sequence":
      return value.items.map((item) => strip(item, integer));
    case "scalar":
      return typeof value.value === "bigint" ? integer(value.value) : value.value;
  }
}

/** The position of the deepest part of `path` that exists, for errors about fields and about missing ones. */
export function positionAt(value: PositionedValue, path: readonly (string | number)[]): SourcePosition {
  let here = value;
  let position = value.position;
  for (const step of path) {
    if (here.kind === "map") {
      const entry = here.entries.find((each) => each.key === String(step));
      if (entry === undefined) return position;
      position = entry.value.kind === "scalar" ? entry.value.position : entry.position;
      here = entry.value;
    } else if (here.kind === "sequence" && typeof step === "number") {
      const item = here.items[step];
      if (item === undefined) return position;
      position = item.position;
      here = item;
    } else {
      return position;
    }
  }
  return position;
}
