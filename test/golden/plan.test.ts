/**
 * Plans of whole stories as files: `01-input-desired.xml` and `02-input-observed.json` in, the plan as JSON, as edit-config and as text out.
 * Rewritten with UPDATE_GOLDEN=1; read the difference before you commit it.
 */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { dataFromJson } from "../../codec/json/data-from-json.ts";
import { parseJson } from "../../codec/json/parse-json.ts";
import { dataFromXml } from "../../codec/xml/data-from-xml.ts";
import { formatXml } from "../../codec/xml/format-xml.ts";
import { parseXml } from "../../codec/xml/read-xml.ts";
import { childElements } from "../../codec/xml/xml-element.ts";
import { attributeOperations } from "../../plan/attribute.ts";
import { compare } from "../../plan/compare.ts";
import { classifyOperations, noImpactRules } from "../../plan/impact.ts";
import { orderOperations } from "../../plan/order.ts";
import { planHeader, planSection } from "../../plan/plan-document.ts";
import { renderEditConfig } from "../../plan/render-edit-config.ts";
import { summarisePlan } from "../../plan/summarise-plan.ts";
import { valueOf } from "../support/results.ts";
import { schema } from "../unit/plan-model.ts";

const root = join(import.meta.dirname, "plan");
const none = "0".repeat(64);
const reading = { unknown: "error", nodes: "config", defaultsMode: "explicit", dialect: "tenure" } as const;

for (const name of readdirSync(root).sort()) {
  it(`plan of ${name}`, () => {
    const read = (file: string): string => readFileSync(join(root, name, file), "utf8");
    const xml = parseXml(read("01-input-desired.xml"));
    if (xml.kind === "failed") throw new Error(xml.error.message);
    const desired = valueOf(dataFromXml(schema, childElements(xml.value), reading));
    const json = valueOf(parseJson(read("02-input-observed.json"), { source: "02-input-observed.json" }));
    const observed = valueOf(dataFromJson(schema, json, reading));

    const compared = compare(desired, observed, { defaultsMode: "explicit" });
    const ordered = orderOperations(schema, compared.operations);
    const operations = classifyOperations(
      attributeOperations(ordered.operations, [], { kind: "drift" }),
      noImpactRules,
    );
    const section = planSection({
      device: "device-1",
      name: "r1",
      goalBefore: none,
      goalAfter: none,
      observation: none,
      expectedState: none,
      moduleSet: none,
      profile: none,
      datastore: "running",
      defaultsMode: "explicit",
      completeness: "complete",
      operations,
      services: [],
      findings: [...compared.findings, ...ordered.findings],
    });
    const header = planHeader({
      direction: "enforce",
      policy: "per-device",
      scope: { kind: "devices", devices: ["r1"], paths: [] },
      allowUnrelated: false,
      includeDrift: false,
      approval: { policy: "default", approvals: 1, author: "may-not-approve" },
      sections: { r1: none },
    });
    const edits = valueOf(renderEditConfig(schema, operations, { reveal: () => "revealed" })).flat();
    const outputs = {
      "03-output-plan.json": `${JSON.stringify(section, undefined, 2)}\n`,
      "04-output-edit-config.xml": `${edits.map(oneALine).join("\n")}\n`,
      "05-output-summary.txt": summarisePlan(header, [section]),
    };
    for (const [file, text] of Object.entries(outputs)) {
      if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(join(root, name, file), text);
      expect(text, file).toBe(read(file));
    }
  });
}

/** The element with a line for each edit of its first two levels, as reviewers like to read differences. */
function oneALine(element: Parameters<typeof formatXml>[0]): string {
  const text = formatXml(element);
  if (text.kind === "failed") throw new Error(text.error.message);
  return text.value.replaceAll(/(?<=>)(?=<[a-z][^>]*nc:operation=)/gu, "\n  ");
}
