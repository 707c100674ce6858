/** Setting a node of one case of a choice ends the others, at every level of the path (RFC 7950 section 7.9). */
import { type InstancePath, formatInstancePath } from "../model/path.ts";
import { type DataSchemaNode, type ParentSchemaNode, childSchemas, isParentSchema } from "../model/schema.ts";
import type { DeviceDraft } from "./device-draft.ts";

/**
 * Removes what stands in other cases than those that `path` goes through; gives the paths it removed. Within one draft
 * a choice is looked at once: a submission that goes through two cases of it was refused before.
 */
export function endOtherCases(draft: DeviceDraft, path: InstancePath): readonly string[] {
  const ended: string[] = [];
  let parent: ParentSchemaNode | undefined;
  for (const [index, segment] of path.entries()) {
    const siblings = childSchemas(draft.schema, parent);
    const node = siblings.get(`${segment.module}:${segment.name}`);
    if (node === undefined) break;
    const above = path.slice(0, index);
    if (node.cases.some(({ choice }) => draft.chooseCase(`${formatInstancePath(above)} ${choice}`))) {
      for (const sibling of siblings.values()) {
        if (!inOtherCase(node, sibling)) continue;
        for (const each of instancesBelow(draft, above, sibling)) {
          draft.remove(each);
          ended.push(each);
        }
      }
    }
    parent = isParentSchema(node) ? node : undefined;
  }
  return ended;
}

function inOtherCase(node: DataSchemaNode, sibling: DataSchemaNode): boolean {
  return node.cases.some((mine) =>
    sibling.cases.some((theirs) => theirs.choice === mine.choice && theirs.case !== mine.case),
  );
}

/** Every item at or below an instance of `schema` under the parent path, order items included. */
function instancesBelow(draft: DeviceDraft, above: InstancePath, schema: DataSchemaNode): readonly string[] {
  const plain = formatInstancePath([...above, { kind: "node", module: schema.module, name: schema.name }]);
  const itself = draft.item(plain) === undefined ? [] : [plain];
  return [...itself, ...draft.startingWith(`${plain}/`), ...draft.startingWith(`${plain}[`)];
}
