import { childElements, findChild, findChildren, textOf, type XmlElement } from "../../../codec/xml/xml-element.ts";
import { monitoringNamespace as monitoring, yangLibraryNamespace as library } from "./namespaces.ts";

/** A schema that get-schema can fetch (RFC 6022, 2.1.3). */
export interface FetchableSchema {
  readonly identifier: string;
  readonly version: string;
  /** Local name of the format identity, such as `yang` or `yin`. */
  readonly format: string;
  readonly namespace: string;
  readonly locations: readonly string[];
}

export interface LibrarySubmodule {
  readonly name: string;
  readonly revision?: string;
}

/** A module of a YANG library, of 2016 (RFC 7895) or 2019 (RFC 8525). */
export interface LibraryModule {
  readonly name: string;
  readonly revision?: string;
  readonly namespace: string;
  readonly conformance: "implement" | "import";
  readonly features: readonly string[];
  readonly deviations: readonly string[];
  readonly submodules: readonly LibrarySubmodule[];
}

export interface ModuleLibrary {
  readonly contentId?: string;
  readonly modules: readonly LibraryModule[];
}

/** The schemas below `netconf-state`, read out of the `data` element of a get; empty where the server shows none. */
export function readFetchableSchemas(data: XmlElement): readonly FetchableSchema[] {
  const state = findChild(data, monitoring, "netconf-state");
  const schemas = state && findChild(state, monitoring, "schemas");
  return (schemas ? findChildren(schemas, monitoring, "schema") : []).map((schema) => ({
    identifier: leaf(schema, monitoring, "identifier") ?? "",
    version: leaf(schema, monitoring, "version") ?? "",
    format: (leaf(schema, monitoring, "format") ?? "").replace(/^.*:/u, ""),
    namespace: leaf(schema, monitoring, "namespace") ?? "",
    locations: leafList(schema, monitoring, "location"),
  }));
}

/**
 * The module set out of the `data` element of a get: `yang-library` of 2019 where it is there, for the running
 * datastore's schema, else `modules-state` of 2016. Undefined: the data holds neither.
 */
export function readModuleLibrary(data: XmlElement): ModuleLibrary | undefined {
  const current = findChild(data, library, "yang-library");
  if (current !== undefined) {
    return read2019(current);
  }
  const older = findChild(data, library, "modules-state");
  return older === undefined ? undefined : read2016(older);
}

function read2016(state: XmlElement): ModuleLibrary {
  return {
    ...contentId(leaf(state, library, "module-set-id")),
    modules: findChildren(state, library, "module").map((element) => ({
      ...moduleOf(element, leaf(element, library, "conformance-type") === "import" ? "import" : "implement"),
      deviations: findChildren(element, library, "deviation").flatMap((entry) => leaf(entry, library, "name") ?? []),
    })),
  };
}

function read2019(root: XmlElement): ModuleLibrary {
  const wanted = moduleSetsOfRunning(root);
  const modules = findChildren(root, library, "module-set")
    .filter((set) => wanted === undefined || wanted.has(leaf(set, library, "name") ?? ""))
    .flatMap((set) => [
      ...findChildren(set, library, "module").map((element) => ({
        ...moduleOf(element, "implement"),
        deviations: leafList(element, library, "deviation"),
      })),
      ...findChildren(set, library, "import-only-module").map((element) => ({
        ...moduleOf(element, "import"),
        deviations: [],
      })),
    ]);
  return { ...contentId(leaf(root, library, "content-id")), modules };
}

/**
 * Names of the module sets that make up the schema of running; undefined where the server does not tie them to it.
 */
function moduleSetsOfRunning(root: XmlElement): ReadonlySet<string> | undefined {
  const running = findChildren(root, library, "datastore").find(
    (datastore) => (leaf(datastore, library, "name") ?? "").replace(/^.*:/u, "") === "running",
  );
  const schemaName = running && leaf(running, library, "schema");
  const schema = findChildren(root, library, "schema").find((entry) => leaf(entry, library, "name") === schemaName);
  return schema && new Set(leafList(schema, library, "module-set"));
}

function moduleOf(element: XmlElement, conformance: "implement" | "import"): Omit<LibraryModule, "deviations"> {
  return {
    name: leaf(element, library, "name") ?? "",
    ...revisionOf(element),
    namespace: leaf(element, library, "namespace") ?? "",
    conformance,
    features: leafList(element, library, "feature"),
    submodules: findChildren(element, library, "submodule").map((submodule) => ({
      name: leaf(submodule, library, "name") ?? "",
      ...revisionOf(submodule),
    })),
  };
}

function revisionOf(element: XmlElement): { readonly revision?: string } {
  const revision = leaf(element, library, "revision");
  return revision === undefined ? {} : { revision };
}

function contentId(value: string | undefined): { readonly contentId?: string } {
  return value === undefined ? {} : { contentId: value };
}

/**
 * These leafs are names, dates and URIs, where blanks around the value mean nothing. An empty one counts as absent.
 */
function leaf(parent: XmlElement, namespace: string, name: string): string | undefined {
  const child = findChild(parent, namespace, name);
  const text = child === undefined ? "" : textOf(child).trim();
  return text === "" ? undefined : text;
}

function leafList(parent: XmlElement, namespace: string, name: string): readonly string[] {
  return childElements(parent)
    .filter((child) => child.namespace === namespace && child.name === name)
    .map((child) => textOf(child).trim());
}
