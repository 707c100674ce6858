/** The published JSON Schemas of service documents and their reader say the same of every document. */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonData, readYaml } from "../../codec/yaml/read-yaml.ts";
import { serviceJsonSchemas } from "../../services/document-schema.ts";
import { readServiceDocuments } from "../../services/documents.ts";
import { valueOf } from "../support/results.ts";

const root = new URL("../../", import.meta.url);
const schemaFile = (kind: string): URL => new URL(`docs/schemas/service-${kind}.schema.json`, root);
if (process.env["UPDATE_GOLDEN"] === "1")
  for (const [kind, schema] of Object.entries(serviceJsonSchemas()))
    writeFileSync(schemaFile(kind), `${JSON.stringify(schema, null, 2)}\n`);
const published = (kind: "definition" | "instance"): ValidateFunction =>
  new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
    JSON.parse(readFileSync(schemaFile(kind), "utf8")) as object,
  );

test("they are the ones of the code", () => {
  for (const [kind, schema] of Object.entries(serviceJsonSchemas())) {
    expect(JSON.parse(readFileSync(schemaFile(kind), "utf8"))).toEqual(JSON.parse(JSON.stringify(schema)));
  }
});

test("the examples keep them", () => {
  const of = { definition: published("definition"), service: published("instance") };
  const kinds: string[] = [];
  for (const name of readdirSync(new URL("examples/services/", root))) {
    for (const value of valueOf(readYaml(name, readFileSync(new URL(`examples/services/${name}`, root), "utf8")))) {
      const data = jsonData(value) as { readonly kind: "definition" | "service" };
      kinds.push(data.kind);
      expect([name, of[data.kind](data), of[data.kind].errors]).toEqual([name, true, null]);
    }
  }
  expect(new Set(kinds)).toEqual(new Set(["definition", "service"]));
});

type Json = null | string | number | boolean | readonly Json[] | { readonly [name: string]: Json };
type Fields = Readonly<Record<string, Json>>;

const definition: Fields = {
  kind: "definition",
  name: "d",
  version: "1",
  description: "words",
  parameters: { type: "object", properties: { n: { type: "integer", default: 7 } } },
  rules: [
    { path: "/a:b", value: 7, relation: "owns", for: "x in params.n", when: "true", scope: "node", onRemove: "keep" },
    { path: "/a:c", for: ["x in params.n", "y in x"] },
  ],
};
const instance: Fields = {
  kind: "service",
  name: "s",
  definition: "d",
  version: 2,
  parameters: { deep: [{ a: "b", flag: true }, -7] },
  targets: ["r1", "r2"],
};

/** Both verdicts on one document, as JSON text. */
function verdicts(document: Json): { readonly reader: boolean; readonly schema: boolean } {
  const kind = (document as Fields)["kind"] === "definition" ? "definition" : "instance";
  const validate = kind === "definition" ? definitionSchema : instanceSchema;
  return {
    reader: readServiceDocuments("t.json", JSON.stringify(document)).kind === "ok",
    schema: validate(document),
  };
}
const definitionSchema = published("definition");
const instanceSchema = published("instance");

const without = (document: Fields, field: string): Fields =>
  Object.fromEntries(Object.entries(document).filter(([name]) => name !== field));
const withRule = (rule: Json): Fields => ({ ...definition, rules: [rule] });

