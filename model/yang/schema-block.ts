/** What the schema builder fills: the nodes of one level, data apart from operations and notifications. */
import type { ChoiceSchema, DataSchemaNode, NotificationSchema, OperationSchema } from "../schema.ts";
import type { DraftKeyword, DraftNode } from "./draft-node.ts";

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
  return {
    children: new Map(),
    choices: new Map(),
    operations: hasChild(draft, "action") ? new Map<string, OperationSchema>() : NO_OPERATIONS,
    notifications: hasChild(draft, "notification") ? new Map<string, NotificationSchema>() : NO_NOTIFICATIONS,
  };
}

function hasChild(draft: DraftNode, keyword: DraftKeyword): boolean {
  for (const child of draft.children.values()) if (child.keyword === keyword) return true;
  return false;
}
