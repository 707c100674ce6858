import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { packageRoot } from "../package-root.ts";
import { probeTemporal } from "./probe-temporal.ts";
import { TemporalServerError } from "./temporal-server-error.ts";

/**
 * Decides which Temporal server this machine uses: one that runs elsewhere, or a program that we start ourselves.
 * An explicit setting that does not work is an error, never a reason to look further: falling through would put
 * transactions into a server that nobody meant.
 */

/** Where the server is, and for a program which of the places it was found in. */
export type TemporalServer =
  | { readonly kind: "running"; readonly address: string }
  | { readonly kind: "program"; readonly path: string; readonly foundBy: ProgramSource };

export type ProgramSource = "setting" | "PATH" | "virtual environment";

export interface ResolveTemporalOptions {
  /** Default: this process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Folder whose `.venv` may hold the programs; default: Tenure's own. */
  readonly projectFolder?: string;
}

/**
 * Looks in this order: `TEMPORAL_ADDRESS` (HOST:PORT of a running server), `TEMPORAL_CLI` (path of the program),
 * `temporal` on PATH, the project's virtual environment.
 *
 * Rejects with a TemporalServerError: `address-unreachable`, `program-unusable`, or `program-missing` with all the ways
 * to get one.
 */
export async function resolveTemporal(options: ResolveTemporalOptions = {}): Promise<TemporalServer> {
  const env = options.env ?? process.env;
  const address = env.TEMPORAL_ADDRESS ?? "";
  if (address !== "") {
    try {
      await probeTemporal(address, { limitMs: 5000 });
    } catch (cause) {
      throw new TemporalServerError(
        "address-unreachable",
        `TEMPORAL_ADDRESS is ${address}, but no Temporal server answers there (${describe(cause)}). ` +
          "Start that server or correct the address; unset TEMPORAL_ADDRESS to use a local one.",
        { cause },
      );
    }
    return { kind: "running", address };
  }
  return { kind: "program", ...resolveTemporalProgram(options) };
}

/**
 * The `temporal` program alone, for whoever starts a server of their own whatever `TEMPORAL_ADDRESS` says.
 * Throws a TemporalServerError, `program-unusable` or `program-missing`.
 */
export function resolveTemporalProgram(options: ResolveTemporalOptions = {}): {
  readonly path: string;
  readonly foundBy: ProgramSource;
} {
  return resolveProgram("temporal", "TEMPORAL_CLI", options);
}

/** As `resolveTemporalProgram` for the time-skipping test server, whose setting is `TEMPORAL_TEST_SERVER`. */
export function resolveTestServerProgram(options: ResolveTemporalOptions = {}): { readonly path: string } {
  return resolveProgram("temporal-test-server", "TEMPORAL_TEST_SERVER", options);
}

function resolveProgram(
  name: string,
  setting: "TEMPORAL_CLI" | "TEMPORAL_TEST_SERVER",
  { env = process.env, projectFolder = packageRoot }: ResolveTemporalOptions,
): { readonly path: string; readonly foundBy: ProgramSource } {
  const configured = env[setting] ?? "";
  if (configured !== "") {
    if (!isExecutable(configured)) {
      throw new TemporalServerError(
        "program-unusable",
        `${setting} is ${configured}, which is not an executable file.`,
      );
    }
    return { path: configured, foundBy: "setting" };
  }
  for (const folder of (env.PATH ?? "").split(delimiter)) {
    if (folder !== "" && isExecutable(join(folder, name))) return { path: join(folder, name), foundBy: "PATH" };
  }
  const inVenv = join(projectFolder, ".venv", process.platform === "win32" ? "Scripts" : "bin", name);
  if (isExecutable(inVenv)) return { path: inVenv, foundBy: "virtual environment" };
  throw new TemporalServerError(
    "program-missing",
    `The program ${name} was not found. Any one of these helps: ` +
      (setting === "TEMPORAL_CLI" ? "set TEMPORAL_ADDRESS to HOST:PORT of a running Temporal server; " : "") +
      `set ${setting} to the path of the program; put ${name} on PATH; ` +
      "or, in a clone, run `npm run demo` or `npm test`, which install it into .venv with Python's pip.",
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function describe(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
