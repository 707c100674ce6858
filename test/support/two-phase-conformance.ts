/** What a two-phase write guarantees, asked of a provider alone: one session for each call, as activities make them. */
import { expect, it } from "vitest";
import { sameContent } from "../../activities/tree-differences.ts";
import { compileModuleSet } from "../../graph/documents/typed-documents.ts";
import type { Schema } from "../../model/schema.ts";
import type { DataTree } from "../../model/tree.ts";
import { applyOperations } from "../../plan/apply-operations.ts";
import { compare } from "../../plan/compare.ts";
import type { Operation } from "../../plan/operation.ts";
import { operationsFromDocuments } from "../../plan/operation-json.ts";
import {
  type ConnectRequest,
  type DeviceConnection,
  type PrepareRequest,
  type Provider,
  type ReadConfig,
  type SettleRequest,
  type TwoPhaseWrite,
  canFetchSchemas,
  canReadConfig,
  canWriteInTwoPhases,
} from "../../providers/capability.ts";
import { valueOf } from "./results.ts";

export interface TwoPhaseDevice {
  readonly provider: Provider;
  readonly profile: string;
  readonly target: Pick<ConnectRequest, "host" | "port" | "credentials" | "hostKey">;
  /** Instance path of a leaf of type uint16 or uint32 that is not set and may be 9000. */
  readonly leaf: string;
}

/** Makes a device refuse one coming operation with `operation-failed`. */
export type RefuseOnce = (operation: string) => void;

type Open = DeviceConnection & ReadConfig & TwoPhaseWrite;

