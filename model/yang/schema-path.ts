/** From a schema path to its node, operations and notifications included. */
import {
  type DataSchemaNode,
  type MessageBody,
  type ParentSchemaNode,
  type Schema,
  isParentSchema,
} from "../schema.ts";

/** The data schema node with that `schemaPath`; undefined when there is none. Looks at no more than is on the way. */
export function nodeAtSchemaPath(schema: Schema, schemaPath: string): DataSchemaNode | undefined {
  const [, ...ids] = schemaPath.split("/");
  let above: ParentSchemaNode | MessageBody | undefined;
  let node: DataSchemaNode | undefined;
  for (let index = 0; index < ids.length; index += 1) {
    const id = ids[index] ?? "";
    node = (above?.children ?? schema.roots).get(id);
    if (node !== undefined) {
      above = isParentSchema(node) ? node : { ...EMPTY_BODY, schemaPath: node.schemaPath, position: node.position };
      continue;
    }
    const parent = above !== undefined && "actions" in above ? above : undefined;
    const operation = above === undefined ? schema.operations.get(id) : parent?.actions.get(id);
    const notification = above === undefined ? schema.notifications.get(id) : parent?.notifications.get(id);
    if (operation !== undefined) {
      index += 1;
      above = ids[index]?.endsWith(":input") === true ? operation.input : operation.output;
    } else if (notification !== undefined) above = notification;
    else return undefined;
  }
  return node;
}

const EMPTY_BODY = { children: new Map<string, never>(), choices: new Map<string, never>(), musts: [] };
