import { describe, expect, test } from "vitest";
import type { Schema } from "../../model/schema.ts";
import { type DataTree, emptyTree } from "../../model/tree.ts";
import {
  type CommitInput,
  type DatastoreRules,
  type Datastores,
  type Quirk,
  type Transition,
  cancelCommit,
  changeDatastore,
  changeRunningOutside,
  commit,
  deleteStartup,
  discardChanges,
  endSession,
  expire,
  initialDatastores,
  lock,
  reboot,
  unlock,
  validateDatastore,
} from "../../simulator/datastores.ts";
import { applicationError } from "../../simulator/rpc-error.ts";

/** Rules of datastores look at trees as wholes only: empty ones that differ in a name are enough. */
function tree(name: string): DataTree {
  const nothing: Schema = {
    modules: new Map(),
    roots: new Map(),
    rootChoices: new Map(),
    operations: new Map(),
    notifications: new Map(),
    identities: new Map(),
    namespaces: new Map([[name, name]]),
  };
  return emptyTree(nothing);
}
const first = tree("first");
const second = tree("second");
const third = tree("third");
const invalid = tree("invalid");
const foreign = tree("foreign");

const alice = 1;
const bob = 2;

function rules(...quirks: readonly Quirk[]): DatastoreRules {
  const check: DatastoreRules["check"] = (each) =>
    each === invalid ? [applicationError("operation-failed", "not valid")] : [];
  return { quirks: new Set(quirks), check };
}
const rfc = rules();

function start(): Datastores {
  return initialDatastores(first, { startup: "offered" });
}
function edited(state: Datastores, to: DataTree, session = alice): Datastores {
  return succeeds(
    changeDatastore(state, rfc, { session, target: "candidate", test: "set", edit: () => ({ tree: to, errors: [] }) }),
  );
}
function succeeds({ state, errors }: Transition): Datastores {
  expect(errors).toEqual([]);
  return state;
}
function tagOf({ errors }: Transition): string | undefined {
  return errors[0]?.tag;
}
function ownerOf({ errors }: Transition): string | undefined {
  return errors[0]?.info?.find((each) => each.name === "session-id")?.text;
}
const confirmed = (over: Partial<CommitInput> & { readonly persist?: string; readonly seconds?: number } = {}) => {
  const { persist, seconds = 10, ...rest } = over;
  const mode = { kind: "confirmed", timeoutMs: seconds * 1000, persist } as const;
  return { session: alice, now: 0, mode, persistId: undefined, ...rest } satisfies CommitInput;
};
const final = (over: Partial<CommitInput> = {}): CommitInput => ({
  session: alice,
  now: 0,
  mode: { kind: "final" },
  persistId: undefined,
  ...over,
});

