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

export interface Revealer {
  /** Only secrets that the operations carry can be revealed; any other asks for trouble and throws. */
  readonly reveal: (sealed: SealedValue) => string;
  /** Words of the device without those secrets: some devices repeat the value that they refuse. */
  readonly conceal: (words: string) => string;
}

export async function revealer(
  operations: readonly Operation[],
  { device, owner, secrets }: RevealOptions,
): Promise<Revealer> {
  const clear = new Map<string, string>();
  for (const { sealed, path } of sealedValues(operations)) {
    clear.set(nameOf(sealed), secrets.unseal(sealed, { device, path }, await owner.getCiphertext(sealed)));
  }
  const texts = [...new Set(clear.values())].filter((text) => text !== "").sort((a, b) => b.length - a.length);
  return {
    reveal: (sealed) => {
      const text = clear.get(nameOf(sealed));
      if (text === undefined) throw new RangeError("a secret that no operation carries");
      return text;
    },
    conceal: (words) => texts.reduce((left, text) => left.replaceAll(text, "(secret)"), words),
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
