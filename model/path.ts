/**
 * Instance paths: the identity of an item within a device. A path is a structured value, never a concatenated string;
 * its text form uses RFC 7951 names (module prefix only where it differs from the parent's), canonical key values and
 * keys in schema order. Construction refuses a missing key, so no path can silently widen to a list or to the root.
 */

export interface KeyValue {
  readonly name: string;
  /** Canonical text; the empty string is a legal key. */
  readonly value: string;
}

export type PathSegment =
  /** A container, leaf, anydata - or, where a whole list or leaf-list is meant on purpose (its user order), the list. */
  | { readonly kind: "node"; readonly module: string; readonly name: string }
  | {
      readonly kind: "entry";
      readonly module: string;
      readonly name: string;
      /** Empty for an entry of a list without keys, which has its `position` instead. */
      readonly keys: readonly KeyValue[];
      /** Of an entry of a list without keys (state data only): its place among the entries, from 1. */
      readonly position?: number;
    }
  | {
      readonly kind: "leaf-list-entry";
      readonly module: string;
      readonly name: string;
      readonly value: string;
      /** State data may repeat a value: the place among equal ones, where it is not the first. From 2. */
      readonly position?: number;
    };

/** From the top of the device's data tree downwards. The empty path is the whole device. */
export type InstancePath = readonly PathSegment[];

/** XPath 1.0 literals cannot hold both quotes; our text form then doubles the single quote inside single quotes. */
function quote(value: string): string {
  if (!value.includes("'")) return `'${value}'`;
  if (!value.includes('"')) return `"${value}"`;
  return `'${value.replaceAll("'", "''")}'`;
}

/** `[name='value']`, as segments hold it; `.` names the value of a leaf-list entry. */
export function predicate(name: string, value: string): string {
  return `[${name}=${quote(value)}]`;
}

function positionOf({ position }: { readonly position?: number }): string {
  return position === undefined ? "" : `[${String(position)}]`;
}

/** One segment; `module:` is written when `parentModule` differs from the segment's module. */
export function formatSegment(segment: PathSegment, parentModule: string | undefined): string {
  const name = segment.module === parentModule ? segment.name : `${segment.module}:${segment.name}`;
  switch (segment.kind) {
    case "node":
      return name;
    case "entry":
      return name + segment.keys.map((key) => predicate(key.name, key.value)).join("") + positionOf(segment);
    case "leaf-list-entry":
      return name + predicate(".", segment.value) + positionOf(segment);
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
