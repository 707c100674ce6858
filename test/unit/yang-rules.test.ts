/** Every rule of the catalogue: what breaks it is found where it stands, and nothing is found in its twin. */
import { describe, expect, it } from "vitest";
import { formatPlace } from "../../model/diagnostic.ts";
import { type YangDiagnostic, type YangSource, compileYang } from "../../model/yang/compile-yang.ts";
import { YANG_RULES } from "../support/yang-rules/index.ts";
import { EVERYTHING } from "./yang-fixture.ts";

function found(sources: readonly YangSource[]): readonly YangDiagnostic[] {
  const result = compileYang(sources, EVERYTHING);
  return result.kind === "ok" ? result.warnings : result.diagnostics;
}

function format(diagnostics: readonly YangDiagnostic[]): readonly string[] {
  return diagnostics.map(({ severity, code, places }) =>
    [severity, code, ...places.map((place) => formatPlace(place).replace(/^m\.yang:/, ""))].join(" "),
  );
}

describe("rules of RFC 7950 and RFC 6020", () => {
  it("are at least 200, each with its own title", () => {
    expect(YANG_RULES.length).toBeGreaterThanOrEqual(200);
    const titles = YANG_RULES.map(({ section, title }) => `${section} ${title}`);
    expect(titles.filter((each, index) => titles.indexOf(each) < index)).toEqual([]);
  });

  it.each(YANG_RULES.map((each) => [`${each.section}: ${each.title}`, each] as const))("%s", (_title, rule) => {
    // The first finding is the rule's; some mistakes make others.
    expect(format(found(rule.wrong))[0]).toBe(`${rule.severity} ${rule.finding}`);
    expect(format(found(rule.right))).toEqual([]);
  });
});
