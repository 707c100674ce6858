/**
 * The plan of every statement, as the database explains it: what it starts from, what it scans. Each is looked at in an
 * empty graph and in a filled one, since a statement keeps the plan that it got when it was first run.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  EDGE_COLUMNS,
  type EdgeName,
  NODE_COLUMNS,
  type NodeName,
  UPDATE_COLUMNS,
  type UpdatableNode,
} from "../../graph/apply/change.ts";
import { digestOf } from "../../graph/canonical-json.ts";
import { realFiles } from "../../graph/files.ts";
import { type Ladybug, type Parameters, openLadybug } from "../../graph/ladybug.ts";
import { MIGRATIONS, OPEN_END } from "../../graph/schema/migrations.ts";
import { openStore } from "../../graph/store.ts";
import { type BatchStatement, batchesOf } from "../../graph/statements/batch-statement.ts";
import * as checks from "../../graph/statements/checks.ts";
import * as reads from "../../graph/statements/reads.ts";
import * as writes from "../../graph/statements/writes.ts";
import { body, commit, deviceRecord, importBody, link, mtu, writesOf } from "../support/graph-bodies.ts";

/** How a statement comes to its rows. */
type Access =
  /** By primary key, and nothing else. */
  | "key"
  /** From a primary key along edges; nodes at the far end only where an edge led. */
  | "walk"
  /** Reads these tables whole: they are small, or the statement belongs to a check, which reads everything. */
  | { readonly scan: readonly string[] };

const scan = (...tables: readonly string[]): Access => ({ scan: tables });

const READS: Readonly<Record<keyof typeof reads, Access>> = {
  META_OF_ANY_MODEL: "key",
  META: "key",
  KEY: "key",
  DEVICES: scan("Device"),
  DEVICE: "key",
  DEVICE_BY_NAME: scan("Device"),
  DEVICE_REVISION: "key",
  DEVICE_REVISIONS: scan("Device"),
  VERSIONS_AT: "walk",
  ITEMS: "key",
  VERSIONS: "key",
  ITEM: "key",
  VERSION: "key",
  VERSIONS_OF_REVISION: "walk",
  OWNS_INTO_DEVICE: "walk",
  DEPENDS_INTO_DEVICE: "walk",
  OWNS_OF_SERVICE: "walk",
  DEPENDS_OF_SERVICE: "walk",
  OWNERS_OF_ITEM: "walk",
  DEPENDANTS_OF_ITEM: "walk",
  SERVICES_AT: scan("ServiceVersion"),
  SERVICE_AT: "walk",
  SERVICE_REVISION: "walk",
  KNOWN_SERVICES: "key",
  DEFINITIONS_AT: scan("Definition"),
  CURRENT_REVISION: scan("Revision"),
  REVISION: "key",
  REVISIONS: scan("Revision"),
  REVISION_AT_TIME: scan("Revision"),
  PLANS: scan("Plan"),
  PLAN: "key",
  PLANS_IN_STATES: scan("Plan"),
  APPROVALS: scan("Approval"),
  OUTCOMES: scan("Outcome"),
  DECISION: "key",
  CONDITIONS: scan("Condition"),
  CONDITIONS_OF: scan("Condition"),
  CONDITION: "key",
  EVIDENCE_ON_DEVICE: scan("Evidence"),
  EVIDENCE_ON_ITEM: "walk",
};

