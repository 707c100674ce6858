/** What the activities of the graph's owner share: the store, schemas by module set, devices and goals. */
import { treeFromItems } from "../codec/items.ts";
import type { DeviceReference } from "../contract/device-reference.ts";
import { FailureType } from "../contract/failure.ts";
import { renderGoal } from "../goal/device-goal.ts";
import type { DeviceRecord } from "../graph/journal/record.ts";
import type { GraphStore } from "../graph/store.ts";
import type { Item } from "../model/item.ts";
import type { DataSchemaNode, Schema } from "../model/schema.ts";
import { isSecretLeaf } from "../providers/capability.ts";
import type { ProviderRegistry } from "../providers/registry.ts";
import type { ValidationPolicy } from "../model/validation/policy.ts";
import type { DesiredDevice } from "../services/desired-state.ts";
import type { CompileContext } from "./compile-submission.ts";
import { profileOf } from "./device-session.ts";
import { SchemaCache, must } from "./documents.ts";
import { RefusedError } from "./to-application-failure.ts";

export interface GraphActivityOptions {
  readonly store: GraphStore;
  /** For profiles only: which leafs are secret on a device. */
  readonly registry: ProviderRegistry;
  readonly approval: { readonly author: "may-approve" | "may-not-approve" };
  /** Left out: findings of validation warn. */
  readonly validationPolicy?: ValidationPolicy | undefined;
}

export class GraphContext implements CompileContext {
  readonly store: GraphStore;
  readonly approval: GraphActivityOptions["approval"];
  readonly validationPolicy: ValidationPolicy | undefined;
  readonly #registry: ProviderRegistry;
  readonly #schemas: SchemaCache;

  constructor({ store, registry, approval, validationPolicy }: GraphActivityOptions) {
    this.store = store;
    this.approval = approval;
    this.validationPolicy = validationPolicy;
    this.#registry = registry;
    this.#schemas = new SchemaCache((digest) => store.documents.getText(digest));
  }

  readonly read = (digest: string): Promise<string> => this.store.documents.getText(digest);

  readonly schemaOf = (moduleSet: string): Promise<Schema> => this.#schemas.get(moduleSet);

  readonly isSecret = (device: DeviceRecord, node: DataSchemaNode): boolean =>
    isSecretLeaf(profileOf(this.#registry.get(device.provider), device.chosenProfile ?? device.profile), node);

  async device(id: string): Promise<DeviceRecord> {
    const device = await this.store.device(id);
    if (device === undefined) throw new RefusedError(`no device ${id}`, []);
    return device;
  }

  async imported(device: DeviceRecord): Promise<DesiredDevice> {
    const desired = await this.store.desiredDevice(device.id);
    if (desired !== undefined) return desired;
    throw new RefusedError(
      `${device.name} was never imported; a device without one complete import has no goal. Try: tenure import ${device.name}`,
      [],
      FailureType.notImported,
    );
  }

  /** Digest of the goal that these items make. */
  async goalOf(moduleSet: string, items: Iterable<Item>): Promise<string> {
    const schema = await this.schemaOf(moduleSet);
    return this.store.documents.put(renderGoal(must("desired state", treeFromItems(schema, [...items]))));
  }
}

/** What a device worker needs to reach the device. */
export function referenceOf(record: DeviceRecord): DeviceReference {
  return {
    id: record.id,
    name: record.name,
    provider: record.provider,
    host: record.host,
    port: record.port,
    credentials: record.credentials,
    hostKey: record.hostKey,
    profile: record.chosenProfile ?? record.profile,
    moduleSet: record.moduleSet,
    announcement: record.announcement,
  };
}
