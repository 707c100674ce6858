import type { ParameterRow, Parameters, PropertyValue } from "../ladybug.ts";

/**
 * A statement over `$rows`, and how it takes them. `structs`: a list of structs, which bind by position. `lines`: one
 * text that the statement splits, for the tables with a row for each item: binding a struct takes the event loop five
 * times as long as all the rest of its row, a text next to nothing (docs/decisions/0021-batches-as-text.md).
 */
export interface BatchStatement {
  readonly statement: string;
  readonly rows: "structs" | "lines";
}

/** Rows of a batch: fewer cost more statements, more hold the event loop longer. */
const BATCH_ROWS = { structs: 1000, lines: 4000 } as const;

/** Stand between the fields of a row and between rows; statements name them as they are. */
const FIELD_END = "\u001f";
const LINE_END = "\u001e";

export interface Batch {
  readonly parameters: Parameters;
  readonly count: number;
  /** Characters in it, about: what the database has to hold. */
  readonly size: number;
}

/**
 * The parameters of each run of the statement, in order. Needs: rows have these columns. For `lines` fields are neither
 * empty nor hold a control character: forms are JSON, ids are ours, long or strange paths stand outside (`storedText`).
 */
export function* batchesOf(
  { rows: form }: BatchStatement,
  rows: Iterable<object>,
  columns: readonly string[],
): Generator<Batch> {
  const batchOf = form === "structs" ? structsOf : linesOf;
  let batch: object[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < BATCH_ROWS[form]) continue;
    yield batchOf(batch, columns);
    batch = [];
  }
  if (batch.length > 0) yield batchOf(batch, columns);
}

function structsOf(batch: readonly object[], columns: readonly string[]): Batch {
  const rows = batch.map((row) => inColumnOrder(row, columns));
  let size = 0;
  for (const row of rows) for (const column of columns) size += String(row[column]).length;
  return { parameters: { rows }, count: batch.length, size };
}

function linesOf(batch: readonly object[], columns: readonly string[]): Batch {
  const rows = batch.map((row) => lineOf(row, columns)).join(LINE_END);
  return { parameters: { rows }, count: batch.length, size: rows.length };
}

/** The row with exactly these columns in this order: LadybugDB binds the fields of a batch by position. */
export function inColumnOrder(row: object, columns: readonly string[]): ParameterRow {
  const ordered: Record<string, PropertyValue> = {};
  for (const column of columns) ordered[column] = valueOf(row, column);
  return ordered;
}

function lineOf(row: object, columns: readonly string[]): string {
  let line = "";
  for (const column of columns) {
    const text = String(valueOf(row, column));
    if (text === "" || text.includes(FIELD_END) || text.includes(LINE_END))
      throw new Error(`${column} cannot stand in a line: ${JSON.stringify(text.slice(0, 80))}`);
    line += line === "" ? text : FIELD_END + text;
  }
  return line;
}

function valueOf(row: object, column: string): PropertyValue {
  const value = (row as Readonly<Record<string, PropertyValue | undefined>>)[column];
  if (value === undefined) throw new Error(`a row lacks its column ${column}`);
  return value;
}
