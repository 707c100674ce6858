/**
 * Instance paths: the identity of an item within a device. A path is a structured value, never a concatenated string;
 * its text form uses RFC 7951 names (module prefix only where it differs from the parent's), canonical key values and
 * keys in schema order. Construction refuses a missing key, so no path can silently widen to a list or to the root.
 */
import { type Diagnostic, type Result, failure, ok } from "./diagnostic.ts";
import { type DataSchemaNode, type ParentSchemaNode, type Schema, childSchemas, isParentSchema } from "./schema.ts";

export interface KeyValue {
  readonly name: string;
  /** Canonical text; the empty string is a legal key. */
  readonly value: string;
}

export type PathSegment =
  /** A container, leaf, anydata - or, where a whole list or leaf-list is meant on purpose (its user order), the list. */
  | { readonly kind: "node"; readonly module: string; readonly name: string }
  | { readonly kind: "entry"; readonly module: string; readonly name: string; readonly keys: readonly KeyValue[] }
  | { readonly kind: "leaf-list-entry"; readonly module: string; readonly name: string; readonly value: string };

/** From the top of the device's data tree downwards. The empty path is the whole device. */
export type InstancePath = readonly PathSegment[];

/** XPath 1.0 literals cannot hold both quotes; our text form then doubles the single quote inside single quotes. */
function quote(value: string): string {
  if (!value.includes("'")) return `'${value}'`;
  if (!value.includes('"')) return `"${value}"`;
  return `'${value.replaceAll("'", "''")}'`;
}

/** One segment; `module:` is written when `parentModule` differs from the segment's module. */
export function formatSegment(segment: PathSegment, parentModule: string | undefined): string {
  const name = segment.module === parentModule ? segment.name : `${segment.module}:${segment.name}`;
  switch (segment.kind) {
    case "node":
      return name;
    case "entry":
      return name + segment.keys.map((key) => `[${key.name}=${quote(key.value)}]`).join("");
    case "leaf-list-entry":
      return `${name}[.=${quote(segment.value)}]`;
  }
}

/** The text form, e.g. `/ietf-interfaces:interfaces/interface[name='eth0']/mtu`; `/` for the whole device. */
export function formatInstancePath(path: InstancePath): string {
  if (path.length === 0) return "/";
  let parentModule: string | undefined;
  let text = "";
  for (const segment of path) {
    text += `/${formatSegment(segment, parentModule)}`;
    parentModule = segment.module;
  }
  return text;
}

/** Strict prefix test: is `ancestor` above `path`? */
export function isAncestorPath(ancestor: InstancePath, path: InstancePath): boolean {
  if (ancestor.length >= path.length) return false;
  return ancestor.every((segment, index) => {
    const other = path[index];
    return other !== undefined && segmentsEqual(segment, other);
  });
}

export function segmentsEqual(a: PathSegment, b: PathSegment): boolean {
  return segmentKey(a) === segmentKey(b);
}

/** Text of the parent path; `/` above the first segment. Needs the text form that `formatInstancePath` gives. */
export function parentPathText(text: string): string {
  let quote: string | undefined;
  let cut = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quote !== undefined) {
      // A doubled quote closes and opens again, which comes to the same.
      if (character === quote) quote = undefined;
    } else if (character === "'" || character === '"') quote = character;
    else if (character === "/") cut = at;
  }
  return cut === 0 ? "/" : text.slice(0, cut);
}

/** Is `text` the path itself or something below it? Both in the text form of `formatInstancePath`. */
export function isAtOrBelow(text: string, ancestor: string): boolean {
  return ancestor === "/" || text === ancestor || text.startsWith(`${ancestor}/`);
}

/** A string that is equal exactly for equal segments, always module-qualified; the key of children maps. */
export function segmentKey(segment: PathSegment): string {
  return formatSegment(segment, undefined);
}

export type PathDiagnosticCode =
  | "path-syntax"
  | "path-unknown-node"
  | "path-missing-key"
  | "path-unknown-key"
  | "path-duplicate-key"
  | "path-not-a-list"
  | "path-needs-module";

export interface ResolvedPath {
  readonly path: InstancePath;
  /** Schema node of the last segment; undefined for the whole device. */
  readonly schema: DataSchemaNode | undefined;
}

interface RawSegment {
  readonly module: string | undefined;
  readonly name: string;
  readonly predicates: readonly { readonly name: string; readonly value: string }[];
}

function syntaxError(text: string, at: number, expected: string): Result<never, Diagnostic<PathDiagnosticCode>> {
  return failure([
    {
      code: "path-syntax",
      severity: "error",
      message: `cannot read path at character ${String(at + 1)}: ${JSON.stringify(text.slice(at, at + 20))}`,
      places: [{ kind: "instance", path: text }],
      expected,
    },
  ]);
}

const NAME = /[A-Za-z_][A-Za-z0-9_.-]*/y;

