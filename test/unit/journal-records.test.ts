/** Each kind of record comes back from the disk as it was written, and one of an unknown kind is refused. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { canonicalJson, digestOf } from "../../graph/canonical-json.ts";
import { realFiles } from "../../graph/files.ts";
import { openJournal } from "../../graph/journal/journal.ts";
import { JOURNAL_KINDS, type JournalEntry, type JournalKind, type JournalRecord } from "../../graph/journal/record.ts";
import { deviceRecord, planRecord, testFolder } from "../support/graph-bodies.ts";

const digest = digestOf("x");
const absent = { actor: undefined, comment: undefined, reason: undefined, revision: undefined };

/** A full one of each kind, and one with all that may be absent. */
const ENTRIES: { readonly [Kind in JournalKind]: readonly Extract<JournalEntry, { readonly kind: Kind }>["body"][] } = {
  revision: [
    {
      revision: 1,
      actor: "Zoë ☃",
      cause: { kind: "import", submission: "s", observation: digest },
      key: "k",
      body: digest,
      devices: ["a", "b"],
    },
  ],
  device: [
    { device: deviceRecord("d1"), actor: "a", key: "k" },
    {
      device: deviceRecord("d1", {
        tls: { authority: digest, certificate: undefined, serverName: "s", pin: "sha256:00" },
        providerConfig: digest,
        state: "removed",
      }),
      actor: "a",
      key: "k2",
    },
  ],
  plan: [
    { event: "created", plan: planRecord("p", { body: digest, proposal: digest, follows: "q" }), state: "planning" },
    { event: "state", plan: "p", state: "rejected", ...absent },
    { event: "state", plan: "p", state: "applied", actor: "a", comment: "c\nd", reason: "r", revision: 3 },
  ],
  approval: [
    { plan: "p", digest, approver: "a", comment: undefined, expires: undefined, hold: "start", key: "k" },
    { plan: "p", digest, approver: "a", comment: "c", expires: 1_900_000_000_000, hold: "hold", key: "k" },
  ],
  refusal: [{ plan: "p", what: "approve", actor: "a", code: "wrong-digest", message: "m", key: "k" }],
  decision: [{ transaction: "t", value: "abort", asked: "confirm", deadline: 5 }],
  outcome: [
    {
      plan: "p",
      transaction: undefined,
      device: "d1",
      outcome: {
        kind: "unknown",
        message: "m",
        observation: digest,
        differences: [{ path: "/p", expected: undefined, found: "1" }],
        allDifferences: digest,
      },
      key: "k",
    },
  ],
  condition: [
    {
      subject: { kind: "service", name: "s" },
      type: "Paused",
      status: "unknown",
      reason: "r",
      message: "m",
      path: "/p",
      revision: 2,
      observation: digest,
    },
  ],
  rekey: [{ from: "key-1", to: "key-2", digests: digest, actor: "a", key: "k" }],
  snapshot: [{ record: 1, digest, revision: 0, revisionTime: undefined, manifest: digest }],
  // Needs the snapshot before it, which the test below writes.
  prune: [],
};

test("a record of every kind comes back as it was appended", async () => {
  const folder = testFolder();
  const journal = await openJournal({ folder, files: realFiles, clock: () => new Date() });
  onTestFinished(() => journal.close());
  expect(new Set(Object.keys(ENTRIES))).toEqual(JOURNAL_KINDS);
  const entries = Object.entries(ENTRIES).flatMap(([kind, bodies]) =>
    bodies.map((body) => ({ kind, body }) as JournalEntry),
  );
  const appended: JournalRecord[] = [];
  for (const entry of entries) appended.push(await journal.append(entry));
  const { n, digest: last, time } = journal.last;
  const snapshot = await journal.append({
    kind: "snapshot",
    body: { record: n, digest: last, revision: 1, revisionTime: time, manifest: digest },
  });
  const dropped = { first: 1, last: n, digest: last, lastTime: time, snapshot: snapshot.n, revisions: 1, bytes: 1 };
  const prune = await journal.append({ kind: "prune", body: { actor: "a", key: "k", before: time, ...dropped } });
  appended.push(snapshot, prune);

  const read: JournalRecord[] = [];
  for await (const record of journal.read(1)) read.push(record);
  expect(read.map((record) => canonicalJson(record))).toEqual(appended.map((record) => canonicalJson(record)));
  expect(read.slice(0, entries.length).map(({ kind, body }) => ({ kind, body }))).toEqual(
    entries.map((entry) => JSON.parse(JSON.stringify(entry)) as unknown),
  );
});

test("an intact record of a kind that this version does not know is refused with its number, nothing being changed", async () => {
  const folder = testFolder();
  const journal = await openJournal({ folder, files: realFiles, clock: () => new Date("2030-01-01T00:00:00Z") });
  await journal.append({
    kind: "decision",
    body: { transaction: "t", value: "confirm", asked: "confirm", deadline: 1 },
  });
  const { n, digest: prev, time } = journal.last;
  await journal.close();
  const unsealed = { n: n + 1, time, prev, kind: "dream", body: {} };
  const line = canonicalJson({ ...unsealed, digest: digestOf(canonicalJson(unsealed)) });
  const file = join(folder, "000000000001.jsonl");
  const written = `${readFileSync(file, "utf8")}${line}\n`;
  writeFileSync(file, written);
  await expect(openJournal({ folder, files: realFiles, clock: () => new Date() })).rejects.toMatchObject({
    code: "journal-newer",
    details: { record: 2 },
  });
  expect(readFileSync(file, "utf8")).toBe(written);
});
