/**
 * Tree diagrams (RFC 8340). The expected files of `yang-tree/` were made by pyang, and the peer test compares them with
 * it: so `UPDATE_GOLDEN=1` has no say here.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { formatTreeDiagram, treeDiagramsOf } from "../../model/yang/tree-diagram.ts";
import { DIAGRAM_CASES, diagramSources } from "../support/tree-diagrams.ts";
import { valueOf } from "../support/results.ts";

const sources = diagramSources();

describe("tree diagrams", () => {
  const draw = treeDiagramsOf(sources);

  it.each(DIAGRAM_CASES)("show $title", ({ modules, file }) => {
    const drawing = valueOf(draw({ modules: modules.map((name) => ({ name })) }));
    expect(drawing).toBe(readFileSync(file, "utf8"));
  });

  it("do not depend on the order of the sources", () => {
    const modules = [{ name: "diagram-base" }, { name: "diagram-more" }];
    const reversed = formatTreeDiagram([...sources].reverse(), { modules });
    expect(valueOf(reversed)).toBe(valueOf(draw({ modules })));
  });

  it("leave out what no supported feature allows", () => {
    const drawing = valueOf(draw({ modules: [{ name: "diagram-base" }], features: new Map() }));
    expect(drawing).not.toMatch(/\blog\b|\bmeasure\b|\boverheated\b|\bpager\b|\btopmost\b/);
    expect(drawing).toContain("+--rw plant!");
  });
});
