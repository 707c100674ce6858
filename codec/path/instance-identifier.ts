/** Instance-identifiers: the XPath subset in which YANG names instances (RFC 7950 section 9.13, RFC 7951 section 6.11). */
import {
  type InstanceIdentifierNames,
  parseInstanceIdentifier as parseSpelled,
  parseInstancePath,
} from "../../model/paths/parse-path.ts";
import { type InstancePath, formatInstancePath } from "../../model/path.ts";
import { type PathProblem, type PathResult, pathOk, writeProblem } from "../../model/paths/path-diagnostic.ts";
import { type ResolvedPath, resolvePath } from "../../model/paths/resolve-path.ts";
import type { Schema } from "../../model/schema.ts";
import { scanPath } from "../../model/paths/spelled-path.ts";
import type { PlainValue } from "../../model/value.ts";
import { keyReader } from "./key-text.ts";
import { type PathStep, pathSteps, uncounted } from "./path-steps.ts";
import { schemaPrefixes } from "./prefix-table.ts";

/** How names are written; as `InstanceIdentifierNames` reads them. */
export type WrittenNames =
  | { readonly kind: "prefixes"; readonly prefixOf: (module: string) => string | undefined }
  | { readonly kind: "modules" };

export interface InstanceIdentifierOptions {
  /** `/`, the whole device: XPath has it, an instance-identifier has not. `take` where left out. */
  readonly root?: "refuse" | "take";
}

/**
 * Reads an instance-identifier. Guarantees: one instance of the schema, all keys there (in any order, RFC 7950 section
 * 9.13) and canonical; identities and instance-identifiers inside key values are read by the same names.
 * Entries of lists without keys stand by their position. Refused, with the offset: everything that the grammar of
 * RFC 7950 section 14 does not have, among it functions such as concat() and wildcards, and positions of what has keys
 * or a value.
 */
export function parseInstanceIdentifier(
  schema: Schema,
  text: string,
  names: InstanceIdentifierNames,
  options: InstanceIdentifierOptions = {},
): PathResult<ResolvedPath> {
  return parseSpelled(schema, text, names, { root: "take", ...options, read: keyReader(schema, names) });
}

/**
 * Reads what people write: names with the modules' own prefixes (`schemaPrefixes`) or with module names, and names
 * without either where the module is the parent's. Else as `parseInstanceIdentifier`.
 */
export function parseAnyInstanceIdentifier(schema: Schema, text: string): PathResult<ResolvedPath> {
  const spelled = scanPath(text, "xpath");
  if (spelled.kind === "error") return spelled;
  const prefixes = schemaPrefixes(schema);
  const moduleOf = (qualifier: string): string | undefined =>
    prefixes.moduleOf(qualifier) ?? (schema.modules.has(qualifier) ? qualifier : undefined);
  const byModule = keyReader(schema, { kind: "modules" });
  const byPrefix = keyReader(schema, { kind: "prefixes", moduleOf });
  return resolvePath(schema, spelled.value, {
    moduleOf,
    unqualified: "parent-module",
    whole: "refuse",
    read: (leaf, value) => {
      const prefixed = byPrefix(leaf, value);
      return prefixed.kind === "ok" ? prefixed : byModule(leaf, value);
    },
  });
}

/**
 * Writes an instance-identifier. With `prefixes` every name has one, those inside key values too; the caller declares
 * them. Errors: `path-not-expressible` for a key value with both kinds of quotes, which no XPath 1.0 literal can hold
 * (RFC 7950 section 14 has no other way); name such an entry by the elements of an edit or of a subtree filter instead.
 */
export function formatInstanceIdentifier(
  schema: Schema,
  path: InstancePath,
  names: WrittenNames,
  options: InstanceIdentifierOptions = {},
): PathResult<string> {
  const steps = pathSteps(schema, path, { whole: "refuse" });
  if (steps.kind === "error") return steps;
  if (steps.value.length === 0 && options.root === "refuse")
    return writeProblem("/", { code: "path-not-expressible", message: "the whole device is no instance" });
  const text = new IdentifierWriter(schema, names).path(steps.value);
  return typeof text === "string" ? pathOk(text) : writeProblem(formatInstancePath(path), text);
}

class IdentifierWriter {
  readonly #schema: Schema;
  readonly #names: WrittenNames;

  constructor(schema: Schema, names: WrittenNames) {
    this.#schema = schema;
    this.#names = names;
  }

  path(steps: readonly PathStep[]): string | PathProblem {
    if (steps.length === 0) return "/";
    let text = "";
    let parent: string | undefined;
    for (const step of steps) {
      const { module, name } = step.schema;
      const own = this.#name(module, name, parent);
      const predicates = this.#predicates(step);
      if (typeof own !== "string") return own;
      if (typeof predicates !== "string") return predicates;
      text += `/${own}${predicates}`;
      parent = module;
    }
    return text;
  }

  #predicates(step: PathStep): string | PathProblem {
    switch (step.kind) {
      case "node":
        return "";
      case "position":
        return `[${String(step.position)}]`;
      case "leaf-list-entry": {
        const problem = uncounted(step, "an instance-identifier");
        if (problem !== undefined) return problem;
        const literal = this.#literal(step.schema.name, step.value);
        return typeof literal === "string" ? `[.=${literal}]` : literal;
      }
      case "entry": {
        let text = "";
        for (const [index, value] of step.keys.entries()) {
          const key = step.schema.keys[index]?.name ?? "";
          const name = this.#name(step.schema.module, key, step.schema.module);
          const literal = this.#literal(key, value);
          if (typeof name !== "string") return name;
          if (typeof literal !== "string") return literal;
          text += `[${name}=${literal}]`;
        }
        return text;
      }
    }
  }

  #name(module: string, name: string, parent: string | undefined): string | PathProblem {
    if (this.#names.kind === "modules") return module === parent ? name : `${module}:${name}`;
    const prefix = this.#names.prefixOf(module);
    if (prefix !== undefined) return `${prefix}:${name}`;
    return { code: "path-unknown-prefix", message: `module ${module} has no prefix here` };
  }

  #literal(key: string, value: PlainValue): string | PathProblem {
    const text = this.#names.kind === "modules" ? value.text : this.#prefixed(value);
    if (typeof text !== "string") return text;
    if (!text.includes("'")) return `'${text}'`;
    if (!text.includes('"')) return `"${text}"`;
    return {
      code: "path-not-expressible",
      message: `the value of ${key} holds both kinds of quotes, and no XPath literal can (RFC 7950 section 14)`,
      remedy: "name the entry by elements, as an edit or a subtree filter does",
    };
  }

  #prefixed(value: PlainValue): string | PathProblem {
    if (value.type === "identityref") {
      const colon = value.text.indexOf(":");
      const module = value.text.slice(0, colon);
      return this.#name(module, value.text.slice(colon + 1), undefined);
    }
    if (value.type !== "instance-identifier") return value.text;
    const inner = parseInstancePath(this.#schema, value.text);
    if (inner.kind === "error") return { code: "path-key-value", message: "the value names nothing in the schema" };
    const steps = pathSteps(this.#schema, inner.value.path, { whole: "take" });
    return steps.kind === "ok"
      ? this.path(steps.value)
      : { code: "path-key-value", message: "the value names nothing in the schema" };
  }
}
