/**
 * A schema read from its document judges data as the compiled one does: the same findings, at the same places, for every
 * case of the verdict corpus, for random configurations, and where one grouping is used in several places.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Schema } from "../../model/schema.ts";
import { type ValidationFinding, validateTree } from "../../model/validation/validate-tree.ts";
import { schemaFromDocument, schemaToDocument } from "../../model/yang/schema-document.ts";
import { NETWORK_YANG, networkData } from "../support/random-network.ts";
import { SERVICES_YANG, servicesData } from "../support/random-services.ts";
import { valueOf } from "../support/results.ts";
import { CORPUS } from "../verdicts/corpus.ts";
import { caseSchema, readCase } from "../verdicts/our-verdict.ts";
import type { VerdictCase } from "../verdicts/verdict-case.ts";

function readAgain(schema: Schema): Schema {
  return valueOf(schemaFromDocument(schemaToDocument(schema)));
}

function findings(each: VerdictCase, schema: Schema): readonly ValidationFinding[] | readonly unknown[] {
  const read = readCase(each, schema);
  return read.kind === "ok" ? validateTree(read.value, { nodes: "all" }) : read.diagnostics;
}

function caseOf(yang: string, data: Exclude<VerdictCase["data"], string>): VerdictCase {
  return { title: "again", rfc: "8", yang, data, verdict: "valid" };
}

describe("a schema read from its document", () => {
  it.each(CORPUS.map(({ name, cases }) => [name, cases] as const))("judges the cases of %s alike", (_, cases) => {
    for (const each of cases) {
      const schema = caseSchema(each);
      expect(findings(each, readAgain(schema)), each.title).toEqual(findings(each, schema));
    }
  });

  it.each([
    ["a network", NETWORK_YANG, networkData],
    ["services", SERVICES_YANG, servicesData],
  ] as const)("judges random configurations of %s alike", (_, yang, documents) => {
    const schema = caseSchema(caseOf(yang, {}));
    const again = readAgain(schema);
    let invalid = 0;
    for (const data of fc.sample(documents, { seed: 6020, numRuns: 300 })) {
      const each = caseOf(yang, data);
      const expected = findings(each, schema);
      expect(findings(each, again)).toEqual(expected);
      if (expected.length > 0) invalid += 1;
    }
    expect(invalid).toBeGreaterThan(50);
  });

  it("keeps the conditions of each use of a grouping apart", () => {
    const yang = `grouping g {
        leaf a { type uint8; must "../b = current() or not(../b)"; }
        leaf b { type uint8; when "not(../b > 3)"; }
        leaf-list s { when "count(../s) = 0"; type uint8; }
        leaf r { type leafref { path "../../l[k = current()/../a]/k"; } }
      }
      container one { uses g { when "not(a = 7)"; } } container two { uses g { when "not(a = 7)"; } }
      container deep { container three { uses g { when "not(a = 7)"; } } list l { key k; leaf k { type uint8; } } }
      list l { key k; leaf k { type uint8; } }`;
    const body = { a: 7, b: 5, s: [1, 2], r: 7 };
    const each = caseOf(yang, {
      "v:one": body,
      "v:two": body,
      "v:deep": { three: body, l: [{ k: 8 }] },
      "v:l": [{ k: 7 }],
    });
    const schema = caseSchema(each);
    const expected = findings(each, schema);
    expect(expected.map((found) => (found as ValidationFinding).path)).toEqual([
      "/v:one/a",
      "/v:two/a",
      "/v:deep/three/a",
      "/v:deep/three/r",
    ]);
    expect(findings(each, readAgain(schema))).toEqual(expected);
  });
});
