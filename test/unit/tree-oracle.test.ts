/** How `npm run test:yang` judges: what it must not let pass is shown here, since on real modules nothing differs. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";

interface Exception {
  readonly set?: string;
  readonly module?: string;
  readonly section?: string;
  readonly reason?: string;
}
interface Judged {
  readonly verdict: string;
  readonly detail?: string;
  readonly remark?: string;
}
const { judgeModule, faultyExceptions, firstDifference, countNodes } = (await import(
  join(import.meta.dirname, "../../scripts/lib/compare-trees.mjs")
)) as {
  judgeModule: (given: {
    ours: { tree: string } | { errors: readonly string[] };
    theirs: { tree?: string | null; errors?: readonly string[]; crash?: string };
    exception?: Exception;
  }) => Judged;
  faultyExceptions: (exceptions: readonly Exception[]) => readonly string[];
  firstDifference: (ours: string, theirs: string) => unknown;
  countNodes: (tree: string) => number;
};

const tree = "module: a\n  +--rw x?   string\n";
const other = "module: a\n  +--ro x?   string\n";
const exception = { set: "s", module: "a", section: "RFC 8340 section 2.6", reason: "state is ro" };

describe("a module's two diagrams", () => {
  it("are equal only line by line", () => {
    expect(judgeModule({ ours: { tree }, theirs: { tree, errors: [] } })).toEqual({ verdict: "equal" });
    expect(judgeModule({ ours: { tree }, theirs: { tree: other, errors: [] } })).toMatchObject({
      verdict: "differs",
      detail: 'line 2: ours "  +--rw x?   string", pyang "  +--ro x?   string"',
    });
    expect(judgeModule({ ours: { tree }, theirs: { tree: `${tree}\n`, errors: [] } }).verdict).toBe("differs");
    expect(judgeModule({ ours: { tree: "" }, theirs: { tree, errors: [] } }).verdict).toBe("differs");
  });

  it("may differ where an exception says why, and nowhere else", () => {
    expect(judgeModule({ ours: { tree }, theirs: { tree: other, errors: [] }, exception })).toEqual({
      verdict: "excepted",
      detail: "RFC 8340 section 2.6: state is ro",
    });
    expect(judgeModule({ ours: { tree }, theirs: { tree, errors: [] }, exception }).verdict).toBe("stale");
  });

  it("fail where only ours is missing", () => {
    const ours = { errors: ["a.yang:1:1: no"] };
    expect(judgeModule({ ours, theirs: { tree, errors: [] } })).toEqual({
      verdict: "differs",
      detail: "a.yang:1:1: no",
    });
    expect(judgeModule({ ours, theirs: { tree, errors: ["a.yang:1: no"] } }).verdict).toBe("refused");
  });

  it("are not compared where pyang draws nothing, and its reason is kept", () => {
    expect(judgeModule({ ours: { tree }, theirs: { tree: null, errors: ["a.yang:1: no"] } })).toEqual({
      verdict: "refused",
      detail: "a.yang:1: no",
    });
    expect(judgeModule({ ours: { tree }, theirs: { crash: "KeyError: x" } })).toEqual({
      verdict: "refused",
      detail: "KeyError: x",
    });
  });

  it("count as equal where pyang draws with complaints, which are kept", () => {
    expect(judgeModule({ ours: { tree }, theirs: { tree, errors: ["bad pattern"] } })).toEqual({
      verdict: "equal",
      remark: "bad pattern",
    });
  });
});

describe("a list of exceptions", () => {
  it("needs for each entry a set, a module, an RFC section and a reason, once", () => {
    expect(faultyExceptions([exception])).toEqual([]);
    expect(faultyExceptions([{ ...exception, section: "pyang is wrong" }])).toHaveLength(1);
    expect(faultyExceptions([{ set: "s", module: "a", reason: "x" }])).toHaveLength(1);
    expect(faultyExceptions([exception, exception])).toHaveLength(1);
    expect(faultyExceptions([{}])).toHaveLength(3);
  });
});

describe("what is printed of diagrams", () => {
  it("is the first line that differs", () => {
    expect(firstDifference("a\nb\n", "a\nb\n")).toBeUndefined();
    expect(firstDifference("a\nb\n", "a\nb\nc\n")).toEqual({ line: 3, ours: "", theirs: "c" });
    expect(firstDifference("a\nb", "a\nb\nc")).toEqual({ line: 3, ours: "", theirs: "c" });
  });

  it("is the number of nodes, headings not counted", () => {
    const drawing = "module: m\n  +--rw a\n  |  x--ro b?   string\n\n  augment /x:y:\n    o--:(c)\n";
    expect(countNodes(drawing)).toBe(3);
  });
});