describe("a table of documents", () => {
  const good: readonly (readonly [string, Json])[] = [
    ["a definition", definition],
    ["an instance", instance],
    ["a version that is a number", { ...definition, version: 3 }],
    ["no parameters", without(definition, "parameters")],
    ["an instance without version", without(instance, "version")],
    ["the smallest rule", withRule({ path: "/a:b" })],
    ["a boolean value", withRule({ path: "/a:b", value: false })],
    ["the empty text", withRule({ path: "/a:b", value: "" })],
  ];
  const bad: readonly (readonly [string, Json])[] = [
    ...Object.keys(definition)
      .filter((field) => !["kind", "description", "parameters"].includes(field))
      .map((field) => [`a definition without ${field}`, without(definition, field)] as const),
    ...["name", "definition", "targets"].map(
      (field) => [`an instance without ${field}`, without(instance, field)] as const,
    ),
    ["an unknown field", { ...definition, owner: "me" }],
    ["an unknown field of a rule", withRule({ path: "/a:b", valeu: 1 })],
    ["no rules", { ...definition, rules: [] }],
    ["upper case", { ...instance, name: "S" }],
    ["no targets", { ...instance, targets: [] }],
    ["a target twice", { ...instance, targets: ["r1", "r1"] }],
    ["null", { ...instance, parameters: { a: null } }],
    ["a fraction", { ...instance, parameters: { a: [0.5] } }],
    ["a list of parameters", { ...instance, parameters: ["a"] }],
    ["a secret reference", withRule({ path: "/a:b", value: { secretRef: "env:X" } })],
    ["an unknown relation", withRule({ path: "/a:b", relation: "own" })],
    ["a variable that hides params", withRule({ path: "/a:b", for: "params in params.n" })],
    ["a variable of ours", withRule({ path: "/a:b", for: "__x in params.n" })],
    ["no `in`", withRule({ path: "/a:b", for: "x" })],
    ["no loops", withRule({ path: "/a:b", for: [] })],
    ["five loops", withRule({ path: "/a:b", for: ["a in x", "b in x", "c in x", "d in x", "e in x"] })],
    ["a bound that a JSON Schema cannot hold", { ...definition, parameters: { maximum: 2 ** 60 } }],
  ];

  test.each(good)("both take %s", (_, document) => {
    expect(verdicts(document)).toEqual({ reader: true, schema: true });
  });
  test.each(bad)("both refuse %s", (_, document) => {
    expect(verdicts(document)).toEqual({ reader: false, schema: false });
  });
});

test("and of documents in which anything was changed", () => {
  // The reader sees how a number is spelled, and refuses exponents; a schema sees what it is.
  const json = fc.jsonValue({ maxDepth: 2 }).filter((value) => !/\de[+-]?\d/.test(JSON.stringify(value)));
  const anything = fc.oneof(
    json.map((value) => value as Json),
    fc.constantFrom<Json>("r1", "x in y", "owns", 0, 1.5, null, [], {}, "kind", "definition", true),
  );
  const change = fc.record({
    place: fc.nat({ max: 40 }),
    value: anything,
    mode: fc.constantFrom("put", "drop", "add"),
  });
  const documents = fc.tuple(fc.constantFrom(definition, instance), fc.array(change, { minLength: 1, maxLength: 3 }));
  const counts = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(documents, ([start, changes]) => {
      const document = changes.reduce<Json>(
        (whole, { place, value, mode }) => changed(whole, place, mode, value),
        start,
      );
      fc.pre(kindIsKept(document));
      const { reader, schema } = verdicts(document);
      counts[reader ? "taken" : "refused"] += 1;
      expect([reader, JSON.stringify(document)]).toEqual([schema, JSON.stringify(document)]);
    }),
    { numRuns: 2_000 },
  );
  // A law about refusals alone would say nothing.
  expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(100);
});

/** The reader goes by `kind` before anything else. */
function kindIsKept(document: Json): boolean {
  return (
    typeof document === "object" &&
    document !== null &&
    !Array.isArray(document) &&
    ["definition", "service"].includes((document as Fields)["kind"] as string)
  );
}

/** The document with the value at one of its places changed, places counted as they stand in the text. */
function changed(document: Json, place: number, mode: string, value: Json): Json {
  let left = place;
  const walk = (here: Json): Json => {
    if (typeof here !== "object" || here === null) return here;
    const list = Array.isArray(here);
    const entries: [string, Json][] = [];
    for (const [name, each] of Object.entries(here as Fields)) {
      left -= 1;
      if (left === 0 && mode === "put") entries.push([name, value]);
      else if (left === 0 && mode === "add") entries.push([name, each], [list ? `${name}.5` : "added", value]);
      else if (left !== 0) entries.push([name, walk(each)]);
    }
    return list ? entries.map(([, each]) => each) : Object.fromEntries(entries);
  };
  return walk(document);
}
