/**
 * What the readers of data trees share, whatever the encoding: options, and the rules by which nodes that arrive one
 * after another become the children of their parents.
 */
import type { Result, SourcePosition } from "../model/diagnostic.ts";
import type { PathSegment } from "../model/path.ts";
import {
  type AnydataSchema,
  type DataSchemaNode,
  type LeafListSchema,
  type LeafSchema,
  type ParentSchemaNode,
  type Schema,
  childSchemas,
} from "../model/schema.ts";
import { type AnydataNode, type DataNode, type DataTree, type LeafOrigin, nodeKey, segmentOf } from "../model/tree.ts";
import type { Value } from "../model/value.ts";
import { DataFindings, type DataPlace, type Problem, namePlace } from "./data-findings.ts";
import { type GivenName, unknownNode } from "./unknown-node.ts";

/**
 * How the answer treats defaults (RFC 6243), which decides the origin of its leafs. A leaf that is tagged as default
 * has origin `default` in every mode; one without tag is
 * - `set` under `explicit` and `report-all-tagged` (the server's basic mode being `explicit` or `trim`);
 * - `unknown` under `report-all` and `trim` where it equals its default, and `set` elsewhere: only a default hides
 *   whether somebody wrote it.
 */
export type DefaultsMode = "explicit" | "trim" | "report-all" | "report-all-tagged";

export interface ReadDataOptions {
  /** What to do with a node that the schema does not have: an error, or a warning and the node is left out. */
  readonly unknown: "error" | "warn";
  /** `config` leaves `config false` nodes out without looking into them. */
  readonly nodes: "config" | "all";
  readonly defaultsMode: DefaultsMode;
}

/**
 * Where a node stands: the reader's own measure of the text, such as an offset, put into line and column only when
 * something is wrong there.
 */
export type TextMark = number;

export type Locate = (mark: TextMark) => SourcePosition | undefined;

/** A key that was there and could not be read has its finding already. */
const REFUSED = "refused";
type ReadKey = Value | typeof REFUSED | undefined;

/** A parent whose children are being read. */
export class OpenParent implements DataPlace {
  readonly parent: OpenParent | undefined;
  /** Undefined for the top of the tree. */
  readonly schema: ParentSchemaNode | undefined;
  readonly children = new Map<string, DataNode>();
  /** Of a list entry, by the order of the key statement. */
  readonly keys: ReadKey[];
  /** Of an entry of a list without keys. */
  readonly position: number | undefined;
  readonly mark: TextMark;
  readonly names: NameIndex;
  /** Of the children, in their order: two of one identity are told with both places. */
  readonly marks: TextMark[] = [];
  /** How many came so far, by what cannot tell them apart: keyless lists by schema node, repeated values by key. */
  #counts: Map<string, number> | undefined;

  constructor(parent: OpenParent | undefined, schema: ParentSchemaNode | undefined, names: NameIndex, mark: TextMark) {
    this.parent = parent;
    this.schema = schema;
    this.names = names;
    this.mark = mark;
    this.keys = schema?.kind === "list" ? new Array<ReadKey>(schema.keys.length).fill(undefined) : NO_KEYS;
    this.position = schema?.kind === "list" && schema.keys.length === 0 ? parent?.count(schema.id) : undefined;
  }

  /** The name alone as long as a key is missing. */
  get segment(): PathSegment | undefined {
    const { schema, keys, children, position } = this;
    if (schema === undefined) return undefined;
    if (schema.kind === "list" && isComplete(keys)) {
      return segmentOf({ kind: "entry", schema, keys, children, ...(position === undefined ? {} : { position }) });
    }
    return { kind: "node", module: schema.module, name: schema.name };
  }

