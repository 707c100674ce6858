/** `tenure journal verify`: proves every record of the journal and compares the graph with it. */
import { runMaintenance } from "./maintenance.ts";

await runMaintenance(async (store) => {
  // Opening has proven the chain of records, and refused a broken one with its number.
  const { records, torn } = store.opening;
  const findings = await store.check();
  const cut = torn === undefined ? "" : `; a tail of ${torn.bytes} bytes that was never acknowledged was cut`;
  const lines = findings.map((finding) => `${finding.code} ${finding.place}`);
  return {
    value: { records, torn, findings },
    text: [`${records} records, each with its digest and its predecessor's${cut}`, ...lines].join("\n"),
    verdict: findings.length === 0 ? "sound" : "unsound",
  };
});
