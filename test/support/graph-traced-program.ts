/** One write of each kind, each acknowledged on standard output; run under a tracer of system calls. */
import { writeSync } from "node:fs";
import { openStore } from "../../graph/store.ts";
import { openSecretBox } from "../../runtime/secrets.ts";
import { commit, deviceRecord, importBody } from "./graph-bodies.ts";

const folder = process.argv[2];
if (folder === undefined) throw new Error("usage: FOLDER");

async function step(name: string, work: () => Promise<unknown>): Promise<void> {
  writeSync(1, `begin ${name}\n`);
  await work();
  writeSync(1, `done ${name}\n`);
}

writeSync(1, "begin open\n");
// So small that every write is followed by a checkpoint, and each record starts a segment.
const store = await openStore({ dataFolder: folder, checkpointBytes: 1, segmentBytes: 1 });
writeSync(1, "done open\n");
await step("device", () => store.putDevice({ device: deviceRecord("d1"), actor: "t", key: "add" }));
await step("commit", () => store.commitRevision(commit(importBody("d1", { eth0: "1500", eth1: "9000" }), "first")));
await step("document", () => store.documents.put("a document"));
await step("lock", () =>
  store.locks.request({ request: "r1", keys: ["device/d1"], workflowId: "w", transaction: undefined }),
);
await step("secret key", () => openSecretBox(store.paths.secretKeys));
await step("ciphertext", () =>
  store.sealedDocuments.put({ kind: "sealed", type: "string", keyId: "k", hmac: "0".repeat(64) }, Buffer.from("c")),
);
await step("rebuild", () => store.rebuild());
await step("backup", () => store.backup(`${folder}-backup`));
await step("prune", () => store.prune({ before: new Date(Date.now() + 1000), actor: "t", key: "prune" }));
await store.close();
