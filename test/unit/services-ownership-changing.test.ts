/** Rule 8: a changed instance is compiled whole; and what a proposal was made from. */
import { describe, expect, test } from "vitest";
import { at } from "../support/ownership-network.ts";
import { e1, mtu, mtuIs, needs, withInterface } from "../support/ownership-rules.ts";
import { OwnershipStory, type StoryRule } from "../support/ownership-story.ts";
import { valueOf } from "../support/results.ts";
import { RollbackStory } from "../support/rollback-story.ts";

describe("rule 8: a changed instance is compiled whole", () => {
  test("items it no longer yields go through rule 4", () => {
    const story = withInterface().putOne("a", mtuIs("9000"), { path: at.description("e1"), value: "a" });
    story.putOne("c", needs(at.description("e1"))).putOne("a", { path: at.vlan("7") });
    expect(story.item(mtu)).toBe("absent");
    expect(story.item(at.description("e1"))).toBe("a, set by a, since 2, needed by c, retained");
    expect(story.item(at.vlan("7"))).toBe("entry, set by a, since 4, owned by a");
  });

  test("fewer targets release what stands on the dropped ones", () => {
    const story = new OwnershipStory({ devices: ["r1", "r2"] });
    story.put({ name: "a", rules: [mtuIs("9000")], targets: ["r1", "r2"] });
    story.put({ name: "a", rules: [mtuIs("9000")], targets: ["r2"] });
    expect(story.paths("r1")).toEqual([]);
    expect(story.paths("r2")).toEqual([e1, mtu]);
    expect(story.state.services.get("a")?.targets).toEqual(["id-r2"]);
  });

  test("what one instance lets go and another takes in the same submission stays", () => {
    const story = withInterface().putOne("a", mtuIs("9000"));
    story.put({ name: "a", rules: [needs(e1)] }, { name: "b", rules: [mtuIs("9000")] });
    expect(story.item(mtu)).toBe("9000, set by a, since 2, owned by b");
    expect(story.explanations("kept")).toEqual([`a kept ${mtu} (linked: b owns ${mtu}), 9000 set by a`]);
  });

  test("ancestors it had to create stay its own when it is put again", () => {
    const story = new OwnershipStory().putOne("a", mtuIs("9000"));
    story.putOne("a", { path: at.description("e1"), value: "a" });
    expect(story.paths()).toEqual([e1, at.description("e1")]);
    expect(story.remove("a").paths()).toEqual([]);
  });

  test("an instance that moves to another device leaves the first as a removal would", () => {
    const story = new OwnershipStory({ devices: ["r1", "r2"] });
    story.put({ name: "a", rules: [mtuIs("9000"), { path: at.vlan("7") }] }).put({ name: "c", rules: [needs(mtu)] });
    story.put({ name: "a", rules: [mtuIs("9000"), { path: at.vlan("7") }], targets: ["r2"] });
    expect(story.item(mtu, "r1")).toBe("9000, set by a, since 1, needed by c, retained");
    expect(story.explanations("kept")).toEqual([
      `a kept ${e1} (linked: c depends ${mtu}), nothing set by a`,
      `a kept ${mtu} (linked: c depends ${mtu}), 9000 set by a`,
    ]);
    expect(story.paths("r2")).toEqual([e1, mtu, at.vlan("7")]);
    expect([story.status("a"), story.status("c")]).toEqual(["consistent", "consistent"]);
    expect(story.state.services.get("a")?.targets).toEqual(["id-r2"]);
    expect(story.remove("c").paths("r1")).toEqual([]);
    expect(story.remove("a").paths("r2")).toEqual([]);
  });

  test("what was wrong on a device that it left is forgotten", () => {
    const story = new OwnershipStory({ devices: ["r1", "r2"] });
    story.put({ name: "a", rules: [mtuIs("9000")] }).putOne("b", mtuIs("1500"));
    expect(story.status("a")).toHaveLength(1);
    story.put({ name: "a", rules: [mtuIs("9000")], targets: ["r2"] });
    expect(story.status("a")).toBe("consistent");
    expect(story.item(mtu, "r1")).toBe("1500, set by b, since 2, owned by b");
  });

  test("a rule of its own that goes leaves the entry to what still stands in it", () => {
    const story = new OwnershipStory().putOne("a", { path: e1 }, mtuIs("9000")).putOne("a", mtuIs("9000"));
    expect(story.explanations("kept")).toEqual([`a kept ${e1} (linked: a owns ${mtu}), nothing set by a`]);
    expect(story.remove("a").paths()).toEqual([]);
  });
});

