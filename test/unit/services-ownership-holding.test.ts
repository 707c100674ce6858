/** Rules 1 and 2: who owns what, which value stands, and what the overridden are told. */
import { describe, expect, test } from "vitest";
import { at } from "../support/ownership-network.ts";
import { e1, mtu, mtuIs, needs, withInterface } from "../support/ownership-rules.ts";
import { OwnershipStory } from "../support/ownership-story.ts";

describe("rule 1: several services may own or depend on one item", () => {
  test("owning and depending are told apart, also for one service and one item", () => {
    const story = withInterface()
      .putOne("a", mtuIs("9000"))
      .putOne("b", mtuIs("9000"), needs(mtu))
      .putOne("c", needs(mtu));
    expect(story.item(mtu)).toBe("9000, set by a, since 2, owned by a b, needed by b c");
  });

  test("a rule owns the ancestors it had to create, never ancestors that existed", () => {
    const story = withInterface().putOne("a", mtuIs("9000"), { path: at.mtu("e2"), value: "1500" });
    expect(story.item(e1)).toBe("entry, set by import, since 1");
    expect(story.item(at.interface("e2"))).toBe("entry, set by a, since 2, owned by a");
    expect(story.link("a", at.interface("e2"))).toMatchObject({ implied: true, scope: "subtree" });
    story.remove("a");
    expect(story.paths()).toEqual([e1]);
  });

  test("the rule of an entry counts, wherever it stands among the rules of what is in it", () => {
    const story = new OwnershipStory().putOne("a", mtuIs("9000"), { path: e1 });
    const link = story.link("a", e1);
    expect(link).toMatchObject({ implied: false, scope: "subtree" });
    expect(link?.existedBefore).toBeUndefined();
  });

  test("an ancestor that one service created is not the next one's", () => {
    const story = new OwnershipStory()
      .putOne("a", mtuIs("9000"))
      .putOne("b", { path: at.description("e1"), value: "b" });
    expect(story.item(e1)).toBe("entry, set by a, since 1, owned by a");
    story.remove("a");
    expect(story.item(e1)).toBe("entry, set by a, since 1, retained");
    expect(story.explanations("kept")).toEqual([
      `a kept ${e1} (linked: b owns ${at.description("e1")}), nothing set by a`,
    ]);
    story.remove("b");
    expect(story.paths()).toEqual([]);
  });

  test("two services in one submission share what both had to create", () => {
    const story = new OwnershipStory().put(
      { name: "a", rules: [mtuIs("9000")] },
      { name: "b", rules: [{ path: e1 }, { path: at.description("e1"), value: "b" }] },
    );
    expect(story.item(e1)).toBe("entry, set by a, since 1, owned by a b");
    expect(story.link("b", e1)?.existedBefore).toBeUndefined();
  });

  test("what several instances of one submission had to create belongs to all of them, whatever their order", () => {
    const services = [
      { name: "a", rules: [mtuIs("9000")] },
      { name: "b", rules: [{ path: at.description("e1"), value: "b" }] },
    ];
    for (const order of [services, [...services].reverse()]) {
      const story = new OwnershipStory().put(...order);
      expect(story.item(e1)).toMatch(/owned by a b$/);
      expect(["a", "b"].map((name) => story.link(name, e1)?.implied)).toEqual([true, true]);
      expect(story.remove("a").paths()).toEqual([e1, at.description("e1")]);
      expect(story.remove("b").paths()).toEqual([]);
    }
  });

  test("a dependency creates nothing, and its end takes nothing from the owner", () => {
    const story = new OwnershipStory().putOne("b", needs(mtu));
    expect(story.paths()).toEqual([]);
    story.putOne("a", mtuIs("9000")).putOne("b", needs(at.description("e1")));
    expect(story.item(mtu)).toBe("9000, set by a, since 2, owned by a");
    expect(story.explanations("removed")).toEqual([]);
  });

  test("one that owned and depended may let go of either alone", () => {
    const story = withInterface().putOne("a", mtuIs("9000")).putOne("b", mtuIs("9000"), needs(mtu));
    expect(story.putOne("b", needs(mtu)).item(mtu)).toBe("9000, set by a, since 2, owned by a, needed by b");
    expect(story.putOne("b", mtuIs("9000")).item(mtu)).toBe("9000, set by a, since 2, owned by a b");
  });

  test("an instance owns on each of its devices what it had to create there", () => {
    const story = new OwnershipStory({ devices: ["r1", "r2"] }).import("r1", { set: [[e1]] });
    story.put({ name: "a", rules: [mtuIs("9000")], targets: ["r1", "r2"] });
    expect(story.item(e1, "r1")).toBe("entry, set by import, since 1");
    expect(story.item(e1, "r2")).toBe("entry, set by a, since 2, owned by a");
    story.remove("a");
    expect([story.paths("r1"), story.paths("r2")]).toEqual([[e1], []]);
  });
});

