/**
 * The two-phase write over NETCONF (RFC 6241, 8.4): prepare is a confirmed commit under a persist id, made under both
 * locks on a candidate proven equal to running; confirm and cancel come from any later session, by that id.
 */
import type { DataTree } from "../../model/tree.ts";
import type { Schema } from "../../model/schema.ts";
import { renderEditConfig } from "../../plan/render-edit-config.ts";
import type {
  Cancelled,
  ConfigRead,
  Confirmed,
  DeviceProfile,
  Prepared,
  PrepareRequest,
  SettleRequest,
  TwoPhaseWrite,
} from "../capability.ts";
import { isProviderError, ProviderError, ProviderErrorCode } from "../error.ts";
import type { NetconfSession } from "./client/netconf-session.ts";
import {
  cancelCommit,
  confirmCommit,
  confirmedCommit,
  copyConfig,
  type Datastore,
  discardChanges,
  editConfig,
  lock,
  unlock,
  validate,
} from "./client/operations.ts";

type Read = (datastore: Datastore, schema: Schema) => Promise<ConfigRead>;

export function twoPhaseWrite(session: NetconfSession, profile: DeviceProfile, read: Read): TwoPhaseWrite {
  return {
    prepare: (request) => prepare(session, profile, read, request),
    confirm: (request) => confirm(session, profile, read, request),
    cancel: (request) => cancel(session, read, request),
  };
}

async function prepare(
  session: NetconfSession,
  profile: DeviceProfile,
  read: Read,
  request: PrepareRequest,
): Promise<Prepared> {
  const sent: { commit: "no" | "stands" } = { commit: "no" };
  const work = async (): Promise<Prepared> => {
    const running = await read("running", request.schema);
    const reasons = [...request.checkBase(running)];
    const candidate = await read("candidate", request.schema);
    if (!request.sameContent(running.tree, candidate.tree)) {
      reasons.push("the candidate holds uncommitted changes of somebody else; nothing was discarded, nothing sent");
    }
    if (reasons.length > 0) return { kind: "stale", reasons };
    const edits = renderEditConfig(request.schema, request.operations, { reveal: request.reveal });
    if (edits.kind === "error") {
      throw new ProviderError({
        code: ProviderErrorCode.InvalidArgument,
        message: `the change cannot be written for ${session.target}: ${edits.diagnostics.map((each) => each.message).join("; ")}`,
      });
    }
    await request.fence();
    try {
      for (const config of edits.value) {
        await editConfig(session, {
          target: "candidate",
          config,
          defaultOperation: "merge",
          ...(profile.validation === "test-then-set" && session.capabilities.validate !== undefined
            ? { testOption: "test-then-set" as const }
            : {}),
        });
      }
      if (profile.validation === "validate" && session.capabilities.validate !== undefined)
        await validate(session, { source: "candidate" });
      await confirmedCommit(session, { timeoutSeconds: request.confirmSeconds, persist: request.persistId });
    } catch (error) {
      await undo(session, request.persistId, error);
      throw error;
    }
    sent.commit = "stands";
    return { kind: "prepared", readBack: await read("running", request.schema) };
  };
  try {
    return await withLocks(session, ["running", "candidate"], work);
  } catch (error) {
    throw sent.commit === "stands" ? standing(session, error) : error;
  }
}

/** From the commit on, no refusal of a later request (the read-back, an unlock) may be taken for "nothing stands". */
function standing(session: NetconfSession, error: unknown): unknown {
  if (!isProviderError(error)) return error;
  return new ProviderError({
    code: ProviderErrorCode.OutcomeUnknown,
    message: `the provisional commit stands on ${session.target}, what followed failed: ${error.message}`,
    reports: error.reports,
    cause: error,
  });
}

/** Our own locks are held: what stands in the candidate is ours. A failed confirmed commit may still have armed a timer. */
async function undo(session: NetconfSession, persistId: string, error: unknown): Promise<void> {
  if (!isProviderError(error) || error.code !== ProviderErrorCode.DeviceRejected) return;
  await ignoringRejection(cancelCommit(session, { persistId }));
  await discardChanges(session);
}

async function confirm(
  session: NetconfSession,
  profile: DeviceProfile,
  read: Read,
  request: SettleRequest,
): Promise<Confirmed> {
  const work = (): Promise<Confirmed> => confirmAligned(session, profile, read, request);
  try {
    await lock(session, { target: "candidate" });
  } catch (error) {
    // Some servers grant no lock to anybody while a confirmed commit is pending, not even to its owner (`in-use`). The
    // proof that candidate equals running then stands without the lock; somebody else's lock is waited for.
    if (isProviderError(error) && error.code === ProviderErrorCode.FailedPrecondition) return work();
    throw error;
  }
  return whileHolding(session, ["candidate"], work);
}