function scan(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function parseLiteral(text: string, at: number): { readonly value: string; readonly end: number } | undefined {
  const mark = text[at];
  if (mark !== "'" && mark !== '"') return undefined;
  let value = "";
  let index = at + 1;
  for (;;) {
    const close = text.indexOf(mark, index);
    if (close < 0) return undefined;
    value += text.slice(index, close);
    if (text[close + 1] !== mark) return { value, end: close + 1 };
    value += mark;
    index = close + 2;
  }
}

function parseRaw(text: string): Result<readonly RawSegment[], Diagnostic<PathDiagnosticCode>> {
  if (text === "/") return ok([]) as Result<readonly RawSegment[], Diagnostic<PathDiagnosticCode>>;
  const segments: RawSegment[] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] !== "/") return syntaxError(text, at, "'/' before each name");
    at += 1;
    const first = scan(NAME, text, at);
    if (first === undefined) return syntaxError(text, at, "a node name");
    at += first.length;
    let module: string | undefined;
    let name = first;
    if (text[at] === ":") {
      const second = scan(NAME, text, at + 1);
      if (second === undefined) return syntaxError(text, at + 1, "a node name after the module name");
      module = first;
      name = second;
      at += 1 + second.length;
    }
    const predicates: { name: string; value: string }[] = [];
    while (text[at] === "[") {
      at = skipBlanks(text, at + 1);
      const dot = text[at] === "." ? "." : undefined;
      let key = dot ?? scan(NAME, text, at);
      if (key === undefined) return syntaxError(text, at, "a key name or '.'");
      at += key.length;
      if (dot === undefined && text[at] === ":") {
        const local = scan(NAME, text, at + 1);
        if (local === undefined) return syntaxError(text, at + 1, "a key name");
        key = local;
        at += 1 + local.length;
      }
      at = skipBlanks(text, at);
      if (text[at] !== "=") return syntaxError(text, at, "'='");
      at = skipBlanks(text, at + 1);
      const literal = parseLiteral(text, at);
      if (literal === undefined) return syntaxError(text, at, "a quoted value");
      at = skipBlanks(text, literal.end);
      if (text[at] !== "]") return syntaxError(text, at, "']'");
      at += 1;
      predicates.push({ name: key, value: literal.value });
    }
    segments.push({ module, name, predicates });
  }
  if (segments.length === 0) return syntaxError(text, 0, "'/' or '/module:name'");
  return ok(segments) as Result<readonly RawSegment[], Diagnostic<PathDiagnosticCode>>;
}

function skipBlanks(text: string, at: number): number {
  let index = at;
  while (text[index] === " " || text[index] === "\t") index += 1;
  return index;
}

/**
 * Reads the text form against a schema. Guarantees: every segment exists in the schema, every list entry has exactly
 * its keys, in schema order (any order is accepted in the text). Key values are taken as written: give them to the
 * value codec for canonical form. A list or leaf-list named without predicate is allowed only as the last segment.
 */
export function parseInstancePath(schema: Schema, text: string): Result<ResolvedPath, Diagnostic<PathDiagnosticCode>> {
  const raw = parseRaw(text);
  if (raw.kind === "error") return raw;
  const path: PathSegment[] = [];
  let parent: ParentSchemaNode | undefined;
  let node: DataSchemaNode | undefined;
  for (const [index, segment] of raw.value.entries()) {
    const problem = (
      code: PathDiagnosticCode,
      message: string,
      expected?: string,
    ): Result<never, Diagnostic<PathDiagnosticCode>> =>
      failure([
        {
          code,
          severity: "error",
          message,
          places: [{ kind: "instance", path: text }],
          ...(expected === undefined ? {} : { expected }),
        },
      ]);
    const module: string | undefined = segment.module ?? node?.module;
    if (module === undefined)
      return problem(
        "path-needs-module",
        `the first name needs its module: ${segment.name}`,
        `/module:${segment.name}`,
      );
    if (node !== undefined && parent === undefined)
      return problem("path-unknown-node", `${node.name} is a ${node.kind} and has nothing below it`);
    const children: ReadonlyMap<string, DataSchemaNode> = childSchemas(schema, parent);
    const child: DataSchemaNode | undefined = children.get(`${module}:${segment.name}`);
    if (child === undefined) {
      const known = [...children.values()].map((each) => (each.module === node?.module ? each.name : each.id));
      const where = node === undefined ? "at the top" : `below ${node.schemaPath}`;
      return problem(
        "path-unknown-node",
        `no node ${module}:${segment.name} ${where}`,
        known.length === 0 ? "nothing" : `one of ${known.slice(0, 12).join(", ")}${known.length > 12 ? ", ..." : ""}`,
      );
    }
    const last = index === raw.value.length - 1;
    if (child.kind === "list" && (segment.predicates.length > 0 || !last)) {
      const seen = new Map<string, string>();
      for (const predicate of segment.predicates) {
        if (!child.keys.some((key) => key.name === predicate.name))
          return problem(
            "path-unknown-key",
            `${child.name} has no key ${predicate.name}`,
            `keys ${child.keys.map((key) => key.name).join(", ")}`,
          );
        if (seen.has(predicate.name))
          return problem("path-duplicate-key", `key ${predicate.name} of ${child.name} is given twice`);
        seen.set(predicate.name, predicate.value);
      }
      const keys: KeyValue[] = [];
      for (const key of child.keys) {
        const value = seen.get(key.name);
        if (value === undefined)
          return problem(
            "path-missing-key",
            `key ${key.name} of list ${child.name} is missing`,
            `${child.name}[${key.name}='...']`,
          );
        keys.push({ name: key.name, value });
      }
      path.push({ kind: "entry", module: child.module, name: child.name, keys });
    } else if (child.kind === "leaf-list" && segment.predicates.length > 0) {
      const only = segment.predicates[0];
      if (segment.predicates.length !== 1 || only?.name !== ".")
        return problem(
          "path-unknown-key",
          `an entry of leaf-list ${child.name} is named by its value`,
          `${child.name}[.='value']`,
        );
      path.push({ kind: "leaf-list-entry", module: child.module, name: child.name, value: only.value });
    } else if (segment.predicates.length > 0) {
      return problem("path-not-a-list", `${child.name} is a ${child.kind} and takes no predicate`);
    } else {
      path.push({ kind: "node", module: child.module, name: child.name });
    }
    node = child;
    parent = isParentSchema(child) ? child : undefined;
  }
  return ok({ path, schema: node }) as Result<ResolvedPath, Diagnostic<PathDiagnosticCode>>;
}
