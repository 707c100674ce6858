import { type XmlElement, xmlElement, xmlQNameElement, xmlTextElement } from "../codec/xml/xml-element.ts";
import type { DatastoreName, Datastores } from "./datastores.ts";
import type { ModuleLibrary, ModuleText } from "./module-library.ts";
import { monitoringNamespace, type SessionId, yangLibraryNamespace } from "./netconf-names.ts";
import type { DeviceOffer } from "./offer.ts";

export interface SessionInfo {
  readonly id: SessionId;
  readonly user: string;
  /** UTC, ISO 8601. */
  readonly since: string;
}

interface StateInput {
  readonly offer: DeviceOffer;
  readonly capabilities: readonly string[];
  readonly library: ModuleLibrary;
  readonly datastores: Datastores;
  readonly sessions: readonly SessionInfo[];
}

/** State that a `<get>` shows beside running: who is there, what is locked, and which modules the device has. */
export function deviceState(input: StateInput): readonly XmlElement[] {
  const state: XmlElement[] = [];
  if (input.offer.monitoring === "offered") state.push(netconfState(input));
  if (input.offer.yangLibrary === "offered") state.push(modulesState(input.library));
  return state;
}

/** RFC 6022, section 2.1. */
function netconfState({ offer, capabilities, library, datastores, sessions }: StateInput): XmlElement {
  const names = (["running", "candidate", "startup"] as const).filter(
    (name) => name === "running" || offer[name] === "offered",
  );
  return monitoring("netconf-state", [
    monitoring(
      "capabilities",
      capabilities.map((uri) => monitoringLeaf("capability", uri)),
    ),
    monitoring(
      "datastores",
      names.map((name) => datastore(name, datastores)),
    ),
    monitoring("schemas", library.texts.map(schemaEntry)),
    monitoring(
      "sessions",
      sessions.map(({ id, user, since }) =>
        monitoring("session", [
          monitoringLeaf("session-id", String(id)),
          xmlQNameElement(monitoringName("transport"), {
            prefix: "ncm",
            namespace: monitoringNamespace,
            name: "netconf-ssh",
          }),
          monitoringLeaf("username", user),
          monitoringLeaf("login-time", since),
        ]),
      ),
    ),
  ]);
}

function datastore(name: DatastoreName, { locks }: Datastores): XmlElement {
  const holder = locks.get(name);
  const lock =
    holder === undefined
      ? []
      : [monitoring("locks", [monitoring("global-lock", [monitoringLeaf("locked-by-session", String(holder))])])];
  return monitoring("datastore", [monitoringLeaf("name", name), ...lock]);
}

function schemaEntry({ name, revision, namespace }: ModuleText): XmlElement {
  return monitoring("schema", [
    monitoringLeaf("identifier", name),
    monitoringLeaf("version", revision ?? ""),
    monitoringLeaf("format", "yang"),
    monitoringLeaf("namespace", namespace),
    monitoringLeaf("location", "NETCONF"),
  ]);
}

/** RFC 7895, section 2.2. */
function modulesState({ modules, submodules, setId }: ModuleLibrary): XmlElement {
  return library("modules-state", [
    libraryLeaf("module-set-id", setId),
    ...modules.map((module) =>
      library("module", [
        libraryLeaf("name", module.name),
        libraryLeaf("revision", module.revision ?? ""),
        libraryLeaf("namespace", module.namespace),
        ...module.features.map((feature) => libraryLeaf("feature", feature)),
        ...module.deviatedBy.map((name) =>
          library("deviation", [
            libraryLeaf("name", name),
            libraryLeaf("revision", modules.find((each) => each.name === name)?.revision ?? ""),
          ]),
        ),
        libraryLeaf("conformance-type", module.importOnly ? "import" : "implement"),
        ...(submodules.get(module.name) ?? []).map((submodule) =>
          library("submodule", [
            libraryLeaf("name", submodule.name),
            libraryLeaf("revision", submodule.revision ?? ""),
          ]),
        ),
      ]),
    ),
  ]);
}

function monitoringName(name: string): { readonly namespace: string; readonly name: string } {
  return { namespace: monitoringNamespace, name };
}

function monitoring(name: string, children: readonly XmlElement[]): XmlElement {
  return xmlElement({ ...monitoringName(name), children });
}

function monitoringLeaf(name: string, text: string): XmlElement {
  return xmlTextElement(monitoringName(name), text);
}

function library(name: string, children: readonly XmlElement[]): XmlElement {
  return xmlElement({ namespace: yangLibraryNamespace, name, children });
}

function libraryLeaf(name: string, text: string): XmlElement {
  return xmlTextElement({ namespace: yangLibraryNamespace, name }, text);
}
