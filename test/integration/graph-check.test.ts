/**
 * What `tenure check` finds. One graph for all: each test writes something into the graph file that no record of the
 * journal makes, sees it found, and sees that a rebuild mends it.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { NODE_COLUMNS, type NodeName } from "../../graph/apply/change.ts";
import { itemId, versionId } from "../../graph/apply/forms.ts";
import { digestOf } from "../../graph/canonical-json.ts";
import { type CheckCode, type CheckFinding, MAX_FINDINGS, checkStore } from "../../graph/check.ts";
import { type DocumentStore, openDocumentStore } from "../../graph/documents/document-store.ts";
import { realFiles } from "../../graph/files.ts";
import { type Journal, openJournal } from "../../graph/journal/journal.ts";
import type { Parameters } from "../../graph/ladybug.ts";
import { type GraphDatabase, openGraphDatabase } from "../../graph/start/graph-database.ts";
import { type GraphStore, openStore } from "../../graph/store.ts";
import {
  MODULE_SET,
  PLAN_DOCUMENTS,
  body,
  commit,
  deviceRecord,
  importBody,
  link,
  mtu,
  mtuPath,
  planRecord,
  testFolder,
  writesOf,
} from "../support/graph-bodies.ts";

/** Longer than a property may be, so that it stands in a document. */
const LONG = "x".repeat(5000);

/** Something in every table. */
async function fill(store: GraphStore): Promise<void> {
  for (const id of ["d1", "d2"]) await store.putDevice({ device: deviceRecord(id), actor: "t", key: `add ${id}` });
  await store.commitRevision(commit(importBody("d1", { eth0: "1500", eth1: "1500", eth2: LONG }), "r1"));
  await store.commitRevision(commit(importBody("d2", { eth0: "1500" }), "r2"));
  const instance = (name: string, value: string) => ({
    kind: "put" as const,
    name,
    definition: { name: "mtu", version: "1", document: MODULE_SET },
    parameters: `{"mtu":${value}}`,
    targets: ["d1"],
  });
  await store.commitRevision(
    commit(
      body({
        definitions: [{ name: "mtu", version: "1", document: MODULE_SET }],
        devices: [
          writesOf("d1", {
            put: [mtu("eth0", "9000", { kind: "service", service: "a" })],
            putLinks: [
              link("a", "d1", "eth0", "9000"),
              link("b", "d1", "absent", "1", { relation: "depends", value: undefined }),
            ],
          }),
        ],
        services: [instance("a", "9000"), instance("b", "1")],
      }),
      "r3",
    ),
  );
  const evidence = {
    device: "d1",
    path: mtuPath("eth1"),
    kind: "disappeared",
    expected: undefined,
    found: undefined,
    observation: digestOf("seen"),
    services: ["a"],
  } as const;
  await store.commitRevision(
    commit(body({ devices: [writesOf("d1", { remove: [mtuPath("eth1")] })], evidence: [evidence] }), "r4"),
  );
  await store.commitRevision(commit(body({ services: [instance("a", "9001")] }), "r5"));
  await store.documents.putAll(PLAN_DOCUMENTS);
  const plan = planRecord("p1");
  await store.putPlan({ plan, state: "waiting" });
  await store.recordApproval({
    plan: "p1",
    digest: plan.digest,
    approver: "anna",
    comment: undefined,
    expires: undefined,
    hold: "start",
    key: "a1",
  });
  await store.recordOutcome({
    plan: "p1",
    transaction: "t1",
    device: "d1",
    outcome: { kind: "applied", message: undefined, observation: undefined, differences: [] },
    key: "o1",
  });
  await store.decide({ transaction: "t1", value: "confirm" });
  await store.recordCondition({
    subject: { kind: "device", id: "d1" },
    type: "Reachable",
    status: "true",
    reason: "Answered",
    message: "",
    path: undefined,
    revision: undefined,
    observation: undefined,
  });
}

const folder = mkdtempSync(join(tmpdir(), "tenure-graph-"));
let journal: Journal;
let documents: DocumentStore;
let graph: GraphDatabase;

beforeAll(async () => {
  const store = await openStore({ dataFolder: folder });
  await fill(store);
  expect(await store.check()).toEqual([]);
  await store.close();
  documents = await openDocumentStore(store.paths.documents, realFiles);
  journal = await openJournal({ folder: store.paths.journal, files: realFiles, clock: () => new Date() });
  graph = await openGraphDatabase({
    folder: store.paths.graph,
    journal,
    documents,
    files: realFiles,
    report: () => undefined,
    checkpointBytes: 1e9,
  });
});
afterAll(async () => {
  await graph.close();
  await journal.close();
  rmSync(folder, { recursive: true, force: true });
});

