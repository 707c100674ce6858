/** Rule 3: inside one submission nobody wins over anybody. */
import { describe, expect, test } from "vitest";
import { type Diagnostic, type Result, formatPlace } from "../../model/diagnostic.ts";
import { at } from "../support/ownership-network.ts";
import { e1, mtu, mtuIs, needs, withInterface } from "../support/ownership-rules.ts";
import { OwnershipStory } from "../support/ownership-story.ts";

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

  const refusedFor = (result: Result<unknown>): readonly Diagnostic[] => {
    if (result.kind === "ok") throw new Error("nothing was refused");
    expect(new Set(result.diagnostics.map((each) => each.code))).toEqual(new Set(["conflict"]));
    return result.diagnostics;
  };

  test("every conflict is told at once, with a resolution that names the writers", () => {
    const vlan = at.vlanName("7");
    const diagnostics = refusedFor(
      withInterface().propose(
        { name: "a", rules: [mtuIs("9000"), { path: vlan, value: "x" }] },
        { name: "b", rules: [mtuIs("1500")] },
        { name: "c", rules: [{ path: vlan, value: "y" }, mtuIs("9000")] },
      ),
    );
    expect(diagnostics).toHaveLength(2);
    expect(diagnostics.map((each) => each.places.length)).toEqual([6, 4]);
    expect(diagnostics[0]?.remedy).toContain("let a own it and b and c depend on it");
    expect(diagnostics[1]?.message).toMatch(/name gets different values.*a writes x .*c writes y /);
  });

  test("an instance may not contradict itself either, and a rule that says it for many is named once", () => {
    const document = [
      "kind: definition\nname: d\nversion: 1\nrules:",
      `  - { path: "${mtu.replace("'e1'", "'${i}'")}", for: "i in ['e1', 'e2', 'e1']", value: 9000 }`,
      `  - { path: "${mtu}", value: 1500 }`,
      "---\nkind: service\nname: a\ndefinition: d\ntargets: [r1]\n",
    ].join("\n");
    const [conflict, ...others] = refusedFor(withInterface().proposeText("d.yaml", document));
    expect(others).toEqual([]);
    expect(conflict?.places.map(formatPlace).filter((place) => !place.startsWith("d.yaml:8:"))).toEqual([
      expect.stringMatching(/^d\.yaml:5:/),
      expect.stringMatching(/^d\.yaml:6:/),
    ]);
    expect(conflict?.remedy).toContain("take one of the rules of a out");
  });

  test("two rules of one instance that say two things about its link to one item are refused", () => {
    const entry = { path: at.interface("e2") };
    for (const [rules, words] of [
      [
        [
          { ...entry, scope: "node" },
          { ...entry, scope: "subtree" },
        ],
        "scope of r1",
      ],
      [[entry, { ...entry, onRemove: "keep" }], "onRemove of r1"],
      [[needs(mtu, "9000"), needs(mtu, "1500")], "is needed with different values"],
    ] as const) {
      const diagnostics = refusedFor(withInterface().propose({ name: "a", rules }));
      expect(diagnostics.map((each) => each.message)).toEqual([expect.stringContaining(words)]);
    }
  });

  test("what only one of them says counts, and other instances may say other things of their own links", () => {
    const entry = { path: at.interface("e2") };
    const story = new OwnershipStory().put(
      { name: "a", rules: [entry, { ...entry, scope: "node" }, needs(mtu), needs(mtu, "9000")] },
      { name: "b", rules: [{ ...entry, scope: "subtree", onRemove: "keep" }, needs(mtu, "1500")] },
    );
    expect(story.link("a", entry.path)).toMatchObject({ scope: "node", onRemove: "delete" });
    expect(story.link("b", entry.path)).toMatchObject({ scope: "subtree", onRemove: "keep" });
    expect(story.link("a", mtu)?.value).toMatchObject({ text: "9000" });
    expect(story.explanations("missing")).toHaveLength(2);
  });

  test("an instance that needs another value than it writes is told so, and stays inconsistent", () => {
    const story = withInterface().putOne("a", mtuIs("9000"), needs(mtu, "1500"));
    expect(story.explanations("missing")).toEqual([`a missing ${mtu} needs 1500 found 9000`]);
    expect(story.status("a")).toEqual([`contradicted ${mtu} needs 1500 found 9000 in 2`]);
  });

  test("an entry cannot be contradicted by its key: a rule for the key leaf is refused", () => {
    const result = withInterface().propose({ name: "a", rules: [{ path: e1 }, { path: `${e1}/name`, value: "e2" }] });
    expect(result.kind === "error" && result.diagnostics.map((each) => each.code)).toEqual(["rule-key-leaf"]);
  });

  test("two cases of one choice are told as cases", () => {
    const [conflict] = refusedFor(
      withInterface().propose(
        { name: "a", rules: [{ path: at.accessVlan("e1"), value: "7" }] },
        { name: "b", rules: [{ path: at.trunkVlan("e1", "7") }, { path: at.trunkVlan("e1", "8") }] },
      ),
    );
    expect(conflict?.message).toMatch(/r1 .*interface\[name='e1'\] choice net:mode gets different cases/);
    expect(conflict?.places).toHaveLength(6);
    expect(conflict?.remedy).toContain("let a and b agree on one case");
  });

  test("to need what the other case ends is no conflict but a note", () => {
    const story = withInterface().put(
      { name: "a", rules: [{ path: at.trunkVlan("e1", "7") }] },
      { name: "b", rules: [needs(at.accessVlan("e1"))] },
    );
    expect(story.status("b")).toEqual([`missing ${at.accessVlan("e1")} needs nothing found nothing in 2`]);
  });

  test("entries of a user-ordered list come by instance and rule, whatever the order of files, and contradict nobody", () => {
    const b = { name: "b", rules: [{ path: at.filter("e1", "20") }, { path: at.filter("e1", "5") }] };
    const a = { name: "a", rules: [{ path: at.filter("e1", "30") }, { path: at.filter("e1", "20") }] };
    const keys = ["30", "20", "5"].map((seq) => `net:filter[seq='${seq}']`);
    expect(withInterface().put(a, b).order(`${e1}/filter`)).toEqual(keys);
    expect(withInterface().put(b, a).order(`${e1}/filter`)).toEqual(keys);
  });
});