/** The tests; call it inside a `describe`. `device` is asked for at each test, and every test leaves it as it was. */
export function twoPhaseTests(device: () => TwoPhaseDevice, refuseOnce?: RefuseOnce): void {
  async function session<T>(work: (connection: Open) => Promise<T>): Promise<T> {
    const { provider, target, profile: name } = device();
    const profile = provider.profiles.find((each) => each.name === name);
    if (profile === undefined) throw new RangeError(`no profile ${name}`);
    const { signal } = new AbortController();
    const connection = await provider.connect({ ...target, profile, signal, deadline: performance.now() + 30_000 });
    try {
      if (!canReadConfig(connection) || !canWriteInTwoPhases(connection)) throw new Error("no two-phase write");
      return await work(connection);
    } finally {
      await connection.close();
    }
  }

  let schema: Schema | undefined;
  async function schemaOf(): Promise<Schema> {
    schema ??= await session(async (connection) => {
      if (!canFetchSchemas(connection)) throw new Error("no schemas");
      const modules = await connection.fetchSchemas();
      const texts = modules.map(({ text }) => text);
      return valueOf(
        compileModuleSet(
          { format: "tenure-module-set/1", modules: modules.map((module) => ({ ...module, text: "" })) },
          texts,
        ),
      );
    });
    return schema;
  }

  const running = async (): Promise<DataTree> => {
    const compiled = await schemaOf();
    return session(async (connection) => (await connection.readConfig(compiled)).tree);
  };

  interface Change {
    readonly before: DataTree;
    readonly after: DataTree;
    readonly operations: readonly Operation[];
  }
  async function change(): Promise<Change> {
    const before = await running();
    const document = { op: "create", path: device().leaf, after: 9000, causes: [], impact: "ordinary" } as const;
    const operations = valueOf(operationsFromDocuments(before.schema, [document]));
    return { before, operations, after: applyOperations(before, operations) };
  }

  const prepareWith = ({ before, operations }: Change, persistId: string, more: Partial<PrepareRequest> = {}) =>
    session((connection) =>
      connection.prepare({
        schema: before.schema,
        operations,
        persistId,
        confirmSeconds: 60,
        checkBase: ({ tree }) => (sameContent(tree, before) ? [] : ["moved"]),
        sameContent,
        fence: () => Promise.resolve(),
        reveal: () => {
          throw new Error("there is no secret");
        },
        ...more,
      }),
    );
  const differs = (a: DataTree, b: DataTree): boolean =>
    compare(a, b, { defaultsMode: "explicit" }).operations.length > 0;
  const settling = ({ before, after }: Change, persistId: string): SettleRequest => ({
    schema: before.schema,
    persistId,
    sameContent,
    judge: ({ tree }) => (!differs(after, tree) ? "planned" : !differs(before, tree) ? "earlier" : "other"),
    isLeftover: ({ candidate }) => !differs(after, candidate.tree),
  });
  const confirm = (made: Change, id: string) => session((connection) => connection.confirm(settling(made, id)));
  const cancel = (made: Change, id: string) => session((connection) => connection.cancel(settling(made, id)));

  /** Both locks are free and nothing is pending: a prepare that finds its base moved says so, and sends nothing. */
  async function expectSettled({ before }: Pick<Change, "before">, made: Change): Promise<void> {
    expect(await prepareWith(made, "look", { checkBase: () => ["only looking"] })).toEqual({
      kind: "stale",
      reasons: ["only looking"],
    });
    expect(differs(before, await running())).toBe(false);
  }

  it("a prepared change is in effect, and goes when it is cancelled from another session, once and again", async () => {
    const made = await change();
    const prepared = await prepareWith(made, "cancelled");
    expect(prepared.kind === "prepared" && differs(made.after, prepared.readBack.tree)).toBe(false);
    expect(differs(made.after, await running())).toBe(false);
    expect(await cancel(made, "cancelled")).toMatchObject({ kind: "clean" });
    expect(await cancel(made, "cancelled")).toMatchObject({ kind: "clean" });
    await expectSettled(made, made);
    expect(await confirm(made, "cancelled")).toMatchObject({ kind: "reverted" });
    await expectSettled(made, made);
  });

  it("a prepared change is confirmed from another session, and a repeat finds it confirmed", async () => {
    const made = await change();
    expect(await prepareWith(made, "confirmed")).toMatchObject({ kind: "prepared" });
    expect(await confirm(made, "confirmed")).toMatchObject({ kind: "confirmed" });
    expect(await confirm(made, "confirmed")).toMatchObject({ kind: "confirmed" });
    // Too late to cancel: the device says what it shows.
    expect(await cancel(made, "confirmed")).toMatchObject({ kind: "unsettled" });
    expect(differs(made.after, await running())).toBe(false);

    const back: Change = {
      before: await running(),
      after: made.before,
      operations: compare(made.before, made.after, { defaultsMode: "explicit" }).operations,
    };
    expect(await prepareWith(back, "taken back")).toMatchObject({ kind: "prepared" });
    expect(await confirm(back, "taken back")).toMatchObject({ kind: "confirmed" });
    await expectSettled(made, made);
  });

  it("nothing is sent when the base moved, or the fence says no", async () => {
    const made = await change();
    await expectSettled(made, made);
    const fenced = prepareWith(made, "fenced", { fence: () => Promise.reject(new Error("the lock is gone")) });
    await expect(fenced).rejects.toThrow("the lock is gone");
    await expectSettled(made, made);
  });

  it("while it is pending nobody else prepares; the other one waits for its turn", async () => {
    const made = await change();
    expect(await prepareWith(made, "first")).toMatchObject({ kind: "prepared" });
    await expect(prepareWith(made, "second")).rejects.toMatchObject({ retryable: true });
    expect(await cancel(made, "first")).toMatchObject({ kind: "clean" });
    expect(await prepareWith(made, "second")).toMatchObject({ kind: "prepared" });
    expect(await cancel(made, "second")).toMatchObject({ kind: "clean" });
    await expectSettled(made, made);
  });

  if (refuseOnce === undefined) return;

  it("a refusal after the provisional commit never reads as `nothing stands`", async () => {
    const made = await change();
    refuseOnce("unlock");
    await expect(prepareWith(made, "stands")).rejects.toMatchObject({ code: "OutcomeUnknown" });
    expect(differs(made.after, await running())).toBe(false);
    expect(await cancel(made, "stands")).toMatchObject({ kind: "clean" });
    await expectSettled(made, made);
  });

  it("a refused confirm of a commit that is still pending is no confirm, whatever running shows", async () => {
    const made = await change();
    expect(await prepareWith(made, "pending")).toMatchObject({ kind: "prepared" });
    refuseOnce("commit");
    await expect(confirm(made, "pending")).rejects.toMatchObject({ retryable: true });
    expect(await cancel(made, "pending")).toMatchObject({ kind: "clean" });
    await expectSettled(made, made);
  });
}
