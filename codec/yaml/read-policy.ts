/** A validation policy from the text of its file, YAML or JSON. */
import { type Diagnostic, type Result, type SourcePosition, failure } from "../../model/diagnostic.ts";
import { type PolicyDiagnosticCode, parseValidationPolicy } from "../../model/validation/policy-document.ts";
import type { ValidationPolicy } from "../../model/validation/policy.ts";
import { plainData, positionAt, readYaml } from "./read-yaml.ts";

/** Errors: those of `readYaml`, and `policy-field` with the line of every field that is wrong. */
export function readValidationPolicy(name: string, text: string): Result<ValidationPolicy> {
  const documents = readYaml(name, text);
  if (documents.kind === "error") return documents;
  const [document, second] = documents.value;
  if (document === undefined || second !== undefined) return failure([oneDocument(second?.position)]);
  return parseValidationPolicy(plainData(document), (field) => positionAt(document, field));
}

function oneDocument(position: SourcePosition | undefined): Diagnostic<PolicyDiagnosticCode> {
  const places = position === undefined ? [] : [{ kind: "source", position } as const];
  return { code: "policy-field", severity: "error", message: "a policy file holds one document", places };
}