function check(): Promise<readonly CheckFinding[]> {
  return checkStore({ read: graph.read, journal, documents, exclusive: (work) => work() });
}

async function foundAndMended(
  damage: string,
  expected: readonly CheckFinding[],
  parameters?: Parameters,
): Promise<void> {
  await graph.read(damage, parameters);
  expect(await check()).toEqual(expect.arrayContaining([...expected]));
  await graph.rebuild("the test damaged it");
  expect(await check()).toEqual([]);
}

const eth0 = itemId("d1", mtuPath("eth0"));
const eth1 = itemId("d1", mtuPath("eth1"));
const absent = itemId("d1", mtuPath("absent"));

describe("the rules of the graph itself", () => {
  const damages: readonly (readonly [CheckCode, string, string, string])[] = [
    [
      "current-ended",
      "a current version that has ended",
      `MATCH (v:Version {id: '${versionId(eth0, 3)}'}) SET v.valid_to = 4`,
      eth0,
    ],
    ["current-ended", "a current version that is not there", `MATCH (i:Item {id: '${eth0}'}) SET i.current = 2`, eth0],
    [
      "open-not-current",
      "two standing versions of one item",
      `MATCH (v:Version {id: '${versionId(eth0, 1)}'}) SET v.valid_to = ${Number.MAX_SAFE_INTEGER}`,
      versionId(eth0, 1),
    ],
    [
      "open-not-current",
      "a standing version of no item",
      `MATCH (i:Item {id: '${eth0}'}) DETACH DELETE i`,
      versionId(eth0, 3),
    ],
    [
      "broken-chain",
      "a gap between a version and the one before",
      `MATCH (v:Version {id: '${versionId(eth0, 1)}'}) SET v.valid_to = 2`,
      versionId(eth0, 3),
    ],
    [
      "broken-chain",
      "a version whose predecessor is not there",
      `MATCH (v:Version {id: '${versionId(eth0, 3)}'}) SET v.previous = 2`,
      versionId(eth0, 3),
    ],
    [
      "cut-chain",
      "a version that nothing followed",
      `MATCH (v:Version {id: '${versionId(eth0, 3)}'}) DETACH DELETE v`,
      versionId(eth0, 1),
    ],
    [
      "cut-chain",
      "a version whose follower does not know it",
      `MATCH (v:Version {id: '${versionId(eth0, 3)}'}) SET v.previous = 0`,
      versionId(eth0, 1),
    ],
    [
      "orphan-version",
      "a version of no device",
      `MATCH (:Device)-[h:HAS_VERSION]->(:Version {id: '${versionId(eth0, 1)}'}) DELETE h`,
      versionId(eth0, 1),
    ],
    [
      "orphan-item",
      "an item that was never anything",
      "CREATE (:Item {id: 'stray', device: 'd1', path: '/stray', current: 0})",
      "stray",
    ],
    [
      "orphan-service-version",
      "an instance's state without the instance",
      `MATCH (:Service)-[h:HAS_VERSION]->(:ServiceVersion {id: '${versionId("a", 3)}'}) DELETE h`,
      versionId("a", 3),
    ],
    ["orphan-evidence", "evidence of nothing", "MATCH (:Evidence)-[e:EVIDENCE_OF]->(:Item) DELETE e", "4/0"],
    [
      "bad-span",
      "an item's version that never was",
      `MATCH (v:Version {id: '${versionId(eth0, 1)}'}) SET v.valid_to = 1`,
      versionId(eth0, 1),
    ],
    [
      "bad-span",
      "an item's version of a revision that does not exist",
      `MATCH (v:Version {id: '${versionId(eth0, 3)}'}) SET v.valid_from = 77`,
      versionId(eth0, 3),
    ],
    [
      "bad-span",
      "an instance's state that ends at a revision that does not exist",
      `MATCH (v:ServiceVersion {id: '${versionId("a", 3)}'}) SET v.valid_to = 77`,
      versionId("a", 3),
    ],
    [
      "bad-span",
      "a definition that never was",
      `MATCH (v:Definition {id: '${versionId("mtu", 3)}'}) SET v.valid_to = 2`,
      versionId("mtu", 3),
    ],
    [
      "bad-span",
      "a link that never was",
      "MATCH (:Service {id: 'a'})-[l:OWNS]->(:Item) SET l.valid_to = 3",
      `a ${eth0}`,
    ],
    [
      "bad-span",
      "a dependency of a revision that does not exist",
      "MATCH (:Service {id: 'b'})-[l:DEPENDS_ON]->(:Item) SET l.valid_from = 77",
      `b ${absent}`,
    ],
    [
      "bad-span",
      "a target that never was",
      "MATCH (:Service {id: 'a'})-[l:TARGETS]->(:Device) SET l.valid_to = 3",
      "a d1",
    ],
    [
      "link-elsewhere",
      "a link that names another device than its item",
      "MATCH (:Service {id: 'a'})-[l:OWNS]->(:Item) SET l.device = 'd2'",
      `a ${eth0}`,
    ],
    [
      "link-without-service",
      "a link that outlives its instance",
      `MATCH (v:ServiceVersion {id: '${versionId("b", 3)}'}) SET v.valid_to = 4`,
      "b d1 3..",
    ],
    [
      "link-without-service",
      "a link from before its instance",
      "MATCH (:Service {id: 'a'})-[l:OWNS]->(:Item) SET l.valid_from = 2",
      "a d1 2..",
    ],
    [
      "link-without-service",
      "a link in a gap of its instance",
      `MATCH (v:ServiceVersion {id: '${versionId("a", 3)}'}) SET v.valid_to = 4`,
      "a d1 3..",
    ],
    [
      "link-without-target",
      "a link into a device that is no target",
      "MATCH (:Service {id: 'b'})-[l:TARGETS]->(:Device) DELETE l",
      "b d1 3..",
    ],
    [
      "link-without-target",
      "a link that outlives its target",
      "MATCH (:Service {id: 'b'})-[l:TARGETS]->(:Device) SET l.valid_to = 5",
      "b d1 3..",
    ],
  ];

  test.each(damages)("%s: %s", async (code, _what, damage, place) => {
    await foundAndMended(damage, [{ code, place }]);
  });
});

