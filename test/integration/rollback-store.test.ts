/** From "back to N" to a proposal, on a real store: what is read for it, and what becomes of devices that came and went. */
import { rmSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { type CompiledSubmission, type CompileContext } from "../../activities/compile-submission.ts";
import { compileRollback } from "../../activities/compile-rollback.ts";
import { RefusedError } from "../../activities/to-application-failure.ts";
import { SchemaCache } from "../../graph/documents/typed-documents.ts";
import { type GraphStore, openStore } from "../../graph/store.ts";
import { isStoreError } from "../../graph/store-error.ts";
import { canonicalJson } from "../../graph/canonical-json.ts";
import type { ModuleSetDocument } from "../../contract/documents.ts";
import { checkBasis } from "../../services/basis.ts";
import { BEFORE, LAB_MODULE, MTU_PATH, importDevice, putMtuService } from "../support/api-lab.ts";
import { body, commit, testFolder, writesOf } from "../support/graph-bodies.ts";

const R1 = { id: "d-aaaaaaaa", name: "r1" };
const R2 = { id: "d-bbbbbbbb", name: "r2" };

async function openLab(): Promise<CompileContext> {
  const dataFolder = testFolder();
  const store = await openStore({ dataFolder, reserveBytes: 0, checkBasis });
  onTestFinished(async () => {
    await store.close();
    rmSync(dataFolder, { recursive: true, force: true });
  });
  const schemas = new SchemaCache((digest) => store.documents.getText(digest));
  return { store, schemaOf: (moduleSet) => schemas.get(moduleSet), isSecret: () => false };
}

function record(store: GraphStore, { proposal }: CompiledSubmission, key: string) {
  return store.commitRevision({
    body: proposal.body,
    key,
    actor: "tester",
    cause: { kind: "record", submission: key },
  });
}

const mtuOf = async (store: GraphStore, device: string) => {
  const item = (await store.desiredDevice(device))?.items.get(MTU_PATH);
  return item?.item.kind === "leaf" && item.item.value.kind === "plain" ? item.item.value.text : undefined;
};

test("only devices that were written since, and what their services reach, are read", async () => {
  const context = await openLab();
  const { store } = context;
  for (const name of ["a", "b", "c", "d"]) await importDevice(store, { id: `d-${name.repeat(8)}`, name });
  await putMtuService(store, "d-aaaaaaaa");
  const { proposal, state } = await compileRollback(context, { to: 4, devices: "all" });
  expect([...state.devices.keys()]).toEqual(["d-aaaaaaaa"]);
  expect(proposal.devices).toEqual(["d-aaaaaaaa"]);
  expect(await record(store, { proposal, state }, "back")).toMatchObject({ revision: 6 });
  expect([await mtuOf(store, "d-aaaaaaaa"), await store.services(), await store.definitions()]).toEqual([
    "1500",
    [],
    [],
  ]);
  expect(await store.check()).toEqual([]);
  // Delivered again, it is the same revision.
  expect(await record(store, { proposal, state }, "back")).toEqual({ revision: 6, alreadyThere: true });
  // What was proposed before does not fit any more what stands now.
  const late = await record(store, { proposal, state }, "late").catch((error: unknown) => error);
  expect(isStoreError(late, "stale-basis")).toBe(true);
  await store.rebuild();
  expect([await mtuOf(store, "d-aaaaaaaa"), await store.definitions()]).toEqual(["1500", []]);
  expect((await store.definitions({ revision: 5 })).length).toBe(1);
});

test("a device that was imported later is left alone, one that was removed too; a name goes with each", async () => {
  const context = await openLab();
  const { store } = context;
  await importDevice(store, R1);
  await importDevice(store, { id: "d-cccccccc", name: "gone" });
  await putMtuService(store, R1.id);
  await importDevice(store, R2);
  await store.commitRevision(
    commit(body({ devices: [writesOf("d-cccccccc", { remove: ["/lab:system/hostname"] })] }), "before it went"),
  );
  await store.updateDevice({ id: "d-cccccccc", set: { state: "removed" }, actor: "tester", key: "gone" });
  const { proposal, state } = await compileRollback(context, { to: 2, devices: "all" });
  expect(proposal.devices).toEqual([R1.id]);
  expect(proposal.explanations.filter(({ kind }) => kind === "left-alone")).toMatchObject([
    { name: "r2", reason: "imported-later" },
    { name: "gone", reason: "removed" },
  ]);
  await record(store, { proposal, state }, "back");
  expect([await mtuOf(store, R1.id), await mtuOf(store, R2.id)]).toEqual(["1500", "1500"]);
  expect(await store.check()).toEqual([]);
});

test("under other modules: typed again where it fits, refused with every path where it does not", async () => {
  const context = await openLab();
  const { store } = context;
  await importDevice(store, R1);
  const modules = async (text: string, key: string): Promise<void> => {
    const document: ModuleSetDocument = {
      format: "tenure-module-set/1",
      modules: [{ name: "lab", role: "implement", features: [], text: await store.documents.put(text) }],
    };
    const moduleSet = await store.documents.put(canonicalJson(document));
    await store.commitRevision(
      commit(body({ devices: [writesOf(R1.id, { moduleSet, remove: ["/lab:system/hostname"] })] }), key),
    );
  };
  await modules(LAB_MODULE.replace("leaf speed { type uint64; }", "leaf speed { type string; }"), "wider");
  const { proposal } = await compileRollback(context, { to: 1, devices: "all" });
  expect(proposal.body.devices).toMatchObject([
    {
      moduleSet: undefined,
      remove: [],
      put: [
        { item: { path: "/lab:ports/port[name='a/1']/speed", value: { type: "string" } } },
        { item: { path: "/lab:system/hostname" }, setBy: { kind: "rollback", revision: 1 } },
      ],
    },
  ]);
  await modules(LAB_MODULE.replace("leaf speed { type uint64; }", "").replace("uint16", "int8"), "narrower");
  const refused: unknown = await compileRollback(context, { to: 1, devices: "all" }).catch((error: unknown) => error);
  if (!(refused instanceof RefusedError)) throw refused;
  expect(refused.diagnostics.map(({ code, places: [place] }) => [code, place])).toEqual([
    ["item-value", { kind: "instance", path: MTU_PATH }],
    ["item-path", { kind: "instance", path: "/lab:ports/port[name='a/1']/speed" }],
    ["item-value", { kind: "instance", path: "/lab:ports/port[name='b']/mtu" }],
  ]);
  expect(BEFORE["lab:ports"].port.length).toBe(2);
});

test("no revision 0, none to come, none that was pruned", async () => {
  const context = await openLab();
  await importDevice(context.store, R1);
  await putMtuService(context.store, R1.id);
  await context.store.prune({ before: new Date("2999-01-01T00:00:00Z"), actor: "tester", key: "prune" });
  const error = (to: number): Promise<unknown> =>
    compileRollback(context, { to, devices: "all" }).catch((reason: unknown) => reason);
  expect(await error(0)).toBeInstanceOf(RefusedError);
  expect(isStoreError(await error(3), "unknown-revision")).toBe(true);
  expect(isStoreError(await error(1), "pruned")).toBe(true);
  expect(await compileRollback(context, { to: 2, devices: "all" })).toMatchObject({ proposal: { devices: [] } });
});
