/**
 * Random configurations of modules that are full of constraints: ours and libyang agree on which are valid, and the
 * error-app-tag of the one error that libyang gives is among ours.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { describePeer } from "../support/peer-suite.ts";
import { validateTree } from "../../model/validation/validate-tree.ts";
import { NETWORK_YANG, networkData } from "../support/random-network.ts";
import { SERVICES_YANG, servicesData } from "../support/random-services.ts";
import { valueOf } from "../support/results.ts";
import { caseSchema, readCase } from "../verdicts/our-verdict.ts";
import { type VerdictCase, moduleText } from "../verdicts/verdict-case.ts";
import { libyangAnswers, missingYanglint } from "../verdicts/yanglint-verdicts.ts";

const DOCUMENTS = 2000;

const missing = missingYanglint();

describePeer("random configurations", missing, () => {
  it.each([
    ["a network", NETWORK_YANG, networkData],
    ["services", SERVICES_YANG, servicesData],
  ] as const)(`of %s: ${String(DOCUMENTS)} have the verdict of libyang`, (title, yang, documents) => {
    const cases = fc
      .sample(documents, { seed: 7950, numRuns: DOCUMENTS })
      .map((data): VerdictCase => ({ title: "random", rfc: "8", yang, data, verdict: "valid" }));
    const [first] = cases;
    if (first === undefined) throw new Error("no documents");
    const schema = caseSchema(first);
    const answers = libyangAnswers(
      moduleText(first),
      cases.map((each) => JSON.stringify(each.data)),
    );
    let valid = 0;
    const tags = new Map<string, number>();
    for (const [index, each] of cases.entries()) {
      const findings = validateTree(valueOf(readCase(each, schema)));
      const answer = answers[index];
      const place = JSON.stringify(each.data);
      expect({ valid: findings.length === 0, place }, answer?.message).toEqual({ valid: answer?.valid, place });
      if (findings.length === 0) valid += 1;
      else {
        const tag = answer?.errorAppTag ?? "";
        tags.set(tag, (tags.get(tag) ?? 0) + 1);
        // Of a union none of whose references has an instance it gives no error-app-tag (test/verdicts/leafref.ts).
        if (/no matching subtype/.test(answer?.message ?? ""))
          expect(
            findings.map(({ code }) => code),
            place,
          ).toContain("reference-missing");
        else
          expect(
            findings.map(({ errorAppTag }) => errorAppTag ?? ""),
            place,
          ).toContain(tag);
      }
    }
    const counts = [...tags].map(([tag, count]) => `${tag === "" ? "no error-app-tag" : tag} ${String(count)}`);
    process.stdout.write(`random configurations of ${title}: ${String(valid)} valid; ${counts.sort().join(", ")}\n`);
    // Documents of one kind only would prove nothing.
    expect(valid).toBeGreaterThan(DOCUMENTS / 20);
    expect(tags.size).toBeGreaterThan(6);
  });
});
