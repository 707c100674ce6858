/**
 * The law of snapshots, on graphs in memory: whatever happened before, and wherever the cut is made, what a snapshot and
 * the records behind it give tells of every later revision what all records together give; and a snapshot that is taken
 * again from itself is the same.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, digestOf } from "../../graph/canonical-json.ts";
import { type DocumentStore, openDocumentStore } from "../../graph/documents/document-store.ts";
import { overlayDocuments } from "../../graph/documents/overlay-documents.ts";
import { realFiles } from "../../graph/files.ts";
import { type ImageSource, imageOfJournal, imageOfSnapshot, replayed } from "../../graph/history/journal-image.ts";
import { proveSnapshot } from "../../graph/history/prune.ts";
import type { SnapshotManifest, SnapshotServices } from "../../graph/history/snapshot-documents.ts";
import { takeSnapshot } from "../../graph/history/take-snapshot.ts";
import type { JournalEntry, JournalRecord, SnapshotEntry } from "../../graph/journal/record.ts";
import { CHAIN_START, type ChainPosition, sealRecord } from "../../graph/journal/record-line.ts";
import type { ParameterRow } from "../../graph/ladybug.ts";
import { OPEN_END } from "../../graph/schema/migrations.ts";
import type { GraphImage } from "../../graph/start/image.ts";
import type { RevisionBody } from "../../services/desired-state.ts";
import {
  MODULE_SET,
  body,
  deviceRecord,
  link,
  mtu,
  mtuPath,
  planRecord,
  testFolder,
  writesOf,
} from "../support/graph-bodies.ts";

const DEVICES = ["d1", "d2"];
const device = fc.constantFrom(...DEVICES);
const name = fc.constantFrom("eth0", "eth1", "eth2");
const service = fc.constantFrom("wan", "lan");
const value = fc.constantFrom("1500", "9000");

const step = fc.oneof(
  fc.record({ kind: fc.constant("import" as const), device, name, value }),
  fc.record({ kind: fc.constant("vanish" as const), device, name, service }),
  fc.record({
    kind: fc.constant("put" as const),
    device,
    name,
    value,
    service,
    relation: fc.constantFrom("owns", "depends"),
  }),
  fc.record({ kind: fc.constant("remove" as const), device, name, service }),
  fc.record({ kind: fc.constant("override" as const), device, name, value, service }),
  fc.record({ kind: fc.constant("condition" as const), service, value }),
  fc.record({ kind: fc.constant("plan" as const), plan: fc.nat(3), state: fc.constantFrom("held", "rejected") }),
  fc.record({ kind: fc.constant("day" as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function bodyOf(each: Step): RevisionBody | undefined {
  switch (each.kind) {
    case "import":
      return body({ devices: [writesOf(each.device, { moduleSet: MODULE_SET, put: [mtu(each.name, each.value)] })] });
    case "vanish":
      return body({
        devices: [writesOf(each.device, { remove: [mtuPath(each.name)] })],
        evidence: [
          {
            device: each.device,
            path: mtuPath(each.name),
            kind: "disappeared",
            expected: undefined,
            found: undefined,
            observation: MODULE_SET,
            services: [each.service],
          },
        ],
      });
    case "put":
      return body({
        devices: [
          writesOf(each.device, {
            put: [mtu(each.name, each.value, { kind: "service", service: each.service })],
            putLinks: [link(each.service, each.device, each.name, each.value, { relation: each.relation as "owns" })],
          }),
        ],
        services: [
          {
            kind: "put",
            name: each.service,
            definition: { name: "mtu", version: "1", document: MODULE_SET },
            // Longer than a property may be.
            parameters: `{"note":"${each.value.repeat(600)}"}`,
            targets: DEVICES,
          },
        ],
        definitions: [{ name: "mtu", version: each.value, document: MODULE_SET }],
      });
    case "remove":
      return body({
        devices: DEVICES.map((id) =>
          writesOf(id, {
            removeLinks: ["eth0", "eth1", "eth2"].flatMap((interfaceName) =>
              (["owns", "depends"] as const).map((relation) => ({
                service: each.service,
                path: mtuPath(interfaceName),
                relation,
              })),
            ),
          }),
        ),
        services: [{ kind: "remove", name: each.service }],
      });
    case "override":
      return body({
        devices: [writesOf(each.device, { put: [mtu(each.name, each.value, { kind: "accept", plan: "p" })] })],
        statuses: [
          {
            service: each.service,
            status: {
              kind: "inconsistent",
              because: [
                {
                  reason: "overridden",
                  device: each.device,
                  path: mtuPath(each.name),
                  required: undefined,
                  found: undefined,
                  by: undefined,
                  revision: 0,
                },
              ],
            },
          },
        ],
      });
    case "condition":
    case "plan":
    case "day":
      return undefined;
  }
}

/** The records of a history, in memory. */
async function journalOf(steps: readonly Step[], documents: DocumentStore): Promise<readonly JournalRecord[]> {
  const records: JournalRecord[] = [];
  let position: ChainPosition = CHAIN_START;
  let time = Date.UTC(2030, 0, 1);
  let revision = 0;
  const plans = new Map<number, string>();
  const add = (entry: JournalEntry) => {
    const { record } = sealRecord(entry, position, new Date((time += 1000)));
    records.push(record);
    position = record;
  };
  for (const id of DEVICES) add({ kind: "device", body: { device: deviceRecord(id), actor: "t", key: `add ${id}` } });
  for (const [index, each] of steps.entries()) {
    const content = bodyOf(each);
    if (content !== undefined) {
      revision += 1;
      const devices = content.devices.map((writes) => writes.device);
      const cause = { kind: "import", submission: "s", observation: MODULE_SET } as const;
      const digest = await documents.put(canonicalJson(content));
      add({ kind: "revision", body: { revision, actor: "t", cause, key: `k${index}`, body: digest, devices } });
    } else if (each.kind === "day") {
      time += 86_400_000;
    } else if (each.kind === "condition") {
      const subject = { kind: "service", name: each.service } as const;
      const more = { path: undefined, revision, observation: undefined };
      add({
        kind: "condition",
        body: { subject, type: "Paused", status: "true", reason: "r", message: each.value, ...more },
      });
    } else if (each.kind === "plan") {
      const plan = `p${each.plan}`;
      const known = plans.get(each.plan);
      if (known === undefined) {
        add({ kind: "plan", body: { event: "created", plan: planRecord(plan), state: "waiting" } });
        plans.set(each.plan, "waiting");
      } else if (known !== "rejected") {
        const more = { actor: undefined, comment: undefined, reason: undefined, revision: undefined };
        add({ kind: "plan", body: { event: "state", plan, state: each.state as "held", ...more } });
        plans.set(each.plan, each.state);
      }
    }
  }
  return records;
}

