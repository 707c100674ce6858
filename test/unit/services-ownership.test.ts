/** The ownership rules as stories: who owns what, which value stands, and why something stays. */
import { describe, expect, test } from "vitest";
import { formatPlace } from "../../model/diagnostic.ts";
import { at } from "../support/ownership-network.ts";
import { OwnershipStory, type StoryRule } from "../support/ownership-story.ts";

const e1 = at.interface("e1");
const mtu = at.mtu("e1");

const mtuIs = (value: string, more: Partial<StoryRule> = {}): StoryRule => ({ path: mtu, value, ...more });
const needs = (path: string, value?: string): StoryRule => ({
  path,
  relation: "depends",
  ...(value === undefined ? {} : { value }),
});

function withInterface(...set: readonly (readonly [string, string?])[]): OwnershipStory {
  return new OwnershipStory().import("r1", { set: [[e1], ...set] });
}

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
});

describe("rule 3: nobody wins inside one submission", () => {
  test("different values are refused, with every writer, its place and its value", () => {
    const story = withInterface();
    const result = story.propose({ name: "a", rules: [mtuIs("9000")] }, { name: "b", rules: [mtuIs("1500")] });
    if (result.kind === "ok") throw new Error("no conflict was found");
    expect(result.diagnostics).toHaveLength(1);
    const [conflict] = result.diagnostics;
    expect(conflict?.code).toBe("conflict");
    expect(conflict?.places.map(formatPlace)).toEqual([
      "story.yaml:1:119",
      "story.yaml:3:1",
      "story.yaml:5:119",
      "story.yaml:7:1",
    ]);
    for (const word of [mtu, "a writes 9000", "b writes 1500", "r1"]) expect(conflict?.message).toContain(word);
    expect(conflict?.remedy).toBeDefined();
    expect(story.revision).toBe(1);
  });

  test("the same value from two writers is no conflict, and a dependant is no writer", () => {
    const story = withInterface().put(
      { name: "a", rules: [mtuIs("9000")] },
      { name: "b", rules: [mtuIs("9000")] },
      { name: "c", rules: [needs(mtu, "1500")] },
    );
    expect(story.item(mtu)).toBe("9000, set by a, since 2, owned by a b, needed by c");
    expect(story.explanations("missing")).toEqual([`c missing ${mtu} needs 1500 found 9000`]);
    expect(story.status("c")).toEqual([`overridden ${mtu} needs 1500 found 9000 by b in 2`]);
  });

  test("two cases of one choice are a conflict, also within one instance", () => {
    const rules = [{ path: at.accessVlan("e1"), value: "7" }, { path: at.trunkVlan("e1", "8") }];
    for (const services of [
      [{ name: "a", rules }],
      [
        { name: "a", rules: rules.slice(0, 1) },
        { name: "b", rules: rules.slice(1) },
      ],
    ]) {
      const result = withInterface().propose(...services);
      expect(result.kind === "error" && result.diagnostics.map((each) => each.code)).toEqual(["conflict"]);
    }
  });

  test("the same path on different devices is no conflict", () => {
    const story = new OwnershipStory({ devices: ["r1", "r2"] });
    story.put({ name: "a", rules: [mtuIs("9000")] }, { name: "b", rules: [mtuIs("1500")], targets: ["r2"] });
    expect([story.item(mtu, "r1"), story.item(mtu, "r2")]).toEqual([
      "9000, set by a, since 1, owned by a",
      "1500, set by b, since 1, owned by b",
    ]);
  });
});

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
});

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
});

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
});
