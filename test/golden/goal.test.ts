/**
 * Goal files. Each folder of `goal/` holds a reading of the module tenure-test (input) and the exact bytes of its goal
 * (output). `UPDATE_GOLDEN=1` writes the outputs anew; read the diff before you keep it.
 */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { itemsOf, treeFromItems } from "../../codec/items.ts";
import { dataFromXml } from "../../codec/xml/data-from-xml.ts";
import { dataToXml } from "../../codec/xml/data-to-xml.ts";
import { parseXml } from "../../codec/xml/read-xml.ts";
import { childElements } from "../../codec/xml/xml-element.ts";
import { parseGoal, renderGoal } from "../../goal/device-goal.ts";
import type { DataTree } from "../../model/tree.ts";
import { compileYang } from "../../model/yang/compile-yang.ts";
import { problemsOf, valueOf } from "../support/results.ts";

const folder = new URL("goal/", import.meta.url);
const modules = [
  "../support/yang/tenure-test.yang",
  "../support/yang/tenure-test-identities.yang",
  "../../examples/yang/tenure-extensions.yang",
];
const schema = valueOf(
  compileYang(
    modules.map((name) => ({ name, text: readFileSync(new URL(name, import.meta.url), "utf8") })),
    { implement: "all", features: "all" },
  ),
);

function readObserved(name: string): DataTree {
  const data = parseXml(readFileSync(new URL(`${name}/01-input-observed.xml`, folder), "utf8"));
  if (data.kind === "failed") throw new Error(data.error.message);
  return valueOf(
    dataFromXml(schema, childElements(data.value), {
      unknown: "error",
      nodes: "config",
      defaultsMode: "report-all-tagged",
    }),
  );
}

describe.each(readdirSync(folder))("%s", (name) => {
  const tree = readObserved(name);
  const goal = renderGoal(tree);

  it("is rendered in these bytes", () => {
    const file = new URL(`${name}/01-output-goal.json`, folder);
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, goal);
    expect(goal).toBe(readFileSync(file, "utf8"));
  });

  it("survives every way of writing it down", () => {
    expect(renderGoal(valueOf(parseGoal(schema, goal)))).toBe(goal);
    expect(renderGoal(valueOf(treeFromItems(schema, itemsOf(tree))))).toBe(goal);
    const elements = valueOf(dataToXml(tree));
    const again = dataFromXml(schema, elements, { unknown: "error", nodes: "config", defaultsMode: "explicit" });
    expect(renderGoal(valueOf(again))).toBe(goal);
  });
});

describe("parseGoal", () => {
  it("refuses what is no goal of this module set, with its place", () => {
    expect(problemsOf(parseGoal(schema, '{"tenure-test:lab":{"mode":"half"}}'))).toEqual([
      "value-enum /tenure-test:lab/mode",
    ]);
    expect(problemsOf(parseGoal(schema, '{"other:lab":{}}'))).toEqual(["unknown-node /other:lab"]);
    expect(problemsOf(parseGoal(schema, '{"tenure-test:lab":{"label":"a","label":"b"}}'))).toEqual([
      "duplicate-node /tenure-test:lab/label",
    ]);
    expect(problemsOf(parseGoal(schema, "{}}"))).toEqual(["json-syntax"]);
  });

  it("carries secrets in sealed form only", () => {
    const text = '{"tenure-test:lab":{"passphrase":{"hmac":"00ff","keyId":"k1"}}}';
    expect(renderGoal(valueOf(parseGoal(schema, text)))).toBe(text);
  });
});
