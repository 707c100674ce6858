/** What a validation policy makes of findings, and how its file is read. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { jsonData, positionAt, readYaml } from "../../codec/yaml/read-yaml.ts";
import { VALIDATION_RULES, type ValidationCode, type ValidationFinding } from "../../model/validation/finding.ts";
import { parseValidationPolicy, validationPolicyJsonSchema } from "../../model/validation/policy-document.ts";
import {
  type PolicyExemption,
  type PolicyRule,
  applyValidationPolicy,
  defaultValidationPolicy,
} from "../../model/validation/policy.ts";
import { problemsOf, valueOf } from "../support/results.ts";

const schemaFile = fileURLToPath(new URL("../../docs/schemas/validation-policy.schema.json", import.meta.url));

function finding(code: ValidationCode, path: string, schemaPath: string): ValidationFinding {
  const module = /^\/([^:]+):/u.exec(schemaPath)?.[1] ?? "";
  const { severity } = VALIDATION_RULES[code];
  return { code, severity, message: code, places: [{ kind: "instance", path }], path, schemaPath, module };
}

const must = finding("must-false", "/a:c/l[k='1']/x", "/a:c/a:l/a:x");
const late = finding("must-false", "/b:d/y", "/b:d/b:y");
const value = finding("value-invalid", "/a:c/n", "/a:c/a:n");
const all = [must, late, value];

function judged(rules: readonly PolicyRule[], exemptions: readonly PolicyExemption[] = []) {
  const { findings, exempted, ignored, unused } = applyValidationPolicy({ name: "p", rules, exemptions }, all);
  return {
    findings: findings.map(({ path, severity }) => `${severity} ${path}`),
    exempted: exempted.map(({ finding: { path }, reason }) => `${path}: ${reason}`),
    ignored,
    unused: unused.map(({ reason }) => reason),
  };
}

describe("a validation policy", () => {
  it("without rules leaves constraints as warnings and misfits as errors", () => {
    const { findings } = applyValidationPolicy(defaultValidationPolicy, all);
    expect(findings).toEqual(all);
    expect(findings.map(({ severity }) => severity)).toEqual(["warning", "warning", "error"]);
  });

  it("lets the first rule decide that takes a finding", () => {
    const rules: readonly PolicyRule[] = [
      { codes: ["must-false"], modules: ["b"], severity: "ignore" },
      { codes: ["must-false"], severity: "error" },
      { severity: "warning" },
    ];
    expect(judged(rules)).toEqual({
      findings: ["error /a:c/l[k='1']/x", "warning /a:c/n"],
      exempted: [],
      ignored: 1,
      unused: [],
    });
  });

  it("takes a schema path with all below it, and no neighbour whose name begins alike", () => {
    expect(judged([{ schemaPaths: ["/a:c/l"], severity: "error" }]).findings[0]).toBe("error /a:c/l[k='1']/x");
    expect(judged([{ schemaPaths: ["/a:c/a:l/a:x"], severity: "error" }]).findings[0]).toBe("error /a:c/l[k='1']/x");
    expect(judged([{ schemaPaths: ["/a:c/l/b:x", "/a:c/lx"], severity: "error" }]).findings[0]).toBe(
      "warning /a:c/l[k='1']/x",
    );
  });

  it("exempts before any rule, with the reason, and names exemptions that nothing needed", () => {
    expect(
      judged(
        [{ severity: "error" }],
        [
          { paths: ["/a:c/l[k='1']"], reason: "the vendor's own must" },
          { paths: ["/a:c/l[k='2']"], reason: "not any more" },
        ],
      ),
    ).toEqual({
      findings: ["error /b:d/y", "error /a:c/n"],
      exempted: ["/a:c/l[k='1']/x: the vendor's own must"],
      ignored: 0,
      unused: ["not any more"],
    });
  });

  it("judges what readers find by code and path", () => {
    const unknown = {
      code: "unknown-node",
      severity: "error",
      message: "no node",
      places: [{ kind: "instance", path: "/a:c/z" }],
    } as const;
    const rules: readonly PolicyRule[] = [{ codes: ["unknown-node"], paths: ["/a:c"], severity: "warning" }];
    const { findings } = applyValidationPolicy({ name: "p", rules, exemptions: [] }, [unknown]);
    expect(findings).toEqual([{ ...unknown, severity: "warning" }]);
  });
});

describe("the file of a validation policy", () => {
  const read = (text: string) => {
    const [document] = valueOf(readYaml("policy.yaml", text));
    if (document === undefined) throw new Error("no document");
    return parseValidationPolicy(jsonData(document), (path) => positionAt(document, path));
  };

  it("is read into a policy", () => {
    const text = `
kind: validation-policy
name: lab
rules:
  - codes: [must-false, when-false]
    schemaPaths: [/oc:bgp/policy]
    severity: ignore
exemptions:
  - modules: [vendor]
    reason: fixed in the next release
`;
    expect(valueOf(read(text))).toEqual({
      name: "lab",
      rules: [{ codes: ["must-false", "when-false"], schemaPaths: ["/oc:bgp/policy"], severity: "ignore" }],
      exemptions: [{ modules: ["vendor"], reason: "fixed in the next release" }],
    });
  });

  it("names every field that is wrong, with its place", () => {
    const text = `kind: validation-policy
name: lab
rules:
  - code: [must-false]
    severity: fatal
exemptions:
  - reason: everything
`;
    const result = read(text);
    expect(problemsOf(result)).toHaveLength(3);
    const places = result.kind === "error" ? result.diagnostics.map((each) => each.places) : [];
    expect(places).toEqual([
      [
        { kind: "source", position: { source: "policy.yaml", line: 5, column: 15 } },
        { kind: "field", path: "/rules/0/severity" },
      ],
      [expect.objectContaining({ kind: "source" }), { kind: "field", path: "/rules/0" }],
      [expect.objectContaining({ kind: "source" }), { kind: "field", path: "/exemptions/0" }],
    ]);
  });

  it.each([
    ["rules: 7"],
    ["rules: [{ severity: error, schemaPaths: [c] }]"],
    ["rules: [{ codes: [], severity: error }]"],
  ])("refuses %s", (line) => {
    expect(read(`kind: validation-policy\nname: lab\n${line}\n`).kind).toBe("error");
  });

  it("refuses what is no object", () => {
    expect(parseValidationPolicy(null).kind).toBe("error");
    expect(parseValidationPolicy([1]).kind).toBe("error");
  });

  it("is described by the JSON Schema in docs/schemas", () => {
    const schema = validationPolicyJsonSchema();
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(schemaFile, `${JSON.stringify(schema, null, 2)}\n`);
    expect(JSON.parse(readFileSync(schemaFile, "utf8"))).toEqual(schema);
  });
});
