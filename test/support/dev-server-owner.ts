import { startDevServer } from "../../runtime/temporal/dev-server.ts";

/**
 * A program that starts a dev server, prints the server's process id and then waits to be killed:
 * `node --import tsx dev-server-owner.ts PROGRAM [DATA-FILE]`.
 */
const [, , program, path] = process.argv;
if (program === undefined) throw new Error("usage: dev-server-owner.ts PROGRAM [DATA-FILE]");
const server = await startDevServer({
  program,
  storage: path === undefined ? { kind: "memory" } : { kind: "file", path },
});
process.stdout.write(`${server.pid}\n`);
