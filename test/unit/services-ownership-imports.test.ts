/** Rule 7: what devices show, and what that means for services. */
import { describe, expect, test } from "vitest";
import { at } from "../support/ownership-network.ts";
import { e1, mtu, mtuIs, needs, withInterface } from "../support/ownership-rules.ts";
import { OwnershipStory } from "../support/ownership-story.ts";

describe("rule 7: imports that contradict or lack what is required", () => {
  test("they succeed; the services become inconsistent with evidence; nothing is regenerated", () => {
    const story = withInterface()
      .putOne("a", mtuIs("9000"))
      .putOne("c", needs(mtu))
      .import("r1", { set: [[mtu, "1400"]] });
    expect(story.item(mtu)).toBe("1400, set by import, since 4, owned by a, needed by c");
    expect(story.status("a")).toEqual([`contradicted ${mtu} needs 9000 found 1400 in 4`]);
    expect(story.status("c")).toBe("consistent");
    expect(story.body.evidence).toMatchObject([
      { path: mtu, kind: "contradicted", expected: { text: "9000" }, found: { text: "1400" }, services: ["a"] },
    ]);
    story.import("r1", { remove: [mtu] });
    expect(story.item(mtu)).toBe("absent, owned by a, needed by c");
    expect(story.status("c")).toEqual([`missing ${mtu} needs nothing found nothing in 5`]);
    expect(story.body.evidence).toMatchObject([{ path: mtu, kind: "disappeared", services: ["a", "c"] }]);
    story.import("r1", { set: [[mtu, "9000"]] });
    expect([story.status("a"), story.status("c")]).toEqual(["consistent", "consistent"]);
    expect(story.item(mtu)).toBe("9000, set by import, since 6, owned by a, needed by c");
  });

  test("an import of what is known makes no revision", () => {
    const story = withInterface().putOne("a", mtuIs("9000"));
    expect(story.import("r1").revision).toBe(2);
    expect(story.body).toMatchObject({ devices: [], statuses: [], evidence: [] });
  });

  test("what was never seen on the device was not deployed", () => {
    const story = withInterface([at.description("e1"), "old"]).putOne("a", mtuIs("9000"), needs(at.description("e1")));
    story.import("r1", { remove: [mtu, at.description("e1")], seen: 1 });
    expect(story.body.evidence.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      `disappeared ${at.description("e1")}`,
      `not-deployed ${mtu}`,
    ]);
  });

  test("another service that meets the requirement makes it consistent", () => {
    const story = withInterface().putOne("c", needs(mtu, "9000"));
    expect(story.explanations()).toEqual([`c missing ${mtu} needs 9000 found nothing`]);
    expect(story.status("c")).toEqual([`missing ${mtu} needs 9000 found nothing in 2`]);
    expect(story.putOne("a", mtuIs("9000")).status("c")).toBe("consistent");
  });

  test("a dependency that the same submission meets is no note, whatever the order of the documents", () => {
    const story = withInterface().put(
      { name: "c", rules: [needs(mtu, "9000")] },
      { name: "a", rules: [mtuIs("9000")] },
    );
    expect(story.explanations("missing")).toEqual([]);
    expect(story.status("c")).toBe("consistent");
  });

  test("a retained item stays retained through imports", () => {
    const story = withInterface().putOne("a", mtuIs("9000")).putOne("c", needs(mtu)).remove("a");
    story.import("r1", { set: [[mtu, "1400"]] });
    expect(story.item(mtu)).toBe("1400, set by import, since 5, needed by c, retained");
  });

  test("instances, definitions and links stay as they were put", () => {
    const story = withInterface().putOne("a", mtuIs("9000"), needs(e1));
    const { services, definitions } = story.state;
    const { links } = story.state.devices.get("id-r1") ?? {};
    story.import("r1", { remove: [e1] });
    expect(story.paths()).toEqual([]);
    expect(story.state.definitions).toEqual(definitions);
    expect(story.state.devices.get("id-r1")?.links).toEqual(links);
    expect(story.state.services.get("a")).toEqual({ ...services.get("a"), status: expect.anything() as unknown });
    expect(story.status("a")).toEqual([
      `missing ${e1} needs nothing found nothing in 3`,
      `missing ${mtu} needs 9000 found nothing in 3`,
    ]);
  });

  test("what policy would find wrong is imported as it is", () => {
    const story = withInterface().import("r1", { set: [[at.accessVlan("e1"), "99"]] });
    expect(story.item(at.accessVlan("e1"))).toBe("99, set by import, since 2");
  });

  test("evidence names every service that requires the item, and no other", () => {
    const story = withInterface().putOne("a", mtuIs("9000")).putOne("b", needs(mtu, "9000")).putOne("c", needs(mtu));
    story.import("r1", {
      set: [
        [mtu, "1400"],
        [at.description("e1"), "x"],
      ],
    });
    expect(story.body.evidence.map(({ kind, path, services }) => [kind, path, services])).toEqual([
      ["contradicted", mtu, ["a", "b"]],
    ]);
    expect(story.body.statuses.map((each) => each.service)).toEqual(["a", "b"]);
    story.import("r1", { remove: [mtu] });
    expect(story.body.evidence.map(({ kind, services }) => [kind, services])).toEqual([
      ["disappeared", ["a", "b", "c"]],
    ]);
  });

  test("what is gone is evidence though nobody requires it, and so is what the device never had", () => {
    const story = withInterface([at.description("e1"), "old"], [at.vlan("7")]);
    story.import("r1", { set: [[at.description("e2"), "new"]] }).import("r1", {
      remove: [at.description("e1"), at.description("e2"), at.vlan("7")],
      seen: 1,
    });
    expect(story.body.evidence.map(({ kind, path, services }) => [kind, path, services])).toEqual([
      ["disappeared", at.description("e1"), []],
      ["not-deployed", at.description("e2"), []],
      ["disappeared", at.vlan("7"), []],
    ]);
    expect(story.body.evidence[0]).toMatchObject({ expected: { text: "old" }, found: undefined });
    story.import("r1", { set: [[at.description("e1"), "again"]] });
    expect(story.body.evidence).toEqual([]);
  });

  test("what was wrong before is not shown again by the next import", () => {
    const story = withInterface()
      .putOne("a", mtuIs("9000"))
      .import("r1", { set: [[mtu, "1400"]] });
    expect(story.import("r1").revision).toBe(3);
    story.import("r1", { set: [[at.description("e1"), "x"]] });
    expect(story.body).toMatchObject({ statuses: [], evidence: [] });
    expect(story.status("a")).toEqual([`contradicted ${mtu} needs 9000 found 1400 in 3`]);
  });

  test("an import touches one device alone, and judges its services by all of theirs", () => {
    const story = new OwnershipStory({ devices: ["r1", "r2"] });
    story.put({ name: "a", rules: [mtuIs("9000")], targets: ["r1", "r2"] }).import("r2", { set: [[mtu, "1400"]] });
    expect(story.body.devices.map((each) => each.device)).toEqual(["id-r2"]);
    expect(story.status("a")).toHaveLength(1);
    story.import("r1", { remove: [mtu] });
    expect(story.status("a")).toHaveLength(2);
    story.import("r2", { set: [[mtu, "9000"]] });
    expect(story.status("a")).toEqual([`missing ${mtu} needs 9000 found nothing in 3`]);
  });
});

