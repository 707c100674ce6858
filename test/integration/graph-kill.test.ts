import { expect, test } from "vitest";
import { type GraphStore, openStore } from "../../graph/store.ts";
import { testFolder, wholeState } from "../support/graph-bodies.ts";
import { startGraphChild } from "../support/graph-child.ts";

/** More rounds for a longer run: `TENURE_CRASH_ROUNDS=100`. A failing run is repeated with its printed seed. */
const ROUNDS = Number(process.env["TENURE_CRASH_ROUNDS"] ?? 6);
const SEED = Number(process.env["TENURE_CRASH_SEED"] ?? (Date.now() % 1_000_000) + 1);

interface Acknowledged {
  readonly what: string;
  readonly key: string;
  readonly value: string;
}

async function lost(store: GraphStore, acknowledged: readonly Acknowledged[]): Promise<readonly Acknowledged[]> {
  const missing: Acknowledged[] = [];
  for (const one of acknowledged) {
    const there =
      one.what === "revision"
        ? await store.answerTo("revision", one.key)
        : one.what === "decide"
          ? (await store.decision(one.key))?.value
          : (await store.plan(one.key))?.state;
    if (there !== one.value) missing.push(one);
  }
  return missing;
}

test(`kill -9 at random moments, ${ROUNDS} rounds, seed ${SEED}: nothing acknowledged is lost, nothing half there`, {
  timeout: 60_000 + ROUNDS * 30_000,
}, async () => {
  const folder = testFolder();
  const acknowledged: Acknowledged[] = [];
  const killedIn = new Map<string, number>();
  let random = SEED;
  for (let round = 0; round < ROUNDS; round += 1) {
    random = (random * 48271) % 2147483647;
    const child = startGraphChild("graph-writer-program.ts", [folder, String(random), String(round)]);
    // From the start of opening to well into the writing; the child's own log says where it was hit.
    const afterLines = random % 60;
    await child.line(() => child.lines.length > afterLines);
    await new Promise((resolve) => setTimeout(resolve, random % 37));
    child.process.kill("SIGKILL");
    expect(await child.ended, child.errors()).toBe("SIGKILL");

    for (const line of child.lines) {
      const done = /^done (\S+) (\S+) (\S+)$/.exec(line);
      if (done !== null) acknowledged.push({ what: done[1]!, key: done[2]!, value: done[3]! });
    }
    const phase = (child.lines.at(-1) ?? "").split(" ").slice(0, 2).join(" ");
    killedIn.set(phase, (killedIn.get(phase) ?? 0) + 1);

    const store = await openStore({ dataFolder: folder, checkpointBytes: 150_000, segmentBytes: 20_000 });
    expect(await lost(store, acknowledged)).toEqual([]);
    expect(await store.check()).toEqual([]);
    await store.close();
  }

  const store = await openStore({ dataFolder: folder });
  const before = await wholeState(store);
  await store.rebuild();
  expect((await wholeState(store)) === before, "a rebuild tells what the caught-up graph told").toBe(true);
  await store.close();
  console.log(
    `killed in: ${[...killedIn].map(([phase, count]) => `${phase} ${count}`).join(", ")}; acknowledged ${acknowledged.length}; seed ${SEED}`,
  );
  expect(acknowledged.length).toBeGreaterThan(0);
});