function sourceOf(records: readonly JournalRecord[], documents: DocumentStore): ImageSource {
  return {
    documents,
    journal: {
      base: undefined,
      last: records.at(-1) ?? CHAIN_START,
      async *read(from) {
        await Promise.resolve();
        yield* records.slice(from - 1);
      },
    },
  };
}

/** What a graph says of a revision, and what it says at all of plans and conditions. */
function tells(image: GraphImage, revision: number): unknown {
  const holds = (row: ParameterRow) =>
    Number(row["valid_from"]) <= revision && Number(row["valid_to"]) > revision && row["state"] !== "deleted";
  // That it had a predecessor, and how long a closed span was, is history.
  const shown = ({ previous: _previous, ...row }: ParameterRow) => canonicalJson(row);
  const rows = (all: readonly ParameterRow[]) => all.filter(holds).map(shown).sort();
  return {
    versions: rows(image.nodes("Version")),
    services: rows(image.nodes("ServiceVersion")),
    definitions: rows(image.nodes("Definition")),
    owns: rows(image.edges("owns")),
    dependsOn: rows(image.edges("dependsOn")),
    targets: rows(image.edges("targets")),
    devices: image.nodes("Device").map(shown),
    conditions: image.nodes("Condition").map(shown).sort(),
    plans: image
      .nodes("Plan")
      .filter((row) => row["state"] !== "rejected")
      .map(shown)
      .sort(),
  };
}

