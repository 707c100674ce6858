/**
 * The activities that speak to devices. They know no protocol: a connection's capabilities do. They share no disk with
 * the owner of the graph: documents, fence and decisions come over its API.
 */
import type { DeviceActivities } from "../contract/activities.ts";
import type { ProviderRegistry } from "../providers/registry.ts";
import type { OwnerClient } from "../runtime/owner-client.ts";
import type { SecretBox } from "../runtime/secrets.ts";
import { DeviceDocuments } from "./device-documents.ts";
import { createDeviceReadActivities } from "./device-read-activities.ts";
import { createDeviceWriteActivities } from "./device-write-activities.ts";
import { translated } from "./to-application-failure.ts";

export interface DeviceActivityOptions {
  readonly registry: ProviderRegistry;
  readonly owner: OwnerClient;
  readonly secrets: SecretBox;
}

export function createDeviceActivities({ registry, owner, secrets }: DeviceActivityOptions): DeviceActivities {
  const documents = new DeviceDocuments(owner, secrets);
  return translated<DeviceActivities>({
    ...createDeviceReadActivities({ registry, owner, documents }),
    ...createDeviceWriteActivities({ registry, owner, secrets, documents }),
  });
}
