/**
 * Who only writes what to create leaves nothing behind: on devices that had nothing, the removal of every service, in any
 * order and whatever they were before, takes all of it along - entries in entries, presence containers, orders, cases.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { at } from "../support/ownership-network.ts";
import { OwnershipStory, type StoryRule, type StoryService } from "../support/ownership-story.ts";

const RUNS = 400;
const DEVICES = ["r1", "r2"];
const SERVICES = ["a", "b", "c"];

const user = "/net:system/user[name='x'][site='y']";
const vrf = "/net:vrf[name='v']";
const nodes: readonly StoryRule[] = [
  { path: at.interface("e1") },
  { path: at.mtu("e1"), value: "9000" },
  { path: at.mtu("e1"), value: "1500" },
  { path: at.ospf("e1") },
  { path: `${at.ospf("e1")}/cost`, value: "5" },
  { path: at.filter("e1", "10") },
  { path: at.filter("e1", "20") },
  { path: `${at.filter("e1", "20")}/action`, value: "drop" },
  { path: at.accessVlan("e1"), value: "7" },
  { path: at.trunkVlan("e1", "7") },
  { path: at.vlan("7") },
  { path: at.dns("192.0.2.1") },
  { path: at.dns("192.0.2.2") },
  { path: "/net:system/hostname", value: "h" },
  { path: user },
  { path: `${user}/role`, value: "r" },
  { path: vrf },
  { path: `${vrf}/server[name='s']` },
  { path: `${vrf}/default-server`, value: "s" },
];
const rule: fc.Arbitrary<StoryRule> = fc
  .record({
    node: fc.constantFrom(...nodes),
    relation: fc.constantFrom("owns" as const, "owns" as const, "depends" as const),
  })
  .map(({ node, relation }) => ({ ...node, relation }));
const put: fc.Arbitrary<StoryService> = fc.record({
  name: fc.constantFrom(...SERVICES),
  rules: fc.uniqueArray(rule, {
    minLength: 1,
    maxLength: 5,
    selector: (each) => `${each.relation ?? ""} ${each.path}`,
  }),
  targets: fc.constantFrom(["r1"], ["r2"], DEVICES),
});
const steps = fc.array(fc.oneof(put, fc.constantFrom(...SERVICES)), { minLength: 2, maxLength: 8 });

function remove(story: OwnershipStory, name: string): void {
  if (story.state.services.has(name)) story.remove(name);
}

test("when every service has gone, so has everything they made", { timeout: 120_000 }, () => {
  let most = 0;
  fc.assert(
    fc.property(steps, fc.shuffledSubarray(SERVICES, { minLength: SERVICES.length }), (taken, order) => {
      const story = new OwnershipStory({ devices: DEVICES });
      for (const each of taken) {
        if (typeof each === "string") remove(story, each);
        else {
          const proposed = story.propose(each);
          if (proposed.kind === "ok") expect(story.commit(proposed.value)).toEqual([]);
        }
      }
      most = Math.max(most, story.paths("r1").length);
      for (const name of order) remove(story, name);
      const left = [...story.state.devices.values()].flatMap(({ items, links }) => [...items.keys(), ...links]);
      expect(left).toEqual([]);
    }),
    { numRuns: RUNS },
  );
  expect(most).toBeGreaterThan(5);
});
