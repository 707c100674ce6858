/**
 * What RFC 6241 says about datastores, locks and commits, as a pure state machine: each transition takes the state, the session and the time
 * and gives the next state with the errors to answer. It knows nothing of XML, sessions' sockets or timers, so every rule can be tested
 * with a clock of the test's own; `device.ts` gives it the real one.
 */
import type { DataTree } from "../model/tree.ts";
import type { SessionId } from "./netconf-names.ts";
import { lockDenied, protocolError, type RpcError } from "./rpc-error.ts";

export type DatastoreName = "running" | "candidate" | "startup";

/** Ways in which real servers depart from the RFC in these matters. None is on unless it is asked for. */
export const quirks = [
  /** Changes stay in the candidate when its lock goes, explicitly or with the session. */
  "unlock-keeps-candidate",
  /** A lock of the candidate is granted although it holds uncommitted changes. */
  "lock-ignores-dirty-candidate",
  /** A confirmed commit may be confirmed or cancelled by anyone, with any persist-id or none. */
  "anyone-confirms",
  /** A confirmed commit that fails still arms its timer. */
  "failed-commit-arms-rollback",
  /** Edit, validate, commit answers ok everywhere and commits nothing. */
  "validate-empties-commit",
] as const;
export type Quirk = (typeof quirks)[number];

export interface PendingCommit {
  /** Who sent the newest confirmed commit of the series. */
  readonly session: SessionId;
  /** The persist id to confirm or cancel it by; undefined: bound to the session. */
  readonly persist: string | undefined;
  /** Running as it was before the first confirmed commit of the series. */
  readonly fallback: DataTree;
  /** When it reverts, in milliseconds of the caller's clock. */
  readonly deadline: number;
}

export interface Datastores {
  readonly running: DataTree;
  readonly candidate: DataTree;
  /** Who changed the candidate last since it was equal to running; undefined while it holds nothing uncommitted. */
  readonly candidateChangedBy: SessionId | undefined;
  readonly candidateValidated: "since-last-edit" | "no";
  /** Undefined where the device has no startup datastore, or where it was deleted. */
  readonly startup: DataTree | undefined;
  readonly locks: ReadonlyMap<DatastoreName, SessionId>;
  readonly pending: PendingCommit | undefined;
}

export interface DatastoreRules {
  readonly quirks: ReadonlySet<Quirk>;
  /** What is wrong with a configuration as a whole; nothing, when it may run (RFC 7950, section 8.1). */
  readonly check: (tree: DataTree) => readonly RpcError[];
}

/** The operation succeeded exactly when `errors` is empty. A failed one may have changed the state too (a partial edit). */
export interface Transition {
  readonly state: Datastores;
  readonly errors: readonly RpcError[];
}

/** A device that has just started: all datastores hold `tree`, nothing is locked or pending. */
export function initialDatastores(tree: DataTree, { startup }: { readonly startup: "offered" | "none" }): Datastores {
  return {
    running: tree,
    candidate: tree,
    candidateChangedBy: undefined,
    candidateValidated: "no",
    startup: startup === "offered" ? tree : undefined,
    locks: new Map(),
    pending: undefined,
  };
}

export function datastoreTree(state: Datastores, name: DatastoreName): DataTree | undefined {
  return state[name];
}

/** RFC 6241, section 7.5, with 8.3.5.2 for the candidate and the running lock that a confirmed commit of another session bars. */
export function lock(
  state: Datastores,
  rules: DatastoreRules,
  { session, target }: { readonly session: SessionId; readonly target: DatastoreName },
): Transition {
  const holder = state.locks.get(target);
  if (holder !== undefined) {
    return refused(state, lockDenied(holder, `the lock of ${target} is already held`));
  }
  if (target === "running" && state.pending !== undefined && state.pending.session !== session) {
    return refused(state, lockDenied(state.pending.session, "a confirmed commit of another session is pending"));
  }
  const dirty = state.candidateChangedBy;
  if (target === "candidate" && dirty !== undefined && !rules.quirks.has("lock-ignores-dirty-candidate")) {
    return refused(state, lockDenied(dirty, "the candidate holds changes that are not committed"));
  }
  return done({ ...state, locks: new Map(state.locks).set(target, session) });
}

/** RFC 6241, section 7.6. Giving up the candidate's lock discards what was not committed (8.3.5.2). */
export function unlock(
  state: Datastores,
  rules: DatastoreRules,
  { session, target }: { readonly session: SessionId; readonly target: DatastoreName },
): Transition {
  const holder = state.locks.get(target);
  if (holder === undefined) return refused(state, protocolError("operation-failed", `${target} is not locked`));
  if (holder !== session) return refused(state, lockDenied(holder, `the lock of ${target} belongs to another session`));
  return done(release(state, rules, target));
}

