import { type Run, batches } from "../ladybug.ts";
import { CLOSE, CONNECT, CREATE_NODES, DISCONNECT_CURRENT, UPDATE_NODES } from "../statements/writes.ts";
import { type Change, EDGE_COLUMNS, NODE_COLUMNS, UPDATE_COLUMNS, inColumnOrder } from "./change.ts";

/**
 * Runs a write set inside a transaction that the caller holds. Throws when a statement met fewer rows than it was given:
 * the graph is then not what the record was computed against, and the caller rolls back.
 */
export async function runChanges(run: Run, changes: readonly Change[]): Promise<void> {
  for (const change of changes) {
    switch (change.kind) {
      case "create":
        await runBatches(run, CREATE_NODES[change.node], change.rows, NODE_COLUMNS[change.node], "any");
        break;
      case "update":
        await runBatches(run, UPDATE_NODES[change.node], change.rows, UPDATE_COLUMNS[change.node], "all");
        break;
      case "connect":
        await runBatches(run, CONNECT[change.edge], change.rows, EDGE_COLUMNS[change.edge], "all");
        break;
      case "close":
        await runBatches(run, CLOSE[change.edge], change.rows, ["from", "to", "valid_to"], "any");
        break;
      case "disconnect":
        await runBatches(run, DISCONNECT_CURRENT, change.rows, ["from", "to"], "any");
        break;
    }
  }
}

async function runBatches(
  run: Run,
  statement: string,
  rows: readonly object[],
  columns: readonly string[],
  mustMeet: "all" | "any",
): Promise<void> {
  for (const batch of batches(rows)) {
    const answer = await run(statement, { rows: batch.map((row) => inColumnOrder(row, columns)) });
    const met = answer[0]?.["met"];
    if (mustMeet === "all" && met !== batch.length) {
      throw new Error(`a statement met ${String(met)} of ${batch.length} rows: ${statement}`);
    }
  }
}
