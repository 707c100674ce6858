/** The file form of a validation policy (YAML or JSON), described by `docs/schemas/validation-policy.schema.json`. */
import { z } from "zod";
import { type Diagnostic, type DiagnosticPlace, type Result, type SourcePosition, failure, ok } from "../diagnostic.ts";
import type { ValidationPolicy } from "./policy.ts";

const texts = (description: string, text: z.ZodString = z.string().min(1)): z.ZodOptional<z.ZodArray<z.ZodString>> =>
  z.array(text).min(1).optional().describe(description);

const selector = {
  codes: texts("Codes of findings, such as must-false or mandatory-missing."),
  modules: texts("Modules whose nodes the findings are about."),
  schemaPaths: texts(
    "Schema nodes, and all below them: /module:name/name, a module only where it changes.",
    z.string().regex(/^\/[^/:]+:[^/:]+(\/([^/:]+:)?[^/:]+)*$/, "/module:name/name"),
  ),
  paths: texts(
    "Instance paths as findings show them, and all below them.",
    z.string().regex(/^\//, "/module:name/..."),
  ),
};

const policySchema = z
  .strictObject({
    kind: z.literal("validation-policy"),
    name: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,62}$/, "lower-case letters, digits and hyphens, at most 63, a letter first"),
    description: z.string().optional(),
    rules: z
      .array(
        z.strictObject({
          ...selector,
          severity: z.enum(["error", "warning", "ignore"]).describe("What the findings are."),
        }),
      )
      .default([])
      .describe(
        "The first rule that takes a finding decides. Without one a broken constraint is a warning, data that does not fit its schema an error.",
      ),
    exemptions: z
      .array(
        z
          .strictObject({ ...selector, reason: z.string().min(1).describe("Why they are accepted.") })
          .refine(
            ({ codes, modules, schemaPaths, paths }) => (codes ?? modules ?? schemaPaths ?? paths) !== undefined,
            "an exemption names codes, modules, schemaPaths or paths",
          ),
      )
      .default([])
      .describe("Findings that are known and accepted; they go before the rules."),
  })
  .describe("What findings of data validation mean: error, warning, or nothing.");

/** Field names and numbers from the top of the document. */
export type FieldPath = readonly (string | number)[];

export type PolicyDiagnosticCode = "policy-field";

/**
 * Reads a policy from plain data. Errors: `policy-field`, one for each field that is not as the JSON Schema says, with
 * its path and, where `positionOf` tells, its place in the text.
 */
export function parseValidationPolicy(
  document: unknown,
  positionOf: (path: FieldPath) => SourcePosition | undefined = () => undefined,
): Result<ValidationPolicy, Diagnostic<PolicyDiagnosticCode>> {
  const read = policySchema.safeParse(document);
  if (!read.success) {
    return failure(
      read.error.issues.map(({ path, message }) => {
        const field = path.filter((step) => typeof step !== "symbol");
        const position = positionOf(field);
        const places: DiagnosticPlace[] = [{ kind: "field", path: `/${field.join("/")}` }];
        if (position !== undefined) places.unshift({ kind: "source", position });
        return { code: "policy-field", severity: "error", message, places };
      }),
    );
  }
  const { name, rules, exemptions } = read.data;
  return ok({ name, rules: rules.map(given), exemptions: exemptions.map(given) }) as Result<
    ValidationPolicy,
    Diagnostic<PolicyDiagnosticCode>
  >;
}

/** JSON Schema (2020-12) of the file. */
export function validationPolicyJsonSchema(): unknown {
  return z.toJSONSchema(policySchema, { io: "input" });
}

/** The same without the parts that are absent. */
function given<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
