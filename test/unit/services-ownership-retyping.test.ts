/** A device that comes back with other modules: what stands is typed anew, and only what differs is a change. */
import { describe, expect, test } from "vitest";
import type { Schema } from "../../model/schema.ts";
import { SHOWN_CHANGES, affectedServices, importReport } from "../../services/import-report.ts";
import { at, network, networkWith } from "../support/ownership-network.ts";
import { e1, mtu, mtuIs, needs, withInterface } from "../support/ownership-rules.ts";
import type { OwnershipStory } from "../support/ownership-story.ts";

const wide = networkWith([['leaf mtu { type uint16 { range "68..9216"; } }', "leaf mtu { type uint32; }"]]);
const [description, name7] = [at.description("e1"), at.vlanName("7")];

type Shown = readonly (readonly [string, string?])[];

function upgrade(story: OwnershipStory, schema: Schema, set: Shown): ReturnType<typeof importReport> {
  const before = story.state.devices.get("id-r1");
  if (before === undefined) throw new Error("no device");
  story.import("r1", { set, moduleSet: { name: "modules-2", schema } });
  return importReport(before, schema, story.body);
}

describe("an import after the device's modules changed", () => {
  const story = () => withInterface([description, "old"]).putOne("a", mtuIs("9000")).putOne("c", needs(mtu, "9000"));

  test("does not show a type that is spelled otherwise as a change of value", () => {
    const upgraded = story();
    const report = upgrade(upgraded, wide, [
      [mtu, "9000"],
      [description, "old"],
    ]);
    expect(report.totals).toEqual({ added: 0, changed: 0, removed: 0, retyped: 1, unfit: 0 });
    expect(report.changes.map(({ kind, path }) => [kind, path])).toEqual([["retyped", mtu]]);
    expect([report.evidence, report.services, affectedServices(report)]).toEqual([[], [], []]);
    expect(upgraded.item(mtu)).toBe("9000, set by a, since 2, owned by a, needed by c");
    expect(upgraded.link("a", mtu)?.value).toEqual({ kind: "plain", type: "uint32", text: "9000" });
    expect([upgraded.status("a"), upgraded.status("c")]).toEqual(["consistent", "consistent"]);
  });

  test("is unchanged when it is imported once more", () => {
    const upgraded = story();
    upgrade(upgraded, wide, [
      [mtu, "9000"],
      [description, "old"],
    ]);
    const { revision } = upgraded;
    expect(upgraded.import("r1").revision).toBe(revision);
  });

  test("shows a value that differs, with its evidence, and keeps older words as they were said", () => {
    const upgraded = story().import("r1", { set: [[mtu, "1400"]] });
    const words = upgraded.status("a");
    expect(
      upgrade(upgraded, wide, [
        [mtu, "1400"],
        [description, "old"],
      ]).evidence,
    ).toEqual([]);
    expect(upgraded.status("a")).toEqual(words);
    const again = story();
    const report = upgrade(again, wide, [
      [mtu, "70000"],
      [description, "old"],
    ]);
    expect(report.changes.map(({ kind, path }) => [kind, path])).toEqual([["changed", mtu]]);
    expect(report.evidence).toMatchObject([{ kind: "contradicted", path: mtu, services: ["a", "c"] }]);
    expect(again.status("c")).toEqual([`contradicted ${mtu} needs 9000 found 70000 in 4`]);
  });

  test("lists what no longer fits, and whom that concerns; nothing of it is lost silently", () => {
    const gone = networkWith([
      ['leaf mtu { type uint16 { range "68..9216"; } }', ""],
      ["leaf description { type string; }", "leaf description { type uint8; }"],
    ]);
    const upgraded = story().putOne("d", { path: name7, value: "blue" });
    const report = upgrade(upgraded, gone, [[e1]]);
    expect(report.changes.map(({ kind, path }) => [kind, path])).toEqual([
      ["unfit", description],
      ["unfit", mtu],
      ["removed", at.vlan("7")],
      ["removed", name7],
    ]);
    expect(report.totals).toEqual({ added: 0, changed: 0, removed: 2, retyped: 0, unfit: 2 });
    expect(report.evidence.map(({ kind, path, services }) => [kind, path, services])).toEqual([
      ["disappeared", description, []],
      ["disappeared", mtu, ["a", "c"]],
      ["disappeared", at.vlan("7"), ["d"]],
      ["disappeared", name7, ["d"]],
    ]);
    expect(affectedServices(report)).toEqual(["a", "c", "d"]);
    expect(upgraded.item(mtu)).toBe("absent, owned by a, needed by c");
  });

  test("a retained item stays retained", () => {
    const upgraded = story().remove("a");
    upgrade(upgraded, wide, [
      [mtu, "9000"],
      [description, "old"],
    ]);
    expect(upgraded.item(mtu)).toBe("9000, set by a, since 2, needed by c, retained");
    expect(upgraded.remove("c").paths()).toEqual([e1, description]);
  });
});

test("an entry whose key is typed otherwise is the same entry", () => {
  const keys = networkWith([
    [
      "list vlan {\n      key id;\n      leaf id { type uint16 {",
      "list vlan {\n      key id;\n      leaf id { type uint32 {",
    ],
  ]);
  const story = withInterface().putOne("a", { path: name7, value: "blue" });
  const report = upgrade(story, keys, [[e1], [name7, "blue"]]);
  expect(report.changes.map(({ kind, path }) => [kind, path])).toEqual([["retyped", at.vlan("7")]]);
  expect(story.item(at.vlan("7"))).toBe("entry, set by a, since 2, owned by a");
});

describe("what an import says it changes", () => {
  test("counts everything, and shows what is added, changed and removed with what was and will be", () => {
    const story = withInterface([mtu, "1400"], [description, "old"]).putOne("c", needs(mtu, "1400"));
    const before = story.state.devices.get("id-r1");
    if (before === undefined) throw new Error("no device");
    story.import("r1", {
      set: [
        [mtu, "1500"],
        [name7, "blue"],
      ],
      remove: [description],
      seen: 1,
    });
    const report = importReport(before, network, story.body);
    expect(report.totals).toEqual({ added: 2, changed: 1, removed: 1, retyped: 0, unfit: 0 });
    expect(report.changes).toMatchObject([
      { kind: "removed", path: description, before: { value: { text: "old" } } },
      { kind: "changed", path: mtu, before: { value: { text: "1400" } }, after: { value: { text: "1500" } } },
      { kind: "added", path: at.vlan("7") },
      { kind: "added", path: name7 },
    ]);
    expect(report.services).toEqual([{ service: "c", status: "inconsistent" }]);
    expect(affectedServices(report)).toEqual(["c"]);
  });

  test("shows so much of what is gone and nobody requires, and all that somebody does", () => {
    const story = withInterface([mtu, "1400"]).putOne("c", needs(mtu, "1400"));
    const before = story.state.devices.get("id-r1");
    if (before === undefined) throw new Error("no device");
    story.import("r1", { remove: [mtu] });
    const [required] = story.body.evidence;
    if (required === undefined) throw new Error("no evidence");
    const gone = Array.from({ length: SHOWN_CHANGES + 5 }, (_, n) => ({ ...required, path: `/n:${n}`, services: [] }));
    const { evidence } = importReport(before, network, { ...story.body, evidence: [...gone, required] });
    expect(evidence).toEqual([...gone.slice(0, SHOWN_CHANGES), required]);
  });
});
