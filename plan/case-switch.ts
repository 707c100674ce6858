/**
 * Operations that together replace one case of a choice by another. The device removes the old case at the first create of the new one
 * (RFC 7950, 7.9), so the nodes that go by themselves have to be shown there, wherever ordering puts it.
 */
import { type InstancePath, formatInstancePath } from "../model/path.ts";
import type { DataSchemaNode, Schema } from "../model/schema.ts";
import type { CreateOperation, ImpliedDelete, Operation } from "./operation.ts";
import { schemaAlong } from "./schema-along.ts";
import { compareText } from "../model/compare-text.ts";

export interface CaseSwitch {
  /** Index of the operation that shows the implied deletes. */
  readonly carrier: number;
  /** Indexes of all creates below the same choices, the carrier among them. */
  readonly creates: readonly number[];
}

/** The case switches among the operations of one comparison. */
export function caseSwitches(schema: Schema, operations: readonly Operation[]): readonly CaseSwitch[] {
  const carriers = [...operations.entries()].filter(
    ([, operation]) => operation.op === "create" && operation.implied.length > 0,
  );
  if (carriers.length === 0) return [];
  const byChoice = new Map<string, Set<number>>();
  for (const [index, operation] of operations.entries()) {
    if (operation.op !== "create") continue;
    for (const choice of choicesAlong(operation.path, schemaAlong(schema, operation.path))) {
      const creates = byChoice.get(choice);
      if (creates === undefined) byChoice.set(choice, new Set([index]));
      else creates.add(index);
    }
  }
  return carriers.map(([carrier, operation]) => {
    const implied = operation.op === "create" ? operation.implied : [];
    const own = new Set(choicesAlong(operation.path, schemaAlong(schema, operation.path)));
    const shared = implied
      .flatMap(({ path, before }) => choicesAt(path, before.schema))
      .filter((choice) => own.has(choice));
    const creates = new Set(shared.flatMap((choice) => [...(byChoice.get(choice) ?? [])]));
    return { carrier, creates: [...creates.add(carrier)].sort((a, b) => a - b) };
  });
}

/** The operations, by their index, with the implied deletes of each switch at the create that comes first in `order`, sorted by path. */
export function showAtFirst(
  operations: readonly Operation[],
  switches: readonly CaseSwitch[],
  order: readonly number[],
): readonly Operation[] {
  const shown = [...operations];
  if (switches.length === 0) return shown;
  const position = new Map(order.map((member, at) => [member, at] as const));
  const gathered = new Map<number, ImpliedDelete[]>();
  for (const { carrier, creates } of switches) {
    const operation = operations[carrier];
    if (operation?.op !== "create") continue;
    const first = creates.reduce(
      (best, each) => ((position.get(each) ?? 0) < (position.get(best) ?? 0) ? each : best),
      carrier,
    );
    gathered.set(first, [...(gathered.get(first) ?? []), ...operation.implied]);
    shown[carrier] = withImplied(operation, []);
  }
  for (const [index, implied] of gathered) {
    const operation = shown[index];
    if (operation?.op === "create") shown[index] = withImplied(operation, implied);
  }
  return shown;
}

function withImplied(operation: CreateOperation, implied: readonly ImpliedDelete[]): Operation {
  const sorted = implied
    .map((gone) => ({ gone, path: formatInstancePath(gone.path) }))
    .sort((a, b) => compareText(a.path, b.path))
    .map(({ gone }) => gone);
  return { ...operation, implied: sorted, impact: sorted.length > 0 ? "delete" : "ordinary" };
}

/** Names of the choices that a path passes, each within the parent it stands in. */
function choicesAlong(path: InstancePath, schemas: readonly DataSchemaNode[]): readonly string[] {
  return schemas.flatMap((node, depth) => choicesAt(path.slice(0, depth + 1), node));
}

function choicesAt(path: InstancePath, node: DataSchemaNode): readonly string[] {
  if (node.cases.length === 0) return [];
  const parent = formatInstancePath(path.slice(0, -1));
  return node.cases.map(({ choice }) => `${parent} ${choice}`);
}
