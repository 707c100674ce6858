/**
 * The YANG modules of a NETCONF server: which ones it implements (YANG library where it has one, else its hello), and
 * their texts by get-schema (RFC 6022), with everything they import or include.
 */
import { xmlElement } from "../../codec/xml/xml-element.ts";
import { parseYangModule } from "../../model/yang/compile-yang.ts";
import type { FetchedModule } from "../capability.ts";
import { isProviderError, ProviderError, ProviderErrorCode } from "../error.ts";
import {
  type FetchableSchema,
  type ModuleLibrary,
  readFetchableSchemas,
  readModuleLibrary,
} from "./client/module-list.ts";
import { monitoringNamespace, yangLibraryNamespace } from "./client/namespaces.ts";
import type { NetconfSession } from "./client/netconf-session.ts";
import { getSchema, getState } from "./client/operations.ts";

interface Wanted {
  readonly name: string;
  readonly revision: string | undefined;
  readonly role: FetchedModule["role"];
  readonly features: readonly string[];
}

/** Throws CapabilityMissing when the server cannot give its schemas; then `--yang DIR` names them. */
export async function fetchModules(session: NetconfSession): Promise<readonly FetchedModule[]> {
  const fetchable = await readSchemas(session);
  if (fetchable.length === 0) {
    throw new ProviderError({
      code: ProviderErrorCode.CapabilityMissing,
      message: `${session.target} lists no schemas (ietf-netconf-monitoring)`,
      remedy: "name a directory with its modules: device add .. --yang DIR",
    });
  }
  const wanted = wantedModules(session, await readLibrary(session), fetchable);
  const fetched = new Map<string, FetchedModule>();
  const queue = [...wanted];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { name, revision } = next;
    const key = `${name}@${revision ?? ""}`;
    const anyDoes = revision === undefined && [...fetched.values()].some((each) => each.name === name);
    if (fetched.has(key) || anyDoes) continue;
    const text = await textOf(session, next, fetchable);
    fetched.set(key, { ...next, text });
    for (const needed of neededBy(next.name, text)) {
      const known = wanted.some(
        (each) => each.name === needed.name && (needed.revision === undefined || each.revision === needed.revision),
      );
      if (!known) queue.push(needed);
    }
  }
  return [...fetched.values()].sort((a, b) => (a.name + (a.revision ?? "") < b.name + (b.revision ?? "") ? -1 : 1));
}

async function readSchemas(session: NetconfSession): Promise<readonly FetchableSchema[]> {
  const filter = xmlElement({
    namespace: monitoringNamespace,
    name: "netconf-state",
    children: [xmlElement({ namespace: monitoringNamespace, name: "schemas" })],
  });
  const { data } = await getState(session, { filter: [filter] });
  return readFetchableSchemas(data).filter((each) => each.format === "yang" || each.format === "");
}

async function readLibrary(session: NetconfSession): Promise<ModuleLibrary | undefined> {
  if (
    session.capabilities.yangLibrary === undefined &&
    !session.capabilities.modules.some((each) => each.namespace === yangLibraryNamespace)
  )
    return undefined;
  const filters = ["yang-library", "modules-state"].map((name) =>
    xmlElement({ namespace: yangLibraryNamespace, name }),
  );
  try {
    const { data } = await getState(session, { filter: filters });
    return readModuleLibrary(data);
  } catch (error) {
    // A server that announces a library and cannot show it still has its hello.
    if (isProviderError(error) && error.code === ProviderErrorCode.DeviceRejected) return undefined;
    throw error;
  }
}

function wantedModules(
  session: NetconfSession,
  library: ModuleLibrary | undefined,
  fetchable: readonly FetchableSchema[],
): readonly Wanted[] {
  if (library !== undefined && library.modules.length > 0) {
    return library.modules.flatMap((module) => [
      { name: module.name, revision: module.revision, role: module.conformance, features: module.features },
      ...module.submodules.map((submodule) => ({
        name: submodule.name,
        revision: submodule.revision,
        role: "submodule" as const,
        features: [],
      })),
    ]);
  }
  const announced = session.capabilities.modules.map((module) => ({
    name: module.name,
    revision: module.revision,
    role: "implement" as const,
    features: module.features,
  }));
  if (announced.length > 0) return announced;
  return fetchable.map((each) => ({
    name: each.identifier,
    revision: each.version === "" ? undefined : each.version,
    role: "implement" as const,
    features: [],
  }));
}

async function textOf(session: NetconfSession, wanted: Wanted, fetchable: readonly FetchableSchema[]): Promise<string> {
  const versions = fetchable.filter((each) => each.identifier === wanted.name).map((each) => each.version);
  const version = wanted.revision ?? [...versions].sort().at(-1);
  const text = await getSchema(session, {
    identifier: wanted.name,
    ...(version === undefined || version === "" ? {} : { version }),
  });
  if (text.trim() !== "") return text;
  throw new ProviderError({
    code: ProviderErrorCode.ProtocolError,
    message: `${session.target} answers get-schema for module ${wanted.name} with an empty text`,
    remedy: "name a directory with its modules (--yang DIR), or restart its NETCONF server",
  });
}

function neededBy(name: string, text: string): readonly Wanted[] {
  const parsed = parseYangModule({ name, text });
  if (parsed.kind === "error") return [];
  const { imports, includes } = parsed.value;
  return [
    ...imports.map((each) => ({
      name: each.name,
      revision: each.revision,
      role: "import" as const,
      features: [],
    })),
    ...includes.map((each) => ({
      name: each.name,
      revision: each.revision,
      role: "submodule" as const,
      features: [],
    })),
  ];
}
