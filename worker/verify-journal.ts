/** `tenure journal verify`: proves every record of the journal and its snapshot, and compares the graph with them. */
import { runMaintenance } from "./maintenance.ts";

await runMaintenance(async (store) => {
  // Opening has proven the chain of records, and refused a broken one with its number.
  const { torn } = store.opening;
  const { records, snapshot, findings } = await store.verify();
  const lines = [`records ${records.first} to ${records.last}: each has its digest and its predecessor's`];
  if (snapshot !== undefined) {
    lines.push(
      `records up to ${snapshot.record} were pruned at revision ${snapshot.revision}; their snapshot was taken again`,
    );
  }
  if (torn !== undefined) lines.push(`a tail of ${torn.bytes} bytes that was never acknowledged was cut`);
  lines.push(...findings.map((finding) => `${finding.code} ${finding.place}`));
  return {
    value: { records, snapshot, torn, findings },
    text: lines.join("\n"),
    verdict: findings.length === 0 ? "sound" : "unsound",
  };
});
