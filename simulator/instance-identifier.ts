import type { XmlScope } from "../codec/xml/xml-element.ts";
import type { InstancePath } from "../model/path.ts";
import type { Schema } from "../model/schema.ts";

export interface InstanceIdentifier {
  readonly text: string;
  /** The prefixes that the text uses; they have to be declared where it is written. */
  readonly scope: XmlScope;
}

/**
 * Writes a path as an instance-identifier (RFC 7950, section 9.13): every name with the prefix of its module. Two modules with one prefix get
 * different ones. A key value with both kinds of quotes has no literal in XPath 1.0 and is written as a `concat` of literals, which
 * readers of error paths understand.
 */
export function formatInstanceIdentifier(schema: Schema, path: InstancePath): InstanceIdentifier {
  const prefixes = new Map<string, string>();
  const scope = new Map<string, string>();
  const prefixOf = (moduleName: string): string => {
    const known = prefixes.get(moduleName);
    if (known !== undefined) return known;
    const wanted = schema.modules.get(moduleName);
    let prefix = wanted?.prefix ?? moduleName;
    for (let count = 2; scope.has(prefix); count += 1) prefix = `${wanted?.prefix ?? moduleName}${String(count)}`;
    prefixes.set(moduleName, prefix);
    scope.set(prefix, wanted?.namespace ?? moduleName);
    return prefix;
  };
  let text = "";
  for (const segment of path) {
    const prefix = prefixOf(segment.module);
    text += `/${prefix}:${segment.name}`;
    if (segment.kind === "entry") {
      for (const key of segment.keys) text += `[${prefix}:${key.name}=${literal(key.value)}]`;
    } else if (segment.kind === "leaf-list-entry") {
      text += `[.=${literal(segment.value)}]`;
    }
  }
  return { text: text === "" ? "/" : text, scope };
}

function literal(value: string): string {
  if (!value.includes("'")) return `'${value}'`;
  if (!value.includes('"')) return `"${value}"`;
  return `concat(${value
    .split("'")
    .map((part) => `'${part}'`)
    .join(`,"'",`)})`;
}

/** A predicate of the `key` attribute of RFC 7950, section 7.8.6: `[prefix:name='value']`. */
export interface KeyPredicate {
  readonly prefix: string;
  readonly name: string;
  readonly value: string;
}

const predicate = /\s*\[\s*(?:([^\s:[\]=]+):)?([^\s:[\]=]+)\s*=\s*(?:'([^']*)'|"([^"]*)")\s*\]\s*/uy;

/** Reads a row of key predicates; undefined when the text is anything else. */
export function parseKeyPredicates(text: string): readonly KeyPredicate[] | undefined {
  const predicates: KeyPredicate[] = [];
  let at = 0;
  while (at < text.length) {
    predicate.lastIndex = at;
    const match = predicate.exec(text);
    const name = match?.[2];
    if (match === null || name === undefined) return undefined;
    predicates.push({ prefix: match[1] ?? "", name, value: match[3] ?? match[4] ?? "" });
    at = predicate.lastIndex;
  }
  return predicates.length === 0 ? undefined : predicates;
}
