import { defineSearchAttributeKey, type SearchAttributeType } from "@temporalio/common";
import { TestWorkflowEnvironment } from "@temporalio/testing";
import type { SearchAttributeTypeName } from "../../runtime/temporal/dev-server.ts";
import { resolveTemporalProgram, resolveTestServerProgram } from "../../runtime/temporal/resolve-temporal.ts";

/**
 * Temporal for tests: real servers in memory, from the programs that the product itself uses. End each with
 * `teardown()`.
 */

export interface TestTemporalOptions {
  /** Registered before the environment is handed out: a workflow that sets an unregistered one hangs. */
  readonly searchAttributes?: Readonly<Record<string, SearchAttributeTypeName>>;
}

/** The same types in the notation of the SDK and as numbers of Temporal's API (`IndexedValueType`). */
const typeNames = {
  Text: { sdk: "TEXT", api: 1 },
  Keyword: { sdk: "KEYWORD", api: 2 },
  Int: { sdk: "INT", api: 3 },
  Double: { sdk: "DOUBLE", api: 4 },
  Bool: { sdk: "BOOL", api: 5 },
  Datetime: { sdk: "DATETIME", api: 6 },
  KeywordList: { sdk: "KEYWORD_LIST", api: 7 },
} as const satisfies Record<SearchAttributeTypeName, { readonly sdk: SearchAttributeType; readonly api: number }>;

/** A full server in memory with real time. Starts in under a second. */
export function createLocalTemporal({
  searchAttributes = {},
}: TestTemporalOptions = {}): Promise<TestWorkflowEnvironment> {
  return TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: "existing-path", path: resolveTemporalProgram().path },
      ip: "127.0.0.1",
      searchAttributes: Object.entries(searchAttributes).map(([name, type]) =>
        defineSearchAttributeKey(name, typeNames[type].sdk),
      ),
    },
  });
}

/**
 * A server whose time jumps to the next timer while a workflow result is awaited: for waits of minutes and days. It
 * answers list and count with UNIMPLEMENTED.
 */
export async function createTimeSkippingTemporal({
  searchAttributes = {},
}: TestTemporalOptions = {}): Promise<TestWorkflowEnvironment> {
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: "existing-path", path: resolveTestServerProgram().path } },
  });
  // This server has no start option for them.
  if (Object.keys(searchAttributes).length > 0) {
    await environment.connection.operatorService.addSearchAttributes({
      namespace: environment.namespace ?? "default",
      searchAttributes: Object.fromEntries(
        Object.entries(searchAttributes).map(([name, type]) => [name, typeNames[type].api]),
      ),
    });
  }
  return environment;
}
