import type { DataSchemaNode } from "../model/schema.ts";
import type { ImpliedDelete, Operation } from "./operation.ts";
import type { ActiveCases } from "./set-content.ts";

/** Nodes that another case replaces, waiting for an operation that brings a node of that case. */
export class ImpliedDeletes {
  readonly #waiting = new Map<string, ImpliedDelete[]>();

  add(gone: ImpliedDelete, desired: ActiveCases): void {
    const conflict = gone.before.schema.cases.find(({ choice, case: own }) => {
      const selected = desired.get(choice);
      return selected !== undefined && selected !== own;
    });
    if (conflict === undefined) throw new RangeError(`${gone.before.schema.schemaPath} is not excluded by a case`);
    const list = this.#waiting.get(conflict.choice);
    if (list === undefined) this.#waiting.set(conflict.choice, [gone]);
    else list.push(gone);
  }

  /** Gives what waits for a case of `schema` to the first create at or after `start`. */
  attach(operations: Operation[], start: number, schema: DataSchemaNode): void {
    if (this.#waiting.size === 0) return;
    const at = operations.findIndex((operation, index) => index >= start && operation.op === "create");
    const first = operations[at];
    if (first?.op !== "create") return;
    const implied = schema.cases.flatMap(({ choice }) => {
      const list = this.#waiting.get(choice) ?? [];
      this.#waiting.delete(choice);
      return list;
    });
    if (implied.length > 0) operations[at] = { ...first, implied: [...first.implied, ...implied], impact: "delete" };
  }

  rest(): readonly ImpliedDelete[] {
    return [...this.#waiting.values()].flat();
  }
}
