/** First contact, observation, planning: everything that only reads from a device. */
import type { DeviceActivities, PlannedSection, PlanTarget } from "../contract/activities.ts";
import type { PlanDirection } from "../contract/plan-state.ts";
import type { PlanOptions } from "../contract/workflows.ts";
import {
  type DeviceConnection,
  type DeviceProfile,
  type FetchedModule,
  canFetchSchemas,
  capabilityMissing,
} from "../providers/capability.ts";
import type { ProviderRegistry } from "../providers/registry.ts";
import type { OwnerClient } from "../runtime/owner-client.ts";
import { type DeviceDocuments, announcementDigest } from "./device-documents.ts";
import { profileOf, withDevice } from "./device-session.ts";
import { canonicalText, contentText } from "./documents.ts";
import { givenModules, storeModules } from "./module-sets.ts";
import { makeSection } from "./plan-section.ts";
import { staleReasons } from "./stale-reasons.ts";

export interface DeviceReadOptions {
  readonly registry: ProviderRegistry;
  readonly owner: OwnerClient;
  readonly documents: DeviceDocuments;
}

export type DeviceReadActivities = Pick<
  DeviceActivities,
  "contactDevice" | "observeDevice" | "planDevice" | "checkDriftOf" | "checkDevice"
>;

export function createDeviceReadActivities({ registry, owner, documents }: DeviceReadOptions): DeviceReadActivities {
  interface SectionWish {
    readonly target: PlanTarget;
    readonly direction: PlanDirection;
    readonly options: PlanOptions;
    readonly paths: readonly string[];
    readonly connection: DeviceConnection;
    readonly profile: DeviceProfile;
  }

  async function section({ connection, ...wish }: SectionWish): Promise<PlannedSection> {
    const observed = await documents.observe(wish.target.device, connection, wish.profile);
    const made = await makeSection({ ...wish, observed, read: (digest) => documents.get(digest) });
    const profile = await documents.put(canonicalText({ format: "tenure-profile/1", ...wish.profile }));
    const expectedState = await documents.put(contentText(made.expected));
    const digest = await documents.put(made.document({ profile, expectedState }));
    return { section: digest, operations: made.operations, observation: observed.observation };
  }

  return {
    contactDevice: ({ device, modules }) =>
      withDevice(registry, device, async ({ connection }) => {
        const provider = registry.get(device.provider);
        const profile =
          device.profile === undefined
            ? provider.chooseProfile(connection.announcement)
            : profileOf(provider, device.profile);
        const fetched = modules === undefined ? await fetchModules(connection) : await givenModules(owner, modules);
        return {
          device: {
            ...device,
            profile: profile.name,
            hostKey: { kind: "pinned", sha256: connection.hostKeySha256 },
            moduleSet: await storeModules(owner, fetched),
            announcement: announcementDigest(connection),
          },
          profile: profile.name,
          modules: fetched.length,
        };
      }),

    observeDevice: ({ device }) =>
      withDevice(registry, device, async ({ connection, profile }) => {
        const { observation, content } = await documents.observe(device, connection, profile);
        return { observation, content };
      }),

    planDevice: ({ target, direction, options, paths }) =>
      withDevice(registry, target.device, ({ connection, profile }) =>
        section({ target, direction, options, paths, connection, profile }),
      ),

    checkDriftOf: ({ target }) =>
      withDevice(registry, target.device, async ({ connection, profile }) => {
        const options: PlanOptions = { policy: "per-device", includeDrift: "leave", unrelated: "refuse" };
        const planned = await section({ target, direction: "enforce", options, paths: [], connection, profile });
        const { device, revision } = { device: target.device.id, revision: target.revision };
        return planned.operations === 0
          ? { kind: "in-sync", device, revision }
          : { kind: "drift", device, revision, operations: planned.operations, section: planned.section };
      }),

    checkDevice: async ({ device, section: digest, unrelated }) => {
      const base = await documents.section(digest);
      return withDevice(registry, device, async ({ connection, profile }) => {
        const { tree, read } = await documents.observe(device, connection, profile);
        const reasons = staleReasons({ base, device, tree, basicMode: read.basicMode, unrelated });
        return reasons.length === 0 ? { kind: "fresh" } : { kind: "stale", reasons };
      });
    },
  };
}

async function fetchModules(connection: DeviceConnection): Promise<readonly FetchedModule[]> {
  if (!canFetchSchemas(connection)) throw capabilityMissing(connection, "fetchSchemas");
  return connection.fetchSchemas();
}
