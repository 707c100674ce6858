import { type Run, batches } from "../ladybug.ts";
import { type BatchStatement, batchesOf } from "../statements/batch-statement.ts";
import { CLOSE, CONNECT, CREATE_NODES, UPDATE_NODES } from "../statements/writes.ts";
import { type Change, EDGE_COLUMNS, type EdgeEnd, NODE_COLUMNS, UPDATE_COLUMNS } from "./change.ts";

/**
 * Runs a write set inside a transaction that the caller holds. Throws when a statement met fewer rows than it was given:
 * the graph is then not what the record was computed against, and the caller rolls back.
 */
export async function runChanges(run: Run, changes: readonly Change[]): Promise<void> {
  for (const change of changes) {
    switch (change.kind) {
      case "create":
        await runBatches(run, CREATE_NODES[change.node], change.rows, NODE_COLUMNS[change.node]);
        break;
      case "update":
        await runBatches(run, UPDATE_NODES[change.node], change.rows, UPDATE_COLUMNS[change.node]);
        break;
      case "connect":
        await runBatches(run, CONNECT[change.edge], change.rows, EDGE_COLUMNS[change.edge]);
        break;
      case "close":
        await closeSpans(run, CLOSE[change.edge], change.rows);
        break;
    }
  }
}

async function runBatches(
  run: Run,
  statement: BatchStatement,
  rows: readonly object[],
  columns: readonly string[],
): Promise<void> {
  for (const { parameters, count } of batchesOf(statement, rows, columns)) {
    const [answer] = await run(statement.statement, parameters);
    // A creation answers nothing: it fails where a key stands already.
    if (answer !== undefined && answer["met"] !== count)
      throw new Error(`a statement met ${String(answer["met"])} of ${count} rows: ${statement.statement}`);
  }
}

/** Spans that did not stand are no error: a link that is put anew may be new. */
async function closeSpans(run: Run, statement: string, ends: readonly EdgeEnd[]): Promise<void> {
  const byService = new Map<string, EdgeEnd[]>();
  for (const end of ends) {
    const key = `${end.valid_to} ${end.from}`;
    const same = byService.get(key);
    if (same === undefined) byService.set(key, [end]);
    else same.push(end);
  }
  for (const [first, ...rest] of byService.values()) {
    if (first === undefined) continue;
    for (const batch of batches([first, ...rest]))
      await run(statement, { from: first.from, valid_to: first.valid_to, to: batch.map((end) => end.to) });
  }
}
