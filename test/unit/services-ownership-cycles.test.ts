/** Services that wait for each other are refused; everything that can be put one after the other is not. */
import { describe, expect, test } from "vitest";
import { type Diagnostic, type Result, formatPlace } from "../../model/diagnostic.ts";
import { plainValue } from "../../model/value.ts";
import { dependencyCycles } from "../../services/dependency-cycles.ts";
import type { ServiceLink } from "../../services/desired-state.ts";
import { at } from "../support/ownership-network.ts";
import { e1, mtu, mtuIs, needs, withInterface } from "../support/ownership-rules.ts";
import { OwnershipStory, type StoryService } from "../support/ownership-story.ts";

const description = at.description("e1");
const describes = { path: description, value: "x" };

function cyclesOf(result: Result<unknown>): readonly Diagnostic[] {
  if (result.kind === "ok") throw new Error("nothing was refused");
  expect(new Set(result.diagnostics.map((each) => each.code))).toEqual(new Set(["dependency-cycle"]));
  return result.diagnostics;
}

describe("a cycle of dependencies", () => {
  test("in one submission is refused, with the way round and the rules that make it", () => {
    const story = withInterface();
    const diagnostics = cyclesOf(
      story.propose(
        { name: "a", rules: [mtuIs("9000"), needs(description)] },
        { name: "b", rules: [describes, needs(mtu, "9000")] },
      ),
    );
    expect(diagnostics.map((each) => each.message)).toEqual([
      `services depend on each other in a circle: a -> r1 ${description} -> b -> r1 ${mtu} -> a`,
    ]);
    expect(diagnostics[0]?.places.map(formatPlace)).toEqual([
      expect.stringMatching(/^story\.yaml:1:\d+$/),
      expect.stringMatching(/^story\.yaml:5:\d+$/),
    ]);
    expect(diagnostics[0]?.remedy).toContain(mtu);
    expect(story.revision).toBe(1);
  });

  test("that a later put would close is refused, and what stands stays", () => {
    const story = withInterface().putOne("a", mtuIs("9000"), needs(description));
    const before = story.state;
    const [cycle] = cyclesOf(story.propose({ name: "b", rules: [describes, needs(mtu)] }));
    expect(cycle?.message).toContain(`b -> r1 ${mtu} -> a -> r1 ${description} -> b`);
    expect(cycle?.places).toHaveLength(1);
    expect(story.state).toBe(before);
  });

  test("may be long, and lead over several devices", () => {
    const story = new OwnershipStory({ devices: ["r1", "r2"] });
    story.put({ name: "a", rules: [mtuIs("9000"), needs(description)], targets: ["r1", "r2"] });
    story.put({ name: "b", rules: [{ path: at.vlan("7") }, needs(mtu)], targets: ["r1"] });
    const [cycle] = cyclesOf(story.propose({ name: "c", rules: [describes, needs(at.vlan("7"))], targets: ["r1"] }));
    expect(cycle?.message).toContain(`c -> r1 ${at.vlan("7")} -> b -> r1 ${mtu} -> a -> r1 ${description} -> c`);
  });

  test("two of them are told as two", () => {
    const pair = (one: string, other: string, vlan: string) => [
      { name: one, rules: [{ path: at.vlan(vlan) }, needs(at.mtu(vlan))] },
      { name: other, rules: [{ path: at.mtu(vlan), value: "1500" }, needs(at.vlan(vlan))] },
    ];
    expect(cyclesOf(withInterface().propose(...pair("a", "b", "7"), ...pair("c", "d", "8")))).toHaveLength(2);
  });

  test("that a removal leaves behind does not hinder removals, but whoever would lean on it", () => {
    const story = withInterface()
      .putOne("a", mtuIs("9000"), needs(description))
      .putOne("c", describes)
      .putOne("b", describes, needs(mtu))
      .remove("c");
    const [cycle] = cyclesOf(story.propose({ name: "d", rules: [needs(mtu)] }));
    expect(cycle?.message).toContain(`d -> r1 ${mtu} -> a -> r1 ${description} -> b -> r1 ${mtu} -> a`);
    expect(cycle?.places).toHaveLength(1);
    expect(story.remove("b").remove("a").paths()).toEqual([e1]);
  });
});

describe("no cycle is", () => {
  const accepted = (story: OwnershipStory, ...services: readonly StoryService[]): void => {
    expect(story.propose(...services).kind).toBe("ok");
  };

  test("a dependency on what nobody owns, present or absent", () => {
    accepted(withInterface([mtu, "9000"]), { name: "a", rules: [describes, needs(mtu), needs(at.mtu("e2"))] });
  });

  test("a dependency on what the instance owns itself, beside the other", () => {
    accepted(
      withInterface(),
      { name: "a", rules: [mtuIs("9000"), describes, needs(description)] },
      { name: "b", rules: [describes, needs(mtu)] },
    );
  });

  test("a dependency on what existed before any service took it", () => {
    accepted(
      withInterface([description, "x"]),
      { name: "a", rules: [mtuIs("9000"), needs(description)] },
      { name: "b", rules: [describes, needs(mtu)] },
    );
  });

  test("a dependency that another owner meets", () => {
    accepted(
      withInterface(),
      { name: "a", rules: [mtuIs("9000"), needs(description)] },
      { name: "b", rules: [describes, needs(mtu)] },
      { name: "c", rules: [describes] },
    );
  });

  test("to need each other's entries, which each had to create for itself", () => {
    accepted(
      new OwnershipStory(),
      { name: "a", rules: [mtuIs("9000"), needs(description)] },
      { name: "b", rules: [describes, needs(e1)] },
    );
  });

  test("the same paths on different devices", () => {
    accepted(
      new OwnershipStory({ devices: ["r1", "r2"] }),
      { name: "a", rules: [mtuIs("9000"), needs(description)], targets: ["r1"] },
      { name: "b", rules: [describes, needs(mtu)], targets: ["r2"] },
    );
  });
});

test("links on devices that were not read close a cycle as well", () => {
  const link = (service: string, device: string, path: string, relation: "owns" | "depends"): ServiceLink => ({
    ...{ service, device, path, relation, scope: "node", onRemove: "delete", implied: false },
    ...{ value: plainValue("string", "x"), existedBefore: undefined },
  });
  const here = [link("a", "id-r1", "/x", "owns"), link("a", "id-r2", "/y", "depends")];
  const elsewhere = [link("b", "id-r2", "/y", "owns"), link("b", "id-r1", "/x", "depends")];
  const position = { source: "a.yaml", line: 1, column: 1 };
  const submitted = [{ name: "a", position, depends: [{ device: "id-r2", path: "/y", writer: position }] }];
  const deviceName = (id: string): string => id.slice(3);
  expect(dependencyCycles({ links: here, submitted, deviceName })).toEqual([]);
  expect(dependencyCycles({ links: [...here, ...elsewhere], submitted, deviceName })).toMatchObject([
    { code: "dependency-cycle", message: expect.stringContaining("a -> r2 /y -> b -> r1 /x -> a") as string },
  ]);
});
