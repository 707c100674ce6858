/** `tenure graph rebuild`: throws the graph database away and builds it from the journal. */
import { runMaintenance } from "./maintenance.ts";

await runMaintenance(async (store) => {
  await store.rebuild();
  const findings = await store.check();
  return {
    value: { records: store.opening.records, revision: await store.currentRevision(), findings },
    text: `rebuilt from ${store.opening.records} records; the newest revision is ${await store.currentRevision()}`,
    verdict: findings.length === 0 ? "sound" : "unsound",
  };
});
