/**
 * Who points at an item by leafref (rule 4), told by schema target and value, without a walk along the XPath: the steps
 * upwards narrow where the target may stand, predicates do not. So it can only err towards keeping.
 */
import { parseCanonicalPath } from "../model/values/canonical-value.ts";
import { type InstancePath, type PathSegment, formatInstancePath, isAtOrBelow } from "../model/path.ts";
import {
  type DataSchemaNode,
  type LeafListSchema,
  type LeafSchema,
  type Schema,
  type TypeSchema,
  isParentSchema,
} from "../model/schema.ts";
import type { Value } from "../model/value.ts";
import { itemValue } from "./assert-yields.ts";
import type { DeviceDraft } from "./device-draft.ts";
import type { WatchedReference } from "./watched-references.ts";

type LeafLike = LeafSchema | LeafListSchema;

interface Target {
  readonly schema: LeafLike;
  /** Levels from the referring leaf up to the node below which the target stands; undefined: anywhere. */
  readonly up: number | undefined;
}

interface Referring {
  readonly leafs: ReadonlyMap<LeafLike, readonly Target[]>;
  /** By what is pointed at: which leafs do. */
  readonly targets: ReadonlyMap<LeafLike, readonly LeafLike[]>;
}

const referringOf = new WeakMap<Schema, Referring>();

/** Every leaf and leaf-list of leafref type (through unions too) with what it points at. Computed once a schema. */
function referringNodes(schema: Schema): Referring {
  const known = referringOf.get(schema);
  if (known !== undefined) return known;
  const found = new Map<LeafLike, readonly Target[]>();
  const visit = (node: DataSchemaNode): void => {
    if (node.kind === "leaf" || node.kind === "leaf-list") {
      const targets = leafrefTargets(node.type);
      if (targets.length > 0 && node.config) found.set(node, targets);
    } else if (isParentSchema(node)) for (const child of node.children.values()) visit(child);
  };
  for (const root of schema.roots.values()) visit(root);
  const targets = new Map<LeafLike, LeafLike[]>();
  for (const [leaf, each] of found) {
    for (const { schema: target } of each) targets.set(target, [...(targets.get(target) ?? []), leaf]);
  }
  const referring = { leafs: found, targets };
  referringOf.set(schema, referring);
  return referring;
}

function leafrefTargets(type: TypeSchema): readonly Target[] {
  if (type.kind === "union") return type.members.flatMap(leafrefTargets);
  if (type.kind !== "leafref" || !type.requireInstance) return [];
  const upwards = /^(?:\.\.\/)+/.exec(type.path.text.replaceAll(/\s/g, ""))?.[0];
  return [{ schema: type.target(), up: upwards === undefined ? undefined : upwards.length / 3 }];
}

interface Reference {
  readonly from: string;
  /** The target stands at or below this path. */
  readonly within: string;
}

/**
 * The references of a device as its draft stood when they were first asked for. Nothing may be added to the draft after
 * that; what was removed since is still told, so that its own disappearance can be noticed.
 */
export class Referrers {
  readonly #draft: DeviceDraft;
  /** By target schema path and value. */
  #references: ReadonlyMap<string, readonly Reference[]> | undefined;

  readonly #known = new Map<string, readonly string[]>();

  constructor(draft: DeviceDraft) {
    this.#draft = draft;
  }

  /** Paths of the items that point at `path`: at a leaf's value, or at a key of an entry. */
  of(path: string): readonly string[] {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const found = this.#find(path);
    this.#known.set(path, found);
    return found;
  }

  /** What would point at `path` if it stood: a leaf or leaf-list of the schema with the value. */
  readonly to = (path: string): readonly WatchedReference[] => {
    const referring = referringNodes(this.#draft.schema);
    return this.#targetsAt(path, referring).flatMap(({ schema, text }) =>
      (referring.targets.get(schema) ?? []).map((leaf) => ({ leaf: dataPathOf(leaf), value: text })),
    );
  };

  #find(path: string): readonly string[] {
    const referring = referringNodes(this.#draft.schema);
    const found = this.#targetsAt(path, referring)
      .flatMap((leaf) => this.#index(referring).get(referenceKey(leaf.schema, leaf.text)) ?? [])
      .filter((reference) => isAtOrBelow(path, reference.within))
      .map((reference) => reference.from);
    return [...new Set(found)].sort();
  }

  /** The leafs that an item brings and that something may point at. */
  #targetsAt(path: string, referring: Referring): readonly LeafInstance[] {
    if (referring.leafs.size === 0) return [];
    const parsed = parseCanonicalPath(this.#draft.schema, path);
    if (parsed.kind === "error" || parsed.value.schema === undefined) return [];
    const item = this.#draft.item(path)?.item;
    const value = item === undefined ? undefined : itemValue(item);
    return leafsOf(parsed.value.schema, parsed.value.path, value).filter((leaf) => referring.targets.has(leaf.schema));
  }

  #index({ leafs }: Referring): ReadonlyMap<string, readonly Reference[]> {
    if (this.#references !== undefined) return this.#references;
    const references = new Map<string, Reference[]>();
    // Most items point nowhere: their paths need not be read.
    const names = new RegExp(
      `[/:[](?:${[...new Set([...leafs.keys()].map((leaf) => leaf.name))].join("|")})(?:$|=|\\[)`,
    );
    for (const path of this.#draft.below("/")) {
      if (!names.test(path)) continue;
      const parsed = parseCanonicalPath(this.#draft.schema, path);
      if (parsed.kind === "error" || parsed.value.schema === undefined) continue;
      const item = this.#draft.item(path)?.item;
      for (const leaf of leafsOf(
        parsed.value.schema,
        parsed.value.path,
        item === undefined ? undefined : itemValue(item),
      )) {
        for (const target of leafs.get(leaf.schema) ?? []) {
          const key = referenceKey(target.schema, leaf.text);
          const within = target.up === undefined ? "/" : formatInstancePath(leaf.path.slice(0, -target.up));
          const same = references.get(key);
          if (same === undefined) references.set(key, [{ from: path, within }]);
          else same.push({ from: path, within });
        }
      }
    }
    this.#references = references;
    return references;
  }
}

/** Without the keys of the entries above. */
function dataPathOf(leaf: LeafLike): string {
  const path: PathSegment[] = [];
  for (let node: DataSchemaNode | undefined = leaf; node !== undefined; node = node.parent)
    path.unshift({ kind: "node", module: node.module, name: node.name });
  return formatInstancePath(path);
}

function referenceKey(schema: LeafLike, text: string): string {
  return `${schema.schemaPath}\n${text}`;
}

interface LeafInstance {
  readonly schema: LeafLike;
  readonly path: InstancePath;
  readonly text: string;
}

/** The leafs that an item brings: itself, or the keys of an entry. */
function leafsOf(schema: DataSchemaNode, path: InstancePath, value: Value | undefined): readonly LeafInstance[] {
  const last = path.at(-1);
  if (schema.kind === "list" && last?.kind === "entry") {
    return schema.keys.map((key, index) => ({
      schema: key,
      path: [...path, { kind: "node", module: key.module, name: key.name }],
      text: last.keys[index]?.value ?? "",
    }));
  }
  return (schema.kind === "leaf" || schema.kind === "leaf-list") && value?.kind === "plain"
    ? [{ schema, path, text: value.text }]
    : [];
}
