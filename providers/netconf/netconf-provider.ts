/**
 * The NETCONF provider: a device's announced modules, its running configuration, and - where it has a candidate and
 * confirmed commits with persist ids - the two-phase write that transactions are made of. Each connection is one
 * session that lives as long as one activity attempt.
 */
import { XmlDataReader } from "../../codec/xml/data-from-xml.ts";
import { formatDiagnostic } from "../../model/diagnostic.ts";
import type { Schema } from "../../model/schema.ts";
import type {
  ConfigRead,
  ConnectRequest,
  DeviceConnection,
  DeviceProfile,
  FetchSchemas,
  Provider,
  ReadConfig,
  TwoPhaseWrite,
} from "../capability.ts";
import { ProviderError, ProviderErrorCode } from "../error.ts";
import type { ProviderRegistry } from "../registry.ts";
import { supportsWithDefaults } from "./client/capabilities.ts";
import { type NetconfSession, openNetconfSession } from "./client/netconf-session.ts";
import { type Datastore, getConfig } from "./client/operations.ts";
import { fetchModules } from "./fetch-modules.ts";
import { chooseNetconfProfile, netconfProfiles } from "./profiles.ts";
import { twoPhaseWrite } from "./two-phase-write.ts";

export const netconfProvider: Provider = {
  name: "netconf",
  profiles: netconfProfiles,
  chooseProfile: chooseNetconfProfile,
  connect: connectNetconf,
};

export function register(registry: ProviderRegistry): void {
  registry.register(netconfProvider);
}

async function connectNetconf(
  request: ConnectRequest,
): Promise<DeviceConnection & FetchSchemas & ReadConfig & Partial<TwoPhaseWrite>> {
  let hostKeySha256 = request.hostKey.kind === "pinned" ? request.hostKey.sha256 : "";
  const { hostKey } = request;
  const session = await openNetconfSession({
    ssh: {
      host: request.host,
      port: request.port,
      credentials: request.credentials,
      hostKey:
        hostKey.kind === "accept-new"
          ? {
              kind: "accept-new",
              onAccept: (sha256) => {
                hostKey.onAccept(sha256);
                hostKeySha256 = sha256;
              },
            }
          : hostKey,
    },
    lineFeedAfterHello: request.profile.lineFeedAfterHello,
    signal: request.signal,
    deadline: request.deadline,
  });
  const { capabilities } = session;
  const connection: DeviceConnection & FetchSchemas & ReadConfig = {
    target: session.target,
    hostKeySha256,
    announcement: [...capabilities.uris].sort(),
    close: () => session.close(),
    fetchSchemas: () => fetchModules(session),
    readConfig: (schema) => readDatastore(session, request.profile, "running", schema),
  };
  return capabilities.candidate && capabilities.confirmedCommit === "1.1"
    ? {
        ...connection,
        ...twoPhaseWrite(session, request.profile, (datastore, schema) =>
          readDatastore(session, request.profile, datastore, schema),
        ),
      }
    : connection;
}

/**
 * Reads a datastore whole. Asks for `explicit`, else for tagged defaults, so that explicitness is known wherever the
 * server can tell it. A node that cannot be read means no tree: absence never comes from a failed reading.
 */
async function readDatastore(
  session: NetconfSession,
  profile: DeviceProfile,
  source: Datastore,
  schema: Schema,
): Promise<ConfigRead> {
  const { capabilities } = session;
  const mode = supportsWithDefaults(capabilities, "explicit")
    ? "explicit"
    : supportsWithDefaults(capabilities, "report-all-tagged")
      ? "report-all-tagged"
      : undefined;
  const basicMode = basicModeOf(capabilities.withDefaults?.basicMode);
  const defaultsMode = mode ?? basicMode;
  const dataReader = new XmlDataReader(schema, { unknown: profile.unknownNodes, nodes: "config", defaultsMode });
  await getConfig(session, { source, dataReader, ...(mode === undefined ? {} : { withDefaults: mode }) });
  const read = dataReader.result();
  if (read.kind === "error") {
    throw new ProviderError({
      code: ProviderErrorCode.ProtocolError,
      message: `the ${source} configuration of ${session.target} does not fit the modules it announces: ${read.diagnostics.slice(0, 3).map(formatDiagnostic).join("; ")}`,
      details: read.diagnostics
        .slice(0, 50)
        .map((each) => ({ fieldPath: each.places.map(placeText).join(", "), description: each.message })),
    });
  }
  return { tree: read.value, datastore: source, defaultsMode, basicMode };
}

function placeText(
  place: { readonly kind: string } & ({ readonly path: string } | { readonly position: unknown }),
): string {
  return "path" in place ? place.path : "";
}

function basicModeOf(mode: string | undefined): ConfigRead["basicMode"] {
  return mode === "trim" || mode === "report-all" ? mode : "explicit";
}
