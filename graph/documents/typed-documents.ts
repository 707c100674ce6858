/**
 * Documents in their typed form: trees, module sets with their compiled schema, observations. Whoever plans and whoever
 * shows desired state reads them through here, so that one digest means one tree everywhere.
 */
import canonicalize from "canonicalize";
import { dataFromJson } from "../../codec/json/data-from-json.ts";
import { dataToJson } from "../../codec/json/data-to-json.ts";
import { formatJson } from "../../codec/json/json-value.ts";
import { parseJson } from "../../codec/json/parse-json.ts";
import type { ModuleSetDocument, ObservationDocument } from "../../contract/documents.ts";
import { type Result, formatDiagnostic } from "../../model/diagnostic.ts";
import type { Schema } from "../../model/schema.ts";
import type { DataTree } from "../../model/tree.ts";
import { compileYang } from "../../model/yang/compile-yang.ts";

/** Reads a document's text by digest. */
export type ReadDocument = (digest: string) => Promise<string>;

/** A document of ours that does not read back: damage or a bug, never a person's mistake. */
export class DocumentError extends Error {
  constructor(what: string, detail: string) {
    super(`${what}: ${detail}`);
    this.name = "DocumentError";
  }
}

export function canonicalText(value: object): string {
  const text = canonicalize(JSON.parse(JSON.stringify(value)));
  if (text === undefined) throw new DocumentError("document", "has no JSON form");
  return text;
}

/** The normalised content of a configuration: sorted, defaults left out, secrets sealed, origins that are not `set` told. */
export function contentText(tree: DataTree): string {
  return formatJson(
    must("content", dataToJson(tree, { dialect: "tenure", defaults: "omit", origins: "annotate", order: "canonical" })),
    {
      layout: "canonical",
    },
  );
}

export function treeOfContent(schema: Schema, text: string): DataTree {
  const json = must("content", parseJson(text, { source: "content" }));
  return must(
    "content",
    dataFromJson(schema, json, { dialect: "tenure", unknown: "error", nodes: "config", defaultsMode: "explicit" }),
  );
}

export async function readObservation(read: ReadDocument, digest: string): Promise<ObservationDocument> {
  return readFormat<ObservationDocument>(read, digest, "tenure-observation/1");
}

/** Reads one of our own JSON documents and checks its format word. */
export async function readFormat<T extends { readonly format: string }>(
  read: ReadDocument,
  digest: string,
  format: T["format"],
): Promise<T> {
  const value = JSON.parse(await read(digest)) as T;
  if (value.format !== format) throw new DocumentError(digest, `is ${value.format}, expected ${format}`);
  return value;
}

export function must<T>(what: string, result: Result<T>): T {
  if (result.kind === "ok") return result.value;
  throw new DocumentError(what, result.diagnostics.map(formatDiagnostic).join("; "));
}

/** Compiled schemas by module-set digest. A module set never changes, so an entry is good for the life of the process. */
export class SchemaCache {
  readonly #schemas = new Map<string, Promise<Schema>>();
  readonly #read: ReadDocument;

  constructor(read: ReadDocument) {
    this.#read = read;
  }

  get(moduleSet: string): Promise<Schema> {
    const known = this.#schemas.get(moduleSet);
    if (known !== undefined) return known;
    const loading = this.#load(moduleSet);
    this.#schemas.set(moduleSet, loading);
    loading.catch(() => this.#schemas.delete(moduleSet));
    return loading;
  }

  async #load(moduleSet: string): Promise<Schema> {
    const document = await readFormat<ModuleSetDocument>(this.#read, moduleSet, "tenure-module-set/1");
    const texts = await Promise.all(document.modules.map((module) => this.#read(module.text)));
    return must("module set", compileModuleSet(document, texts));
  }
}

/** Needs the texts in the order of the document's modules. */
export function compileModuleSet(
  document: ModuleSetDocument,
  texts: readonly string[],
): ReturnType<typeof compileYang> {
  const sources = document.modules.map((module, index) => ({
    name: module.revision === undefined ? module.name : `${module.name}@${module.revision}`,
    text: texts[index] ?? "",
  }));
  const implemented = document.modules.filter((module) => module.role === "implement");
  return compileYang(sources, {
    implement: implemented.map(({ name, revision }) => ({ name, revision })),
    features: new Map(implemented.map((module) => [module.name, new Set(module.features)])),
  });
}
