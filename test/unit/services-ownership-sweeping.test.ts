/** Rules 5 and 6: what nobody owns, and what a removal says about what it leaves. */
import { describe, expect, test } from "vitest";
import { at } from "../support/ownership-network.ts";
import { e1, mtu, mtuIs, needs, withInterface } from "../support/ownership-rules.ts";
import { OwnershipStory } from "../support/ownership-story.ts";

describe("rule 5: unowned items", () => {
  test("those outside a removed entry are never swept", () => {
    const story = withInterface([at.description("e1"), "old"])
      .putOne("a", mtuIs("9000"))
      .remove("a");
    expect(story.paths()).toEqual([e1, at.description("e1")]);
  });

  test("an entry that the service created goes with them, and the plan lists them", () => {
    const story = new OwnershipStory()
      .putOne("a", { path: e1 })
      .import("r1", { set: [[at.description("e1"), "by hand"]] });
    story.remove("a");
    expect(story.paths()).toEqual([]);
    expect(story.explanations()).toEqual([`a swept ${at.description("e1")} with ${e1}`, `a removed ${e1}`]);
  });

  test("an entry that existed before stays with them, and one created with scope node too", () => {
    const story = withInterface([at.description("e1"), "old"])
      .putOne("a", { path: e1 })
      .remove("a");
    expect(story.explanations()).toEqual([
      `a kept ${e1} (holds-unowned: ${at.description("e1")}), nothing set by import`,
    ]);
    const own = new OwnershipStory().putOne("a", { path: e1, scope: "node" });
    own.import("r1", { set: [[at.description("e1"), "by hand"]] }).remove("a");
    expect(own.paths()).toEqual([e1, at.description("e1")]);
    const empty = new OwnershipStory().putOne("a", { path: e1, scope: "node" }, mtuIs("9000")).remove("a");
    expect(empty.paths()).toEqual([]);
  });

  test("presence containers are treated like entries", () => {
    const cost = `${at.ospf("e1")}/cost`;
    const story = withInterface()
      .putOne("a", { path: at.ospf("e1") })
      .import("r1", { set: [[cost, "5"]] })
      .remove("a");
    expect(story.explanations()).toEqual([`a swept ${cost} with ${at.ospf("e1")}`, `a removed ${at.ospf("e1")}`]);
  });

  test("the order of a user-ordered list is no content that keeps its parent", () => {
    const rules = [
      { path: e1, scope: "node" as const },
      { path: at.filter("e1", "10") },
      { path: at.filter("e1", "20") },
    ];
    const story = new OwnershipStory().putOne("a", ...rules);
    expect(story.order(`${e1}/filter`)).toEqual(["net:filter[seq='10']", "net:filter[seq='20']"]);
    expect(story.remove("a").paths()).toEqual([]);
  });

  test("a subtree that existed goes with them where a rule says so, and what others need in it keeps it", () => {
    const story = withInterface([at.description("e1"), "old"]).putOne("a", { path: e1, scope: "subtree" });
    story.putOne("c", needs(at.description("e1"))).remove("a");
    expect(story.explanations()).toEqual([
      `a kept ${e1} (linked: c depends ${at.description("e1")}), nothing set by import`,
    ]);
    const alone = withInterface([at.description("e1"), "old"])
      .putOne("a", { path: e1, scope: "subtree" })
      .remove("a");
    expect(alone.explanations()).toEqual([
      `a swept ${at.description("e1")} with ${e1}`,
      `a removed ${e1}, existed since 1 as nothing`,
    ]);
  });

  test("the default is settled by the first put and stays", () => {
    const story = new OwnershipStory().putOne("a", { path: e1 }).putOne("a", { path: e1 });
    expect(story.link("a", e1)?.scope).toBe("subtree");
    const joined = story.putOne("b", { path: e1 });
    expect(joined.link("b", e1)?.scope).toBe("node");
    expect(withInterface().putOne("a", { path: e1 }).link("a", e1)?.scope).toBe("node");
    expect(new OwnershipStory().putOne("a", mtuIs("9000")).link("a", mtu)?.scope).toBe("node");
  });

  test("what was put in by hand stands in the way of scope node until it goes", () => {
    const story = new OwnershipStory().putOne("a", { path: e1, scope: "node" }, mtuIs("9000"));
    story.import("r1", { set: [[at.description("e1"), "by hand"]] }).remove("a");
    expect(story.explanations()).toEqual([
      `a kept ${e1} (holds-unowned: ${at.description("e1")}), nothing set by a`,
      `a removed ${mtu}`,
    ]);
  });

  test("a leafref into a subtree keeps the whole of it", () => {
    const server = "/net:vrf[name='red']/server[name='s']";
    const story = new OwnershipStory().putOne("a", { path: "/net:vrf[name='red']" }, { path: server });
    story.putOne("b", { path: "/net:vrf[name='red']/default-server", value: "s" }).remove("a");
    expect(story.explanations("kept").map((line) => line.split(" (")[0])).toEqual([
      "a kept /net:vrf[name='red']",
      `a kept ${server}`,
    ]);
    expect(story.remove("b").paths()).toEqual([]);
  });
});

