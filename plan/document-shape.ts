/** Checks that JSON read from outside has the form that its type promises; every problem with its place, nothing is repaired. */
import { type Diagnostic, type Result, failure, ok } from "../model/diagnostic.ts";

export type Shape = (value: unknown, path: string, problems: Diagnostic<"document-form">[]) => void;

/**
 * The value as `T` where the shape accepts it. The caller vouches that the shape says what the type says: the compiler cannot.
 */
export function readShape<T>(shape: Shape, value: unknown): Result<T> {
  const problems: Diagnostic<"document-form">[] = [];
  shape(value, "", problems);
  return problems.length > 0 ? failure(problems) : ok(value as T);
}

function wrong(path: string, expected: string, problems: Diagnostic<"document-form">[]): void {
  const place = { kind: "field", path: path === "" ? "/" : path } as const;
  problems.push({
    code: "document-form",
    severity: "error",
    message: `expected ${expected}`,
    places: [place],
    expected,
  });
}

export const text: Shape = (value, path, problems) => {
  if (typeof value !== "string") wrong(path, "a string", problems);
};

export const flag: Shape = (value, path, problems) => {
  if (typeof value !== "boolean") wrong(path, "true or false", problems);
};

export const count: Shape = (value, path, problems) => {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    wrong(path, "a whole number from 0", problems);
};

/** SHA-256 in lower-case hex. */
export const digest: Shape = (value, path, problems) => {
  if (typeof value !== "string" || !/^[0-9a-f]{64}$/u.test(value)) wrong(path, "a SHA-256 digest in hex", problems);
};

/** Anything: what it has to be only a schema knows. */
export const anyJson: Shape = () => undefined;

export function oneOf(words: readonly string[]): Shape {
  return (value, path, problems) => {
    if (typeof value !== "string" || !words.includes(value)) wrong(path, `one of ${words.join(", ")}`, problems);
  };
}

export function arrayOf(each: Shape): Shape {
  return (value, path, problems) => {
    if (!Array.isArray(value)) wrong(path, "an array", problems);
    else for (const [index, item] of value.entries()) each(item, `${path}/${String(index)}`, problems);
  };
}

/** Members of any name. */
export function recordOf(each: Shape): Shape {
  return (value, path, problems) => {
    if (!isObject(value)) wrong(path, "an object", problems);
    else for (const [name, member] of Object.entries(value)) each(member, `${path}/${name}`, problems);
  };
}

/** Exactly these members; those of `optional` may be absent. */
export function objectOf(
  required: Readonly<Record<string, Shape>>,
  optional: Readonly<Record<string, Shape>> = {},
): Shape {
  const known = new Map([...Object.entries(required), ...Object.entries(optional)]);
  return (value, path, problems) => {
    if (!isObject(value)) {
      wrong(path, "an object", problems);
      return;
    }
    for (const name of Object.keys(required)) {
      if (!Object.hasOwn(value, name)) wrong(`${path}/${name}`, "this member", problems);
    }
    for (const [name, member] of Object.entries(value)) {
      const shape = known.get(name);
      if (shape === undefined) wrong(`${path}/${name}`, "no such member", problems);
      else shape(member, `${path}/${name}`, problems);
    }
  };
}

/** A union discriminated by the member `tag`. */
export function unionOf(tag: string, shapes: Readonly<Record<string, Shape>>): Shape {
  return (value, path, problems) => {
    const word = isObject(value) ? value[tag] : undefined;
    const shape = typeof word === "string" && Object.hasOwn(shapes, word) ? shapes[word] : undefined;
    if (shape === undefined) wrong(`${path}/${tag}`, `one of ${Object.keys(shapes).join(", ")}`, problems);
    else shape(value, path, problems);
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
