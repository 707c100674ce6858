/** `tenure backup DIR` where nobody owns the data folder. */
import { programArguments, runMaintenance } from "./maintenance.ts";

const [folder] = programArguments();
if (folder === undefined) throw new Error("usage: write-backup DIR");
await runMaintenance(async (store) => {
  const { manifest, folder: written } = await store.backup(folder);
  const { time, records, revision, secretKeys, documents } = manifest;
  const keys =
    secretKeys.length === 0
      ? ""
      : `\nits secrets need the key ${secretKeys.join(", ")}, which is not in it: keep it elsewhere`;
  return {
    value: {
      folder: written,
      time,
      records,
      revision,
      secretKeys,
      documents: { count: documents.count, bytes: documents.bytes },
    },
    text: `${written} holds records ${records.first} to ${records.last}, up to revision ${revision}, and ${documents.count} documents${keys}`,
    verdict: "sound",
  };
});