describe("locks", () => {
  test.each(["running", "candidate", "startup"] as const)(
    "%s is locked once, by its holder too, and freed by its holder",
    (target) => {
      const locked = succeeds(lock(start(), rfc, { session: alice, target }));
      for (const session of [alice, bob]) {
        const again = lock(locked, rfc, { session, target });
        expect([tagOf(again), ownerOf(again)]).toEqual(["lock-denied", String(alice)]);
      }
      const stranger = unlock(locked, rfc, { session: bob, target });
      expect([tagOf(stranger), ownerOf(stranger)]).toEqual(["lock-denied", String(alice)]);
      const free = succeeds(unlock(locked, rfc, { session: alice, target }));
      succeeds(lock(free, rfc, { session: bob, target }));
      expect(tagOf(unlock(free, rfc, { session: alice, target }))).toBe("operation-failed");
    },
  );

  test("case 48: while one session holds the locks, another can neither edit, commit nor discard", () => {
    let state = succeeds(lock(start(), rfc, { session: alice, target: "running" }));
    state = edited(succeeds(lock(state, rfc, { session: alice, target: "candidate" })), second);
    const edit = { session: bob, target: "candidate", test: "set", edit: () => ({ tree: third, errors: [] }) } as const;
    expect(tagOf(changeDatastore(state, rfc, edit))).toBe("in-use");
    expect(tagOf(commit(state, rfc, final({ session: bob })))).toBe("in-use");
    expect(tagOf(discardChanges(state, { session: bob }))).toBe("in-use");
    expect(tagOf(lock(state, rfc, { session: bob, target: "candidate" }))).toBe("lock-denied");
    expect(succeeds(commit(state, rfc, final())).running).toBe(second);
  });

  test("a lock of running alone keeps another session's commit out", () => {
    const state = edited(succeeds(lock(start(), rfc, { session: alice, target: "running" })), second, bob);
    expect(tagOf(commit(state, rfc, final({ session: bob })))).toBe("in-use");
  });

  test("case 47: the candidate is not locked while it holds a stranger's changes, and they stay", () => {
    const state = edited(start(), second, bob);
    const denied = lock(state, rfc, { session: alice, target: "candidate" });
    expect([tagOf(denied), ownerOf(denied)]).toEqual(["lock-denied", String(bob)]);
    expect(denied.state.candidate).toBe(second);
    const left = endSession(state, rfc, bob);
    expect(left.candidate).toBe(second);
    expect(ownerOf(lock(left, rfc, { session: alice, target: "candidate" }))).toBe("0");
    const quirky = lock(state, rules("lock-ignores-dirty-candidate"), { session: alice, target: "candidate" });
    expect(succeeds(quirky).candidate).toBe(second);
  });

  test.each(["unlock", "session end"] as const)(
    "case 47: uncommitted changes go with the candidate's lock at %s",
    (how) => {
      const locked = edited(succeeds(lock(start(), rfc, { session: alice, target: "candidate" })), second);
      const after = (with_: DatastoreRules): Datastores =>
        how === "unlock"
          ? succeeds(unlock(locked, with_, { session: alice, target: "candidate" }))
          : endSession(locked, with_, alice);
      expect(after(rfc)).toMatchObject({ candidate: first, candidateChangedBy: undefined });
      expect(after(rules("unlock-keeps-candidate")).candidate).toBe(second);
      expect(after(rfc).locks.size).toBe(0);
    },
  );

  test("case 49: a lock goes with its session", () => {
    const locked = succeeds(lock(start(), rfc, { session: alice, target: "running" }));
    succeeds(lock(endSession(locked, rfc, alice), rfc, { session: bob, target: "running" }));
    expect(tagOf(lock(endSession(locked, rfc, bob), rfc, { session: bob, target: "running" }))).toBe("lock-denied");
  });

  test("running is not locked while another session's confirmed commit is pending", () => {
    const pending = succeeds(commit(edited(start(), second), rfc, confirmed({ persist: "p" })));
    const denied = lock(pending, rfc, { session: bob, target: "running" });
    expect([tagOf(denied), ownerOf(denied)]).toEqual(["lock-denied", String(alice)]);
    succeeds(lock(pending, rfc, { session: alice, target: "running" }));
    succeeds(lock(pending, rfc, { session: bob, target: "candidate" }));
    expect(ownerOf(lock(endSession(pending, rfc, alice), rfc, { session: bob, target: "running" }))).toBe("0");
  });
});

describe("edits", () => {
  test("a failed test stores nothing, and test-only never does", () => {
    const change = (to: DataTree, test: "test-then-set" | "set" | "test-only"): Transition =>
      changeDatastore(start(), rfc, {
        session: alice,
        target: "candidate",
        test,
        edit: () => ({ tree: to, errors: [] }),
      });
    expect(change(invalid, "test-then-set")).toMatchObject({
      errors: [{ tag: "operation-failed" }],
      state: { candidate: first },
    });
    expect(change(invalid, "test-only").errors).toHaveLength(1);
    expect(succeeds(change(second, "test-only")).candidate).toBe(first);
    expect(succeeds(change(invalid, "set")).candidate).toBe(invalid);
    expect(succeeds(change(second, "test-then-set"))).toMatchObject({ candidate: second, candidateChangedBy: alice });
  });

  test("running takes no edit that would make it invalid, asked to test or not", () => {
    const edit = {
      session: alice,
      target: "running",
      test: "set",
      edit: () => ({ tree: invalid, errors: [] }),
    } as const;
    const result = changeDatastore(start(), rfc, edit);
    expect(result).toMatchObject({ errors: [{ tag: "operation-failed" }] });
    expect(result.state.running).toBe(first);
  });

  test("an edit that changes nothing leaves the candidate unmodified", () => {
    expect(edited(start(), first).candidateChangedBy).toBeUndefined();
  });

  test("an unmodified candidate follows running, a modified one does not", () => {
    const outside = { locks: "respected", edit: () => ({ tree: foreign, errors: [] }) } as const;
    expect(succeeds(changeRunningOutside(start(), rfc, outside))).toMatchObject({ candidateChangedBy: undefined });
    expect(succeeds(changeRunningOutside(start(), rfc, outside)).candidate).toBe(foreign);
    const dirty = succeeds(changeRunningOutside(edited(start(), second), rfc, outside));
    expect([dirty.running, dirty.candidate]).toEqual([foreign, second]);
    expect(dirty.candidate).toBe(second);
  });

  test("a change from outside respects locks unless it is told not to, and keeps them", () => {
    const locked = succeeds(lock(start(), rfc, { session: alice, target: "running" }));
    const change = (locks: "respected" | "ignored"): Transition =>
      changeRunningOutside(locked, rfc, { locks, edit: () => ({ tree: foreign, errors: [] }) });
    expect(tagOf(change("respected"))).toBe("in-use");
    expect(succeeds(change("ignored")).running).toBe(foreign);
    expect(succeeds(change("ignored")).locks).toEqual(new Map([["running", alice]]));
  });
});