async function confirmAligned(
  session: NetconfSession,
  profile: DeviceProfile,
  read: Read,
  request: SettleRequest,
): Promise<Confirmed> {
  const before = await read("running", request.schema);
  await alignCandidate(session, read, request, before.tree);
  const answer = await ignoringRejection(confirmCommit(session, { persistId: request.persistId }));
  if (answer === "done") {
    const running = await read("running", request.schema);
    await saveToStartup(session, profile);
    return { kind: "confirmed", running };
  }
  // A refusal alone does not say why. Under a granted running lock nothing is pending: with the planned state it was
  // confirmed before (but perhaps not saved), with the earlier one the device took it back.
  return withLocks(session, ["running"], async () => {
    const running = await read("running", request.schema);
    switch (request.judge(running)) {
      case "planned":
        await saveToStartup(session, profile);
        return { kind: "confirmed", running };
      case "earlier":
        return { kind: "reverted", running };
      case "other":
        return { kind: "unsettled", running };
    }
  });
}

async function saveToStartup(session: NetconfSession, profile: DeviceProfile): Promise<void> {
  if (profile.startup !== "copy-after-confirm" || !session.capabilities.startup) return;
  await copyConfig(session, { source: "running", target: "startup" });
}

/**
 * The confirming commit also commits what the candidate holds. Under its lock there are no foreign edits in it; where
 * running moved since the candidate was last equal to it, the candidate is brought back to running first.
 */
async function alignCandidate(
  session: NetconfSession,
  read: Read,
  request: SettleRequest,
  running: DataTree,
): Promise<void> {
  const candidate = await read("candidate", request.schema);
  if (request.sameContent(candidate.tree, running)) return;
  await discardChanges(session);
  const again = await read("candidate", request.schema);
  if (!request.sameContent(again.tree, (await read("running", request.schema)).tree)) {
    throw new ProviderError({
      code: ProviderErrorCode.FailedPrecondition,
      message: `the candidate of ${session.target} stays different from running after discard-changes`,
    });
  }
}

async function cancel(session: NetconfSession, read: Read, request: SettleRequest): Promise<Cancelled> {
  await ignoringRejection(cancelCommit(session, { persistId: request.persistId }));
  // A granted running lock shows that no other session and no commit is pending any more.
  return withLocks(session, ["running", "candidate"], async () => {
    const running = await read("running", request.schema);
    const candidate = await read("candidate", request.schema);
    if (!request.sameContent(running.tree, candidate.tree)) {
      // Only what our own lost session may have left is thrown away: the planned change in the candidate.
      if (!request.isLeftover({ candidate, running })) return { kind: "unsettled", running };
      await discardChanges(session);
    }
    return { kind: request.judge(running) === "earlier" ? "clean" : "unsettled", running };
  });
}

/** A refusal by the device is an answer here ("nothing is pending under this id"); everything else is thrown. */
async function ignoringRejection(answer: Promise<unknown>): Promise<"done" | "rejected"> {
  try {
    await answer;
    return "done";
  } catch (error) {
    if (isProviderError(error) && error.code === ProviderErrorCode.DeviceRejected) return "rejected";
    throw error;
  }
}

/**
 * Locks in order, works, unlocks in reverse. A lock that was not granted is never unlocked, and nothing is discarded
 * then.
 */
async function withLocks<T>(
  session: NetconfSession,
  targets: readonly Datastore[],
  work: () => Promise<T>,
): Promise<T> {
  const held: Datastore[] = [];
  try {
    for (const target of targets) {
      await lock(session, { target });
      held.push(target);
    }
  } catch (error) {
    for (const target of [...held].reverse()) await ignoringEverything(unlock(session, { target }));
    throw error;
  }
  return whileHolding(session, held, work);
}

async function whileHolding<T>(
  session: NetconfSession,
  held: readonly Datastore[],
  work: () => Promise<T>,
): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    // The error that ended the work is the one to report; the session ends right after and takes the locks with it.
    for (const target of [...held].reverse()) await ignoringEverything(unlock(session, { target }));
    throw error;
  }
  for (const target of [...held].reverse()) await unlock(session, { target });
  return result;
}

async function ignoringEverything(answer: Promise<unknown>): Promise<void> {
  try {
    await answer;
  } catch {
    // The session is already gone, and with it the lock.
  }
}
