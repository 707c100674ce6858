/**
 * What a device can do, as small interfaces found at run time. A connection carries exactly the capabilities that the
 * device at its other end offers; nobody asks for a vendor or a protocol. A missing one is a condition with its name.
 */
import type { InstancePath } from "../model/path.ts";
import type { DataSchemaNode, Schema } from "../model/schema.ts";
import type { DataTree } from "../model/tree.ts";
import type { SealedValue } from "../model/value.ts";
import type { Operation } from "../plan/operation.ts";
import { ProviderError, ProviderErrorCode } from "./error.ts";

/** Data about one kind of device. Quirks are words here, never branches on a vendor's name. */
export interface DeviceProfile {
  readonly name: string;
  /** How a change is validated before it is committed; `none` where validation itself does harm. */
  readonly validation: "validate" | "test-then-set" | "none";
  /** Schema paths of leafs whose values are secrets. */
  readonly secrets: readonly string[];
  /** Extensions (`module:name`) that mark a leaf as secret. */
  readonly secretExtensions: readonly string[];
  readonly startup: "none" | "copy-after-confirm";
  /** Instance paths that Tenure itself comes in through. */
  readonly managementPaths: readonly string[];
  /** A node that the announced modules do not have: refuse the read, or warn and leave it out. */
  readonly unknownNodes: "error" | "warn";
  readonly lineFeedAfterHello: "refuse" | "ignore-one";
}

export function isSecretLeaf(profile: DeviceProfile, node: DataSchemaNode): boolean {
  if (node.kind !== "leaf" && node.kind !== "leaf-list") return false;
  return (
    profile.secrets.includes(node.schemaPath) ||
    node.extensions.some((extension) => profile.secretExtensions.includes(`${extension.module}:${extension.name}`))
  );
}

export type Credentials = {
  readonly username: string;
  readonly proof:
    | { readonly kind: "password"; readonly password: string }
    | { readonly kind: "private-key"; readonly privateKey: string; readonly passphrase?: string };
};

export interface ConnectRequest {
  readonly host: string;
  readonly port: number;
  readonly credentials: Credentials;
  readonly hostKey:
    | { readonly kind: "pinned"; readonly sha256: string }
    | { readonly kind: "accept-new"; readonly onAccept: (sha256: string) => void }
    | { readonly kind: "refuse-unknown" };
  readonly profile: DeviceProfile;
  /** Ends the session at once; nothing is sent afterwards. */
  readonly signal: AbortSignal;
  /** On the clock of `performance.now()`; nothing is sent after it. */
  readonly deadline: number;
}

/** A provider speaks to one kind of device; it is registered once, by name, at the start of the worker. */
export interface Provider {
  readonly name: string;
  readonly profiles: readonly DeviceProfile[];
  /** Name of the profile that fits what the device announces. */
  readonly chooseProfile: (announcement: readonly string[]) => DeviceProfile;
  readonly connect: (request: ConnectRequest) => Promise<DeviceConnection>;
}

export interface DeviceConnection {
  /** `host:port`. */
  readonly target: string;
  readonly hostKeySha256: string;
  /** What the device says of itself, in a stable order: another text means another module set or other capabilities. */
  readonly announcement: readonly string[];
  readonly close: () => Promise<void>;
}

export interface FetchedModule {
  readonly name: string;
  readonly revision: string | undefined;
  readonly text: string;
  /** `import`: only its typedefs, groupings and identities count. `submodule`: belongs to another module. */
  readonly role: "implement" | "import" | "submodule";
  readonly features: readonly string[];
}

export interface FetchSchemas {
  readonly fetchSchemas: () => Promise<readonly FetchedModule[]>;
}

export interface ConfigRead {
  readonly tree: DataTree;
  readonly datastore: string;
  readonly defaultsMode: "explicit" | "trim" | "report-all" | "report-all-tagged";
  /** The server's own basic mode (RFC 6243), which decides what absence means. */
  readonly basicMode: "explicit" | "trim" | "report-all";
}

export interface ReadConfig {
  /** The whole running configuration. An incomplete read throws; it never returns less. */
  readonly readConfig: (schema: Schema) => Promise<ConfigRead>;
}

export interface PrepareRequest {
  readonly schema: Schema;
  readonly operations: readonly Operation[];
  readonly persistId: string;
  readonly confirmSeconds: number;
  /** Is this what the plan was made on? Reasons otherwise. Called under the locks. */
  readonly checkBase: (running: ConfigRead) => readonly string[];
  /** Same content? Used to prove candidate = running. */
  readonly sameContent: (a: DataTree, b: DataTree) => boolean;
  /** Asked right before the first write; throws when nothing may be sent any more. */
  readonly fence: () => Promise<void>;
  /** Clear text of a secret, at the moment of writing only. */
  readonly reveal: (sealed: SealedValue, path: InstancePath) => string;
}
export type Prepared =
  | { readonly kind: "prepared"; readonly readBack: ConfigRead }
  | { readonly kind: "stale"; readonly reasons: readonly string[] };

export interface SettleRequest {
  readonly schema: Schema;
  readonly persistId: string;
  /** Does running show the planned state, the state before it, or something else where the plan touches it? */
  readonly judge: (running: ConfigRead) => "planned" | "earlier" | "other";
  /** Is this candidate nothing but running with the planned change? Only then may it be discarded. */
  readonly isLeftover: (read: { readonly candidate: ConfigRead; readonly running: ConfigRead }) => boolean;
  readonly sameContent: (a: DataTree, b: DataTree) => boolean;
}
export type Confirmed =
  | { readonly kind: "confirmed"; readonly running: ConfigRead }
  | { readonly kind: "reverted"; readonly running: ConfigRead }
  | { readonly kind: "unsettled"; readonly running: ConfigRead };
export type Cancelled =
  | { readonly kind: "clean"; readonly running: ConfigRead }
  | { readonly kind: "unsettled"; readonly running: ConfigRead };

/** Commit class `two-phase`: a provisional commit that another session can confirm or cancel by its id. */
export interface TwoPhaseWrite {
  readonly prepare: (request: PrepareRequest) => Promise<Prepared>;
  readonly confirm: (request: SettleRequest) => Promise<Confirmed>;
  readonly cancel: (request: SettleRequest) => Promise<Cancelled>;
}

export function canFetchSchemas(connection: DeviceConnection): connection is DeviceConnection & FetchSchemas {
  return "fetchSchemas" in connection;
}
export function canReadConfig(connection: DeviceConnection): connection is DeviceConnection & ReadConfig {
  return "readConfig" in connection;
}
export function canWriteInTwoPhases(connection: DeviceConnection): connection is DeviceConnection & TwoPhaseWrite {
  return "prepare" in connection && "confirm" in connection && "cancel" in connection;
}

/** The error of a missing capability, with its name. */
export function capabilityMissing(connection: DeviceConnection, capability: string): ProviderError {
  return new ProviderError({
    code: ProviderErrorCode.CapabilityMissing,
    message: `${connection.target} does not offer ${capability}`,
    details: [{ fieldPath: "provider", description: capability }],
  });
}
