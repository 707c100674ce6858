import { base10Capability, base11Capability } from "./namespaces.ts";

/** with-defaults modes of RFC 6243, section 3. */
export const WithDefaultsMode = {
  ReportAll: "report-all",
  ReportAllTagged: "report-all-tagged",
  Trim: "trim",
  Explicit: "explicit",
} as const;
export type WithDefaultsMode = (typeof WithDefaultsMode)[keyof typeof WithDefaultsMode];

/** A module as a hello announces it (RFC 6020, 5.6.4; RFC 7950, 5.6.4). */
export interface ModuleCapability {
  readonly namespace: string;
  readonly name: string;
  readonly revision?: string;
  readonly features: readonly string[];
  /** Names of the modules that deviate this one. */
  readonly deviations: readonly string[];
}

/** What a peer's hello says, in the words of RFC 6241 section 8 and its companions. */
export interface NetconfCapabilities {
  /** As received, trimmed, in order. */
  readonly uris: readonly string[];
  readonly bases: readonly ("1.0" | "1.1")[];
  readonly candidate: boolean;
  readonly writableRunning: boolean;
  readonly startup: boolean;
  readonly rollbackOnError: boolean;
  readonly xpath: boolean;
  readonly validate?: "1.0" | "1.1";
  readonly confirmedCommit?: "1.0" | "1.1";
  readonly withDefaults?: { readonly basicMode: string; readonly alsoSupported: readonly string[] };
  /** RFC 7950, 5.6.4 (`module-set-id`) or RFC 8526 (`content-id`): changes whenever the module set does. */
  readonly yangLibrary?: { readonly version: "1.0" | "1.1"; readonly revision?: string; readonly contentId?: string };
  readonly modules: readonly ModuleCapability[];
}

const capabilityPrefix = "urn:ietf:params:netconf:capability:";

/**
 * Reads capability URIs; unknown ones are kept in `uris` and otherwise ignored (RFC 6241, 8.1). The higher of two
 * versions counts.
 */
export function parseCapabilities(received: readonly string[]): NetconfCapabilities {
  const uris = received.map((uri) => uri.trim());
  const parsed = uris.map(splitCapability);
  const standard = new Map<string, URLSearchParams>();
  const modules: ModuleCapability[] = [];
  for (const { base, query } of parsed) {
    if (base.startsWith(capabilityPrefix)) {
      standard.set(base.slice(capabilityPrefix.length), query);
    } else {
      const name = query.get("module");
      if (name !== null && name !== "") {
        modules.push(moduleCapability(base, name, query));
      }
    }
  }
  const version = (name: string): "1.0" | "1.1" | undefined => {
    if (standard.has(`${name}:1.1`)) {
      return "1.1";
    }
    return standard.has(`${name}:1.0`) ? "1.0" : undefined;
  };
  const validate = version("validate");
  const confirmedCommit = version("confirmed-commit");
  const withDefaults = standard.get("with-defaults:1.0");
  const basicMode = withDefaults?.get("basic-mode");
  const libraryVersion = version("yang-library");
  const bases = new Set(parsed.map(({ base }) => base));
  return {
    uris,
    bases: [
      ...(bases.has(base10Capability) ? ["1.0" as const] : []),
      ...(bases.has(base11Capability) ? ["1.1" as const] : []),
    ],
    candidate: standard.has("candidate:1.0"),
    writableRunning: standard.has("writable-running:1.0"),
    startup: standard.has("startup:1.0"),
    rollbackOnError: standard.has("rollback-on-error:1.0"),
    xpath: standard.has("xpath:1.0"),
    ...(validate === undefined ? {} : { validate }),
    ...(confirmedCommit === undefined ? {} : { confirmedCommit }),
    ...(basicMode === undefined || basicMode === null
      ? {}
      : { withDefaults: { basicMode, alsoSupported: listOf(withDefaults?.get("also-supported")) } }),
    ...(libraryVersion === undefined ? {} : { yangLibrary: yangLibrary(libraryVersion, standard) }),
    modules,
  };
}

/** Whether the server accepts this mode in a request: its basic mode or one that it also supports (RFC 6243, 4.3). */
export function supportsWithDefaults(capabilities: NetconfCapabilities, mode: WithDefaultsMode): boolean {
  const { withDefaults } = capabilities;
  return withDefaults !== undefined && (withDefaults.basicMode === mode || withDefaults.alsoSupported.includes(mode));
}

function splitCapability(uri: string): { readonly base: string; readonly query: URLSearchParams } {
  const at = uri.indexOf("?");
  if (at < 0) {
    return { base: uri, query: new URLSearchParams() };
  }
  // In a URI's query "+" is itself; only HTML forms read it as a blank.
  return { base: uri.slice(0, at), query: new URLSearchParams(uri.slice(at + 1).replaceAll("+", "%2B")) };
}

function moduleCapability(namespace: string, name: string, query: URLSearchParams): ModuleCapability {
  const revision = query.get("revision");
  return {
    namespace,
    name,
    ...(revision === null || revision === "" ? {} : { revision }),
    features: listOf(query.get("features")),
    deviations: listOf(query.get("deviations")),
  };
}

function yangLibrary(
  version: "1.0" | "1.1",
  standard: ReadonlyMap<string, URLSearchParams>,
): NonNullable<NetconfCapabilities["yangLibrary"]> {
  const query = standard.get(`yang-library:${version}`);
  const revision = query?.get("revision") ?? "";
  const contentId = query?.get("content-id") ?? query?.get("module-set-id") ?? "";
  return { version, ...(revision === "" ? {} : { revision }), ...(contentId === "" ? {} : { contentId }) };
}

function listOf(text: string | null | undefined): readonly string[] {
  return (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
