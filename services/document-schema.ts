/**
 * The form of service documents, once for reading them and for the JSON Schemas that are published of them
 * (`docs/schemas/service-definition.schema.json`, `service-instance.schema.json`).
 */
import { z } from "zod";
import { SERVICE_LIMITS } from "./limits.ts";

/** Numbers come as bigint: YAML is read without losing digits. */
const integer = z.bigint();
const name = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,62}$/, "lower-case letters, digits and hyphens, at most 63, a letter first");
const version = z.union([z.string().min(1).max(40), integer.transform(String)]);
const description = z.string().optional().describe("For people.");
const scalar = z.union(
  [z.string(), integer, z.boolean()],
  "a text, an integer or a boolean (a secretRef is not resolved yet)",
);

/** A variable may not hide what every expression sees, nor begin as our own names do. */
export const LOOP = /^\s*((?!(?:params|device)\b|__)[A-Za-z_][A-Za-z0-9_]*)\s+in\s+(\S[\s\S]*)$/;
const loop = z.string().regex(LOOP, "NAME in EXPRESSION, another name than params and device");

const rule = z.strictObject({
  path: z
    .string()
    .min(1)
    .max(SERVICE_LIMITS.textLength)
    .describe("Instance path of the item; `${..}` in quoted key values only, `$$` is one dollar sign."),
  value: scalar
    .optional()
    .describe("What a leaf or an entry of a leaf-list is set to; `${..}` is an expression, `$$` one dollar sign."),
  relation: z.enum(["owns", "depends"]).default("owns").describe("Own the item, or only need it."),
  for: z
    .union(
      [loop, z.array(loop).min(1).max(SERVICE_LIMITS.loops)],
      `NAME in EXPRESSION, another name than params and device, or up to ${String(SERVICE_LIMITS.loops)} of them`,
    )
    .optional()
    .describe("Yield once for each item of a list; several lists go one in the other."),
  when: z.string().min(1).optional().describe("Yield only where this expression is true."),
  scope: z
    .enum(["node", "subtree"])
    .optional()
    .describe("Does an entry go with children that nobody owns? By default if the service made it (subtree)."),
  onRemove: z.enum(["delete", "keep"]).default("delete").describe("What becomes of the item when nobody needs it."),
});

export const definitionSchema = z
  .strictObject({
    kind: z.literal("definition"),
    name,
    version,
    description,
    parameters: z
      .record(z.string(), z.unknown())
      .default({ type: "object" })
      .describe(
        "JSON Schema (2020-12) of the parameters. With `properties` and without a word on others, there are no others.",
      ),
    rules: z.array(rule).min(1).max(SERVICE_LIMITS.rules).describe("What an instance yields on each of its targets."),
  })
  .describe("A service definition: rules that yield the items an instance owns and depends on.");

export const instanceSchema = z
  .strictObject({
    kind: z.literal("service"),
    name,
    definition: name.describe("Name of the definition."),
    version: version.optional().describe("The version of the definition; without it the newest there is."),
    description,
    parameters: z.record(z.string(), z.unknown()).default({}),
    targets: z
      .array(z.string().min(1))
      .min(1)
      .max(SERVICE_LIMITS.targets)
      .meta({ uniqueItems: true })
      .superRefine((targets, context) => {
        const seen = new Set<string>();
        for (const [index, target] of targets.entries()) {
          if (seen.has(target))
            context.addIssue({ code: "custom", path: [index], message: `${target} is a target twice` });
          seen.add(target);
        }
      })
      .describe("Names of the devices."),
  })
  .describe("A service instance: a definition, its parameters and the devices it is on.");

/** What a document holds besides its own fields: canonical JSON has no form for nothing and for fractions. */
function dataSchema(integers: object): object {
  return {
    description: "No null and no fractions: put a number with a fraction in quotes.",
    anyOf: [
      { type: "string", maxLength: SERVICE_LIMITS.textLength },
      { type: "boolean" },
      { type: "integer", ...integers },
      { type: "array", maxItems: SERVICE_LIMITS.listLength, items: { $ref: "#/$defs/data" } },
      { type: "object", additionalProperties: { $ref: "#/$defs/data" } },
    ],
  };
}

function published(schema: z.ZodType, integers: object): unknown {
  const json = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === "bigint") jsonSchema.type = "integer";
      if (zodSchema._zod.def.type === "unknown") jsonSchema.$ref = "#/$defs/data";
    },
  });
  return { ...json, $defs: { data: dataSchema(integers) } };
}

/** JSON Schemas (2020-12) of the two kinds of documents. */
export function serviceJsonSchemas(): { readonly definition: unknown; readonly instance: unknown } {
  const exact = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
  return { definition: published(definitionSchema, exact), instance: published(instanceSchema, {}) };
}