describe("rule 2: a newer update overrides, whatever the creation order", () => {
  const reason = (needed: string, found: string, by: string, revision: number): string[] => [
    `overridden ${mtu} needs ${needed} found ${found} by ${by} in ${String(revision)}`,
  ];

  test("the overridden owner is told by whom, when, and both values", () => {
    const story = withInterface().putOne("a", mtuIs("9000")).putOne("b", mtuIs("1500"));
    expect(story.item(mtu)).toBe("1500, set by b, since 3, owned by a b");
    expect(story.status("a")).toEqual(reason("9000", "1500", "b", 3));
    expect(story.status("b")).toBe("consistent");
    expect(story.explanations("overrides")).toEqual([`b overrides ${mtu} of a: 9000 -> 1500`]);
  });

  test("the older instance wins when it is the one put last, changed or not", () => {
    const story = withInterface().putOne("a", mtuIs("9000")).putOne("b", mtuIs("1500")).putOne("a", mtuIs("9000"));
    expect(story.item(mtu)).toBe("9000, set by a, since 4, owned by a b");
    expect(story.status("a")).toBe("consistent");
    expect(story.status("b")).toEqual(reason("1500", "9000", "a", 4));
  });

  test("an overridden value is not re-applied by other revisions, and the first words stay", () => {
    const story = withInterface().putOne("a", mtuIs("9000")).putOne("b", mtuIs("1500"));
    story.putOne("c", { path: at.description("e1"), value: "c" }).import("r1", { set: [[at.description("e1"), "d"]] });
    expect(story.item(mtu)).toContain("1500, set by b, since 3");
    expect(story.status("a")).toEqual(reason("9000", "1500", "b", 3));
    story.putOne("c", mtuIs("1400"));
    expect(story.status("a")).toEqual(reason("9000", "1400", "c", 6));
    expect(story.status("b")).toEqual(reason("1500", "1400", "c", 6));
  });

  test("a dependant whose value is overridden is inconsistent too", () => {
    const story = withInterface().putOne("a", mtuIs("9000")).putOne("c", needs(mtu, "9000")).putOne("b", mtuIs("1500"));
    expect(story.status("c")).toEqual(reason("9000", "1500", "b", 4));
  });

  test("an instance that still needs what is absent stays inconsistent when it is put again", () => {
    const story = withInterface().putOne("a", needs(mtu, "9000")).putOne("a", needs(mtu, "9000"));
    expect(story.status("a")).toEqual([`missing ${mtu} needs 9000 found nothing in 2`]);
  });

  test("the other case of a choice is overridden as well", () => {
    const story = withInterface([at.vlan("7")]);
    story.putOne("a", { path: at.accessVlan("e1"), value: "7" }).putOne("b", { path: at.trunkVlan("e1", "7") });
    expect(story.item(at.accessVlan("e1"))).toBe("absent, owned by a");
    expect(story.explanations("case-ended")).toEqual([
      `b case-ended ${at.accessVlan("e1")} by ${at.trunkVlan("e1", "7")}`,
    ]);
    expect(story.status("a")).toEqual([`overridden ${at.accessVlan("e1")} needs 7 found nothing by b in 3`]);
    story.putOne("a", { path: at.accessVlan("e1"), value: "7" });
    expect(story.item(at.trunkVlan("e1", "7"))).toBe("absent, owned by b");
    expect(story.status("a")).toBe("consistent");
  });

  test("the same document put again changes nothing but what was overridden", () => {
    const story = withInterface().putOne("a", mtuIs("9000"), needs(e1), { path: at.mtu("e2"), value: "1500" });
    story.putOne("a", mtuIs("9000"), needs(e1), { path: at.mtu("e2"), value: "1500" });
    expect(story.body.devices).toEqual([
      { device: "id-r1", moduleSet: undefined, put: [], remove: [], putLinks: [], removeLinks: [] },
    ]);
    expect(story.body.statuses).toEqual([]);
  });

  test("what was overridden is met again by whoever sets the value", () => {
    const story = withInterface().putOne("a", mtuIs("9000")).putOne("b", mtuIs("1500")).putOne("c", mtuIs("9000"));
    expect(story.status("a")).toBe("consistent");
    expect(story.status("b")).toEqual(reason("1500", "9000", "c", 4));
  });

  test("on one of several devices, the others are not blamed", () => {
    const story = new OwnershipStory({ devices: ["r1", "r2"] });
    story.put({ name: "a", rules: [mtuIs("9000")], targets: ["r1", "r2"] });
    story.put({ name: "b", rules: [mtuIs("1500")], targets: ["r2"] });
    expect(story.item(mtu, "r1")).toBe("9000, set by a, since 1, owned by a");
    const status = story.state.services.get("a")?.status;
    expect(status?.kind === "inconsistent" && status.because.map((each) => [each.device, each.by])).toEqual([
      ["id-r2", "b"],
    ]);
  });

  test("an override that says the value that stands is none", () => {
    const story = withInterface([mtu, "9000"]).putOne("a", mtuIs("9000")).putOne("b", mtuIs("9000"));
    expect(story.explanations()).toEqual([]);
    expect(story.item(mtu)).toBe("9000, set by import, since 1, owned by a b");
  });
});
