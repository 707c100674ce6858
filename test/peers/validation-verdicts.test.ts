/**
 * The verdict corpus put to yanglint: verdict and error-app-tag of every case, as written and without its constraint.
 * Where RFC 7950 decides against yanglint the case says so, and that it still differs is measured here.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describePeer } from "../support/peer-suite.ts";
import { CORPUS } from "../verdicts/corpus.ts";
import type { VerdictCase } from "../verdicts/verdict-case.ts";
import {
  type YanglintQuestion,
  type YanglintVerdict,
  missingYanglint,
  yanglintVerdicts,
} from "../verdicts/yanglint-verdicts.ts";

const missing = missingYanglint();
const cases = CORPUS.flatMap((chapter) => chapter.cases.map((each) => ({ chapter: chapter.name, each })));

describePeer("the verdicts of yanglint", missing, () => {
  const answers = new Map<VerdictCase, YanglintVerdict>();
  const withoutConstraint = new Map<VerdictCase, YanglintVerdict>();

  beforeAll(async () => {
    const written: YanglintQuestion[] = cases.map(({ each }) => ({ case: each }));
    const edited = cases.flatMap(({ each }): YanglintQuestion[] =>
      each.verdict === "invalid" && each.without !== undefined ? [{ case: each, edit: each.without }] : [],
    );
    const verdicts = await yanglintVerdicts([...written, ...edited]);
    for (const [index, { case: each, edit }] of [...written, ...edited].entries()) {
      const verdict = verdicts[index];
      if (verdict !== undefined) (edit === undefined ? answers : withoutConstraint).set(each, verdict);
    }
  });

  afterAll(() => {
    const differing = cases.filter(({ each }) => each.yanglint !== undefined);
    const lines = differing.map(({ chapter, each }) => `  ${chapter}: ${each.title} (${each.yanglint?.rfc ?? ""})`);
    process.stdout.write(
      `verdicts: ${String(cases.length)} cases, ${String(withoutConstraint.size)} of them also without their ` +
        `constraint; yanglint differs in ${String(differing.length)}, where the RFC decides:\n${lines.join("\n")}\n`,
    );
  });

  describe.each(CORPUS.map((chapter) => [chapter.name, chapter.cases] as const))("%s", (_name, own) => {
    it.each(own.map((each) => [each.title, each] as const))("%s", (_title, each) => {
      const answer = answers.get(each);
      const { yanglint } = each;
      expect(comparable(answer), answer !== undefined && "message" in answer ? answer.message : "").toEqual(
        yanglint === undefined ? rightAnswer(each) : tagged(yanglint.verdict, yanglint.errorAppTag),
      );
      if (yanglint !== undefined) expect(comparable(answer), "differs no more").not.toEqual(rightAnswer(each));
      if (each.verdict === "invalid" && each.without !== undefined && answer?.verdict !== "none") {
        const without = withoutConstraint.get(each);
        expect(without, "without the constraint").toEqual({ verdict: "valid" });
      }
    });
  });
});

function rightAnswer(each: VerdictCase): unknown {
  return tagged(each.verdict, each.verdict === "invalid" ? each.errorAppTag : undefined);
}

function comparable(answer: YanglintVerdict | undefined): unknown {
  if (answer === undefined) return undefined;
  return tagged(answer.verdict, answer.verdict === "invalid" ? answer.errorAppTag : undefined);
}

function tagged(verdict: string, errorAppTag: string | undefined): unknown {
  return { verdict, ...(errorAppTag === undefined ? {} : { errorAppTag }) };
}
