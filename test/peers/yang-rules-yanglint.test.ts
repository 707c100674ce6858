/**
 * The catalogue of rules put to yanglint: it refuses what breaks a rule and takes the twin. Where it does not, the row
 * says why RFC 7950 makes ours right, and that yanglint still differs is measured here.
 */
import { afterAll, expect, it } from "vitest";
import { describePeer } from "../support/peer-suite.ts";
import { askYanglint, missingYanglintProgram } from "../support/yanglint.ts";
import { YANG_RULES } from "../support/yang-rules/index.ts";

const missing = missingYanglintProgram();

describePeer("the rules of YANG put to yanglint", missing, () => {
  // A rule that we only warn of is none that yanglint has to refuse.
  const rules = YANG_RULES.filter(({ severity }) => severity === "error");

  afterAll(() => {
    const differing = rules.filter(({ yanglint }) => yanglint !== undefined);
    console.log(`yanglint decides ${String(rules.length)} rules; ${String(differing.length)} otherwise than the RFC:`);
    for (const { section, title, yanglint } of differing)
      console.log(`  ${section} ${title}: ${yanglint?.because ?? ""}`);
  });

  it.each(rules.map((each) => [`${each.section}: ${each.title}`, each] as const))("%s", async (_title, rule) => {
    const wrong = await askYanglint(rule.wrong);
    const right = await askYanglint(rule.right);
    expect(wrong.kind).toBe(rule.yanglint?.accepts === "wrong" ? "accepts" : "refuses");
    expect(right.kind).toBe(rule.yanglint?.refuses === "right" ? "refuses" : "accepts");
  });
});
