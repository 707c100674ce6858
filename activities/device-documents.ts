/**
 * What device activities keep at the graph's owner and read from there: observations with their secrets sealed, plan
 * sections with both trees they speak of, schemas.
 */
import type { DeviceReference } from "../contract/device-reference.ts";
import type { ObservationDocument } from "../contract/documents.ts";
import { FailureType } from "../contract/failure.ts";
import { digestOf } from "../graph/canonical-json.ts";
import type { DataSchemaNode, Schema } from "../model/schema.ts";
import type { DataTree } from "../model/tree.ts";
import { operationsFromDocuments } from "../plan/operation-json.ts";
import type { Operation } from "../plan/operation.ts";
import { type PlanSection, parseSectionDocument } from "../plan/plan-document.ts";
import {
  type ConfigRead,
  type DeviceConnection,
  type DeviceProfile,
  canReadConfig,
  capabilityMissing,
  isSecretLeaf,
} from "../providers/capability.ts";
import type { OwnerClient } from "../runtime/owner-client.ts";
import type { SecretBox } from "../runtime/secrets.ts";
import { SchemaCache, canonicalText, contentText, must, readObservation, treeOfContent } from "./documents.ts";
import { fingerprintTree, sealTree } from "./seal-tree.ts";
import { RefusedError } from "./to-application-failure.ts";

/** A read of a device as it was kept. */
export interface KeptObservation {
  /** Digest of the ObservationDocument. */
  readonly observation: string;
  /** Digest of its content. */
  readonly content: string;
  /** Sealed. */
  readonly tree: DataTree;
  readonly read: ConfigRead;
}

/** A section with everything it names, typed against one schema. */
export interface SectionBase {
  readonly section: PlanSection;
  readonly schema: Schema;
  readonly operations: readonly Operation[];
  readonly planned: DataTree;
  readonly expected: DataTree;
  /** Content digest of the observation that the plan was made on. */
  readonly plannedContent: string;
}

export class DeviceDocuments {
  readonly #owner: OwnerClient;
  readonly #secrets: SecretBox;
  readonly #schemas: SchemaCache;

  constructor(owner: OwnerClient, secrets: SecretBox) {
    this.#owner = owner;
    this.#secrets = secrets;
    this.#schemas = new SchemaCache((digest) => owner.getDocument(digest));
  }

  /** Errors: NotImported for a device that was never contacted. */
  async schemaOf(device: DeviceReference): Promise<Schema> {
    if (device.moduleSet === undefined) {
      throw new RefusedError(`${device.name} was never contacted`, [], FailureType.notImported);
    }
    return this.#schemas.get(device.moduleSet);
  }

  /** Reads the running configuration whole and keeps it. Refused when the device announces other modules than before. */
  async observe(
    device: DeviceReference,
    connection: DeviceConnection,
    profile: DeviceProfile,
  ): Promise<KeptObservation> {
    if (!canReadConfig(connection)) throw capabilityMissing(connection, "readConfig");
    refuseOtherModules(device, connection);
    return this.keep(device, profile, await connection.readConfig(await this.schemaOf(device)));
  }

  /** Seals secrets and stores content and observation. */
  async keep(device: DeviceReference, profile: DeviceProfile, read: ConfigRead): Promise<KeptObservation> {
    const tree = await sealTree(read.tree, { ...this.#sealing(device, profile), owner: this.#owner });
    const content = await this.put(contentText(tree));
    const document: ObservationDocument = {
      format: "tenure-observation/1",
      device: device.id,
      moduleSet: device.moduleSet ?? "",
      profile: profile.name,
      datastore: read.datastore,
      defaultsMode: read.defaultsMode,
      basicMode: read.basicMode,
      content,
    };
    return { observation: await this.put(canonicalText(document)), content, tree, read };
  }

  /** The tree as it compares with kept ones: secrets as fingerprints. Nothing is stored. */
  fingerprint(device: DeviceReference, profile: DeviceProfile, tree: DataTree): DataTree {
    return fingerprintTree(tree, this.#sealing(device, profile));
  }

  async section(digest: string): Promise<SectionBase> {
    const bytes = await this.#owner.getDocument(digest);
    const section = must("plan section", parseSectionDocument(bytes, { expected: digest, actual: digestOf(bytes) }));
    const schema = await this.#schemas.get(section.moduleSet);
    const observation = await readObservation((each) => this.#owner.getDocument(each), section.observation);
    const [planned, expected] = await Promise.all([
      this.#owner.getDocument(observation.content),
      this.#owner.getDocument(section.expectedState),
    ]);
    return {
      section,
      schema,
      operations: must("operations", operationsFromDocuments(schema, section.operations)),
      planned: treeOfContent(schema, planned),
      expected: treeOfContent(schema, expected),
      plannedContent: observation.content,
    };
  }

  async put(content: string): Promise<string> {
    const [digest] = await this.#owner.putDocuments([content]);
    if (digest === undefined) throw new RangeError("the owner answered without a digest");
    return digest;
  }

  get(digest: string): Promise<string> {
    return this.#owner.getDocument(digest);
  }

  #sealing(device: DeviceReference, profile: DeviceProfile) {
    return {
      device: device.id,
      isSecret: (node: DataSchemaNode): boolean => isSecretLeaf(profile, node),
      box: this.#secrets,
    };
  }
}

export function announcementDigest(connection: DeviceConnection): string {
  return digestOf(canonicalText(connection.announcement));
}

/** A device that announces something else than when its modules were fetched is not read with the old ones. */
export function refuseOtherModules(device: DeviceReference, connection: DeviceConnection): void {
  if (device.announcement === undefined || device.announcement === announcementDigest(connection)) return;
  throw new RefusedError(
    `${device.name} announces other modules or capabilities than when it was added; read them again with: tenure device set ${device.name}`,
    [],
    FailureType.stale,
  );
}