describe("commit", () => {
  test("case 77: a commit that fails changes nothing, and discard-changes makes the next one clean", () => {
    const dirty = edited(start(), invalid);
    const failed = commit(dirty, rfc, final());
    expect(tagOf(failed)).toBe("operation-failed");
    expect(failed.state).toBe(dirty);
    const clean = succeeds(discardChanges(failed.state, { session: alice }));
    expect(clean.candidate).toBe(first);
    expect(succeeds(commit(edited(clean, second), rfc, final())).running).toBe(second);
  });

  test("what the device makes of a configuration stands in running and candidate", () => {
    const state = succeeds(commit(edited(start(), second), rfc, final({ finish: () => third })));
    expect(state).toMatchObject({ candidateChangedBy: undefined });
    expect([state.running === third, state.candidate === third]).toEqual([true, true]);
  });

  test("a server that validates into nothing answers ok and commits nothing", () => {
    const quirky = rules("validate-empties-commit");
    const validated = succeeds(validateDatastore(edited(start(), second), quirky, "candidate"));
    expect(succeeds(commit(validated, quirky, final())).running).toBe(first);
    expect(succeeds(commit(validated, rfc, final())).running).toBe(second);
    expect(succeeds(commit(edited(validated, third), quirky, final())).running).toBe(third);
  });
});