  count(what: string): number {
    this.#counts ??= new Map();
    const count = (this.#counts.get(what) ?? 0) + 1;
    this.#counts.set(what, count);
    return count;
  }
}

const NO_KEYS: ReadKey[] = [];

function isComplete(keys: readonly ReadKey[]): keys is readonly Value[] {
  return keys.every((key) => key !== undefined && key !== REFUSED);
}

const MAX_EXPLAINED = 100;

/**
 * Builds a tree from nodes in the order in which a text has them. Guarantees of the tree: every entry has all its keys,
 * in whatever order they came; no two nodes of one identity, except that state data may repeat values and entries
 * without keys, which are told apart by position; no empty non-presence container.
 */
export class TreeAssembler {
  readonly root: OpenParent;
  readonly #findings = new DataFindings();
  readonly #schema: Schema;
  readonly #options: ReadDataOptions;
  readonly #locate: Locate;
  /** How many more findings get words that cost a look at all that stands beside: a hostile text could hold millions. */
  #explained = MAX_EXPLAINED;

  constructor(schema: Schema, options: ReadDataOptions, locate: Locate) {
    this.#schema = schema;
    this.#options = options;
    this.#locate = locate;
    this.root = new OpenParent(undefined, undefined, namesBelow(schema, undefined), 0);
  }

  result(): Result<DataTree> {
    return this.#findings.result({ schema: this.#schema, roots: this.root.children });
  }

  error(problem: Problem, mark: TextMark): void {
    this.#findings.error({ ...problem, source: this.#locate(mark) });
  }

  warn(problem: Problem, mark: TextMark): void {
    this.#findings.warn({ ...problem, source: this.#locate(mark) });
  }

  /** The value, or undefined after noting why there is none. */
  valueOf<T>(result: Result<T>, place: () => DataPlace | undefined, mark: TextMark): T | undefined {
    return this.#findings.valueOf(result, () => ({ place: place(), source: this.#locate(mark) }));
  }

  /** Is the node left out unread? */
  isLeftOut(schema: DataSchemaNode): boolean {
    return this.#options.nodes === "config" && !schema.config;
  }

