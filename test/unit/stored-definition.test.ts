/** Positions in errors about a definition whose file is gone. */
import { expect, test } from "vitest";
import { storedDefinition } from "../../activities/stored-definition.ts";

const rules = [{ path: "/lab:mtu", value: "1500" }];

test("are those of the laid out document, as `definition show` prints it", () => {
  const document = { kind: "definition", name: "mtu", rules, version: "1" };
  const [rule] = storedDefinition(JSON.stringify(document), "mtu").rules;
  const lines = JSON.stringify(document, undefined, 2).split("\n");
  const { line, column, source } = rule?.position ?? { line: 0, column: 0, source: "" };
  expect(source).toBe("definition mtu");
  expect(lines[line - 1]?.slice(column - 1)).toBe("{");
  expect(line).toBe(5);
});

test("a text whose members JavaScript would put into another order is read as it is stored", () => {
  const parameters = '{"properties":{"10":{"type":"integer"},"9":{"type":"integer"}},"type":"object"}';
  const text = `{"kind":"definition","name":"as","parameters":${parameters},"rules":${JSON.stringify(rules)},"version":"1"}`;
  expect(storedDefinition(text, "as").rules[0]?.position.line).toBe(1);
});

test("what is no definition of that name does not read back", () => {
  expect(() => storedDefinition('{"kind":"definition","name":"a","rules":[],"version":"1"}', "b")).toThrow(
    "does not read back",
  );
  expect(() => storedDefinition("{}", "b")).toThrow("does not read back");
});