/** One value of each parameter; ids are looked up by what the graph was filled with. */
const VALUES: Parameters = {
  id: "d1",
  ids: ["d1", "s1"],
  device: "d1",
  item: "d1",
  service: "s1",
  name: "name-d1",
  plan: "p1",
  subject: "device/d1",
  states: ["waiting"],
  revision: 1,
  from: 0,
  to: 10,
  limit: 10,
  open: OPEN_END,
  newest: 9,
  time: "2030-01-01T00:00:00.000Z",
};
const NUMBERED = /:(?:Revision|Approval|Outcome) \{id: /;

function parametersOf(statement: string): Parameters | undefined {
  const names = [...new Set([...statement.matchAll(/\$(\w+)/g)].map(([, name]) => name ?? ""))];
  if (names.length === 0) return undefined;
  return Object.fromEntries(
    names.map((name) => {
      const value = NUMBERED.test(statement) && name.startsWith("id") ? (name === "ids" ? [1, 2] : 1) : VALUES[name];
      if (value === undefined) throw new Error(`no value for $${name} in ${statement}`);
      return [name, value];
    }),
  );
}

/** Columns that hold numbers. */
const NUMBERS: ReadonlySet<string> = new Set([
  "model",
  "record",
  "base",
  "pruned",
  "current",
  "previous",
  "revision",
  "valid_from",
  "valid_to",
]);
/** Tables whose key is a number. */
const NUMBERED_NODES: ReadonlySet<NodeName> = new Set<NodeName>(["Revision", "Approval", "Outcome"]);

interface Plan {
  readonly text: string;
  readonly operators: readonly string[];
  /** Node tables that are read whole. */
  readonly scanned: readonly string[];
}

async function planOf(graph: Ladybug, statement: string, parameters?: Parameters): Promise<Plan> {
  const [row] = await graph.read(`EXPLAIN ${statement}`, parameters);
  const text = String(Object.values(row ?? {})[0]);
  const operators = [...text.matchAll(/\b([A-Z_]{4,})\[\d+\]/g)].map(([, name]) => name ?? "");
  const masked = new Set(
    [...text.matchAll(/Operators: +((?:[A-Z_]+\[\d+\][, ]*)+)/g)].flatMap(([, list]) => list?.match(/\[\d+\]/g) ?? []),
  );
  return {
    text,
    operators,
    scanned: scansOf(text)
      .filter(({ id }) => !masked.has(id))
      .map(({ table }) => table),
  };
}

/** The boxes of a plan that scan node tables: an operator's name and number, and below it in the same column its table. */
function scansOf(text: string): readonly { readonly id: string; readonly table: string }[] {
  const lines = text.split("\n");
  const scans: { id: string; table: string }[] = [];
  lines.forEach((line, index) => {
    for (const match of line.matchAll(/│ +SCAN_NODE_TABLE(\[\d+\]) +│/g)) {
      const column = lines.slice(index).map((below) => below.slice(match.index, match.index + match[0].length));
      const table = column.find((part) => part.includes("Tables: "));
      scans.push({ id: match[1] ?? "", table: table?.match(/Tables: ([\w, ]*\w)/)?.[1] ?? "?" });
    }
  });
  return scans;
}

function expectAccess(plan: Plan, access: Access): void {
  expect(plan.operators.length, plan.text).toBeGreaterThan(1);
  expect(plan.operators, plan.text).not.toContain("CROSS_PRODUCT");
  const keyed = plan.operators.filter((name) => /PRIMARY_KEY_(?:SCAN|LOOKUP)/.test(name)).length;
  if (typeof access === "object") {
    expect([...new Set(plan.scanned)].sort(), plan.text).toEqual([...access.scan].sort());
    return;
  }
  expect(plan.scanned, plan.text).toEqual([]);
  expect(keyed, plan.text).toBeGreaterThan(0);
  if (access === "key") expect(plan.operators, plan.text).not.toContain("SCAN_REL_TABLE");
}

const folder = mkdtempSync(join(tmpdir(), "tenure-queries-"));
const graphs = new Map<string, Ladybug>();
function graph(name: "empty" | "filled"): Ladybug {
  const found = graphs.get(name);
  if (found === undefined) throw new Error(`the ${name} graph is not open`);
  return found;
}

beforeAll(async () => {
  const empty = await openLadybug(join(folder, "empty.lbug"), realFiles);
  for (const migration of MIGRATIONS) for (const statement of migration.statements) await empty.direct(statement);
  graphs.set("empty", empty);

  const dataFolder = join(folder, "filled");
  const store = await openStore({ dataFolder });
  for (const id of ["d1", "d2"]) await store.putDevice({ device: deviceRecord(id), actor: "t", key: `add ${id}` });
  const names = Array.from({ length: 3000 }, (_, index) => `eth${index}`);
  for (const id of ["d1", "d2"]) {
    const values = Object.fromEntries(names.map((name) => [name, "1500"]));
    await store.commitRevision(commit(importBody(id, values), `import ${id}`));
  }
  const services = ["s1", "s2", "s3"];
  const setter = (service: string) => ({ kind: "service", service }) as const;
  const definition = { name: "mtu", version: "1", document: digestOf("definition") };
  await store.commitRevision(
    commit(
      body({
        definitions: [definition],
        services: services.map((name) => ({ kind: "put", name, definition, parameters: "{}", targets: ["d1"] })),
        devices: [
          writesOf("d1", {
            put: names.slice(0, 30).map((name) => mtu(name, "9000", setter("s1"))),
            putLinks: services.flatMap((service) =>
              names.slice(0, 30).map((name) => link(service, "d1", name, "9000")),
            ),
          }),
        ],
      }),
      "services",
    ),
  );
  await store.close();
  graphs.set("filled", await openLadybug(join(store.paths.graph, "graph.lbug"), realFiles));
});
afterAll(async () => {
  for (const each of graphs.values()) await each.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(["empty", "filled"] as const)("in a graph that is %s", (name) => {
  test.each(Object.keys(reads) as (keyof typeof reads)[])("read %s", async (statement) => {
    const text = reads[statement];
    expectAccess(await planOf(graph(name), text, parametersOf(text)), READS[statement]);
    await graph(name).read(text, parametersOf(text));
  });

  const rowOf = (columns: readonly string[]) =>
    Object.fromEntries(columns.map((column) => [column, NUMBERS.has(column) ? 1 : "d1"]));
  const explain = async ({ statement, ...batch }: BatchStatement, columns: readonly string[], numbered: boolean) => {
    const row = rowOf(columns);
    const [first] = [...batchesOf({ statement, ...batch }, [numbered ? { ...row, id: 1 } : row], columns)];
    return planOf(graph(name), statement, first?.parameters);
  };

  test.each(Object.keys(writes.CREATE_NODES) as NodeName[])("create %s", async (node) => {
    const plan = await explain(writes.CREATE_NODES[node], NODE_COLUMNS[node], NUMBERED_NODES.has(node));
    expect(plan.scanned, plan.text).toEqual([]);
    expect(plan.operators, plan.text).not.toContain("CROSS_PRODUCT");
  });
  test.each(Object.keys(writes.UPDATE_NODES) as UpdatableNode[])("update %s", async (node) => {
    expectAccess(await explain(writes.UPDATE_NODES[node], UPDATE_COLUMNS[node], false), "key");
  });
  test.each(Object.keys(writes.CONNECT) as EdgeName[])("connect %s", async (edge) => {
    expectAccess(await explain(writes.CONNECT[edge], EDGE_COLUMNS[edge], false), "key");
  });
  test.each(Object.entries(writes.CLOSE))("close %s", async (_edge, statement) => {
    expectAccess(await planOf(graph(name), statement, { from: "s1", to: ["d1"], valid_to: 9 }), "walk");
  });
  test.each(Object.keys(writes.COPY_NODES) as NodeName[])("copy %s", async (node) => {
    const plan = await explain(writes.COPY_NODES[node], NODE_COLUMNS[node], NUMBERED_NODES.has(node));
    expect(plan.scanned, plan.text).toEqual([]);
  });
  test.each(Object.keys(writes.COPY_EDGES) as EdgeName[])("copy %s", async (edge) => {
    const plan = await explain(writes.COPY_EDGES[edge], EDGE_COLUMNS[edge], false);
    expect(plan.scanned, plan.text).toEqual([]);
  });

  const rules = Object.entries(checks).flatMap(([rule, statement]) =>
    typeof statement === "string" ? [[rule, statement] as const] : [],
  );
  test.each(rules)("check %s joins by key, whatever it scans", async (_rule, statement) => {
    const plan = await planOf(graph(name), statement, parametersOf(statement));
    expect(plan.operators, plan.text).not.toContain("CROSS_PRODUCT");
    await graph(name).read(statement, parametersOf(statement));
  });
  test.each(Object.entries(checks.NODE_ROWS))("check the rows of %s", async (_node, { rows, keys }) => {
    expectAccess(await planOf(graph(name), rows, parametersOf(rows)), "key");
    await graph(name).read(rows, parametersOf(rows));
    await graph(name).read(keys);
  });
  test.each(Object.entries(checks.EDGE_ROWS))("check the edges of %s", async (_edge, { rows, by }) => {
    const plan = await planOf(graph(name), rows, parametersOf(rows));
    if (by === "source") expectAccess(plan, "walk");
    expect(plan.operators, plan.text).not.toContain("CROSS_PRODUCT");
    await graph(name).read(rows, parametersOf(rows));
  });
});

test("no group of statements was left out", () => {
  expect(Object.keys(writes).sort()).toEqual([
    "CLOSE",
    "CONNECT",
    "COPY_EDGES",
    "COPY_NODES",
    "CREATE_NODES",
    "UPDATE_NODES",
  ]);
  expect(
    Object.entries(checks)
      .flatMap(([name, value]) => (typeof value === "string" ? [] : [name]))
      .sort(),
  ).toEqual(["EDGE_LABELS", "EDGE_ROWS", "NODE_ROWS"]);
});