describe("accepted drift", () => {
  test("a part is taken with the entries it stands in and its place in the order", () => {
    const story = withInterface([at.filter("e1", "10")]);
    const set = [[at.filter("e1", "5")], [`${at.filter("e1", "5")}/action`, "drop"], [at.mtu("e2"), "1500"]] as const;
    story.accept("r1", { set }, [`${at.filter("e1", "5")}/action`]);
    expect(story.paths()).toEqual([e1, at.filter("e1", "10"), at.filter("e1", "5"), `${at.filter("e1", "5")}/action`]);
    expect(story.item(at.filter("e1", "5"))).toBe("entry, set by accept, since 2");
    expect(story.order(`${e1}/filter`)).toEqual(["net:filter[seq='10']", "net:filter[seq='5']"]);
    story.accept("r1", { remove: [at.filter("e1", "10")] }, [at.filter("e1", "10")]);
    expect(story.order(`${e1}/filter`)).toEqual(["net:filter[seq='5']"]);
  });

  test("it ends the other case, and the owner of that is inconsistent", () => {
    const story = withInterface([at.vlan("7")]).putOne("a", { path: at.accessVlan("e1"), value: "7" });
    story.accept("r1", { set: [[at.trunkVlan("e1", "7")]] }, [at.trunkVlan("e1", "7")]);
    expect(story.paths()).not.toContain(at.accessVlan("e1"));
    expect(story.status("a")).toEqual([`missing ${at.accessVlan("e1")} needs 7 found nothing in 3`]);
  });
});
