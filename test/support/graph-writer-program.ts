/**
 * Writes without end until it is killed: revisions, plans, decisions, now and then a rebuild. It says `do KEY` before a
 * write and `done KEY` once it was acknowledged, so that whoever killed it knows what must be there.
 */
import { writeSync } from "node:fs";
import { openStore } from "../../graph/store.ts";
import { commit, deviceRecord, importBody, planRecord } from "./graph-bodies.ts";

const [, , folder, seedText, round] = process.argv;
if (folder === undefined || seedText === undefined || round === undefined) throw new Error("usage: FOLDER SEED ROUND");

let state = Number(seedText) % 2147483647;
function random(below: number): number {
  state = (state * 48271) % 2147483647;
  return state % below;
}
function say(line: string): void {
  writeSync(1, `${line}\n`);
}

const store = await openStore({
  dataFolder: folder,
  checkpointBytes: 150_000,
  segmentBytes: 20_000,
  report: (event) => {
    say(`event ${event.kind}`);
  },
});
say("open");
await store.putDevice({ device: deviceRecord("d1"), actor: "t", key: "device" });

for (let step = 0; ; step += 1) {
  const key = `${round}.${step}`;
  const kind = random(20);
  if (kind === 0) {
    say(`do rebuild ${key}`);
    await store.rebuild();
    continue;
  }
  if (kind < 4) {
    say(`do decide ${key}`);
    const value = await store.decide({ transaction: key, value: kind === 1 ? "abort" : "confirm" });
    say(`done decide ${key} ${value}`);
    continue;
  }
  if (kind < 7) {
    say(`do plan ${key}`);
    await store.putPlan({ plan: planRecord(key), state: "waiting" });
    say(`done plan ${key} waiting`);
    continue;
  }
  const values: Record<string, string> = {};
  const count = 1 + random(kind === 7 ? 400 : 10);
  for (let index = 0; index < count; index += 1) values[`eth${random(500)}`] = String(1000 + random(8000));
  say(`do revision ${key}`);
  const { revision } = await store.commitRevision(commit(importBody("d1", values), key));
  say(`done revision ${key} ${revision}`);
}