describe("the graph is what the journal makes of it", () => {
  test.each(Object.keys(NODE_COLUMNS) as NodeName[])("a missing %s is found, and is not made up for", async (node) => {
    const [row] = await graph.read(`MATCH (n:${node}) RETURN n.id AS id ORDER BY n.id LIMIT 1`);
    const id = row?.["id"];
    if (id === undefined || id === null) throw new Error(`no ${node} to take away`);
    await foundAndMended(
      `MATCH (n:${node} {id: $id}) DETACH DELETE n`,
      [{ code: "row-missing", place: `${node} ${String(id)}` }],
      { id },
    );
  });

  test.each([
    ["Version", "MATCH (n:Version {id: $id}) SET n.form = '{}'", versionId(eth0, 1)],
    ["Item", "MATCH (n:Item {id: $id}) SET n.path = '/other'", eth0],
    ["Device", "MATCH (n:Device {id: $id}) SET n.revision = 1", "d1"],
    ["Device", "MATCH (n:Device {id: $id}) SET n.name = 'other'", "d2"],
    ["Plan", "MATCH (n:Plan {id: $id}) SET n.state = 'applied'", "p1"],
    ["Decision", `MATCH (n:Decision {id: $id}) SET n.form = '{"value":"abort"}'`, "t1"],
    ["Key", "MATCH (n:Key {id: $id}) SET n.answer = '7'", "revision|r1"],
    ["Revision", "MATCH (n:Revision {id: $id}) SET n.time = '2001-01-01T00:00:00.000Z'", 2],
    ["Condition", "MATCH (n:Condition {id: $id}) SET n.form = '{}'", "device/d1|Reachable"],
    ["Definition", "MATCH (n:Definition {id: $id}) SET n.form = '{}'", versionId("mtu", 3)],
  ] as const)("another %s than was recorded: %s", async (node, damage, id) => {
    await foundAndMended(damage, [{ code: "row-differs", place: `${node} ${String(id)}` }], { id });
  });

  test.each([
    [
      "deviceVersion",
      "MATCH (:Device)-[e:HAS_VERSION]->(:Version {id: $id}) DELETE e",
      versionId(eth0, 3),
      `d1 ${versionId(eth0, 3)}`,
    ],
    [
      "serviceVersion",
      "MATCH (:Service)-[e:HAS_VERSION]->(:ServiceVersion {id: $id}) DELETE e",
      versionId("b", 3),
      `b ${versionId("b", 3)}`,
    ],
    ["evidenceOf", "MATCH (:Evidence {id: $id})-[e:EVIDENCE_OF]->(:Item) DELETE e", "4/0", `4/0 ${eth1}`],
    ["owns", "MATCH (:Item {id: $id})<-[e:OWNS]-(:Service) DELETE e", eth0, `a ${eth0}`],
    ["dependsOn", "MATCH (:Item {id: $id})<-[e:DEPENDS_ON]-(:Service) DELETE e", absent, `b ${absent}`],
    ["targets", "MATCH (:Service {id: $id})-[e:TARGETS]->(:Device) DELETE e", "b", "b d1"],
  ] as const)("a missing edge of %s", async (edge, damage, id, ends) => {
    await foundAndMended(damage, [{ code: "row-missing", place: `${edge} ${ends}` }], { id });
  });

  test("a link that says something else is one finding, and so is one that stands twice", async () => {
    await foundAndMended("MATCH (:Service {id: 'a'})-[l:OWNS]->(:Item) SET l.form = '{}'", [
      { code: "row-differs", place: `owns a ${eth0}` },
    ]);
    await foundAndMended(
      "MATCH (a:Service {id: 'a'}) MATCH (i:Item {id: $id}) CREATE (a)-[:OWNS {device: 'd1', form: '{}', valid_from: 3, valid_to: $open}]->(i)",
      [{ code: "row-extra", place: `owns a ${eth0}` }],
      { id: eth0, open: Number.MAX_SAFE_INTEGER },
    );
  });

  test("rows that no record makes are found, however many; so many are told", async () => {
    await graph.read(
      "UNWIND range(1, 50) AS n CREATE (:Decision {id: concat('stray ', CAST(n, 'STRING')), form: '{}'})",
    );
    const findings = (await check()).filter((finding) => finding.code === "row-extra");
    expect(findings).toHaveLength(MAX_FINDINGS);
    expect(findings[0]?.place).toMatch(/^Decision stray \d+$/);
    await graph.rebuild("the test damaged it");
    expect(await check()).toEqual([]);
  });

  test("a graph that stands at another record than the journal", async () => {
    await foundAndMended("MATCH (n:Meta {id: 'graph'}) SET n.record = n.record - 1", [
      { code: "graph-behind", place: String(journal.last.n - 1) },
      { code: "row-differs", place: "Meta graph" },
    ]);
  });
});