  /** A node that the schema does not have; `shown` is the name as findings write it. */
  unknown(parent: OpenParent, shown: string, given: GivenName, mark: TextMark): void {
    const problem = {
      code: "unknown-node",
      message: `no node ${shown} in the schema`,
      place: parent,
      below: shown,
      source: this.#locate(mark),
      ...(this.#mayExplain() ? unknownNode(this.#schema, childSchemas(this.#schema, parent.schema), given) : {}),
    } as const;
    if (this.#options.unknown === "error") this.#findings.error(problem);
    else this.#findings.warn(problem);
  }

  /** Starts a container or an entry; `close` ends it. */
  open(parent: OpenParent, schema: ParentSchemaNode, mark: TextMark): OpenParent {
    return new OpenParent(parent, schema, namesBelow(this.#schema, schema), mark);
  }

  close(open: OpenParent): void {
    const { parent, schema, children, keys, position, mark } = open;
    if (parent === undefined || schema === undefined) throw new RangeError("the top of the tree is not closed");
    if (schema.kind === "container") {
      if (children.size > 0 || schema.presence) this.#add(parent, { kind: "container", schema, children }, mark);
    } else if (isComplete(keys)) {
      const entry = { kind: "entry", schema, keys, children } as const;
      this.#add(parent, position === undefined ? entry : { ...entry, position }, mark);
    } else {
      for (const [index, key] of keys.entries()) {
        if (key !== undefined) continue;
        this.#findings.error({
          code: "missing-key",
          message: `an entry of list ${schema.name} lacks its key ${schema.keys[index]?.name ?? ""}`,
          place: open,
          source: this.#locate(mark),
        });
      }
    }
  }

  /** `value` is undefined when there is none that could be read. */
  leaf(parent: OpenParent, schema: LeafSchema, value: Value | undefined, origin: LeafOrigin, mark: TextMark): void {
    if (schema.isKey && parent.schema?.kind === "list") {
      const index = parent.schema.keys.indexOf(schema);
      if (parent.keys[index] !== undefined) this.duplicate(namePlace(parent, schema), schema, mark);
      parent.keys[index] = value ?? REFUSED;
    } else if (value !== undefined) {
      this.#add(parent, { kind: "leaf", schema, value, origin }, mark);
    }
  }

  leafListEntry(parent: OpenParent, schema: LeafListSchema, value: Value, mark: TextMark): void {
    const node: DataNode = { kind: "leaf-list-entry", schema, value };
    if (schema.config) {
      this.#add(parent, node, mark);
      return;
    }
    // RFC 7950 section 7.7: state data may hold one value several times.
    const position = parent.count(nodeKey(node));
    this.#add(parent, position === 1 ? node : { ...node, position }, mark);
  }

  opaque(
    parent: OpenParent,
    schema: AnydataSchema,
    content: Pick<AnydataNode, "encoding" | "content">,
    mark: TextMark,
  ): void {
    this.#add(parent, { kind: "anydata", schema, encoding: content.encoding, content: content.content }, mark);
  }

  /** For an origin that is told apart from the leaf. */
  setOrigin(parent: OpenParent, schema: LeafSchema, origin: LeafOrigin): void {
    const node = parent.children.get(schema.id);
    if (node?.kind === "leaf") parent.children.set(schema.id, { ...node, origin });
  }

  /** Takes entries out again, by their places in the leaf-list, from 0. */
  dropEntries(parent: OpenParent, schema: LeafListSchema, isDropped: (index: number) => boolean): void {
    let index = 0;
    for (const [key, node] of parent.children) {
      if (node.schema !== schema) continue;
      if (isDropped(index)) parent.children.delete(key);
      index += 1;
    }
  }

  originOf(leaf: LeafSchema, value: Value | undefined, tag: "default" | "none"): LeafOrigin {
    if (tag === "default") return "default";
    const mode = this.#options.defaultsMode;
    if (mode === "explicit" || mode === "report-all-tagged") return "set";
    return value?.kind === "plain" && value.text === leaf.defaultText ? "unknown" : "set";
  }

  #add(parent: OpenParent, node: DataNode, mark: TextMark): void {
    const key = nodeKey(node);
    if (parent.children.has(key)) {
      const first = this.#mayExplain() ? parent.marks[[...parent.children.keys()].indexOf(key)] : undefined;
      this.duplicate({ parent, segment: segmentOf(node) }, node.schema, mark, first);
    } else {
      parent.children.set(key, node);
      parent.marks.push(mark);
    }
  }

  #mayExplain(): boolean {
    this.#explained -= 1;
    return this.#explained >= 0;
  }

  /** `first` is where the other one stands, if that is known. */
  duplicate(place: DataPlace, schema: DataSchemaNode, mark: TextMark, first?: TextMark): void {
    const what =
      schema.kind === "list"
        ? `list ${schema.name} has an entry with these keys already`
        : schema.kind === "leaf-list"
          ? `leaf-list ${schema.name} has this value already`
          : `${schema.kind} ${schema.name} is there already`;
    this.#findings.error({
      code: "duplicate-node",
      message: what,
      place,
      source: this.#locate(mark),
      other: first === undefined ? undefined : this.#locate(first),
    });
  }
}

/** Children of one parent by local name; modules may share names. */
export type NameIndex = ReadonlyMap<string, readonly DataSchemaNode[]>;

const indexes = new WeakMap<Schema | ParentSchemaNode, NameIndex>();

/** Built once for each parent: a text names nodes in its own way, and joining names to an id costs more than a look. */
function namesBelow(schema: Schema, parent: ParentSchemaNode | undefined): NameIndex {
  const known = indexes.get(parent ?? schema);
  if (known !== undefined) return known;
  const index = new Map<string, DataSchemaNode[]>();
  for (const child of childSchemas(schema, parent).values()) {
    const same = index.get(child.name);
    if (same === undefined) index.set(child.name, [child]);
    else same.push(child);
  }
  indexes.set(parent ?? schema, index);
  return index;
}
