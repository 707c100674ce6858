import { readFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { z } from "zod";
import { quirks } from "./datastores.ts";
import { faultListSchema } from "./fault-schema.ts";
import { type SimulatorOptions, SimulatorError } from "./simulator.ts";
import { reportModes, withDefaultsModes } from "./with-defaults.ts";

const offered = z.enum(["offered", "none"]).exactOptional();

const configSchema = z.strictObject({
  name: z.string().min(1),
  /** YANG files; like all files, relative to the configuration file. */
  modules: z.array(z.string()).min(1),
  users: z
    .array(
      z.strictObject({ name: z.string(), password: z.string().exactOptional(), publicKey: z.string().exactOptional() }),
    )
    .min(1),
  port: z.int().min(0).max(65_535).default(0),
  hostKeyFile: z.string().optional(),
  initialConfigFile: z.string().optional(),
  withDefaults: z.enum(withDefaultsModes).exactOptional(),
  offer: z
    .strictObject({
      bases: z
        .array(z.enum(["1.0", "1.1"]))
        .min(1)
        .exactOptional(),
      candidate: offered,
      writableRunning: offered,
      startup: offered,
      confirmedCommit: z.enum(["1.1", "1.0", "none"]).exactOptional(),
      validate: z.enum(["1.1", "1.0", "none"]).exactOptional(),
      rollbackOnError: offered,
      withDefaults: z
        .strictObject({
          basicMode: z.enum(withDefaultsModes),
          alsoSupported: z.array(z.enum(reportModes)),
          capability: z.enum(["offered", "none"]),
        })
        .exactOptional(),
      monitoring: offered,
      yangLibrary: offered,
    })
    .default({}),
  quirks: z.array(z.enum(quirks)).default([]),
  faults: faultListSchema.default([]),
  maxChunkBytes: z.int().positive().exactOptional(),
});

/**
 * Reads the configuration of a simulator process: JSON with the fields of `SimulatorOptions`, files in place of long texts (`modules`,
 * `hostKeyFile`, `initialConfigFile`). Throws a SimulatorError that names the file and every field that is wrong.
 */
export async function readSimulatorConfig(file: string): Promise<SimulatorOptions> {
  const parsed = configSchema.safeParse(parseJson(await readFile(file, "utf8"), file));
  if (!parsed.success) throw new SimulatorError(`${file}: ${z.prettifyError(parsed.error)}`);
  const { modules, hostKeyFile, initialConfigFile, ...rest } = parsed.data;
  const read = (name: string): Promise<string> => readFile(resolve(dirname(file), name), "utf8");
  return {
    ...rest,
    modules: await Promise.all(modules.map(async (name) => ({ name: basename(name), text: await read(name) }))),
    ...(hostKeyFile === undefined ? {} : { hostKey: await read(hostKeyFile) }),
    ...(initialConfigFile === undefined ? {} : { initialConfigXml: await read(initialConfigFile) }),
  };
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SimulatorError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