export interface EditResult {
  readonly tree: DataTree;
  readonly errors: readonly RpcError[];
}

/**
 * Changes a datastore by `edit`, which gets its tree and gives the next one. `test` asks for the whole result to be checked first; nothing
 * is stored when that fails. Running is always checked (RFC 7950, section 8.3.3).
 */
export function changeDatastore(
  state: Datastores,
  rules: DatastoreRules,
  input: {
    readonly session: SessionId;
    readonly target: DatastoreName;
    readonly test: "test-then-set" | "set" | "test-only";
    readonly edit: (tree: DataTree) => EditResult;
  },
): Transition {
  const { session, target } = input;
  const locked = lockedByOther(state, session, [target]);
  if (locked !== undefined) return refused(state, locked);
  const before = state[target] ?? { ...state.running, roots: new Map() };
  const edited = input.edit(before);
  if (edited.errors.length === 0 && (input.test !== "set" || target === "running")) {
    const errors = rules.check(edited.tree);
    if (errors.length > 0) return { state, errors };
  }
  if (input.test === "test-only" || edited.tree === state[target]) return { state, errors: edited.errors };
  // A running that would not be valid is never stored, not even in part.
  if (target === "running" && edited.errors.length > 0 && rules.check(edited.tree).length > 0) {
    return { state, errors: edited.errors };
  }
  return { state: store(state, target, edited.tree, session), errors: edited.errors };
}

/** Change by somebody who does not use NETCONF: neither a pending confirmed commit nor, where asked, a lock keeps them out. */
export function changeRunningOutside(
  state: Datastores,
  rules: DatastoreRules,
  input: { readonly locks: "respected" | "ignored"; readonly edit: (tree: DataTree) => EditResult },
): Transition {
  const locks = input.locks === "ignored" ? new Map<DatastoreName, SessionId>() : state.locks;
  const changed = changeDatastore({ ...state, locks }, rules, {
    session: 0,
    target: "running",
    test: "set",
    edit: input.edit,
  });
  return { errors: changed.errors, state: { ...changed.state, locks: state.locks } };
}

export interface CommitInput {
  readonly session: SessionId;
  /** Milliseconds of the same clock as every `deadline`. */
  readonly now: number;
  readonly mode:
    | { readonly kind: "final" }
    | { readonly kind: "confirmed"; readonly timeoutMs: number; readonly persist: string | undefined };
  readonly persistId: string | undefined;
  /** What the device itself makes of a configuration on its way to running. */
  readonly finish?: (tree: DataTree) => DataTree;
}

/**
 * RFC 6241, sections 8.3.4.1 and 8.4. A final commit ends a pending confirmed one; a confirmed one restarts its timer and keeps the fall-back of
 * the first. Nothing is armed when the commit fails.
 */
export function commit(state: Datastores, rules: DatastoreRules, input: CommitInput): Transition {
  const { session, persistId } = input;
  const refusal =
    lockedByOther(state, session, ["running", "candidate"]) ?? mayFollow(state.pending, rules, { session, persistId });
  if (refusal !== undefined) return refused(state, refusal);
  const pending = armed(state, input);
  const errors = rules.check(state.candidate);
  if (errors.length > 0) {
    const arms = input.mode.kind === "confirmed" && rules.quirks.has("failed-commit-arms-rollback");
    return { state: arms ? { ...state, pending } : state, errors };
  }
  const loses = state.candidateValidated === "since-last-edit" && rules.quirks.has("validate-empties-commit");
  const running = loses ? state.running : (input.finish ?? ((tree) => tree))(state.candidate);
  return done({
    ...state,
    running,
    candidate: running,
    candidateChangedBy: undefined,
    candidateValidated: "no",
    pending,
  });
}

/** RFC 6241, section 8.4.4.1: running goes back to what it was before the first confirmed commit. */
export function cancelCommit(
  state: Datastores,
  rules: DatastoreRules,
  input: { readonly session: SessionId; readonly persistId: string | undefined },
): Transition {
  if (state.pending === undefined) {
    return refused(state, protocolError("operation-failed", "no confirmed commit is pending"));
  }
  const refusal = lockedByOther(state, input.session, ["running"]) ?? mayFollow(state.pending, rules, input);
  return refusal === undefined ? done(revert(state, state.pending)) : refused(state, refusal);
}

/** RFC 6241, section 8.3.4.2. */
export function discardChanges(state: Datastores, { session }: { readonly session: SessionId }): Transition {
  const locked = lockedByOther(state, session, ["candidate"]);
  return locked === undefined ? done(discarded(state)) : refused(state, locked);
}

/** RFC 6241, section 8.6.4.1. */
export function validateDatastore(state: Datastores, rules: DatastoreRules, source: DatastoreName): Transition {
  const tree = state[source];
  const errors = tree === undefined ? [] : rules.check(tree);
  if (errors.length > 0 || source !== "candidate") return { state, errors };
  return done({ ...state, candidateValidated: "since-last-edit" });
}