describe("user order", () => {
  test("a service adds at the end and takes out its own, and nobody's order is disturbed", () => {
    const story = new OwnershipStory().import("r1", { set: [[at.dns("one")], [at.dns("two")]] });
    story.putOne("a", { path: at.dns("zero") });
    expect(story.order("/net:system/dns").map((key) => key.slice(11, -2))).toEqual(["one", "two", "zero"]);
    story.remove("a");
    expect(story.order("/net:system/dns").map((key) => key.slice(11, -2))).toEqual(["one", "two"]);
    story.putOne("a", { path: at.dns("two") });
    expect(story.body.devices[0]?.put).toEqual([]);
  });

  test("the last entry takes the order along", () => {
    const story = new OwnershipStory().putOne("a", { path: at.dns("one") }).remove("a");
    expect(story.state.devices.get("id-r1")?.items.size).toBe(0);
  });
});

describe("rule 6: a removal names what keeps each item and who set its value", () => {
  test("every surviving edge stands there", () => {
    const story = withInterface()
      .putOne("a", mtuIs("9000"))
      .putOne("b", mtuIs("1500"))
      .putOne("c", needs(mtu))
      .remove("a");
    expect(story.explanations()).toEqual([`a kept ${mtu} (linked: b owns ${mtu}, c depends ${mtu}), 1500 set by b`]);
  });

  test("with who set the value, whoever that was", () => {
    const story = withInterface([mtu, "9000"]).putOne("a", mtuIs("9000")).putOne("c", needs(mtu)).remove("a");
    expect(story.explanations()).toEqual([`a kept ${mtu} (linked: c depends ${mtu}), 9000 set by import`]);
    const accepted = withInterface().putOne("a", mtuIs("9000")).putOne("c", needs(mtu));
    accepted.accept("r1", { set: [[mtu, "1400"]] }).remove("a");
    expect(accepted.explanations()).toEqual([`a kept ${mtu} (linked: c depends ${mtu}), 1400 set by accept`]);
  });

  test("every item that stays is told, and for each of them only what keeps that", () => {
    const story = new OwnershipStory()
      .putOne("a", { path: e1 }, mtuIs("9000"), { path: at.description("e1"), value: "a" }, { path: at.vlan("7") })
      .putOne("c", needs(mtu, "9000"))
      .putOne("d", { path: at.description("e1"), value: "a" }, { path: at.accessVlan("e1"), value: "7" })
      .remove("a");
    const [description, access, vlan] = [at.description("e1"), at.accessVlan("e1"), at.vlan("7")];
    expect([...story.explanations()].sort()).toEqual(
      [
        `a kept ${e1} (linked: d owns ${access}, d owns ${description}, c depends ${mtu}), nothing set by a`,
        `a kept ${mtu} (linked: c depends ${mtu}), 9000 set by a`,
        `a kept ${description} (linked: d owns ${description}), a set by a`,
        `a kept ${vlan} (referenced: ${access}), nothing set by a`,
      ].sort(),
    );
    expect(story.remove("d").remove("c").paths()).toEqual([]);
  });
});
