/**
 * Whatever is delivered again - by a client that lost the answer, by an activity's next attempt, after a crash at the
 * worst moment - is one record and one answer; what is asked at once is recorded in the order of asking.
 */
import { expect, onTestFinished, test } from "vitest";
import { type GraphStore, openStore } from "../../graph/store.ts";
import { commit, deviceRecord, importBody, testFolder } from "../support/graph-bodies.ts";
import { startGraphChild } from "../support/graph-child.ts";
import { DELIVERIES, type DeliveryName } from "../support/graph-deliveries.ts";
import { journalRecords } from "../support/journal-records.ts";

const NAMES = Object.keys(DELIVERIES) as DeliveryName[];

/** What a repeat is told, where that is more than that it was there. */
const REPEATED: Partial<Record<DeliveryName, unknown>> = {
  commitRevision: { revision: 1, alreadyThere: true },
  decide: "confirm",
};

/** The answer without whether it was one of a repeat. */
function told(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null) return answer;
  const { alreadyThere: _repeat, ...rest } = answer as { readonly alreadyThere?: boolean };
  return rest;
}

function isRepeat(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && "alreadyThere" in answer && answer.alreadyThere === true;
}

async function opened(dataFolder: string): Promise<GraphStore> {
  const store = await openStore({ dataFolder });
  onTestFinished(() => store.close());
  return store;
}

test.each(NAMES)(
  "%s: twice at once, and again, and again after a restart, is one record and one answer",
  async (name) => {
    const { prepare, deliver } = DELIVERIES[name];
    const dataFolder = testFolder();
    const first = await openStore({ dataFolder });
    await prepare(first);
    const before = journalRecords(dataFolder).length;
    const answers = await Promise.all([deliver(first), deliver(first)]);
    answers.push(await deliver(first));
    await first.close();
    const second = await opened(dataFolder);
    answers.push(await deliver(second));
    expect(journalRecords(dataFolder)).toHaveLength(before + 1);
    for (const answer of answers) expect(told(answer)).toEqual(told(answers[0]));
    // A decision is told the same way each time; everything else says that it was there.
    if (name !== "decide") expect(answers.map(isRepeat)).toEqual([false, true, true, true]);
    expect(await second.check()).toEqual([]);
  },
);

test.each(NAMES)("%s: again after a crash between journal and graph is the same record and answer", async (name) => {
  const dataFolder = testFolder();
  const child = startGraphChild("./graph-delivery-program.ts", [dataFolder, name]);
  await child.line((line) => line === "journalled");
  expect(await child.ended).toBe("SIGKILL");
  const journalled = journalRecords(dataFolder).length;
  const store = await opened(dataFolder);
  expect(store.opening).toMatchObject({ records: journalled, torn: undefined });
  const answer = await DELIVERIES[name].deliver(store);
  expect(answer).toEqual(REPEATED[name] ?? { alreadyThere: true });
  expect(journalRecords(dataFolder)).toHaveLength(journalled);
  expect(await store.check()).toEqual([]);
});

test("what is asked at once is recorded in the order of asking, whatever it is and however long its body", async () => {
  const dataFolder = testFolder();
  const store = await openStore({ dataFolder });
  await store.putDevice({ device: deviceRecord("d1"), actor: "t", key: "add d1" });
  const long = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`eth${index}`, "1500"]));
  const asked = await Promise.all([
    store.commitRevision(commit(importBody("d1", long), "long")),
    store.commitRevision(commit(importBody("d1", { eth0: "1" }), "short")),
    store.decide({ transaction: "t1", value: "abort" }),
    store.putDevice({ device: deviceRecord("d2"), actor: "t", key: "add d2" }),
    store.commitRevision(commit(importBody("d1", long), "long")),
    store.commitRevision(commit(importBody("d1", { eth0: "2" }), "last")),
  ]);
  expect(asked).toMatchObject([
    { revision: 1, alreadyThere: false },
    { revision: 2, alreadyThere: false },
    "abort",
    { alreadyThere: false },
    { revision: 1, alreadyThere: true },
    { revision: 3, alreadyThere: false },
  ]);
  await store.close();
  const told = journalRecords(dataFolder).map((record) =>
    record.kind === "revision" || record.kind === "device" ? record.body.key : record.kind,
  );
  expect(told).toEqual(["add d1", "long", "short", "decision", "add d2", "last"]);
});

test("a key is good for one kind of record: the same text under another kind is another delivery", async () => {
  const store = await opened(testFolder());
  await store.putDevice({ device: deviceRecord("d1"), actor: "t", key: "one" });
  expect(await store.commitRevision(commit(importBody("d1", { eth0: "1500" }), "one"))).toEqual({
    revision: 1,
    alreadyThere: false,
  });
  expect([await store.answerTo("device", "one"), await store.answerTo("revision", "one")]).toEqual(["-", "1"]);
  expect(await store.answerTo("outcome", "one")).toBeUndefined();
});

test("a delivery that was refused may come again, and is then judged anew", async () => {
  const dataFolder = testFolder();
  const store = await opened(dataFolder);
  const request = commit(importBody("d1", { eth0: "1500" }), "early");
  await expect(store.commitRevision(request)).rejects.toMatchObject({ code: "bad-body" });
  expect(journalRecords(dataFolder)).toEqual([]);
  await store.putDevice({ device: deviceRecord("d1"), actor: "t", key: "add d1" });
  expect(await store.commitRevision(request)).toEqual({ revision: 1, alreadyThere: false });
});
