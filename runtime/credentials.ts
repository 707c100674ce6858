/**
 * Credentials by reference: `env:PREFIX`, `file:PATH` or `command:PATH`. The worker resolves them at the moment of use;
 * they live in memory only and never enter a record, a payload, a log or an error.
 */
import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";

export interface ResolvedCredentials {
  readonly username: string;
  readonly proof:
    | { readonly kind: "password"; readonly password: string }
    | { readonly kind: "private-key"; readonly privateKey: string; readonly passphrase?: string };
}

export class CredentialsError extends Error {
  readonly reference: string;
  constructor(reference: string, message: string) {
    super(`credentials ${reference}: ${message}`);
    this.name = "CredentialsError";
    this.reference = reference;
  }
}

const COMMAND_TIMEOUT_MS = 10_000;

/**
 * - `env:PREFIX`: PREFIX_USERNAME and PREFIX_PASSWORD, or PREFIX_KEY (text) with optional PREFIX_PASSPHRASE.
 * - `file:PATH`: JSON with username and password, or key (text) or keyFile with optional passphrase; mode 0600.
 * - `command:PATH`: a program without arguments that prints the same JSON.
 * Throws CredentialsError, which names what is missing and nothing of what is there.
 */
export async function resolveCredentials(
  reference: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<ResolvedCredentials> {
  const [kind, rest] = splitOnce(reference);
  switch (kind) {
    case "env":
      if ((environment[`${rest}_USERNAME`] ?? "") === "") {
        throw new CredentialsError(
          reference,
          `no username: ${rest}_USERNAME is not set in the environment in which \`tenure up\` or the worker was started`,
        );
      }
      return fromRecord(reference, {
        username: environment[`${rest}_USERNAME`],
        password: environment[`${rest}_PASSWORD`],
        key: environment[`${rest}_KEY`],
        passphrase: environment[`${rest}_PASSPHRASE`],
      });
    case "file": {
      const { mode } = await stat(rest).catch(() => {
        throw new CredentialsError(reference, "the file is not there");
      });
      if ((mode & 0o077) !== 0) throw new CredentialsError(reference, "others may read the file; set its mode to 0600");
      return fromRecord(reference, parseJson(reference, await readFile(rest, "utf8")));
    }
    case "command": {
      const { stdout } = await promisify(execFile)(rest, [], { timeout: COMMAND_TIMEOUT_MS }).catch(() => {
        throw new CredentialsError(reference, "the command failed");
      });
      return fromRecord(reference, parseJson(reference, stdout));
    }
    default:
      throw new CredentialsError(reference, "expected env:PREFIX, file:PATH or command:PATH");
  }
}

function splitOnce(text: string): readonly [string, string] {
  const at = text.indexOf(":");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function parseJson(reference: string, text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // The parser's message would quote the text.
  }
  throw new CredentialsError(reference, "not a JSON object");
}

async function fromRecord(reference: string, record: Readonly<Record<string, unknown>>): Promise<ResolvedCredentials> {
  const { username, password, passphrase } = record;
  if (typeof username !== "string" || username === "") throw new CredentialsError(reference, "no username");
  const key = typeof record["key"] === "string" ? record["key"] : await keyFromFile(reference, record["keyFile"]);
  if (key !== undefined) {
    return {
      username,
      proof: { kind: "private-key", privateKey: key, ...(typeof passphrase === "string" ? { passphrase } : {}) },
    };
  }
  if (typeof password !== "string") throw new CredentialsError(reference, "neither a password nor a key");
  return { username, proof: { kind: "password", password } };
}

async function keyFromFile(reference: string, path: unknown): Promise<string | undefined> {
  if (typeof path !== "string") return undefined;
  return readFile(path, "utf8").catch(() => {
    throw new CredentialsError(reference, "the key file is not there");
  });
}
