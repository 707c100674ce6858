import { createHash } from "node:crypto";
import type { SchemaModule } from "../model/schema.ts";
import type { YangModule } from "../model/yang/compile-yang.ts";
import { type RpcError, protocolError } from "./rpc-error.ts";

/** A module or submodule text that can be fetched by name and revision (RFC 6022, section 3.1). */
export interface ModuleText {
  readonly name: string;
  readonly revision: string | undefined;
  readonly namespace: string;
  readonly text: string;
}

/** What the device was started with, as it announces it. */
export interface ModuleLibrary {
  readonly modules: readonly SchemaModule[];
  readonly texts: readonly ModuleText[];
  /** By main module: the submodules that belong to it. */
  readonly submodules: ReadonlyMap<string, readonly ModuleText[]>;
  /** The same exactly for equal module sets (RFC 7895, `module-set-id`). */
  readonly setId: string;
}

/** Needs parsed modules that were compiled to the given schema modules. */
export function moduleLibrary(parsed: readonly YangModule[], modules: readonly SchemaModule[]): ModuleLibrary {
  const namespaces = new Map(modules.map((module) => [module.name, module.namespace]));
  const submodules = new Map<string, ModuleText[]>();
  const texts = parsed.map((module): ModuleText => {
    const namespace = namespaces.get(module.belongsTo ?? module.name) ?? "";
    const text = { name: module.name, revision: module.revision, namespace, text: module.source.text };
    if (module.belongsTo !== undefined) {
      submodules.set(module.belongsTo, [...(submodules.get(module.belongsTo) ?? []), text]);
    }
    return text;
  });
  const identity = modules.map(({ name, revision, features, deviatedBy }) => [
    name,
    revision ?? "",
    [...features].sort(),
    [...deviatedBy].sort(),
  ]);
  const sorted = identity.map((each) => JSON.stringify(each)).sort();
  return {
    modules,
    texts,
    submodules,
    setId: createHash("sha256").update(sorted.join("\n")).digest("hex").slice(0, 32),
  };
}

export type FoundText =
  | { readonly kind: "ok"; readonly text: string }
  | { readonly kind: "error"; readonly error: RpcError };

/** The text for a get-schema; without a version the one there is, and an error where there are several (RFC 6022, section 3.1). */
export function findModuleText(library: ModuleLibrary, identifier: string, version: string | undefined): FoundText {
  const wanted = version === undefined || version === "" ? undefined : version;
  const found = library.texts.filter(
    (each) => each.name === identifier && (wanted === undefined || each.revision === wanted),
  );
  const [first, second] = found;
  if (first === undefined) {
    return {
      kind: "error",
      error: protocolError(
        "invalid-value",
        `there is no schema ${identifier}${wanted === undefined ? "" : ` of ${wanted}`}`,
      ),
    };
  }
  if (second !== undefined) {
    const message = `there are several schemas ${identifier}`;
    return { kind: "error", error: protocolError("operation-failed", message, { appTag: "data-not-unique" }) };
  }
  return { kind: "ok", text: first.text };
}
