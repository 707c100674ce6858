import { readValidationPolicy } from "../../../codec/yaml/read-policy.ts";
import type { ValidationPolicy } from "../../../model/validation/policy.ts";
import { CliError } from "../../cli-error.ts";
import { readTextFile } from "../../text-file.ts";

/** Reads a validation policy, YAML or JSON. Throws `invalid-policy` with the line of every field that is wrong. */
export async function readPolicyFile(path: string): Promise<ValidationPolicy> {
  const { name, text } = await readTextFile(path);
  const policy = readValidationPolicy(name, text);
  if (policy.kind === "ok") return policy.value;
  throw new CliError({
    code: "invalid-policy",
    message: `${name} is no validation policy`,
    diagnostics: policy.diagnostics,
  });
}
