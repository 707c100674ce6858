/** Expressions are written anew so that they can be charged for; what CEL gives for them stays what it is. */
import { Environment } from "@marcbachmann/cel-js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readCel } from "../../services/cel.ts";
import { CompileBudget } from "../../services/compile-budget.ts";

const params = {
  n: 5n,
  t: "ab,c",
  yes: true,
  list: [3n, 1n, 2n],
  words: ["x", "yy", "x"],
  maps: [
    { a: 1n, b: "one" },
    { a: 2n, b: "two" },
  ],
};
const judge = new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false });

const { expression } = fc.letrec<Record<"expression" | "bool" | "int" | "text" | "list", string>>((tie) => {
  const int = fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("params.n", "7", "-2", "0x1F", "params.list[1]", "params.maps[0].a", "size(params.t)"),
    fc.tuple(tie("int"), fc.constantFrom("+", "-", "*", "/", "%"), tie("int")).map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc.tuple(tie("int"), fc.constantFrom("+", "*"), tie("int")).map(([a, op, b]) => `${a} ${op} ${b}`),
    tie("list").map((list) => `${list}.size()`),
    tie("text").map((text) => `${text}.indexOf('c')`),
    fc.tuple(tie("bool"), tie("int"), tie("int")).map(([test_, a, b]) => `(${test_} ? ${a} : ${b})`),
    tie("text").map((text) => `int(${text})`),
  );
  const text = fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("params.t", "'it''s'", '"q\\"\\u00e9"', "r'\\d'", "'''three'''", "params.maps[1].b", "params['t']"),
    fc.tuple(tie("text"), tie("text")).map(([a, b]) => `(${a} + ${b})`),
    tie("int").map((number) => `string(${number})`),
    fc.tuple(tie("text"), fc.constantFrom("trim", "lowerAscii", "upperAscii")).map(([a, name]) => `${a}.${name}()`),
    tie("list").map((list) => `${list}.map(x, string(x)).join('-')`),
    fc.tuple(tie("text"), fc.nat({ max: 3 })).map(([a, at]) => `${a}.substring(${String(at)})`),
  );
  const list = fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("params.list", "params.words", "[1, 2, 3]", "params.maps.map(m, m.a)", "[]"),
    tie("text").map((of) => `${of}.split(',')`),
    fc.tuple(tie("list"), tie("list")).map(([a, b]) => `(${a} + ${b})`),
    fc.tuple(tie("list"), tie("int")).map(([a, b]) => `${a}.map(i, [${b}, 1])`),
    fc.tuple(tie("list"), tie("bool")).map(([a, test_]) => `${a}.filter(i, ${test_} || i == ${a}[0])`),
  );
  const bool = fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("params.yes", "false", "has(params.maps)", "has(params.nope)", "!has(params.t)"),
    fc
      .tuple(tie("int"), fc.constantFrom("<", "<=", "==", "!=", ">"), tie("int"))
      .map(([a, op, b]) => `${a} ${op} ${b}`),
    fc.tuple(tie("bool"), fc.constantFrom("&&", "||"), tie("bool")).map(([a, op, b]) => `(${a} ${op} ${b})`),
    tie("bool").map((a) => `!(${a})`),
    fc.tuple(tie("int"), tie("list")).map(([a, b]) => `${a} in ${b}`),
    fc.tuple(tie("list"), fc.constantFrom("all", "exists", "exists_one")).map(([a, name]) => `${a}.${name}(e, e == 1)`),
    fc.tuple(tie("text"), tie("text")).map(([a, b]) => `${a}.startsWith(${b})`),
    fc.tuple(tie("list"), tie("list")).map(([a, b]) => `${a} == ${b}`),
    tie("int").map((a) => `type(${a}) == int`),
  );
  return { int, text, list, bool, expression: fc.oneof(int, text, list, bool) };
});

test("what CEL gives, the charged expression gives", () => {
  const counts = { values: 0, errors: 0 };
  fc.assert(
    fc.property(expression, (text) => {
      fc.pre(text.length < 3_000);
      let expected: unknown;
      try {
        expected = judge.evaluate(text, { params });
      } catch {
        counts.errors += 1;
        return;
      }
      counts.values += 1;
      const program = readCel(text, { variables: new Set(["params"]), parameters: undefined });
      if (typeof program !== "function") throw new Error(`${text}: ${program.message}`);
      const outcome = program({ params }, new CompileBudget({ cost: 1_000_000, items: 1 }));
      if (outcome.kind === "problem") throw new Error(`${text}: ${outcome.problem.message}`);
      expect([text, outcome.value]).toEqual([text, expected]);
    }),
    { numRuns: 3_000 },
  );
  // Errors alone would prove nothing.
  expect(counts.values).toBeGreaterThan(500);
});
