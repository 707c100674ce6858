/**
 * Activities as workflows see them, with the time-outs and retry rules that belong to each family.
 * - Control activities are idempotent by business id and are retried without limit: the graph owner may be away for a
 *   while, and nothing may be forgotten because of that.
 * - Reads of devices are retried a few times with back-off; terminal errors (see `contract/failure.ts`) stop at once.
 * - Writes to devices have one attempt. A lost attempt is settled by reading back, never by a blind retry.
 */
import { ActivityCancellationType, type ActivityOptions, proxyActivities } from "@temporalio/workflow";
import type { DeviceActivities, GraphActivities, LockActivities } from "../contract/activities.ts";
import { FailureType } from "../contract/failure.ts";
import { TaskQueue } from "../contract/task-queue.ts";

const TERMINAL: string[] = [
  FailureType.refused,
  FailureType.notImported,
  FailureType.stale,
  FailureType.authenticationFailed,
  FailureType.hostKey,
  FailureType.unsupportedField,
  FailureType.invalidArgument,
  FailureType.deviceRejected,
  FailureType.capabilityMissing,
  FailureType.fenced,
  FailureType.limitExceeded,
  FailureType.payloadTooLarge,
  // What the SDK reports for heartbeat details that the payload guard refuses: the next attempt would send the same.
  "CancelledFailure",
];

const control: ActivityOptions = {
  taskQueue: TaskQueue.control,
  // A first import of a very large device takes minutes; the heartbeat notices a dead worker long before.
  startToCloseTimeout: "20 minutes",
  heartbeatTimeout: "20 seconds",
  retry: {
    initialInterval: "500 milliseconds",
    backoffCoefficient: 2,
    maximumInterval: "20 seconds",
    nonRetryableErrorTypes: TERMINAL,
  },
};

const deviceRead: ActivityOptions = {
  taskQueue: TaskQueue.devices,
  startToCloseTimeout: "5 minutes",
  heartbeatTimeout: "10 seconds",
  retry: {
    initialInterval: "1 second",
    backoffCoefficient: 2,
    maximumInterval: "10 seconds",
    maximumAttempts: 4,
    nonRetryableErrorTypes: TERMINAL,
  },
};

const deviceWrite: ActivityOptions = {
  taskQueue: TaskQueue.devices,
  startToCloseTimeout: "3 minutes",
  heartbeatTimeout: "10 seconds",
  retry: { maximumAttempts: 1 },
};

/**
 * Waiting for locks takes as long as the holders take: only the heartbeat bounds an attempt. A cancelled wait is over
 * when the activity says so; else it could ask for the locks once more after they were given back. The heartbeat
 * time-out is short because a cancel reaches an activity with its heartbeats.
 */
const lockWait: ActivityOptions = {
  ...control,
  startToCloseTimeout: "30 days",
  heartbeatTimeout: "5 seconds",
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
};

export const graph = proxyActivities<GraphActivities>(control);
export const locks = proxyActivities<LockActivities>(control);

/** The wait for a grant, named in Temporal's UI by what it waits for. */
export function waitForLocks(summary: string): Pick<LockActivities, "acquireLocks"> {
  return proxyActivities<LockActivities>({ ...lockWait, summary });
}

/** Device reads, named in Temporal's UI by what they do and to whom. No two of one name may run at once in a workflow. */
export function readFrom(summary: string): ReturnType<typeof proxyActivities<DeviceActivities>> {
  return proxyActivities<DeviceActivities>({ ...deviceRead, summary, activityId: summary });
}

/** One attempt at a device write, e.g. `prepare r1`, named as reads are. */
export function writeTo(summary: string): ReturnType<typeof proxyActivities<DeviceActivities>> {
  return proxyActivities<DeviceActivities>({ ...deviceWrite, summary, activityId: summary });
}
