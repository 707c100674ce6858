import { plainData, positionAt, readYaml } from "../../../codec/yaml/read-yaml.ts";
import type { Diagnostic, SourcePosition } from "../../../model/diagnostic.ts";
import { parseValidationPolicy } from "../../../model/validation/policy-document.ts";
import type { ValidationPolicy } from "../../../model/validation/policy.ts";
import { CliError } from "../../cli-error.ts";
import { readTextFile } from "../../text-file.ts";

/** Reads a validation policy, YAML or JSON. Throws `invalid-policy` with the line of every field that is wrong. */
export async function readPolicyFile(path: string): Promise<ValidationPolicy> {
  const { name, text } = await readTextFile(path);
  const documents = readYaml(name, text);
  if (documents.kind === "error") throw invalidPolicy(name, documents.diagnostics);
  const [document, second] = documents.value;
  if (document === undefined || second !== undefined) throw invalidPolicy(name, [oneDocument(second?.position)]);
  const policy = parseValidationPolicy(plainData(document), (field) => positionAt(document, field));
  if (policy.kind === "error") throw invalidPolicy(name, policy.diagnostics);
  return policy.value;
}

function oneDocument(position: SourcePosition | undefined): Diagnostic {
  const places = position === undefined ? [] : [{ kind: "source", position } as const];
  return { code: "policy-field", severity: "error", message: "a policy file holds one document", places };
}

function invalidPolicy(name: string, diagnostics: readonly Diagnostic[]): CliError {
  return new CliError({ code: "invalid-policy", message: `${name} is no validation policy`, diagnostics });
}
