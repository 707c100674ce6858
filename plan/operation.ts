/**
 * One corrective edit: what a plan shows, what a renderer sends, what verification expects.
 *
 * Granularity: an operation acts on a node that exists by itself. A list entry or presence container that appears or vanishes is *one*
 * operation that carries its whole subtree, since that is what a reviewer reads ("rule ssh appears, with these leafs") and what an
 * edit-config sends as one element. Inside an entry that both sides have, each leaf, leaf-list entry and nested entry is an operation of its
 * own, so an edit never touches what it does not change. A non-presence container is never operated on: it comes and goes with its children.
 * Keys are never edited: another key is another entry.
 */
import { type InstancePath, formatInstancePath } from "../model/path.ts";
import type { AnydataNode, DataNode, LeafNode } from "../model/tree.ts";
import type { Value } from "../model/value.ts";

/**
 * Why an operation stands in a plan. Service causes name the instance, so that a plan can be read by service. `drift`: the device differs
 * from the goal and nobody changed the goal. `rollback`: the goal returns to that database revision.
 */
export type OperationCause =
  | { readonly kind: "service-put"; readonly service: string }
  | { readonly kind: "service-remove"; readonly service: string }
  | { readonly kind: "rollback"; readonly revision: number }
  | { readonly kind: "drift" };

/** What an operation may do to the network, strongest first. `impact.ts` decides. */
export const IMPACT_CLASSES = ["management-path", "whole-device", "session-reset", "delete", "ordinary"] as const;
export type ImpactClass = (typeof IMPACT_CLASSES)[number];

/**
 * Where an entry of a user-ordered list or leaf-list goes (RFC 7950, 7.7.7 and 7.8.6). The anchor is the path of an entry of the same list
 * that stands at its final place when the operation is carried out in plan order: it is neither moved later nor deleted.
 */
export type Insert =
  | { readonly where: "first" }
  | { readonly where: "last" }
  | { readonly where: "before"; readonly anchor: InstancePath }
  | { readonly where: "after"; readonly anchor: InstancePath };

/** A node that goes because a node of another case of its choice comes (RFC 7950, 7.9): shown, never sent. */
export interface ImpliedDelete {
  readonly path: InstancePath;
  readonly before: DataNode;
}

interface OperationBase {
  /** Path of the node acted on; its keys say which entry. */
  readonly path: InstancePath;
  readonly causes: readonly OperationCause[];
  readonly impact: ImpactClass;
}

export interface CreateOperation extends OperationBase {
  readonly op: "create";
  /** The node with everything below it; only nodes that are set, system-ordered entries in canonical order. */
  readonly after: DataNode;
  /** Set exactly when the node is an entry of a user-ordered list or leaf-list. */
  readonly insert?: Insert;
  /** The default that the created leaf puts out of use. */
  readonly defaultBefore?: Value;
  readonly implied: readonly ImpliedDelete[];
}

/** Another value of a leaf, or other content of an anydata node. */
export interface ReplaceOperation extends OperationBase {
  readonly op: "replace";
  readonly before: LeafNode | AnydataNode;
  readonly after: LeafNode | AnydataNode;
}

export interface DeleteOperation extends OperationBase {
  readonly op: "delete";
  /** What goes, with everything below it: the before-image. */
  readonly before: DataNode;
  /** The default that comes into use when the leaf is gone (RFC 7950, 7.6.1): the reviewer has to see it. */
  readonly defaultAfter?: Value;
}

/** An entry of a user-ordered list or leaf-list takes another place; its content is not touched. */
export interface MoveOperation extends OperationBase {
  readonly op: "move";
  readonly insert: Insert;
}

export type Operation = CreateOperation | ReplaceOperation | DeleteOperation | MoveOperation;

/** The text form of the operation's path, its identity in plans together with `op`. */
export function operationPath(operation: Operation): string {
  return formatInstancePath(operation.path);
}

/** The node that the operation makes or removes, the new one for a replace; undefined for a move. */
export function operationNode(operation: Operation): DataNode | undefined {
  switch (operation.op) {
    case "create":
    case "replace":
      return operation.after;
    case "delete":
      return operation.before;
    case "move":
      return undefined;
  }
}
