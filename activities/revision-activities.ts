/** Revisions: a body becomes desired state, with what devices made themselves. */
import type { CommitRequest, CommitResult, GraphActivities } from "../contract/activities.ts";
import type { AdoptedDocument } from "../contract/documents.ts";
import { isStoreError } from "../graph/store-error.ts";
import type { Item } from "../model/item.ts";
import { isAtOrBelow } from "../model/path.ts";
import type { RevisionBody, Setter } from "../services/desired-state.ts";
import { readFormat } from "./documents.ts";
import type { GraphContext } from "./graph-context.ts";
import { fewReasons } from "./stale-reasons.ts";

export function createRevisionActivities(
  context: GraphContext,
): Pick<GraphActivities, "commitRevision" | "recordPrepared"> {
  return {
    commitRevision: (request) => commitBody(context, request),

    async recordPrepared({ transaction, prepared }) {
      await context.store.locks.recordPrepared(transaction, prepared);
    },
  };
}

async function commitBody(context: GraphContext, request: CommitRequest): Promise<CommitResult> {
  const body = request.body === undefined ? emptyBody : (JSON.parse(await context.read(request.body)) as RevisionBody);
  const adopted = await Promise.all(
    (request.adopted ?? []).map((digest) => readFormat<AdoptedDocument>(context.read, digest, "tenure-adopted/1")),
  );
  const plan = "plan" in request.cause ? request.cause.plan : "";
  try {
    const { revision } = await context.store.commitRevision({
      body: withAdopted(body, adopted, { kind: "adopted", plan }),
      key: request.key,
      actor: request.actor,
      cause: request.cause,
    });
    return { kind: "committed", revision };
  } catch (error) {
    if (isStoreError(error, "stale-basis")) return { kind: "stale", reasons: fewReasons([error.message]) };
    throw error;
  }
}

const emptyBody: RevisionBody = {
  format: "tenure-revision/1",
  devices: [],
  services: [],
  definitions: [],
  statuses: [],
  evidence: [],
  basis: { devices: [], services: [], definitions: [] },
};

/** The body with the nodes that devices made themselves, unowned; what the body puts or removes itself stands. */
function withAdopted(body: RevisionBody, adopted: readonly AdoptedDocument[], setBy: Setter): RevisionBody {
  if (adopted.length === 0) return body;
  const devices = new Map(body.devices.map((writes) => [writes.device, writes]));
  for (const { device, items } of adopted) {
    const writes = devices.get(device) ?? {
      device,
      moduleSet: undefined,
      put: [],
      remove: [],
      putLinks: [],
      removeLinks: [],
    };
    const own = new Set(writes.put.map((put) => put.item.path));
    // What the body removes and the device made again is drift, and so is all below it.
    const isOpen = ({ path }: Item): boolean =>
      !own.has(path) && !writes.remove.some((removed) => isAtOrBelow(path, removed));
    const put = items.filter(isOpen).map((item) => ({ item, setBy, retained: false }));
    devices.set(device, {
      ...writes,
      put: [...writes.put, ...put].sort((a, b) => (a.item.path < b.item.path ? -1 : 1)),
    });
  }
  return { ...body, devices: [...devices.values()].sort((a, b) => (a.device < b.device ? -1 : 1)) };
}
