import { expect, it } from "vitest";
import { formatPlace } from "../../model/diagnostic.ts";
import { expressionWarnings } from "../../model/validation/expression-warnings.ts";
import { compileYang } from "../../model/yang/compile-yang.ts";
import { valueOf } from "../support/results.ts";

function warningsOf(body: string): readonly string[] {
  const text = `module m { yang-version 1.1; namespace "urn:m"; prefix m;\n${body}\n}`;
  const schema = valueOf(compileYang([{ name: "m.yang", text }], { implement: "all", features: "all" }));
  return expressionWarnings(schema).map(({ code, places }) => `${code} ${places.map(formatPlace).join(" ")}`);
}

it("names steps that no data can match, in must and when of nodes and choices", () => {
  expect(
    warningsOf(`leaf a { type string; must "../b"; }
      leaf c { when "../d = 1"; type string; }
      choice e { when "f"; leaf g { type string; must "../a"; } }`),
  ).toEqual([
    expect.stringMatching(/^xpath-never-matches m.yang:4:/),
    expect.stringMatching(/^xpath-never-matches m.yang:2:/),
    expect.stringMatching(/^xpath-never-matches m.yang:3:/),
  ]);
});

it("tells of an expression of a grouping once, and only where no use matches", () => {
  const grouping = `grouping g { leaf x { type string; must "../y or ../z"; } }`;
  expect(warningsOf(`${grouping} container a { uses g; leaf y { type string; } leaf z { type string; } }`)).toEqual([]);
  expect(
    warningsOf(
      `${grouping} container a { uses g; leaf y { type string; } } container b { uses g; leaf z { type string; } }`,
    ),
  ).toEqual([]);
  expect(
    warningsOf(
      `${grouping} container a { uses g; leaf y { type string; } } container b { uses g; leaf y { type string; } }`,
    ),
  ).toEqual([expect.stringMatching(/^xpath-never-matches m.yang:2:/)]);
});

it("has nothing to say of expressions that can match", () => {
  expect(warningsOf(`leaf a { type string; } leaf b { type string; must "../a = 'x'"; when "../a"; }`)).toEqual([]);
});
