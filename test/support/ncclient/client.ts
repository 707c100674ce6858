/**
 * A NETCONF client that Tenure does not contain: ncclient (Python) in a child process, one step at a time.
 * It shows how a server answers somebody else's encoding, framing and reading.
 */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Outcome, Request } from "./step.ts";

const SCRIPT = fileURLToPath(new URL("./run_edits.py", import.meta.url));
const PROJECT_PYTHON = fileURLToPath(new URL("../../../.venv/bin/python", import.meta.url));

export interface NetconfAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly privateKeyFile: string;
  /** The server's public key, base64; a server that shows another one is refused. */
  readonly hostKey: string;
}

export type NcclientAvailability =
  | { readonly kind: "available"; readonly python: string }
  | { readonly kind: "unavailable"; readonly reason: string };

/** Whether a Python with ncclient is at hand: that of the project's `.venv`, or the one TENURE_TEST_PYTHON names. */
export function ncclientAvailable(): NcclientAvailability {
  const python = process.env["TENURE_TEST_PYTHON"] ?? PROJECT_PYTHON;
  return existsSync(python)
    ? { kind: "available", python }
    : {
        kind: "unavailable",
        reason: `${python} does not exist; the set-up of \`npm test\` makes it, with ncclient in it`,
      };
}

/** Several sessions with one server. Steps run strictly one after the other. */
export class Ncclient {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #lines: AsyncIterator<string>;
  #errors = "";

  /** Needs `ncclientAvailable()`. No connection is made before the first step. */
  constructor(address: NetconfAddress) {
    const availability = ncclientAvailable();
    if (availability.kind === "unavailable") throw new Error(availability.reason);
    const { host, port, user, privateKeyFile, hostKey } = address;
    this.#child = spawn(availability.python, [SCRIPT, host, String(port), user, privateKeyFile, hostKey], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child.stderr.on("data", (bytes: Buffer) => (this.#errors += bytes.toString("utf8")));
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** The outcome of one request in the named session. Rejects only when the child process broke, not on a server's error. */
  async run(session: string, request: Request): Promise<Outcome> {
    this.#child.stdin.write(`${JSON.stringify({ session, ...request })}\n`);
    const line = await this.#lines.next();
    if (line.done === true) throw new Error(`ncclient ended: ${this.#errors}`);
    return JSON.parse(line.value) as Outcome;
  }

  /** Drops the sessions still open and ends the child process. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin.end();
    await exit;
  }
}