/** Keys younger than this at the cut. */
const KEYS_SINCE = "2030-01-03T00:00:00.000Z";

test("a snapshot and the records behind it tell of every later revision what all records together tell", async () => {
  const documents = overlayDocuments(await openDocumentStore(testFolder(), realFiles));
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 30 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (steps, place) => {
        const records = await journalOf(steps, documents);
        const source = sourceOf(records, documents);
        const cut = 1 + Math.floor(place * (records.length - 1));
        const at = records[cut - 1];
        if (at === undefined) throw new Error(`there is no record ${cut}`);

        const old = await imageOfJournal(source, cut);
        const input = { documents, record: cut, digest: at.digest, keysSince: KEYS_SINCE };
        const store = (text: string) => documents.put(text);
        const taken = await takeSnapshot({ ...input, image: old.image, times: old.times, store });
        const snapshot: SnapshotEntry = { record: cut, digest: at.digest, ...taken };
        const loaded = await imageOfSnapshot(source, snapshot);
        const again = await takeSnapshot({
          ...input,
          image: loaded.image,
          times: loaded.times,
          store: (text) => Promise.resolve(digestOf(text)),
        });
        expect(again).toEqual(taken);

        const whole = await imageOfJournal(source);
        const short = await replayed(source, loaded, { after: cut, until: records.length });
        const newest = Math.max(0, ...whole.image.nodes("Revision").map((row) => Number(row["id"])));
        for (let revision = taken.revision; revision <= newest; revision += 1) {
          expect(tells(short.image, revision)).toEqual(tells(whole.image, revision));
          compared += 1;
        }
        // What comes next meets the same: the newest version of every item that is there, the same keys, plans, spans.
        const now = (image: GraphImage) =>
          image
            .nodes("Version")
            .filter((row) => row["valid_to"] === OPEN_END && row["state"] !== "deleted")
            .map((row) => row["id"])
            .sort();
        expect(now(short.image)).toEqual(now(whole.image));
        const youngKeys = (image: GraphImage) =>
          image.nodes("Key").filter((row) => (whole.times.get(Number(row["record"])) ?? "") >= KEYS_SINCE);
        expect(
          youngKeys(short.image)
            .map((row) => canonicalJson(row))
            .sort(),
        ).toEqual(
          youngKeys(whole.image)
            .map((row) => canonicalJson(row))
            .sort(),
        );
      },
    ),
    { numRuns: 150 },
  );
  expect(compared).toBeGreaterThan(500);
});

test("a snapshot that does not give itself when it is taken again is noticed, and one of another record", async () => {
  const documents = overlayDocuments(await openDocumentStore(testFolder(), realFiles));
  const records = await journalOf(
    [
      { kind: "put", device: "d1", name: "eth0", value: "1500", service: "wan", relation: "owns" },
      { kind: "put", device: "d1", name: "eth1", value: "1500", service: "lan", relation: "owns" },
    ],
    documents,
  );
  const source = sourceOf(records, documents);
  const { n: record, digest } = source.journal.last;
  const { image, times } = await imageOfJournal(source);
  const store = (text: string) => documents.put(text);
  const taken = await takeSnapshot({ image, times, documents, record, digest, keysSince: KEYS_SINCE, store });
  const snapshot: SnapshotEntry = { record, digest, ...taken };
  await proveSnapshot(snapshot, { documents });

  const manifest = JSON.parse(await documents.getText(taken.manifest)) as SnapshotManifest;
  const services = JSON.parse(await documents.getText(manifest.services)) as SnapshotServices;
  const forgedServices = await documents.put(
    canonicalJson({ ...services, services: [...services.services].reverse() }),
  );
  const forged = await documents.put(canonicalJson({ ...manifest, services: forgedServices }));
  await expect(proveSnapshot({ ...snapshot, manifest: forged }, { documents })).rejects.toMatchObject({
    code: "snapshot-differs",
    details: { record, manifest: forged },
  });
  const other = await documents.put(canonicalJson({ ...manifest, record: record - 1 }));
  await expect(proveSnapshot({ ...snapshot, manifest: other }, { documents })).rejects.toMatchObject({
    code: "journal-broken",
    details: { record },
  });
});
