/** The tentatively altered tree on which a `when` is evaluated (RFC 7950 section 7.21.5). */
import { type DataSchemaNode, type WhenConstraint, childSchemas, isParentSchema } from "../schema.ts";
import { type DataNode, type DataTree, hasChildren } from "../tree.ts";
import { plainValue } from "../value.ts";
import { type DataDocument, XPathNode } from "../xpath/data-document.ts";
import { AlteredChildren } from "./altered-children.ts";
import { namesIn } from "./expression-names.ts";

/** The nodes that are taken out of the tree, or stand as dummies, while a `when` is evaluated. */
const affectedNodes = new WeakMap<WhenConstraint, ReadonlySet<DataSchemaNode>>();

/**
 * The context node for a `when` on children of `parent`.
 *
 * Of a node's own `when` it is a dummy in place of the node, without value and children. Of one that stands on a uses,
 * augment, choice or case it is the parent; the nodes that these bring are not there. Few expressions look at what is
 * altered; only for those is there another tree.
 */
export function contextOfWhen(
  input: { readonly parent: XPathNode; readonly owner: DataSchemaNode | undefined; readonly when: WhenConstraint },
  documentOf: (tree: DataTree) => DataDocument,
): XPathNode {
  const { owner, when } = input;
  const affected = affectedBy(input);
  const stands = affected.size > 0 && childrenOf(input.parent).some((node) => affected.has(node.schema));
  const parent = stands ? replaced(input.parent, alteration(affected, when.context), documentOf) : input.parent;
  return when.context === "self" && owner !== undefined ? dummyNode(parent, owner) : parent;
}

function dummyNode(parent: XPathNode, schema: DataSchemaNode): XPathNode {
  const fields = { kind: "element", schema, data: undefined, parent, value: undefined, index: 0 } as const;
  return new XPathNode(parent.document, fields);
}

/** Those among the nodes under the `when` that its expression may look at. */
function affectedBy({ parent, owner, when }: Parameters<typeof contextOfWhen>[0]): ReadonlySet<DataSchemaNode> {
  const known = affectedNodes.get(when);
  if (known !== undefined) return known;
  const affected = new Set<DataSchemaNode>();
  const names = namesIn(when.expression);
  if (names !== undefined) {
    const above = parent.schema !== undefined && isParentSchema(parent.schema) ? parent.schema : undefined;
    const under =
      when.context === "self" && owner !== undefined
        ? [owner]
        : [...childSchemas(parent.document.schema, above).values()].filter((each) =>
            each.whens.some((own) => isSame(own, when)),
          );
    for (const each of under) if (names === "any" || names.has(each.name)) affected.add(each);
  }
  affectedNodes.set(when, affected);
  return affected;
}

/** One `when` statement reaches several nodes; its place in the module tells. */
function isSame(a: WhenConstraint, b: WhenConstraint): boolean {
  if (a === b) return true;
  const [mine, other] = [a.expression.position, b.expression.position];
  return (
    a.context === b.context &&
    mine.source === other.source &&
    mine.line === other.line &&
    mine.column === other.column &&
    a.expression.text === b.expression.text
  );
}

function childrenOf({ data, document, kind }: XPathNode): readonly DataNode[] {
  if (data === undefined) return kind === "root" ? [...document.tree.roots.values()] : [];
  return hasChildren(data) ? [...data.children.values()] : [];
}

type Alteration = (node: DataNode) => DataNode | undefined;

/** The affected nodes are gone, or are dummies. */
function alteration(affected: ReadonlySet<DataSchemaNode>, context: WhenConstraint["context"]): Alteration {
  return (node) => {
    if (!affected.has(node.schema)) return node;
    return context === "self" ? dummyData(node) : undefined;
  };
}

function dummyData(node: DataNode): DataNode | undefined {
  switch (node.kind) {
    case "leaf":
      return { ...node, value: plainValue("string", "") };
    case "container":
      return { ...node, children: new Map() };
    case "anydata":
      return { ...node, content: "" };
    case "entry":
    case "leaf-list-entry":
      // A dummy has no keys and no value, by which alone an entry could be found; the context node stands for it.
      return undefined;
  }
}

/** A node whose children are altered, with all its ancestors in a document of their own. */
function replaced(node: XPathNode, alter: Alteration, documentOf: (tree: DataTree) => DataDocument): XPathNode {
  const { document, parent, data } = node;
  if (parent === undefined) {
    const { schema, roots } = document.tree;
    return documentOf({ schema, roots: new AlteredChildren(roots, alter) }).root;
  }
  if (data === undefined || !hasChildren(data)) return node;
  const own = { ...data, children: new AlteredChildren(data.children, alter) };
  const above = replaced(parent, (child) => (child === data ? own : child), documentOf);
  const { kind, schema, index } = node;
  return new XPathNode(above.document, { kind, schema, data: own, parent: above, value: undefined, index });
}