describe("confirmed commit", () => {
  const pending = (persist?: string): Datastores =>
    succeeds(commit(edited(start(), second), rfc, confirmed(persist === undefined ? {} : { persist })));

  test("reverts when its time is over and not before", () => {
    expect(expire(pending(), 9_999).running).toBe(second);
    expect(expire(pending(), 10_000)).toMatchObject({ pending: undefined });
    expect(expire(pending(), 10_000).running).toBe(first);
    expect(expire(pending(), 10_000).candidate).toBe(first);
  });

  test("is confirmed by a commit of its session, and then stays", () => {
    const confirmedState = succeeds(commit(pending(), rfc, final({ now: 5_000 })));
    expect(confirmedState.pending).toBeUndefined();
    expect(expire(confirmedState, 60_000).running).toBe(second);
  });

  test("case 50: without persist id only its session confirms or cancels, and its end reverts at once", () => {
    expect(tagOf(commit(pending(), rfc, final({ session: bob })))).toBe("in-use");
    expect(tagOf(commit(pending(), rfc, final({ session: bob, persistId: "p" })))).toBe("invalid-value");
    expect(tagOf(cancelCommit(pending(), rfc, { session: bob, persistId: undefined }))).toBe("in-use");
    expect(endSession(pending(), rfc, bob).running).toBe(second);
    expect(endSession(pending(), rfc, alice)).toMatchObject({ pending: undefined });
    expect(endSession(pending(), rfc, alice).running).toBe(first);
    expect(succeeds(cancelCommit(pending(), rfc, { session: alice, persistId: undefined })).running).toBe(first);
    expect(succeeds(commit(pending(), rules("anyone-confirms"), final({ session: bob }))).pending).toBeUndefined();
  });

  test("case 50: with persist id it outlives its session and is confirmed or cancelled by whoever has the id", () => {
    const left = endSession(pending("job-77"), rfc, alice);
    expect(left.running).toBe(second);
    for (const persistId of [undefined, "job-78"]) {
      expect(tagOf(commit(left, rfc, final({ session: bob, persistId })))).toBe(
        persistId === undefined ? "in-use" : "invalid-value",
      );
      expect(tagOf(cancelCommit(left, rfc, { session: bob, persistId }))).toBe(
        persistId === undefined ? "in-use" : "invalid-value",
      );
    }
    const kept = succeeds(commit(left, rfc, final({ session: bob, persistId: "job-77" })));
    expect([kept.running === second, kept.pending]).toEqual([true, undefined]);
    expect(succeeds(cancelCommit(left, rfc, { session: bob, persistId: "job-77" })).running).toBe(first);
    expect(expire(left, 10_000).running).toBe(first);
  });

  test("not even its own session may leave the persist id out", () => {
    expect(tagOf(commit(pending("p"), rfc, final()))).toBe("in-use");
    expect(tagOf(cancelCommit(pending("p"), rfc, { session: alice, persistId: undefined }))).toBe("in-use");
  });

  test("case 51: a second one restarts the timer and keeps the fall-back of the first", () => {
    const again = succeeds(
      commit(edited(pending("p"), third), rfc, confirmed({ now: 8_000, persistId: "p", persist: "p" })),
    );
    expect(again.running).toBe(third);
    expect(expire(again, 17_999).running).toBe(third);
    expect(expire(again, 18_000).running).toBe(first);
  });

  test("the last of a series decides whether it persists", () => {
    const again = succeeds(commit(pending("p"), rfc, confirmed({ persistId: "p" })));
    expect(endSession(again, rfc, alice).running).toBe(first);
  });

  test("case 51: one that fails arms nothing; on a server where it does, the timer takes a later good change back", () => {
    const failed = (quirks: DatastoreRules): Datastores => {
      const result = commit(edited(start(), invalid), quirks, confirmed());
      expect(result.errors).toHaveLength(1);
      return result.state;
    };
    expect(failed(rfc).pending).toBeUndefined();
    const armed = failed(rules("failed-commit-arms-rollback"));
    const outside = { locks: "respected", edit: () => ({ tree: foreign, errors: [] }) } as const;
    const changed = succeeds(changeRunningOutside(armed, rfc, outside));
    expect(changed.running).toBe(foreign);
    expect(expire(changed, 10_000).running).toBe(first);
  });

  test("nothing pending: a persist id is refused, and there is nothing to cancel", () => {
    expect(tagOf(commit(start(), rfc, final({ persistId: "p" })))).toBe("invalid-value");
    expect(tagOf(cancelCommit(start(), rfc, { session: alice, persistId: "p" }))).toBe("operation-failed");
  });

  test("a change from outside while it is pending is undone by the rollback, and kept by a confirm that leaves it in the candidate", () => {
    const changed = succeeds(
      changeRunningOutside(pending("p"), rfc, { locks: "respected", edit: () => ({ tree: foreign, errors: [] }) }),
    );
    expect(expire(changed, 10_000).running).toBe(first);
    expect(succeeds(commit(changed, rfc, final({ session: bob, persistId: "p" }))).running).toBe(foreign);
  });
});

describe("startup and reboot", () => {
  test("a reboot forgets what was not saved, locks and what is pending", () => {
    const state = succeeds(commit(edited(start(), second), rfc, confirmed({ persist: "p" })));
    expect(reboot(state, { startup: "offered" })).toMatchObject({ pending: undefined, locks: new Map() });
    expect(reboot(state, { startup: "offered" }).running).toBe(first);
  });

  test("without a startup datastore only an unconfirmed commit is lost", () => {
    const none = initialDatastores(first, { startup: "none" });
    const committed = succeeds(commit(edited(none, second), rfc, final()));
    expect(reboot(committed, { startup: "none" }).running).toBe(second);
    const pending = succeeds(commit(edited(committed, third), rfc, confirmed()));
    expect(reboot(pending, { startup: "none" }).running).toBe(second);
  });

  test("a deleted startup boots an empty device", () => {
    const deleted = succeeds(deleteStartup(start(), { session: alice }));
    expect(deleted.startup).toBeUndefined();
    expect(reboot(deleted, { startup: "offered" }).running).not.toBe(first);
  });
});