describe("documents", () => {
  const pathOf = (digest: string) => join(folder, "documents", digest.slice(0, 2), digest.slice(2));

  async function bodyOf(revision: number): Promise<string> {
    for await (const record of journal.read(1))
      if (record.kind === "revision" && record.body.revision === revision) return record.body.body;
    throw new Error(`no revision ${revision}`);
  }

  test("every revision body that is gone or changed is named; the graph goes on answering", async () => {
    const [first, second] = [await bodyOf(1), await bodyOf(3)];
    const kept = [Buffer.from(await documents.get(first)), Buffer.from(await documents.get(second))] as const;
    rmSync(pathOf(first));
    writeFileSync(pathOf(second), "something else");
    expect(await check()).toEqual([
      { code: "document-missing", place: first },
      { code: "document-damaged", place: second },
    ]);
    expect(await graph.read("MATCH (n:Revision) RETURN count(*) AS rows")).toEqual([{ rows: 5 }]);
    await documents.putAll(kept);
    expect(await check()).toEqual([]);
  });

  test("a long text of the graph that is gone is named, not silently written again; a rebuild writes it", async () => {
    const [row] = await graph.read("MATCH (n:Version) WHERE starts_with(n.form, '#') RETURN n.form AS form");
    const digest = String(row?.["form"]).slice(1);
    rmSync(pathOf(digest));
    expect(await check()).toEqual([{ code: "document-missing", place: digest }]);
    expect(await check()).toEqual([{ code: "document-missing", place: digest }]);
    await graph.rebuild("the test damaged it");
    expect(await check()).toEqual([]);
  });

  test("what an open plan was offered with has to be there", async () => {
    const { contents, digest } = planRecord("p1");
    rmSync(pathOf(contents));
    rmSync(pathOf(digest));
    expect((await check()).map((finding) => finding.place).sort()).toEqual([contents, digest].sort());
    await documents.putAll(PLAN_DOCUMENTS);
    expect(await check()).toEqual([]);
  });
});

test("a check beside writers takes no write for damage", async () => {
  const store = await openStore({ dataFolder: testFolder() });
  onTestFinished(() => store.close());
  await fill(store);
  const rounds = { checked: 0, written: 0 };
  const checks = (async () => {
    while (rounds.checked < 5) {
      expect(await store.check()).toEqual([]);
      rounds.checked += 1;
    }
  })();
  while (rounds.checked < 5) {
    rounds.written += 1;
    const values = { eth0: String(rounds.written), [`n${rounds.written}`]: "1" };
    await store.commitRevision(commit(importBody("d1", values), `w${rounds.written}`));
  }
  await checks;
  expect(rounds.written).toBeGreaterThan(5);
  expect(await store.check()).toEqual([]);
});
