/** What the schema builder fills: the nodes of one level, data apart from operations and notifications. */
import type { ChoiceSchema, DataSchemaNode, NotificationSchema, OperationSchema } from "../schema.ts";
import type { DraftNode } from "./draft-node.ts";

/** What the top of a schema, a container or a list holds; one for all modules where it is the top. */
export interface SchemaBlock {
  readonly children: Map<string, DataSchemaNode>;
  readonly choices: Map<string, ChoiceSchema>;
  /** At the top, the rpcs. */
  readonly operations: Map<string, OperationSchema>;
  readonly notifications: Map<string, NotificationSchema>;
}

export function emptyBlock(): SchemaBlock {
  return { children: new Map(), choices: new Map(), operations: new Map(), notifications: new Map() };
}

/** Of all the containers and lists that have none: two maps for each would be much of a large schema's memory. */
const NO_OPERATIONS = new Map<string, OperationSchema>();
const NO_NOTIFICATIONS = new Map<string, NotificationSchema>();

/** An empty block for what is directly below `draft`, and for nothing else. */
export function blockFor(draft: DraftNode): SchemaBlock {
  let operations = NO_OPERATIONS;
  let notifications = NO_NOTIFICATIONS;
  for (const { keyword } of draft.children.values()) {
    if (keyword === "action") operations = new Map<string, OperationSchema>();
    if (keyword === "notification") notifications = new Map<string, NotificationSchema>();
  }
  return { children: new Map(), choices: new Map(), operations, notifications };
}