/** RFC 6241, section 7.4: only a datastore that need not exist can be deleted, which leaves the startup datastore. */
export function deleteStartup(state: Datastores, { session }: { readonly session: SessionId }): Transition {
  const locked = lockedByOther(state, session, ["startup"]);
  return locked === undefined ? done({ ...state, startup: undefined }) : refused(state, locked);
}

/** Reverts a confirmed commit whose time is over; the same state when there is none. */
export function expire(state: Datastores, now: number): Datastores {
  return state.pending !== undefined && state.pending.deadline <= now ? revert(state, state.pending) : state;
}

/** What ends with a session, however it ends: its locks, and its confirmed commit unless that persists (8.4.1). */
export function endSession(state: Datastores, rules: DatastoreRules, session: SessionId): Datastores {
  let next = state;
  for (const [target, holder] of state.locks) {
    if (holder === session) next = release(next, rules, target);
  }
  if (next.pending !== undefined && next.pending.session === session) {
    // A persistent one lives on, but no session is left that could be named as its owner.
    next =
      next.pending.persist === undefined
        ? revert(next, next.pending)
        : { ...next, pending: { ...next.pending, session: 0 } };
  }
  return next.candidateChangedBy === session ? { ...next, candidateChangedBy: 0 } : next;
}

/** A restart: what was not confirmed, committed or, with a startup datastore, saved is gone, and so are all locks. */
export function reboot(state: Datastores, { startup }: { readonly startup: "offered" | "none" }): Datastores {
  const kept = state.pending?.fallback ?? state.running;
  const saved = state.startup ?? { ...kept, roots: new Map() };
  return { ...initialDatastores(startup === "offered" ? saved : kept, { startup }), startup: state.startup };
}

function armed(state: Datastores, { mode, session, now }: CommitInput): PendingCommit | undefined {
  if (mode.kind === "final") return undefined;
  return {
    session,
    persist: mode.persist,
    fallback: state.pending?.fallback ?? state.running,
    deadline: now + mode.timeoutMs,
  };
}

/** May this session confirm, extend or cancel what is pending (RFC 6241, sections 8.4.1, 8.4.4.1, 8.4.5.1)? */
function mayFollow(
  pending: PendingCommit | undefined,
  rules: DatastoreRules,
  { session, persistId }: { readonly session: SessionId; readonly persistId: string | undefined },
): RpcError | undefined {
  if (rules.quirks.has("anyone-confirms")) return undefined;
  if (persistId !== undefined) {
    return pending?.persist === persistId
      ? undefined
      : protocolError("invalid-value", "no confirmed commit of this persist-id is pending", {
          info: [{ name: "bad-element", text: "persist-id" }],
        });
  }
  if (pending === undefined) return undefined;
  if (pending.persist !== undefined) {
    return protocolError("in-use", "a confirmed commit is pending and needs its persist-id");
  }
  return pending.session === session
    ? undefined
    : protocolError("in-use", "a confirmed commit of another session is pending");
}

function lockedByOther(state: Datastores, session: SessionId, targets: readonly DatastoreName[]): RpcError | undefined {
  for (const target of targets) {
    const holder = state.locks.get(target);
    if (holder !== undefined && holder !== session) {
      return protocolError("in-use", `${target} is locked by session ${String(holder)}`);
    }
  }
  return undefined;
}

function store(state: Datastores, target: DatastoreName, tree: DataTree, session: SessionId): Datastores {
  switch (target) {
    case "running":
      return withRunning(state, tree);
    case "candidate":
      return { ...state, candidate: tree, candidateChangedBy: session, candidateValidated: "no" };
    case "startup":
      return { ...state, startup: tree };
  }
}

/** A candidate that holds nothing uncommitted is a view of running and follows it. */
function withRunning(state: Datastores, running: DataTree): Datastores {
  return state.candidateChangedBy === undefined ? { ...state, running, candidate: running } : { ...state, running };
}

function revert(state: Datastores, pending: PendingCommit): Datastores {
  return withRunning({ ...state, pending: undefined }, pending.fallback);
}

function discarded(state: Datastores): Datastores {
  return { ...state, candidate: state.running, candidateChangedBy: undefined, candidateValidated: "no" };
}

function release(state: Datastores, rules: DatastoreRules, target: DatastoreName): Datastores {
  const locks = new Map(state.locks);
  locks.delete(target);
  const unlocked = { ...state, locks };
  return target === "candidate" && !rules.quirks.has("unlock-keeps-candidate") ? discarded(unlocked) : unlocked;
}

function done(state: Datastores): Transition {
  return { state, errors: [] };
}

function refused(state: Datastores, error: RpcError): Transition {
  return { state, errors: [error] };
}
