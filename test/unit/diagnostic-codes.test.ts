/** docs/diagnostics.md has every code of model, codec, services and graph, and no other. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { VALIDATION_RULES } from "../../model/validation/finding.ts";

const root = join(import.meta.dirname, "..", "..");
const text = readFileSync(join(root, "docs", "diagnostics.md"), "utf8");

/** The members of every union of codes: `type XCode = "a" | "b";`. */
function codesIn(commented: string): readonly string[] {
  const source = commented.replaceAll(/\/\*\*.*?\*\//gs, "");
  const unions = [
    ...source.matchAll(/type (?:\w*DiagnosticCode|SchemaDocumentCode|StoreErrorCode|CheckCode) =([^;]*);/g),
  ];
  return unions.flatMap(([, union = ""]) => [...union.matchAll(/"([a-z0-9-]+)"/g)].map(([, code = ""]) => code));
}

function sourcesBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(root, folder, name), "utf8"));
}

test("docs/diagnostics.md names every code that model, codec, services and graph report, and no other", () => {
  const codes = [
    ...["model", "codec", "services", "graph"].flatMap(sourcesBelow).flatMap(codesIn),
    ...Object.keys(VALIDATION_RULES),
  ];
  const documented = [...text.matchAll(/`([a-z0-9]+(?:-[a-z0-9]+)+)`/g)].map(([, code = ""]) => code);
  const tags = Object.values(VALIDATION_RULES).flatMap(({ errorAppTag }) => errorAppTag ?? []);
  expect(codes.length).toBeGreaterThan(160);
  expect(codes.filter((code) => !text.includes(`\`${code}\``))).toEqual([]);
  const known = [...codes, ...tags, "min-elements", "max-elements"];
  expect(documented.filter((code) => !known.includes(code))).toEqual([]);
});

test("and the rules of validation as they are", () => {
  for (const [code, { rfc, errorAppTag = "", severity }] of Object.entries(VALIDATION_RULES)) {
    const tag = errorAppTag === "" ? "" : ` \`${errorAppTag}\``;
    expect(text).toContain(`| \`${code}\` | ${severity} | ${rfc} |${tag} |`);
  }
});
