/** The body of a schema document: its tables, how a node is packed into numbers, and how packed rows are taken apart. */
import type { Identity, SchemaModule } from "../schema.ts";

export const NODE_KINDS = ["container", "list", "leaf", "leaf-list", "anydata", "anyxml"] as const;
export const STATUSES = ["current", "deprecated", "obsolete"] as const;

/** Bits of a node's flags; the status stands in the two above them. */
export const FLAG = { config: 1, mandatory: 2, presence: 4, key: 8, userOrder: 16 } as const;
export const STATUS_SHIFT = 5;

/** An array of numbers and arrays, as `SchemaReader` takes it apart. */
export type Packed = readonly (number | string | Packed)[];

/** A type: [kind, typedefs, ..its own]. Tables are indexed from 1; 0 stands for undefined or empty. */
export interface SchemaBody {
  readonly strings: readonly string[];
  /** prefix, module, prefix, module, ... */
  readonly prefixes: readonly Packed[];
  readonly expressions: readonly Packed[];
  readonly types: readonly Packed[];
  /** Lists of cases, whens, musts, texts. */
  readonly lists: readonly Packed[];
  readonly extensions: readonly Packed[];
  readonly modules: readonly (readonly [string, SchemaModule])[];
  readonly identities: readonly (readonly [
    string,
    Omit<Identity, "derived"> & { readonly derived: readonly string[] },
  ])[];
  readonly namespaces: readonly (readonly [string, string])[];
  /** Targets of leafrefs that are no nodes of the tree: switched off, or of a module that is only imported. */
  readonly apart: readonly Packed[];
  /** [children, choices, operations, notifications]. */
  readonly top: Packed;
}

export const NOTHING: readonly never[] = [];

/** Rows of a table, made when first asked for; row 0 is none. */
export class LazyTable<T> {
  readonly #rows: readonly Packed[];
  readonly #made: (T | undefined)[] = [];
  readonly #make: (row: Packed) => T;

  constructor(rows: readonly Packed[], make: (row: Packed) => T) {
    this.#rows = rows;
    this.#make = make;
  }

  at(place: number): T {
    const known = this.#made[place];
    if (known !== undefined) return known;
    const made = this.#make(this.#rows[place - 1] ?? NOTHING);
    this.#made[place] = made;
    return made;
  }
}

export function number(item: Packed[number] | undefined): number {
  return typeof item === "number" ? item : 0;
}

export function array(item: Packed[number] | undefined): Packed {
  return typeof item === "object" ? item : NOTHING;
}

export function held(item: Packed[number] | undefined): Packed {
  return typeof item === "string" ? (JSON.parse(item) as Packed) : array(item);
}

export function pairs(row: Packed): readonly (readonly [Packed[number], Packed[number]])[] {
  const found: (readonly [Packed[number], Packed[number]])[] = [];
  for (let at = 0; at + 1 < row.length; at += 2) found.push([row[at] ?? 0, row[at + 1] ?? 0]);
  return found;
}
