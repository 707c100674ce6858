/** `tenure restore DIR`: proves a backup, puts it into the data folder, builds the graph and verifies the whole. */
import { restoreBackup } from "../graph/backup/restore-backup.ts";
import { realFiles } from "../graph/files.ts";
import { defaultDataFolder } from "../runtime/paths.ts";
import { programArguments, runReported, withStore } from "./maintenance.ts";

const [from] = programArguments();
if (from === undefined) throw new Error("usage: restore-backup DIR");
await runReported(async () => {
  const dataFolder = defaultDataFolder();
  const manifest = await restoreBackup({ from, dataFolder, files: realFiles, clock: () => new Date() });
  const { records, secretKeys } = manifest;
  return withStore(async (store) => {
    const { findings } = await store.verify();
    const revision = await store.currentRevision();
    const lines = [`${dataFolder} holds records ${records.first} to ${records.last}, up to revision ${revision}`];
    if (secretKeys.length > 0) {
      lines.push(`its secrets need the key ${secretKeys.join(", ")}: put it into ${store.paths.secretKeys}`);
    }
    lines.push(...findings.map((finding) => `${finding.code} ${finding.place}`));
    if (findings.length === 0) lines.push(`next: TENURE_HOME=${dataFolder} tenure up`);
    return {
      value: { dataFolder, records, revision, secretKeys, findings },
      text: lines.join("\n"),
      verdict: findings.length === 0 ? "sound" : "unsound",
    };
  });
});
