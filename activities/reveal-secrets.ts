/** Clear texts of the secrets that a change writes: fetched before the session opens, told only while it renders. */
import { type InstancePath, formatInstancePath } from "../model/path.ts";
import { type DataNode, hasChildren, segmentOf } from "../model/tree.ts";
import type { SealedValue } from "../model/value.ts";
import type { Operation } from "../plan/operation.ts";
import type { OwnerClient } from "../runtime/owner-client.ts";
import type { SecretBox } from "../runtime/secrets.ts";

export interface RevealOptions {
  readonly device: string;
  readonly owner: Pick<OwnerClient, "getCiphertext">;
  readonly secrets: SecretBox;
}

/** Only secrets that the operations carry can be revealed; any other asks for trouble and throws. */
export async function revealer(
  operations: readonly Operation[],
  { device, owner, secrets }: RevealOptions,
): Promise<(sealed: SealedValue) => string> {
  const clear = new Map<string, string>();
  for (const { sealed, path } of sealedValues(operations)) {
    clear.set(nameOf(sealed), secrets.unseal(sealed, { device, path }, await owner.getCiphertext(sealed)));
  }
  return (sealed) => {
    const text = clear.get(nameOf(sealed));
    if (text === undefined) throw new RangeError("a secret that no operation carries");
    return text;
  };
}

function nameOf(sealed: SealedValue): string {
  return `${sealed.keyId}:${sealed.hmac}`;
}

interface SealedAt {
  readonly sealed: SealedValue;
  /** As `seal-tree.ts` sealed it: the leaf's path, for a leaf-list without the value. */
  readonly path: string;
}

function* sealedValues(operations: readonly Operation[]): Generator<SealedAt> {
  for (const operation of operations) {
    if (operation.op === "create" || operation.op === "replace")
      yield* sealedBelow(operation.after, operation.path.slice(0, -1));
  }
}

function* sealedBelow(node: DataNode, above: InstancePath): Generator<SealedAt> {
  if (hasChildren(node)) {
    for (const child of node.children.values()) yield* sealedBelow(child, [...above, segmentOf(node)]);
  } else if ((node.kind === "leaf" || node.kind === "leaf-list-entry") && node.value.kind === "sealed") {
    const { module, name } = node.schema;
    yield { sealed: node.value, path: formatInstancePath([...above, { kind: "node", module, name }]) };
  }
}
