/** Setting a node of one case of a choice ends the others, at every level of the path (RFC 7950 section 7.9). */
import { type InstancePath, formatInstancePath } from "../model/path.ts";
import {
  type DataSchemaNode,
  type ParentSchemaNode,
  type Schema,
  childSchemas,
  isParentSchema,
} from "../model/schema.ts";
import type { DeviceDraft } from "./device-draft.ts";

/**
 * Removes what stands in other cases than those that `path` goes through; gives the paths it removed. Within one draft
 * a choice is looked at once: a submission that goes through two cases of it was refused before.
 */
export function endOtherCases(draft: DeviceDraft, path: InstancePath): readonly string[] {
  const ended: string[] = [];
  for (const { choices, others } of otherCases(draft.schema, path)) {
    // Each is noted, also where the first is new already.
    if (choices.filter((choice) => draft.chooseCase(choice)).length === 0) continue;
    for (const each of others().flatMap((other) => instancesOf(draft, other))) {
      draft.remove(each);
      ended.push(each);
    }
  }
  return ended;
}

export interface ChosenCases {
  /** The choices between two levels of a path, each with the place where it is made. */
  readonly choices: readonly string[];
  /** Paths of the nodes (lists and leaf-lists whole) in other cases of these choices. */
  readonly others: () => readonly string[];
}

/** At each level of the path at which there is a choice. */
export function otherCases(schema: Schema, path: InstancePath): readonly ChosenCases[] {
  const found: ChosenCases[] = [];
  let parent: ParentSchemaNode | undefined;
  for (const [index, segment] of path.entries()) {
    const siblings = childSchemas(schema, parent);
    const node = siblings.get(`${segment.module}:${segment.name}`);
    if (node === undefined) break;
    if (node.cases.length > 0) {
      const above = path.slice(0, index);
      found.push({
        choices: node.cases.map(({ choice }) => `${formatInstancePath(above)} ${choice}`),
        others: () =>
          [...siblings.values()]
            .filter((sibling) => inOtherCase(node, sibling))
            .map(({ module, name }) => formatInstancePath([...above, { kind: "node", module, name }])),
      });
    }
    parent = isParentSchema(node) ? node : undefined;
  }
  return found;
}

function inOtherCase(node: DataSchemaNode, sibling: DataSchemaNode): boolean {
  return node.cases.some((mine) =>
    sibling.cases.some((theirs) => theirs.choice === mine.choice && theirs.case !== mine.case),
  );
}

/** Every item at or below an instance of a node, order items included. */
function instancesOf(draft: DeviceDraft, node: string): readonly string[] {
  const itself = draft.item(node) === undefined ? [] : [node];
  return [...itself, ...draft.startingWith(`${node}/`), ...draft.startingWith(`${node}[`)];
}
