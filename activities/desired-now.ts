import type { GraphStore } from "../graph/store.ts";

/** What a change is compiled from. */
export type DesiredNow = Pick<
  GraphStore,
  "documents" | "devices" | "services" | "definitions" | "desiredDevice" | "desiredState" | "linksOf"
>;

/**
 * Desired state as it stands, for several reads that have to fit together: what is committed between them is not seen,
 * and makes what is compiled from them stale. Devices and their names belong to no revision; they are as they are.
 */
export async function desiredNow(store: DesiredNow & Pick<GraphStore, "currentRevision">): Promise<DesiredNow> {
  const at = { revision: await store.currentRevision() };
  return {
    documents: store.documents,
    devices: () => store.devices(),
    services: () => store.services(at),
    definitions: () => store.definitions(at),
    desiredDevice: (device) => store.desiredDevice(device, at),
    desiredState: (part) => store.desiredState(part, at),
    linksOf: (service) => store.linksOf(service, at),
  };
}
