import type { InstancePath } from "../model/path.ts";
import type { AnydataSchema, ContainerSchema, LeafListSchema, LeafSchema, ListSchema } from "../model/schema.ts";
import type { AnydataNode } from "../model/tree.ts";
import type { PlainValue } from "../model/value.ts";

export const editOperations = ["merge", "replace", "create", "delete", "remove", "none"] as const;
/** `none` comes only from `<default-operation>`; the attribute knows the other five (RFC 6241, section 7.2). */
export type EditOperation = (typeof editOperations)[number];

/** Where an entry of a user-ordered list goes (RFC 7950, sections 7.7.9 and 7.8.6). `anchor` is the segment key of a sibling. */
export type InsertPoint =
  | { readonly kind: "first" }
  | { readonly kind: "last" }
  | { readonly kind: "before"; readonly anchor: string }
  | { readonly kind: "after"; readonly anchor: string };

interface EditBase {
  readonly path: InstancePath;
  /** Its own, or the one it inherits. */
  readonly operation: EditOperation;
}

/** One node of an `<edit-config>` body, checked against the schema. Children of a node that is deleted are not kept. */
export type EditNode =
  | (EditBase & {
      readonly kind: "container";
      readonly schema: ContainerSchema;
      readonly children: readonly EditNode[];
    })
  | (EditBase & {
      readonly kind: "entry";
      readonly schema: ListSchema;
      readonly keys: readonly PlainValue[];
      readonly insert: InsertPoint | undefined;
      readonly children: readonly EditNode[];
    })
  | (EditBase & { readonly kind: "leaf"; readonly schema: LeafSchema; readonly value: PlainValue | undefined })
  | (EditBase & {
      readonly kind: "leaf-list-entry";
      readonly schema: LeafListSchema;
      readonly value: PlainValue;
      readonly insert: InsertPoint | undefined;
    })
  | (EditBase & { readonly kind: "anydata"; readonly schema: AnydataSchema; readonly data: AnydataNode | undefined });

export function removes(operation: EditOperation): operation is "delete" | "remove" {
  return operation === "delete" || operation === "remove";
}
