/**
 * The activities of the process that owns the graph, one file a concern: proposals, observations, plans, revisions.
 * Every write is idempotent by business ids, so each may be delivered again.
 */
import type { GraphActivities } from "../contract/activities.ts";
import type { DeviceReference } from "../contract/device-reference.ts";
import type { DeviceRecord } from "../graph/journal/record.ts";
import { GraphContext, type GraphActivityOptions, referenceOf } from "./graph-context.ts";
import { beating } from "./heartbeat.ts";
import { createObservationActivities } from "./observation-activities.ts";
import { createPlanActivities } from "./plan-activities.ts";
import { createProposalActivities } from "./proposal-activities.ts";
import { createRevisionActivities } from "./revision-activities.ts";
import { translated } from "./to-application-failure.ts";

export function createGraphActivities(options: GraphActivityOptions): GraphActivities {
  const context = new GraphContext(options);
  const activities: GraphActivities = {
    ...createDeviceRecordActivities(context),
    ...createProposalActivities(context),
    ...createObservationActivities(context),
    ...createPlanActivities(context),
    ...createRevisionActivities(context),
  };
  return translated(beating(activities));
}

function createDeviceRecordActivities(
  context: GraphContext,
): Pick<GraphActivities, "recordDevice" | "deviceReference"> {
  return {
    async recordDevice({ submission, modules, named, device, actor, profile }) {
      const present = await context.store.device(device.id);
      const found = { ...device, profile: named, chosenProfile: profile, givenModules: modules };
      if (present === undefined) {
        const record: DeviceRecord = { ...found, providerConfig: undefined, tls: undefined, state: "managed" };
        await context.store.putDevice({ device: record, actor, key: submission });
      } else {
        await context.store.updateDevice({ id: device.id, set: found, actor, key: submission });
      }
    },

    async deviceReference({ device }): Promise<DeviceReference> {
      return referenceOf(await context.device(device));
    },
  };
}
