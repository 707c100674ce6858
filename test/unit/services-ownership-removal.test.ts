/** Rule 4: what goes with a service, and what stays for others. */
import { describe, expect, test } from "vitest";
import { at } from "../support/ownership-network.ts";
import { e1, mtu, mtuIs, needs, withInterface } from "../support/ownership-rules.ts";
import { OwnershipStory, type StoryRule } from "../support/ownership-story.ts";

describe("rule 4: removal deletes only what nobody else needs", () => {
  test("the MTU story: no earlier value comes back, a later update sets it again", () => {
    const story = withInterface().putOne("a", mtuIs("9000")).putOne("b", mtuIs("1500")).remove("b");
    expect(story.item(mtu)).toBe("1500, set by b, since 3, owned by a");
    expect(story.explanations()).toEqual([`b kept ${mtu} (linked: a owns ${mtu}), 1500 set by b`]);
    expect(story.status("a")).toEqual([`overridden ${mtu} needs 9000 found 1500 by b in 3`]);
    story.putOne("a", mtuIs("9000"));
    expect(story.item(mtu)).toBe("9000, set by a, since 5, owned by a");
    expect(story.status("a")).toBe("consistent");
    expect(story.remove("a").paths()).toEqual([e1]);
  });

  test("an item kept by a dependant is retained, and goes with the last of them", () => {
    const story = withInterface()
      .putOne("a", mtuIs("9000"))
      .putOne("c", needs(mtu))
      .putOne("d", needs(mtu))
      .remove("a");
    expect(story.item(mtu)).toBe("9000, set by a, since 2, needed by c d, retained");
    expect(story.remove("c").item(mtu)).toBe("9000, set by a, since 2, needed by d, retained");
    expect(story.remove("d").item(mtu)).toBe("absent");
    expect(story.explanations()).toEqual([`d removed ${mtu}`]);
  });

  test("a retained item that is owned again is an ordinary one", () => {
    const story = withInterface()
      .putOne("a", mtuIs("9000"))
      .putOne("c", needs(mtu))
      .remove("a")
      .putOne("b", mtuIs("9000"));
    expect(story.item(mtu)).toBe("9000, set by a, since 2, owned by b, needed by c");
    expect(story.remove("c").item(mtu)).toBe("9000, set by a, since 2, owned by b");
    expect(story.link("b", mtu)?.existedBefore).toBeUndefined();
  });

  test("what existed before goes too, and the plan says since when and with which value", () => {
    const story = withInterface([mtu, "1400"])
      .putOne("a", mtuIs("9000"))
      .putOne("b", mtuIs("1500"))
      .remove("a")
      .remove("b");
    expect(story.item(mtu)).toBe("absent");
    expect(story.explanations()).toEqual([`b removed ${mtu}, existed since 1 as 1400`]);
  });

  test("a dependant alone does not hide that an item existed before", () => {
    const story = withInterface([mtu, "1400"]).putOne("c", needs(mtu)).putOne("a", mtuIs("9000"));
    expect(story.link("a", mtu)?.existedBefore).toMatchObject({ since: 1, value: { text: "1400" } });
  });

  test("onRemove keep hands the item over to nobody", () => {
    const story = withInterface()
      .putOne("a", mtuIs("9000", { onRemove: "keep" }))
      .putOne("c", needs(mtu))
      .remove("a");
    expect(story.item(mtu)).toBe("9000, set by a, since 2, needed by c");
    expect(story.remove("c").item(mtu)).toBe("9000, set by a, since 2");
    const alone = withInterface()
      .putOne("a", mtuIs("9000", { onRemove: "keep" }))
      .remove("a");
    expect(alone.explanations()).toEqual([`a kept ${mtu} (on-remove-keep), 9000 set by a`]);
  });

  test("an entry stays while somebody needs something below it", () => {
    const story = new OwnershipStory().putOne("a", { path: e1 }, mtuIs("9000")).putOne("c", needs(mtu)).remove("a");
    expect(story.paths()).toEqual([e1, mtu]);
    expect(story.explanations("kept")).toEqual([
      `a kept ${e1} (linked: c depends ${mtu}), nothing set by a`,
      `a kept ${mtu} (linked: c depends ${mtu}), 9000 set by a`,
    ]);
    expect(story.remove("c").paths()).toEqual([]);
  });

  test("a remaining leafref keeps its target; a referrer that goes takes it along", () => {
    const vlan = at.vlan("7");
    const access = at.accessVlan("e1");
    const story = withInterface().putOne("a", { path: vlan }).putOne("b", { path: access, value: "7" }).remove("a");
    expect(story.item(vlan)).toBe("entry, set by a, since 2, retained");
    expect(story.explanations()).toEqual([`a kept ${vlan} (referenced: ${access}), nothing set by a`]);
    story.remove("b");
    expect(story.explanations()).toEqual([`b removed ${access}`, `b removed ${vlan}`]);
    const together = withInterface().putOne("a", { path: vlan }, { path: access, value: "7" }).remove("a");
    expect(together.paths()).toEqual([e1]);
  });

  test("a leafref that can only mean another branch keeps nothing", () => {
    const server = (vrf: string): string => `/net:vrf[name='${vrf}']/server[name='s']`;
    const story = new OwnershipStory().import("r1", {
      set: [[server("red")], ["/net:vrf[name='red']/default-server", "s"], ["/net:vrf[name='blue']"]],
    });
    story.putOne("a", { path: server("blue") }).remove("a");
    expect(story.item(server("blue"))).toBe("absent");
    story.putOne("b", { path: server("red"), scope: "node" }).remove("b");
    expect(story.item(server("red"))).toBe("entry, set by import, since 1, retained");
  });

  test("what a kept item refers to is kept too, along the whole chain", () => {
    const story = new OwnershipStory().putOne("a", { path: at.vlan("7") }, { path: at.accessVlan("e1"), value: "7" });
    story.putOne("c", needs(at.accessVlan("e1"))).remove("a");
    expect(story.paths()).toEqual([e1, at.accessVlan("e1"), at.vlan("7")]);
    expect(story.remove("c").paths()).toEqual([]);
  });

  test("who depends on what another owns keeps it, along a chain of services, and is named", () => {
    const vlan = at.vlan("7");
    const story = withInterface()
      .putOne("vlans", { path: vlan }, { path: at.vlanName("7"), value: "blue" })
      .putOne("port", { path: at.accessVlan("e1"), value: "7" }, needs(vlan))
      .putOne("user", needs(at.accessVlan("e1"), "7"))
      .remove("vlans");
    expect(story.item(vlan)).toBe("entry, set by vlans, since 2, needed by port, retained");
    expect(story.explanations()).toEqual([
      `vlans kept ${vlan} (linked: port depends ${vlan}), nothing set by vlans`,
      `vlans removed ${at.vlanName("7")}`,
    ]);
    story.remove("port");
    expect(story.item(vlan)).toBe("entry, set by vlans, since 2, retained");
    expect(story.explanations("kept")).toEqual([
      `port kept ${at.accessVlan("e1")} (linked: user depends ${at.accessVlan("e1")}), 7 set by port`,
    ]);
    expect(story.remove("user").paths()).toEqual([e1]);
    expect(story.explanations().map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
      "user removed",
      "user removed",
    ]);
  });

  test("on several devices each decides for itself", () => {
    const story = new OwnershipStory({ devices: ["r1", "r2"] });
    story.put({ name: "a", rules: [mtuIs("9000")], targets: ["r1", "r2"] });
    story.put({ name: "c", rules: [needs(mtu)], targets: ["r2"] }).remove("a");
    expect(story.paths("r1")).toEqual([]);
    expect(story.item(mtu, "r2")).toBe("9000, set by a, since 1, needed by c, retained");
    expect(story.remove("c").paths("r2")).toEqual([]);
  });

  test("what goes from one instance to another in one submission did not exist before any service took it", () => {
    const story = withInterface()
      .putOne("a", mtuIs("9000"))
      .put({ name: "a", rules: [needs(e1)] }, { name: "b", rules: [mtuIs("9000")] });
    expect(story.link("b", mtu)?.existedBefore).toBeUndefined();
    const old = withInterface([mtu, "1400"])
      .putOne("a", mtuIs("9000"))
      .put({ name: "a", rules: [needs(e1)] }, { name: "b", rules: [mtuIs("9000")] });
    expect(old.remove("b").explanations()).toEqual([`b removed ${mtu}, existed since 1 as 1400`]);
  });

  test("an owner says keep for its item only, not for what stands in it", () => {
    const story = new OwnershipStory().putOne("a", { path: e1, onRemove: "keep" }, mtuIs("9000")).remove("a");
    expect(story.paths()).toEqual([e1]);
    expect(story.item(e1)).toBe("entry, set by a, since 1");
    expect(story.explanations()).toEqual([`a kept ${e1} (on-remove-keep), nothing set by a`, `a removed ${mtu}`]);
  });

  test("an instance that was inconsistent goes without a word about its status", () => {
    const story = withInterface().putOne("a", mtuIs("9000")).putOne("b", mtuIs("1500")).remove("a");
    expect(story.body.statuses).toEqual([]);
    expect(story.status("a")).toBe("no service");
  });

  test("an entry stays with the one thing in it that is kept", () => {
    const description = at.description("e1");
    const story = new OwnershipStory()
      .putOne("a", { path: e1 }, mtuIs("9000"), { path: description, value: "a", onRemove: "keep" })
      .remove("a");
    expect(story.paths()).toEqual([e1, description]);
    expect(story.explanations("kept")).toEqual([
      `a kept ${e1} (holds-others: ${description}), nothing set by a`,
      `a kept ${description} (on-remove-keep), a set by a`,
    ]);
  });

  test("of two owners that go at once, the wish to keep and the narrower scope win", () => {
    const both = (a: Partial<StoryRule>, b: Partial<StoryRule>): OwnershipStory => {
      const story = new OwnershipStory().put(
        { name: "a", rules: [{ path: e1, ...a }] },
        { name: "b", rules: [{ path: e1, ...b }] },
      );
      story.import("r1", { set: [[mtu, "1400"]] });
      return story.put({ name: "a", rules: [needs(at.vlan("7"))] }, { name: "b", rules: [needs(at.vlan("7"))] });
    };
    expect(both({}, {}).paths()).toEqual([]);
    for (const [a, b] of [
      [{ onRemove: "keep" }, {}],
      [{}, { onRemove: "keep" }],
      [{ scope: "node" }, {}],
      [{}, { scope: "node" }],
    ] as const)
      expect(both(a, b).paths(), JSON.stringify([a, b])).toEqual([e1, mtu]);
  });

  test("a retained item that disappears and comes back is nobody's", () => {
    const story = withInterface().putOne("a", mtuIs("9000")).putOne("c", needs(mtu)).remove("a");
    story.import("r1", { remove: [mtu] }).import("r1", { set: [[mtu, "9000"]] });
    expect(story.item(mtu)).toBe("9000, set by import, since 6, needed by c");
    expect(story.remove("c").paths()).toEqual([e1, mtu]);
  });

  test("a removal that finds the item gone already says nothing about it", () => {
    const story = withInterface()
      .putOne("a", mtuIs("9000"))
      .import("r1", { remove: [mtu] })
      .remove("a");
    expect(story.explanations()).toEqual([]);
    expect(story.item(mtu)).toBe("absent");
  });

  test("who depends on something absent in an entry keeps the entry", () => {
    const story = new OwnershipStory().putOne("a", { path: e1 }).putOne("c", needs(mtu)).remove("a");
    expect(story.explanations()).toEqual([`a kept ${e1} (linked: c depends ${mtu}), nothing set by a`]);
    expect(story.remove("c").paths()).toEqual([]);
  });
});
