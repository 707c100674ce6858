/** Operations as plan documents hold them and as `tenure compare --as ops` prints them, and back. */
import { type Diagnostic, type Result, failure, ok } from "../model/diagnostic.ts";
import { type InstancePath, formatInstancePath } from "../model/path.ts";
import { parseInstancePath } from "../model/paths/parse-path.ts";
import type { Schema } from "../model/schema.ts";
import type { DataNode } from "../model/tree.ts";
import { nodeFromJson, nodeToJson, valueToJson } from "./node-json.ts";
import type { ImpactClass, ImpliedDelete, Insert, Operation, OperationCause } from "./operation.ts";
import type { PlainJson, PlainJsonObject } from "./plain-json.ts";

export type InsertJson =
  | { readonly where: "first" }
  | { readonly where: "last" }
  /** The path of the entry to stand next to. */
  | { readonly where: "before"; readonly anchor: string }
  | { readonly where: "after"; readonly anchor: string };

/**
 * What the command line prints, one object a line. `before` and `after` hold RFC 7951 values: a leaf's value, an entry with its keys and all
 * below it, a secret as `{"keyId","hmac"}`. `default` is the value in use while the leaf is absent: before a create, after a delete.
 * `implied` are nodes of another case that go by themselves.
 */
export interface OperationLine {
  readonly op: "create" | "replace" | "delete" | "move";
  readonly path: string;
  readonly before?: PlainJson;
  readonly after?: PlainJson;
  readonly insert?: InsertJson;
  readonly default?: PlainJson;
  readonly implied?: readonly { readonly path: string; readonly before: PlainJson }[];
}

/** The form in plan sections: the line with its causes and class. */
export interface OperationDocument extends OperationLine {
  readonly causes: readonly OperationCause[];
  readonly impact: ImpactClass;
}

export function operationToLine(operation: Operation): OperationLine {
  const path = formatInstancePath(operation.path);
  switch (operation.op) {
    case "create":
      return {
        op: "create",
        path,
        after: nodeToJson(operation.after),
        ...(operation.insert === undefined ? {} : { insert: insertToJson(operation.insert) }),
        ...(operation.defaultBefore === undefined ? {} : { default: valueToJson(operation.defaultBefore) }),
        ...(operation.implied.length === 0 ? {} : { implied: operation.implied.map(impliedToJson) }),
      };
    case "replace":
      return { op: "replace", path, before: nodeToJson(operation.before), after: nodeToJson(operation.after) };
    case "delete":
      return {
        op: "delete",
        path,
        before: nodeToJson(operation.before),
        ...(operation.defaultAfter === undefined ? {} : { default: valueToJson(operation.defaultAfter) }),
      };
    case "move":
      return { op: "move", path, insert: insertToJson(operation.insert) };
  }
}

export function operationToDocument(operation: Operation): OperationDocument {
  return { ...operationToLine(operation), causes: operation.causes, impact: operation.impact };
}

/**
 * The operation of a document, typed against the schema that the section names by its module set. Exact but for the origin of leafs in
 * before-images, which reads as `set`. Errors carry instance paths: `operation-path` where the schema lacks the path, those of the JSON codec
 * for values, `operation-form` where members are missing.
 */
export function operationFromDocument(schema: Schema, document: OperationDocument): Result<Operation> {
  const problems: Diagnostic[] = [];
  const path = readPath(schema, document.path, problems);
  if (path === undefined) return failure(problems);
  const node = (json: PlainJson | undefined, at: InstancePath): DataNode | undefined => {
    if (json === undefined) return undefined;
    const read = nodeFromJson(schema, at, json);
    if (read.kind === "ok") return read.value;
    problems.push(...read.diagnostics);
    return undefined;
  };
  const insert = document.insert === undefined ? undefined : insertFromJson(schema, document.insert, problems);
  const before = node(document.before, path);
  const after = node(document.after, path);
  const leaf = node(document.default, path);
  const inUse = leaf?.kind === "leaf" ? leaf.value : undefined;
  const implied: ImpliedDelete[] = [];
  for (const each of document.implied ?? []) {
    const at = readPath(schema, each.path, problems);
    const gone = at === undefined ? undefined : node(each.before, at);
    if (at !== undefined && gone !== undefined) implied.push({ path: at, before: gone });
  }
  if (problems.length > 0) return failure(problems);
  const base = { path, causes: document.causes, impact: document.impact };
  switch (document.op) {
    case "create":
      if (after === undefined) break;
      return ok({
        op: "create",
        ...base,
        after,
        implied,
        ...(insert === undefined ? {} : { insert }),
        ...(inUse === undefined ? {} : { defaultBefore: inUse }),
      });
    case "replace":
      if (
        (before?.kind !== "leaf" && before?.kind !== "anydata") ||
        (after?.kind !== "leaf" && after?.kind !== "anydata")
      )
        break;
      return ok({ op: "replace", ...base, before, after });
    case "delete":
      if (before === undefined) break;
      return ok({ op: "delete", ...base, before, ...(inUse === undefined ? {} : { defaultAfter: inUse }) });
    case "move":
      if (insert === undefined) break;
      return ok({ op: "move", ...base, insert });
  }
  return failure([problem("operation-form", document.path, `the ${document.op} lacks what it needs`)]);
}

/** All operations of a section, or every problem with them. */
export function operationsFromDocuments(
  schema: Schema,
  documents: readonly OperationDocument[],
): Result<readonly Operation[]> {
  const operations: Operation[] = [];
  const problems: Diagnostic[] = [];
  for (const document of documents) {
    const read = operationFromDocument(schema, document);
    if (read.kind === "ok") operations.push(read.value);
    else problems.push(...read.diagnostics);
  }
  return problems.length > 0 ? failure(problems) : ok(operations);
}

function insertToJson(insert: Insert): InsertJson {
  switch (insert.where) {
    case "first":
    case "last":
      return { where: insert.where };
    case "before":
    case "after":
      return { where: insert.where, anchor: formatInstancePath(insert.anchor) };
  }
}

function insertFromJson(schema: Schema, json: InsertJson, problems: Diagnostic[]): Insert | undefined {
  if (json.where === "first" || json.where === "last") return { where: json.where };
  const anchor = readPath(schema, json.anchor, problems);
  return anchor === undefined ? undefined : { where: json.where, anchor };
}

function impliedToJson(gone: ImpliedDelete): PlainJsonObject & { readonly path: string; readonly before: PlainJson } {
  return { path: formatInstancePath(gone.path), before: nodeToJson(gone.before) };
}

function readPath(schema: Schema, text: string, problems: Diagnostic[]): InstancePath | undefined {
  const parsed = parseInstancePath(schema, text);
  if (parsed.kind === "ok" && parsed.value.path.length > 0) return parsed.value.path;
  const detail =
    parsed.kind === "error"
      ? parsed.diagnostics.map(({ message }) => message).join("; ")
      : "an operation is about a node";
  problems.push(problem("operation-path", text, detail));
  return undefined;
}

function problem(code: "operation-path" | "operation-form", path: string, message: string): Diagnostic {
  return { code, severity: "error", message, places: [{ kind: "instance", path }] };
}
