/**
 * The write set of one journal record, as rows: what is created, closed or updated, in order. The same list runs as
 * statements against the graph and against the in-memory image that a rebuild loads in bulk.
 */
import type { PropertyValue } from "../ladybug.ts";

/** Columns of each node table, in the order in which statements name them; the first is the key. */
export const NODE_COLUMNS = {
  Meta: ["id", "model", "record", "digest", "base", "pruned", "pruned_time"],
  Key: ["id", "record", "answer"],
  Device: ["id", "name", "state", "form", "revision"],
  Item: ["id", "device", "path", "current"],
  Version: ["id", "state", "form", "valid_from", "valid_to", "previous"],
  Revision: ["id", "record", "time", "form"],
  Evidence: ["id", "device", "revision", "form"],
  Service: ["id"],
  ServiceVersion: ["id", "service", "form", "valid_from", "valid_to"],
  Definition: ["id", "name", "form", "valid_from", "valid_to"],
  Plan: ["id", "digest", "state", "opened", "form", "latest"],
  Approval: ["id", "plan", "kind", "form"],
  Decision: ["id", "form"],
  Outcome: ["id", "plan", "form"],
  Condition: ["id", "subject", "form"],
} as const;
export type NodeName = keyof typeof NODE_COLUMNS;
export type NodeRow<N extends NodeName> = { readonly [Column in (typeof NODE_COLUMNS)[N][number]]: PropertyValue };

/** Which columns an update sets, by what is updated. Everything else about a row stays as it was created. */
export const UPDATE_COLUMNS = {
  Meta: ["id", "record", "digest"],
  Device: ["id", "name", "state", "form"],
  /** A revision wrote the device: of the `Device` row this column alone. */
  DeviceRevision: ["id", "revision"],
  Item: ["id", "current"],
  Version: ["id", "valid_to"],
  ServiceVersion: ["id", "valid_to"],
  Definition: ["id", "valid_to"],
  Plan: ["id", "state", "latest"],
  Condition: ["id", "form"],
} as const;
export type UpdatableNode = keyof typeof UPDATE_COLUMNS;
export type UpdateRow<N extends UpdatableNode> = {
  readonly [Column in (typeof UPDATE_COLUMNS)[N][number]]: PropertyValue;
};

/** Edge tables by end points; `HAS_VERSION` has two. */
export const EDGE_COLUMNS = {
  deviceVersion: ["from", "to"],
  serviceVersion: ["from", "to"],
  owns: ["from", "to", "device", "form", "valid_from", "valid_to"],
  dependsOn: ["from", "to", "device", "form", "valid_from", "valid_to"],
  targets: ["from", "to", "valid_from", "valid_to"],
  evidenceOf: ["from", "to"],
} as const;
export type EdgeName = keyof typeof EDGE_COLUMNS;
export type EdgeRow<E extends EdgeName> = { readonly [Column in (typeof EDGE_COLUMNS)[E][number]]: PropertyValue };

/** Edges that hold over a span of revisions. */
export type SpanEdge = "owns" | "dependsOn" | "targets";
export interface EdgeEnd {
  readonly from: string;
  readonly to: string;
  readonly valid_to: number;
}

type CreateChange = {
  [N in NodeName]: { readonly kind: "create"; readonly node: N; readonly rows: readonly NodeRow<N>[] };
}[NodeName];
type UpdateChange = {
  [N in UpdatableNode]: { readonly kind: "update"; readonly node: N; readonly rows: readonly UpdateRow<N>[] };
}[UpdatableNode];
type ConnectChange = {
  [E in EdgeName]: { readonly kind: "connect"; readonly edge: E; readonly rows: readonly EdgeRow<E>[] };
}[EdgeName];

export type Change =
  | CreateChange
  | UpdateChange
  | ConnectChange
  /** Ends the standing edge between two nodes, where there is one. */
  | { readonly kind: "close"; readonly edge: SpanEdge; readonly rows: readonly EdgeEnd[] };
