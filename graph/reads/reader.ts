import { setImmediate as nextTurn } from "node:timers/promises";
import type { DocumentStore } from "../documents/document-store.ts";
import { type Parameters, type ResultRow, type Run, batches } from "../ladybug.ts";
import { loadText } from "../stored-text.ts";

/** When a record was journalled: ISO 8601, UTC. */
export interface Recorded {
  readonly time: string;
}

/** What is asked: the statements of one database file at a time, and how many there were. */
export interface GraphSource {
  readonly read: Run;
  readonly builds: () => number;
}

/** Runs statements and turns what they return into the shapes that were stored. */
export interface Reader {
  readonly builds: () => number;
  readonly rows: Run;
  /** What a `form` column (or another that holds JSON) says. Errors: `document-missing`, `document-damaged`. */
  readonly parse: <T>(stored: ResultRow[string] | undefined) => Promise<T>;
  /** The `form` of each row found, in their order. */
  readonly parseAll: <T>(found: readonly ResultRow[]) => Promise<readonly T[]>;
  /** The same of what a statement finds. */
  readonly forms: <T>(statement: string, parameters?: Parameters) => Promise<readonly T[]>;
  readonly firstForm: <T>(statement: string, parameters: Parameters) => Promise<T | undefined>;
}

export function createReader({ read: rows, builds }: GraphSource, documents: DocumentStore): Reader {
  async function parse<T>(stored: ResultRow[string] | undefined): Promise<T> {
    return JSON.parse(await loadText(String(stored), documents)) as T;
  }
  async function forms<T>(statement: string, parameters?: Parameters): Promise<readonly T[]> {
    return parseAll<T>(await rows(statement, parameters));
  }
  // One text of many forms is parsed in half the time, and a device may have 100,000 of them.
  async function parseAll<T>(found: readonly ResultRow[]): Promise<readonly T[]> {
    const parsed: T[] = [];
    for (const batch of batches(found)) {
      if (parsed.length > 0) await nextTurn();
      const texts: string[] = [];
      for (const row of batch) {
        const text = String(row["form"]);
        texts.push(text.startsWith("#") ? await loadText(text, documents) : text);
      }
      for (const value of JSON.parse(`[${texts.join(",")}]`) as readonly T[]) parsed.push(value);
    }
    return parsed;
  }
  return {
    rows,
    builds,
    parse,
    forms,
    parseAll,
    firstForm: async <T>(statement: string, parameters: Parameters) => (await forms<T>(statement, parameters))[0],
  };
}
