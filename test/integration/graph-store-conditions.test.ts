/** A condition speaks of the revision on which it was found; it is never read as current for another one. */
import { expect, onTestFinished, test } from "vitest";
import type { ConditionEntry, Subject } from "../../graph/journal/record.ts";
import { type GraphStore, openStore } from "../../graph/store.ts";
import {
  MODULE_SET,
  body,
  commit,
  deviceRecord,
  importBody,
  link,
  mtu,
  mtuPath,
  testFolder,
  writesOf,
} from "../support/graph-bodies.ts";

const d1: Subject = { kind: "device", id: "d1" };

async function storeWithDevices(dataFolder = testFolder()): Promise<GraphStore> {
  const store = await openStore({ dataFolder });
  onTestFinished(() => store.close());
  for (const id of ["d1", "d2"]) await store.putDevice({ device: deviceRecord(id), actor: "t", key: `add ${id}` });
  return store;
}

function condition(subject: Subject, type: string, revision: number | undefined): ConditionEntry {
  return {
    subject,
    type,
    status: "true",
    reason: "Seen",
    message: "",
    path: undefined,
    revision,
    observation: undefined,
  };
}

const importOf = (device: string, value: string) => commit(importBody(device, { eth0: value }), `${device} ${value}`);

test("a condition is current until its device is written again; revisions of other devices do not age it", async () => {
  const store = await storeWithDevices();
  const describes = async () => (await store.condition(d1, "InSync"))?.describes;
  await store.commitRevision(importOf("d1", "1500"));
  await store.recordCondition(condition(d1, "InSync", 1));
  expect(await describes()).toBe("current");
  await store.commitRevision(importOf("d2", "1500"));
  expect(await describes()).toBe("current");
  await store.commitRevision(importOf("d1", "9000"));
  expect(await describes()).toEqual({ revision: 1 });
  // Found again, of a revision between which and now nothing wrote the device.
  await store.commitRevision(importOf("d2", "9000"));
  await store.recordCondition(condition(d1, "InSync", 4));
  expect(await describes()).toBe("current");
});

test("links alone write a device too; a revision that only names it as a target does not", async () => {
  const store = await storeWithDevices();
  await store.commitRevision(importOf("d1", "1500"));
  await store.recordCondition(condition(d1, "InSync", 1));
  const definition = { name: "mtu", version: "1", document: MODULE_SET };
  const services = [{ kind: "put", name: "a", definition, parameters: "{}", targets: ["d1"] }] as const;
  await store.commitRevision(commit(body({ services }), "instance alone"));
  expect((await store.condition(d1, "InSync"))?.describes).toBe("current");
  const putLinks = [link("a", "d1", "eth0", "1500")];
  await store.commitRevision(commit(body({ devices: [writesOf("d1", { putLinks })] }), "link"));
  expect((await store.condition(d1, "InSync"))?.describes).toEqual({ revision: 1 });
});

test("a condition of an instance ages with the instance and with its status", async () => {
  const store = await storeWithDevices();
  await store.commitRevision(importOf("d1", "1500"));
  const definition = { name: "mtu", version: "1", document: MODULE_SET };
  const put = (parameters: string) =>
    body({
      devices: [writesOf("d1", { put: [mtu("eth0", parameters, { kind: "service", service: "a" })] })],
      services: [{ kind: "put", name: "a", definition, parameters, targets: ["d1"] }],
    });
  const subject: Subject = { kind: "service", name: "a" };
  const describes = async () => (await store.condition(subject, "Working"))?.describes;
  await store.commitRevision(commit(put("1"), "put 1"));
  await store.recordCondition(condition(subject, "Working", 2));
  expect(await describes()).toBe("current");
  await store.commitRevision(commit(put("2"), "put 2"));
  expect(await describes()).toEqual({ revision: 2 });
  expect((await store.conditions()).map((each) => each.describes)).toEqual([{ revision: 2 }]);
  expect((await store.conditions(subject)).map((each) => each.describes)).toEqual([{ revision: 2 }]);
  await store.recordCondition(condition(subject, "Working", 3));
  const because = {
    reason: "missing",
    device: "d1",
    path: mtuPath("eth0"),
    required: undefined,
    found: undefined,
    by: undefined,
    revision: 0,
  } as const;
  await store.commitRevision(
    commit(body({ statuses: [{ service: "a", status: { kind: "inconsistent", because: [because] } }] }), "status"),
  );
  expect(await describes()).toEqual({ revision: 3 });
});

test("what names no revision is about the subject at large, and is current", async () => {
  const store = await storeWithDevices();
  await store.recordCondition(condition(d1, "Reachable", undefined));
  await store.commitRevision(importOf("d1", "1500"));
  await store.commitRevision(importOf("d1", "9000"));
  expect((await store.condition(d1, "Reachable"))?.describes).toBe("current");
});

test("one, those of a subject, and all are told alike, after a restart and a rebuild too", async () => {
  const dataFolder = testFolder();
  const first = await openStore({ dataFolder });
  for (const id of ["d1", "d2"]) await first.putDevice({ device: deviceRecord(id), actor: "t", key: `add ${id}` });
  await first.commitRevision(importOf("d1", "1500"));
  await first.commitRevision(importOf("d2", "1500"));
  await first.recordCondition(condition(d1, "InSync", 1));
  await first.recordCondition(condition({ kind: "device", id: "d2" }, "InSync", 2));
  await first.recordCondition(condition({ kind: "service", name: "gone" }, "Paused", undefined));
  await first.commitRevision(importOf("d1", "9000"));
  await first.close();
  const store = await openStore({ dataFolder });
  onTestFinished(() => store.close());
  for (const when of ["opened", "rebuilt"]) {
    if (when === "rebuilt") await store.rebuild();
    const all = await store.conditions();
    expect(all.map(({ subject, describes }) => [subject, describes])).toEqual([
      [d1, { revision: 1 }],
      [{ kind: "device", id: "d2" }, "current"],
      [{ kind: "service", name: "gone" }, "current"],
    ]);
    for (const each of all) {
      expect(await store.condition(each.subject, each.type)).toEqual(each);
      expect(await store.conditions(each.subject)).toEqual([each]);
    }
    expect([...(await store.newestRevisions())]).toEqual([
      ["d1", 3],
      ["d2", 2],
    ]);
  }
  // The same finding on the same revision is a repeat, whether it is current or not.
  expect(await store.recordCondition(condition(d1, "InSync", 1))).toEqual({ alreadyThere: true });
});
