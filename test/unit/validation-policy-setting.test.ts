/** The setting `validation.policy`: read at the start, and never silently none. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { dataPaths } from "../../runtime/paths.ts";
import { readConfig, readConfiguredPolicy } from "../../worker/config.ts";

const folder = mkdtempSync(join(tmpdir(), "tenure-policy-setting-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function policyOf(config: string, policy?: string) {
  writeFileSync(dataPaths(folder).configFile, config);
  if (policy !== undefined) writeFileSync(join(folder, "policy.yaml"), policy);
  return readConfiguredPolicy(folder, await readConfig(folder));
}

const SETTING = "validation: {policy: policy.yaml}\n";
const POLICY = "kind: validation-policy\nname: site\nrules:\n  - {codes: [must-false], severity: error}\n";

describe("the validation policy of an installation", () => {
  test("none where none is named", async () => {
    expect(await policyOf("")).toBeUndefined();
    expect(await policyOf("api: {port: 0}\n")).toBeUndefined();
  });

  test("is found in the data folder, or where a whole path says", async () => {
    const policy = { name: "site", rules: [{ codes: ["must-false"], severity: "error" }], exemptions: [] };
    expect(await policyOf(SETTING, POLICY)).toEqual(policy);
    expect(await policyOf(`validation: {policy: ${JSON.stringify(join(folder, "policy.yaml"))}}\n`)).toEqual(policy);
  });

  test("one that is wrong stops the start, with file, line and column of every field", async () => {
    const file = join(folder, "policy.yaml");
    const bad = POLICY.replace("severity: error", "severity: fatal").replace("name: site", "name: Site");
    await expect(policyOf(SETTING, bad)).rejects.toThrow(
      new RegExp(`^${file}: no validation policy\\n${file}:2:7.*\\n[^]*${file}:4:\\d+`),
    );
    await expect(policyOf(SETTING, `${POLICY}name: again\n`)).rejects.toThrow(`${file}:5:1`);
  });

  test("one that is not there names the setting", async () => {
    await expect(policyOf("validation: {policy: nowhere.yaml}\n")).rejects.toThrow(
      /config\.yaml: validation: policy: /,
    );
    await expect(policyOf("validation: {polcy: policy.yaml}\n")).rejects.toThrow(/polcy/);
  });
});
