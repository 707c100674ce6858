/** `tenure graph rebuild`: throws the graph database away and builds it from the journal and its snapshot. */
import { runMaintenance } from "./maintenance.ts";

await runMaintenance(async (store) => {
  await store.rebuild();
  const { records, snapshot, findings } = await store.verify();
  const revision = await store.currentRevision();
  const from = snapshot === undefined ? "" : `the snapshot of record ${snapshot.record} and `;
  const lines = [
    `rebuilt from ${from}records ${records.first} to ${records.last}; the newest revision is ${revision}`,
    ...findings.map((finding) => `${finding.code} ${finding.place}`),
  ];
  return {
    value: { records, snapshot, revision, findings },
    text: lines.join("\n"),
    verdict: findings.length === 0 ? "sound" : "unsound",
  };
});