describe("what a proposal was made from", () => {
  const stale = (between: (story: OwnershipStory) => void, rules: readonly StoryRule[] = [mtuIs("9000")]): number => {
    const story = new OwnershipStory({ devices: ["r1", "r2"] }).import("r1", { set: [[e1], [at.vlan("7")]] });
    const proposal = story.propose({ name: "a", rules });
    if (proposal.kind === "error") throw new Error("the proposal was refused");
    between(story);
    return story.commit(proposal.value).length;
  };

  test("it holds while others change other things", () => {
    expect(stale((story) => story.putOne("b", { path: at.vlanName("7"), value: "blue" }))).toBe(0);
  });

  test("it is stale when a value, an owner or a dependant it touches changes, or the instance itself", () => {
    expect(stale((story) => story.putOne("b", mtuIs("1500")))).toBeGreaterThan(0);
    expect(stale((story) => story.putOne("b", needs(mtu)))).toBeGreaterThan(0);
    expect(stale((story) => story.putOne("a", needs(e1)))).toBeGreaterThan(0);
  });

  test("it is stale when what its status was judged by changes", () => {
    const rules = [mtuIs("9000"), needs(at.vlan("7"))];
    expect(stale((story) => story.import("r1", { remove: [at.vlan("7")] }), rules)).toBeGreaterThan(0);
  });

  test("it is stale when the entry that its item stands in went", () => {
    expect(stale((story) => story.import("r1", { remove: [e1] }))).toBeGreaterThan(0);
    expect(stale((story) => story.import("r1", { set: [[at.description("e1"), "x"]] }))).toBe(0);
  });

  test("it is stale when another case of a choice came to stand, a leaf or a list's entry", () => {
    const access = [{ path: at.accessVlan("e1"), value: "7" }];
    const trunk = [{ path: at.trunkVlan("e1", "7") }];
    expect(stale((story) => story.putOne("b", ...trunk), access)).toBeGreaterThan(0);
    expect(stale((story) => story.putOne("b", ...access), trunk)).toBeGreaterThan(0);
  });

  test("it is stale when what keeps an item is there no more: a reference to it, or what stands in it", () => {
    const own = (): OwnershipStory => new OwnershipStory().putOne("a", { path: at.vlan("7") });
    const referred = own().putOne("b", { path: at.accessVlan("e1"), value: "7" });
    const kept = valueOf(referred.proposeRemoval("a"));
    expect(referred.import("r1", { remove: [at.accessVlan("e1")] }).commit(kept)).toHaveLength(1);

    const waiting = own()
      .putOne("c", needs(at.vlan("7")))
      .import("r1", { set: [[at.vlanName("7"), "blue"]] });
    const last = valueOf(waiting.remove("a").proposeRemoval("c"));
    expect(waiting.import("r1", { remove: [at.vlanName("7")] }).commit(last)).toHaveLength(1);
  });

  test("it is stale when the entry around what it lets go of lost its last owner", () => {
    const story = new OwnershipStory().putOne("a", { path: e1 }).putOne("c", needs(mtu));
    const proposal = valueOf(story.proposeRemoval("c"));
    expect(story.remove("a").item(e1)).toBe("entry, set by a, since 1, retained");
    expect(story.commit(proposal)).toHaveLength(1);
    expect(story.remove("c").paths()).toEqual([]);
  });

  test("it is stale when something comes to point at what it removes, and only then", () => {
    const removal = (between: StoryRule): number => {
      const story = new OwnershipStory().putOne("a", { path: at.vlan("7") }).putOne("b", { path: at.vlan("8") });
      const proposal = valueOf(story.proposeRemoval("a"));
      return story.putOne("c", between).commit(proposal).length;
    };
    expect(removal({ path: at.accessVlan("e1"), value: "7" })).toBe(1);
    expect(removal({ path: at.trunkVlan("e1", "7") })).toBe(1);
    expect(removal({ path: at.accessVlan("e1"), value: "8" })).toBe(0);
    expect(removal({ path: at.description("e1"), value: "7" })).toBe(0);
  });

  test("a return to a revision is stale in the same way", () => {
    const back = new RollbackStory().then((story) => story.import("r1", { set: [[mtu, "1500"]] }));
    back.then((story) => story.import("r1", { remove: [mtu] }));
    const restored = valueOf(back.propose(1));
    expect(back.story.import("r1", { remove: [e1] }).commit(restored)).toHaveLength(1);
  });
});
