/** What a worker process is told: by arguments first, then by environment, then by `config.yaml` of the data folder. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { readValidationPolicy } from "../codec/yaml/read-policy.ts";
import { formatDiagnostic } from "../model/diagnostic.ts";
import type { ValidationPolicy } from "../model/validation/policy.ts";
import { dataPaths } from "../runtime/paths.ts";

/** Every limit and time-out has a default here; an error about one names its setting. */
const fileSchema = z.strictObject({
  temporal: z.strictObject({ address: z.string().optional(), namespace: z.string().default("default") }).prefault({}),
  api: z.strictObject({ port: z.number().int().min(0).max(65_535).default(0) }).prefault({}),
  approval: z.strictObject({ author: z.enum(["may-approve", "may-not-approve"]).default("may-approve") }).prefault({}),
  transaction: z
    .strictObject({
      /** Seconds that a provisional commit stands on a device before the device takes it back. */
      confirmWindow: z.number().int().min(10).max(3600).default(600),
      /** Seconds kept back of it for confirming; default a fifth, at least 60, of small windows a fifth. */
      reserve: z.number().int().min(1).optional(),
    })
    .refine(({ confirmWindow, reserve }) => reserve === undefined || reserve < confirmWindow, {
      error: "must be less than confirmWindow, or nothing could ever be prepared in time",
      path: ["reserve"],
    })
    .prefault({}),
  validation: z
    .strictObject({
      /** A validation policy file, in the data folder where the path is relative. Without one, findings warn. */
      policy: z.string().min(1).optional(),
    })
    .prefault({}),
  locks: z.strictObject({ reapEvery: z.number().int().min(1).default(60) }).prefault({}),
});
export type TenureConfig = z.infer<typeof fileSchema>;

export class ConfigError extends Error {
  constructor(file: string, message: string) {
    super(`${file}: ${message}`);
    this.name = "ConfigError";
  }
}

/** A missing file means all defaults; an unknown setting is an error that names it. */
export async function readConfig(dataFolder: string): Promise<TenureConfig> {
  const file = dataPaths(dataFolder).configFile;
  const text = await readFile(file, "utf8").catch(() => "");
  const parsed = fileSchema.safeParse(text.trim() === "" ? {} : parse(text));
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    file,
    parsed.error.issues.map((issue) => [...issue.path.map(String), issue.message].join(": ")).join("; "),
  );
}

/**
 * The validation policy that `validation.policy` names. Throws `ConfigError` with file:line of everything that is wrong
 * with it, and where it cannot be read: a policy that silently were none would let pass what it forbids.
 */
export async function readConfiguredPolicy(
  dataFolder: string,
  { validation }: Pick<TenureConfig, "validation">,
): Promise<ValidationPolicy | undefined> {
  if (validation.policy === undefined) return undefined;
  const file = resolve(dataFolder, validation.policy);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(dataPaths(dataFolder).configFile, `validation: policy: it cannot be read: ${reason}`);
  }
  const policy = readValidationPolicy(file, text);
  if (policy.kind === "ok") return policy.value;
  throw new ConfigError(file, ["no validation policy", ...policy.diagnostics.map(formatDiagnostic)].join("\n"));
}

/** How long a provisional commit stands, and what is kept back of that for confirming, in milliseconds. */
export function timingOf(config: TenureConfig): { readonly confirmWindowMs: number; readonly reserveMs: number } {
  const window = config.transaction.confirmWindow;
  const reserve =
    config.transaction.reserve ??
    (window >= 300 ? Math.max(60, Math.floor(window / 5)) : Math.max(1, Math.floor(window / 5)));
  return { confirmWindowMs: window * 1000, reserveMs: reserve * 1000 };
}
