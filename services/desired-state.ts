/**
 * What the graph knows, in the form the pure rules work on: items with who set them, service links, instances and
 * their status - and the write set (revision body) that one accepted change makes of it. `graph/` stores exactly these
 * shapes; nothing here reads or writes anything.
 */
import type { Item } from "../model/item.ts";
import type { Value } from "../model/value.ts";

/** Immutable id of a device (journal, fingerprints, workflow ids); its name may change. */
export type DeviceId = string;

/** Who gave an item its present value. */
export type Setter =
  | { readonly kind: "import" }
  | { readonly kind: "service"; readonly service: string }
  | { readonly kind: "accept"; readonly plan: string }
  | { readonly kind: "adopted"; readonly plan: string }
  | { readonly kind: "rollback"; readonly revision: number };

export interface DesiredItem {
  readonly item: Item;
  readonly setBy: Setter;
  /** Database revision that gave the present value. */
  readonly since: number;
  /** Kept after its last owner went, because something depended on it; goes with its last dependant. */
  readonly retained: boolean;
}

export type LinkRelation = "owns" | "depends";
export type LinkScope = "node" | "subtree";
export type OnRemove = "delete" | "keep";

/** One `OWNS` or `DEPENDS_ON` edge from a service instance to an item of one device. */
export interface ServiceLink {
  readonly service: string;
  readonly device: DeviceId;
  readonly path: string;
  readonly relation: LinkRelation;
  /** Required value of a leaf, leaf-list entry; undefined where only existence is required. */
  readonly value: Value | undefined;
  readonly scope: LinkScope;
  readonly onRemove: OnRemove;
  /** The item existed before any service took it; kept on the link so that a removal plan can say so. */
  readonly existedBefore: ExistedBefore | undefined;
  /** True for ancestors that the rule had to create: owned, but asserted by no rule of its own. */
  readonly implied: boolean;
}

export interface ExistedBefore {
  readonly since: number;
  readonly value: Value | undefined;
}

export interface DesiredDevice {
  readonly device: DeviceId;
  readonly name: string;
  /** Digest of the module set the items are typed against. */
  readonly moduleSet: string;
  /** By item path. */
  readonly items: ReadonlyMap<string, DesiredItem>;
  readonly links: readonly ServiceLink[];
}

/** Why an instance is `inconsistent`. Evidence names the item, what was required and what was found. */
export interface Inconsistency {
  readonly reason: "overridden" | "missing" | "contradicted";
  readonly device: DeviceId;
  readonly path: string;
  readonly required: Value | undefined;
  readonly found: Value | undefined;
  /** The service whose update overrode the value, where that is the cause. */
  readonly by: string | undefined;
  /** Revision in which it happened; 0 in a write set that has no number yet: the revision that carries it. */
  readonly revision: number;
}

export type ServiceStatus =
  | { readonly kind: "consistent" }
  | { readonly kind: "inconsistent"; readonly because: readonly Inconsistency[] };

/** A definition document as stored: canonical JSON text of the document, and where its current form came in. */
export interface DefinitionState {
  readonly name: string;
  readonly version: string;
  /** Digest of the canonical document. */
  readonly document: string;
  readonly revision: number;
}

export interface ServiceState {
  readonly name: string;
  readonly definition: { readonly name: string; readonly version: string; readonly document: string };
  /** Canonical JSON text of the parameters. */
  readonly parameters: string;
  /** Device ids. */
  readonly targets: readonly DeviceId[];
  readonly status: ServiceStatus;
  /** Revision of the newest put. */
  readonly revision: number;
  readonly paused: boolean;
}

/** Everything the rules look at for one submission. */
export interface DesiredState {
  readonly revision: number;
  readonly devices: ReadonlyMap<DeviceId, DesiredDevice>;
  readonly services: ReadonlyMap<string, ServiceState>;
  readonly definitions: ReadonlyMap<string, DefinitionState>;
}

/* ---------------------------------------------------------------- write set ---- */

export interface ItemPut {
  readonly item: Item;
  readonly setBy: Setter;
  readonly retained: boolean;
}

export interface LinkKey {
  readonly service: string;
  readonly path: string;
  readonly relation: LinkRelation;
}

export interface DeviceWrites {
  readonly device: DeviceId;
  /** Set when an import brings another module set. */
  readonly moduleSet: string | undefined;
  /** Only items that change. Sorted by path. */
  readonly put: readonly ItemPut[];
  /** Paths that vanish (tombstone versions). Sorted. */
  readonly remove: readonly string[];
  readonly putLinks: readonly ServiceLink[];
  readonly removeLinks: readonly LinkKey[];
}

/**
 * What an import or an accepted drift did not find as it was to be: items that vanished, never deployed or disappeared
 * since, and items that contradict what services require. `expected` is what the services require, or what the item was.
 */
export interface Evidence {
  readonly device: DeviceId;
  readonly path: string;
  readonly kind: "not-deployed" | "disappeared" | "contradicted";
  readonly expected: Value | undefined;
  readonly found: Value | undefined;
  /** Digest of the observation that showed it. */
  readonly observation: string;
  /** Every service that requires the item; none: nobody did. */
  readonly services: readonly string[];
}

export type ServiceWrite =
  | {
      readonly kind: "put";
      readonly name: string;
      readonly definition: { readonly name: string; readonly version: string; readonly document: string };
      readonly parameters: string;
      readonly targets: readonly DeviceId[];
    }
  | { readonly kind: "remove"; readonly name: string };

export interface DefinitionWrite {
  readonly name: string;
  readonly version: string;
  readonly document: string;
}

export interface StatusWrite {
  readonly service: string;
  readonly status: ServiceStatus;
}

/**
 * What the body was computed from. It stays valid while every fingerprint, recomputed from the state of the day, is
 * the same (values, owners and dependants on or below touched paths; the instance; its definition; the module set), and
 * what the items stand in is there.
 */
export interface RevisionBasis {
  readonly devices: readonly {
    readonly device: DeviceId;
    readonly moduleSet: string;
    readonly touched: readonly { readonly path: string; readonly fingerprint: string }[];
    /** Entries and presence containers that what the body writes stands in, not touched themselves. Absent: none. */
    readonly stands?: readonly { readonly path: string; readonly retained: boolean }[] | undefined;
    /** What must not point at what the body removes, beside the items that did: `leaf` with this value. Absent: nothing. */
    readonly references?:
      | readonly { readonly leaf: string; readonly value: string; readonly known: readonly string[] }[]
      | undefined;
  }[];
  readonly services: readonly { readonly name: string; readonly revision: number | undefined }[];
  readonly definitions: readonly { readonly name: string; readonly document: string | undefined }[];
}

/** One accepted change, whole: configuration, links, instances, definitions and status together. */
export interface RevisionBody {
  readonly format: "tenure-revision/1";
  readonly devices: readonly DeviceWrites[];
  readonly services: readonly ServiceWrite[];
  readonly definitions: readonly DefinitionWrite[];
  /** Names of definitions that go: only a rollback to a time before them does that. Absent: none. */
  readonly removedDefinitions?: readonly string[] | undefined;
  readonly statuses: readonly StatusWrite[];
  readonly evidence: readonly Evidence[];
  readonly basis: RevisionBasis;
}
