// Starts netconfd behind sshd on a loopback port, prints one JSON line that says how to reach it, and ends it on Ctrl-C.
// Usage: node scripts/start-netconfd.mjs [--target=running] [--defaults=trim|report-all] [--module=NAME ...]
import { once } from "node:events";
import { parseArgs } from "node:util";
import { tsImport } from "tsx/esm/api";

const { values } = parseArgs({
  options: {
    target: { type: "string" },
    defaults: { type: "string" },
    module: { type: "string", multiple: true },
  },
});

// Listened to before the server starts, so that a signal during the start ends it as well.
const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
const { startNetconfd } = await tsImport("../test/support/netconfd.ts", import.meta.url);
const peer = await startNetconfd({
  ...(values.target === undefined ? {} : { target: values.target }),
  ...(values.defaults === undefined ? {} : { defaults: values.defaults }),
  ...(values.module === undefined ? {} : { modules: values.module }),
});

const { host, port, user, privateKeyFile, hostKeyFingerprint } = peer;
process.stdout.write(`${JSON.stringify({ host, port, user, privateKeyFile, hostKeyFingerprint })}\n`);
await stopped;
await peer.stop();
