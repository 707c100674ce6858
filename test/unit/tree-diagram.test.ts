/** What the goldens of `yang-tree` cannot show: how a tree diagram is refused, and what a hostile text gets. */
import { describe, expect, it } from "vitest";
import { formatPlace } from "../../model/diagnostic.ts";
import type { YangSource } from "../../model/yang/compile-yang.ts";
import { type TreeDiagramOptions, formatTreeDiagram } from "../../model/yang/tree-diagram.ts";
import { valueOf } from "../support/results.ts";
import { yangModule } from "./yang-fixture.ts";

function drawn(sources: readonly YangSource[], ...names: readonly string[]): string {
  return valueOf(formatTreeDiagram(sources, { modules: names.map((name) => ({ name })) }));
}

function refusals(sources: readonly YangSource[], options: TreeDiagramOptions): readonly string[] {
  const result = formatTreeDiagram(sources, options);
  if (result.kind === "ok") throw new Error(result.value);
  return result.diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ code, places }) => [code, ...places.map(formatPlace)].join(" "));
}

describe("a tree diagram is refused", () => {
  const lonely = yangModule("lonely", "import gone { prefix g; } container c;");

  it("for a module that is not there", () => {
    expect(refusals([], { modules: [{ name: "gone" }] })).toEqual(["missing-module"]);
    expect(refusals([lonely], { modules: [{ name: "lonely" }] })).toEqual(["missing-module lonely.yang:2:1"]);
  });

  it("for a revision that is not there", () => {
    const dated = yangModule("dated", "revision 2026-01-01;");
    expect(refusals([dated], { modules: [{ name: "dated", revision: "2020-01-01" }] })).toEqual([
      "missing-module dated.yang:1:1",
    ]);
  });

  it("for a text that cannot be read, with its places, unless nothing needs it", () => {
    const broken = { name: "broken.yang", text: "module broken { container { }" };
    expect(refusals([broken], { modules: [{ name: "broken" }] })[0]).toMatch(/ broken\.yang:1:\d+/);
    expect(drawn([broken, yangModule("whole", "leaf x { type string; }")], "whole")).toBe(
      "module: whole\n  +--rw x?   string\n",
    );
  });

  it("for augments and uses that lead nowhere", () => {
    const source = yangModule("m", 'augment "/gone" { leaf x { type string; } }\nuses absent;');
    expect([...refusals([source], { modules: [{ name: "m" }] })].sort()).toEqual([
      "augment-target-not-found m.yang:2:1",
      "unknown-grouping m.yang:3:1",
    ]);
  });

  it("for more nodes than allowed, before they are made", () => {
    const doubling = Array.from(
      { length: 40 },
      (_, level) =>
        `grouping g${String(level)} { container a { uses g${String(level + 1)}; } container b { uses g${String(level + 1)}; } }`,
    );
    const source = yangModule("m", `${doubling.join("\n")}\ngrouping g40 { leaf x { type string; } }\nuses g0;`);
    expect(refusals([source], { modules: [{ name: "m" }], maxNodes: 1000 })).toContainEqual(
      expect.stringMatching(/^schema-too-large m\.yang:/),
    );
  });
});

describe("a tree diagram", () => {
  it("shows names of prototypes like any other", () => {
    const source = yangModule(
      "m",
      "container __proto__ { leaf constructor { type string; } } leaf toString { type string; }",
    );
    expect(drawn([source], "m")).toBe(
      "module: m\n  +--rw __proto__\n  |  +--rw constructor?   string\n  +--rw toString?    string\n",
    );
  });

  it("takes the newest revision, or the one asked for", () => {
    const revisions = ["2025-01-01", "2026-01-01"].map((date) => ({
      ...yangModule("m", `revision ${date}; leaf y${date} { type string; }`),
      name: `m@${date}.yang`,
    }));
    expect(drawn(revisions, "m")).toContain("y2026-01-01");
    const older = formatTreeDiagram(revisions, { modules: [{ name: "m", revision: "2025-01-01" }] });
    expect(valueOf(older)).toContain("y2025-01-01");
  });

  it("needs no type to be right, since it shows what is written", () => {
    expect(drawn([yangModule("m", "leaf x { type unheard-of; }")], "m")).toBe("module: m\n  +--rw x?   unheard-of\n");
  });
});
