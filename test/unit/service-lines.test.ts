/** What the rules explain, as lines of a plan section: each names the surviving edge, or what else keeps the item. */
import { expect, test } from "vitest";
import { serviceLines } from "../../activities/service-lines.ts";
import { valueOf } from "../support/results.ts";
import { at } from "../support/ownership-network.ts";
import { e1, mtu, mtuIs, needs, withInterface } from "../support/ownership-rules.ts";
import { OwnershipStory } from "../support/ownership-story.ts";

test("an edge further down is named with its path, a leafref and content by theirs", () => {
  const [vlan, access, description] = [at.vlan("7"), at.accessVlan("e1"), at.description("e1")];
  const story = new OwnershipStory()
    .putOne("a", { path: e1 }, mtuIs("9000"), { path: vlan }, { path: at.interface("e2"), scope: "node" })
    .putOne("c", needs(mtu, "9000"))
    .putOne("d", { path: access, value: "7" })
    .import("r1", {
      set: [
        [at.description("e2"), "by hand"],
        [description, "by hand"],
      ],
    })
    .remove("a");
  const lines = [...serviceLines(story.lastExplanations)].sort((a, b) => (a.path < b.path ? -1 : 1));
  expect(lines).toEqual([
    {
      ...{ kind: "kept", path: e1, reason: "depended-on", setBy: "service a" },
      keptBy: [
        { service: "d", relation: "owns", path: access },
        { service: "c", relation: "depends", path: mtu },
      ],
    },
    {
      ...{ kind: "kept", path: mtu, reason: "depended-on", setBy: "service a", value: 9000 },
      keptBy: [{ service: "c", relation: "depends" }],
    },
    {
      ...{ kind: "kept", path: at.interface("e2"), reason: "holds-unowned", setBy: "service a" },
      ...{ keptBy: [], heldBy: [at.description("e2")] },
    },
    {
      ...{ kind: "kept", path: vlan, reason: "referenced", setBy: "service a" },
      ...{ keptBy: [], heldBy: [access] },
    },
  ]);
});

test("a dependency that is not met says what is there instead", () => {
  const story = withInterface([mtu, "1500"]);
  const { explanations } = valueOf(story.propose({ name: "a", rules: [needs(mtu, "9000"), needs(at.mtu("e2"))] }));
  expect(serviceLines(explanations)).toEqual([
    { kind: "missing", path: mtu, required: 9000, found: 1500 },
    { kind: "missing", path: at.mtu("e2") },
  ]);
});
