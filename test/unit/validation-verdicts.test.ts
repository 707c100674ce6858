/** Our verdict on every case of the corpus is the one that RFC 7950 gives, and an invalid one is due to its constraint. */
import { describe, expect, it } from "vitest";
import { CORPUS } from "../verdicts/corpus.ts";
import { ourVerdict } from "../verdicts/our-verdict.ts";
import type { VerdictCase } from "../verdicts/verdict-case.ts";

describe.each(CORPUS.map((chapter) => [chapter.name, chapter.cases] as const))("%s", (_name, cases) => {
  it.each(cases.map((each) => [each.title, each.rfc, each] as const))(
    "%s (RFC 7950 section %s)",
    (_title, _rfc, each) => {
      expect(ourVerdict(each)).toEqual(expected(each));
      if (each.verdict === "invalid" && each.without !== undefined) {
        expect(ourVerdict(each, each.without), "without the constraint").toEqual({ verdict: "valid" });
      }
    },
  );
});

function expected(each: VerdictCase): ReturnType<typeof ourVerdict> {
  if (each.verdict === "valid") return { verdict: "valid" };
  const { verdict, code, path, errorAppTag } = each;
  return { verdict, code, path, ...(errorAppTag === undefined ? {} : { errorAppTag }) };
}

it("the corpus is large, every case is named once, and constraints can be taken away where they decide", () => {
  const cases = CORPUS.flatMap((chapter) => chapter.cases.map((each) => ({ chapter: chapter.name, each })));
  const titles = cases.map(({ chapter, each }) => `${chapter}: ${each.title}`);
  expect(new Set(titles).size).toBe(titles.length);
  expect(cases.length).toBeGreaterThanOrEqual(150);
  const conditions = cases.filter(({ chapter }) =>
    ["must", "must-functions", "when", "leafref", "unique"].includes(chapter),
  );
  expect(conditions.length).toBeGreaterThanOrEqual(80);
  const bound = conditions.filter(({ each }) => each.verdict === "invalid" && each.without === undefined);
  expect(bound.map(({ each }) => each.title)).toEqual([]);
});
