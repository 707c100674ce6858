/** Secrets leave the device session sealed: every value at a secret leaf becomes a fingerprint, its ciphertext a document. */
import { formatInstancePath, type InstancePath } from "../model/path.ts";
import type { DataSchemaNode } from "../model/schema.ts";
import { type Children, type DataNode, type DataTree, childrenOf, hasChildren, segmentOf } from "../model/tree.ts";
import type { OwnerClient } from "../runtime/owner-client.ts";
import type { SecretBox } from "../runtime/secrets.ts";

export interface SealOptions {
  readonly device: string;
  readonly isSecret: (node: DataSchemaNode) => boolean;
  readonly box: SecretBox;
  readonly owner: Pick<OwnerClient, "putCiphertext">;
}

/** The tree with all secrets sealed; ciphertexts are durable at the owner when it returns. */
export async function sealTree(tree: DataTree, options: SealOptions): Promise<DataTree> {
  const pending: Promise<void>[] = [];
  const sealed = sealedTree(tree, options, (name, ciphertext) =>
    pending.push(options.owner.putCiphertext(name, ciphertext)),
  );
  await Promise.all(pending);
  return sealed;
}

/** The same without storing ciphertexts: for comparing only. */
export function fingerprintTree(tree: DataTree, options: Omit<SealOptions, "owner">): DataTree {
  return sealedTree(tree, options, () => undefined);
}

type Keep = (
  name: { readonly keyId: string; readonly hmac: string; readonly type: string },
  ciphertext: Uint8Array,
) => void;

function sealedTree(tree: DataTree, options: Omit<SealOptions, "owner">, keep: Keep): DataTree {
  return { schema: tree.schema, roots: sealChildren(tree.roots, [], options, keep) };
}

function sealChildren(
  children: Children,
  above: InstancePath,
  options: Omit<SealOptions, "owner">,
  keep: Keep,
): Children {
  let changed = false;
  const nodes: DataNode[] = [];
  for (const node of children.values()) {
    const sealed = sealNode(node, above, options, keep);
    changed ||= sealed !== node;
    nodes.push(sealed);
  }
  return changed ? childrenOf(nodes) : children;
}

function sealNode(node: DataNode, above: InstancePath, options: Omit<SealOptions, "owner">, keep: Keep): DataNode {
  if (hasChildren(node)) {
    const children = sealChildren(node.children, [...above, segmentOf(node)], options, keep);
    return children === node.children ? node : { ...node, children };
  }
  if (
    (node.kind !== "leaf" && node.kind !== "leaf-list-entry") ||
    node.value.kind === "sealed" ||
    !options.isSecret(node.schema)
  )
    return node;
  const { sealed, ciphertext } = options.box.seal({
    device: options.device,
    // A secret in a leaf-list has no path without its value: the list's own path stands for all its entries.
    path: formatInstancePath([...above, { kind: "node", module: node.schema.module, name: node.schema.name }]),
    type: node.value.type,
    text: node.value.text,
  });
  keep(sealed, ciphertext);
  return { ...node, value: sealed };
}
