/**
 * What the database alone takes for the rows of an import: the plainest program, its rows made beforehand, no journal,
 * no documents, no rules, no durability beyond a checkpoint at the end. Prints one JSON object, a `WorkReport`.
 *
 * Usage (by bench/graph.ts): node --import tsx bench/graph/peer.ts create|copy FOLDER ITEMS
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { itemId, versionId } from "../../graph/apply/forms.ts";
import { canonicalJson } from "../../graph/canonical-json.ts";
import { realFiles } from "../../graph/files.ts";
import { type ParameterRow, batches, openLadybug } from "../../graph/ladybug.ts";
import { OPEN_END } from "../../graph/schema/migrations.ts";
import type { WorkReport } from "../measure.ts";
import { deviceItems } from "./network.ts";

const TABLES = [
  "CREATE NODE TABLE Device(id STRING PRIMARY KEY)",
  "CREATE NODE TABLE Item(id STRING PRIMARY KEY, device STRING, path STRING, current INT64)",
  "CREATE NODE TABLE Version(id STRING PRIMARY KEY, state STRING, form STRING, valid_from INT64, valid_to INT64, previous INT64)",
  "CREATE REL TABLE HAS_VERSION(FROM Device TO Version)",
  "CREATE (:Device {id: 'd'})",
];

const STATEMENTS = {
  create: {
    batch: 1000,
    item: "UNWIND $rows AS r CREATE (:Item {id: r.id, device: r.device, path: r.path, current: r.current})",
    version:
      "UNWIND $rows AS r CREATE (:Version {id: r.id, state: r.state, form: r.form, valid_from: r.valid_from, valid_to: r.valid_to, previous: r.previous})",
    edge: "UNWIND $rows AS r MATCH (a:Device {id: r.from}) MATCH (b:Version {id: r.to}) CREATE (a)-[:HAS_VERSION]->(b)",
  },
  copy: {
    batch: 4000,
    item: "COPY Item FROM (UNWIND $rows AS r RETURN r.id, r.device, r.path, r.current)",
    version: "COPY Version FROM (UNWIND $rows AS r RETURN r.id, r.state, r.form, r.valid_from, r.valid_to, r.previous)",
    edge: "COPY HAS_VERSION FROM (UNWIND $rows AS r RETURN r.from, r.to)",
  },
} as const;

const [how = "", folder = "", count = ""] = process.argv.slice(2);
if ((how !== "create" && how !== "copy") || folder === "") throw new Error("usage: peer.ts create|copy FOLDER ITEMS");
mkdirSync(folder, { recursive: true });

const rows: Readonly<Record<"item" | "version" | "edge", ParameterRow[]>> = { item: [], version: [], edge: [] };
for (const item of deviceItems(Number(count))) {
  const id = itemId("d", item.path);
  const version = versionId(id, 1);
  const form = canonicalJson({ item, setBy: { kind: "import" }, since: 1, retained: false });
  rows.item.push({ id, device: "d", path: item.path, current: 1 });
  rows.version.push({ id: version, state: "present", form, valid_from: 1, valid_to: OPEN_END, previous: 0 });
  rows.edge.push({ from: "d", to: version });
}

const database = await openLadybug(join(folder, "peer.lbug"), realFiles);
for (const statement of TABLES) await database.direct(statement);
const wall = performance.now();
const cpu = process.cpuUsage();
const statements = STATEMENTS[how];
if (how === "create") {
  await database.transaction(async (run) => {
    for (const table of ["item", "version", "edge"] as const)
      for (const batch of batches(rows[table], statements.batch)) await run(statements[table], { rows: batch });
  });
} else {
  for (const table of ["item", "version", "edge"] as const)
    for (const batch of batches(rows[table], statements.batch))
      await database.direct(statements[table], { rows: batch });
}
await database.direct("CHECKPOINT");
const used = process.cpuUsage(cpu);
const sample = { wall: (performance.now() - wall) / 1000, cpu: (used.user + used.system) / 1e6 };
await database.close();
process.stdout.write(`${JSON.stringify({ samples: [sample], facts: {} } satisfies WorkReport)}\n`);
