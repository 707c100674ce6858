/** What is too much is refused with one clear error at its place, and soon: nothing a person writes keeps the owner busy. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { YAML_MAX_CHARACTERS, YAML_MAX_NESTING, YAML_MAX_TOKENS } from "../../codec/yaml/read-yaml.ts";
import { type Result, formatPlace } from "../../model/diagnostic.ts";
import { CEL_FUNCTIONS, readCel } from "../../services/cel.ts";
import { CompileBudget } from "../../services/compile-budget.ts";
import { compileInstance } from "../../services/compile-instance.ts";
import { readServiceDocuments, readSubmission } from "../../services/documents.ts";
import { SERVICE_LIMITS } from "../../services/limits.ts";
import { linearPattern } from "../../services/linear-pattern.ts";
import { checkParameters } from "../../services/parameters.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";
import { network } from "../support/ownership-network.ts";
import { valueOf } from "../support/results.ts";

function told(result: Result<unknown>): readonly string[] {
  if (result.kind === "ok") throw new Error("nothing was refused");
  return result.diagnostics.map(
    ({ code, places, message, expected = "" }) => `${code} ${places.map(formatPlace)[0] ?? ""} ${message} ${expected}`,
  );
}

const read = (text: string): readonly string[] => told(readServiceDocuments("t.yaml", text));
const many = (count: number, line: (nth: number) => string): string =>
  Array.from({ length: count }, (_, nth) => line(nth)).join("");
const instance = (parameters = "{}", targets = "[r1]"): string =>
  `kind: service\nname: s\ndefinition: d\ntargets: ${targets}\nparameters: ${parameters}\n`;
const definition = (rules: string, more = ""): string =>
  `kind: definition\nname: d\nversion: 1\n${more}rules:\n${rules}\n`;

function compile(rules: string, parameters: string, budget = new CompileBudget()): Result<unknown> {
  const { definitions, instances } = valueOf(
    readSubmission([{ name: "t.yaml", text: `${definition(rules)}---\n${instance(parameters)}` }]),
  );
  const [of] = definitions;
  const [by] = instances;
  if (of === undefined || by === undefined) throw new Error("no definition or no instance");
  const target = { device: "r1", schema: network, isSecret: () => false, budget };
  return compileInstance(of, by, valueOf(checkParameters(of, by)), target);
}

describe("documents", () => {
  test("a list of a million is refused before it is read", () => {
    const long = instance(`{list: [${"1,".repeat(1_000_000)}]}`);
    expect(read(long)).toEqual([expect.stringMatching(`^yaml-limit t.yaml:5:\\d+ .*${String(YAML_MAX_TOKENS)}`)]);
  });

  test("a list, a text, rules and targets, each at its place with the limit", () => {
    const { listLength, textLength, rules, targets, loops } = SERVICE_LIMITS;
    expect(read(instance(`{list: [${"1,".repeat(listLength + 1)}]}`))).toEqual([
      `document-limit t.yaml:5:20 a list of ${String(listLength + 1)} items ${String(listLength)} at most`,
    ]);
    expect(read(instance(`{text: ${"x".repeat(textLength + 1)}}`))).toEqual([
      `document-limit t.yaml:5:20 a text of ${String(textLength + 1)} characters ${String(textLength)} at most`,
    ]);
    expect(read(definition(many(rules + 1, () => "  - path: /net:system/hostname\n")))).toEqual([
      expect.stringMatching(`^document-field t.yaml:4:1 rules: .*${String(rules)}`),
    ]);
    expect(read(instance("{}", `[${many(targets + 1, (nth) => `r${String(nth)},`)}]`))).toEqual([
      expect.stringMatching(`^document-field t.yaml:4:1 targets: .*${String(targets)}`),
    ]);
    const deep = many(loops + 1, (nth) => `v${String(nth)} in params.l,`);
    expect(read(definition(`  - path: /net:system/hostname\n    for: [${deep}]`))).toEqual([
      expect.stringMatching(`^document-field t.yaml:6:5 rules.0.for: .*${String(loops)}`),
    ]);
  });

  test("a definition as long as it may be reads back as it is stored", () => {
    const { definitionLength } = SERVICE_LIMITS;
    const of = (items: number): string =>
      definition("  - path: /net:system/hostname", `parameters: {enum: [${"1,".repeat(items)}]}\n`);
    const [longest] = valueOf(readServiceDocuments("t.yaml", of(SERVICE_LIMITS.listLength)));
    if (longest?.kind !== "definition") throw new Error("no definition");
    expect(readServiceDocuments("stored", JSON.stringify(longest.json)).kind).toBe("ok");
    const rules = many(900, () => `  - path: /net:system/hostname\n    value: "${"\\x01".repeat(60)}"\n`);
    expect(read(definition(rules))).toEqual([
      expect.stringMatching(`^document-limit t.yaml:1:1 a definition .* ${String(definitionLength)} at most$`),
    ]);
  });

  test("a submission has its own: texts and documents", () => {
    const { documents, characters } = SERVICE_LIMITS;
    const half = documents / 2 + 1;
    const file = (name: string) => ({
      name,
      text: many(half, (nth) => `---\nkind: service\nname: ${name}-${String(nth)}\ndefinition: d\ntargets: [r1]\n`),
    });
    expect(told(readSubmission([file("a"), file("b")]))).toEqual([
      expect.stringMatching(
        `^document-limit b:\\d+:1 a submission of ${String(2 * half)} documents ${String(documents)} at most`,
      ),
    ]);
    const big = { name: "big", text: `# ${"x".repeat(characters / 2)}` };
    const other = { ...big, name: "other" };
    expect(told(readSubmission([big, other]))).toContainEqual(expect.stringMatching("^document-limit other:1:1 "));
  });
});

describe("what rules yield", () => {
  const list = `{a: [${many(400, (nth) => `${String(nth)},`)}]}`;
  const rule = "  - path: /net:system/hostname\n    for: [x in params.a, y in params.a]\n    when: 'false'";

  test("items of one instance on a device", () => {
    const limit = String(SERVICE_LIMITS.items);
    expect(told(compile(rule, list))).toEqual([
      `rule-limit t.yaml:6:11 one instance yields more items on a device than ${limit} `,
    ]);
  });

  test("items of a whole submission", () => {
    const budget = new CompileBudget({ cost: 1_000_000, items: 100 });
    expect(told(compile(rule, list, budget))).toEqual([
      expect.stringMatching("^rule-limit t.yaml:6:11 the submission "),
    ]);
  });

  test("the text that a template makes", () => {
    const grown = "  - path: /net:system/hostname\n    value: ${params.t}${params.t}";
    expect(told(compile(grown, `{t: ${"x".repeat(SERVICE_LIMITS.textLength - 10)}}`))).toEqual([
      expect.stringMatching(`^expression-limit t.yaml:6:12 .*${String(SERVICE_LIMITS.textLength)}`),
    ]);
  });

  test("once the budget of a submission is spent, one error says so, and the rules behind cost nothing", () => {
    const budget = new CompileBudget({ cost: 1_000, items: 1_000_000 });
    const slow =
      "  - path: /net:system/hostname\n    value: x\n    when: params.a.exists(x, params.a.exists(y, x + y < 0))";
    expect(told(compile(`${slow}\n${slow}`, list, budget))).toEqual([
      expect.stringMatching("^expression-limit t.yaml:7:11 "),
    ]);
  });
});

describe("expressions", () => {
  const names = { variables: new Set(["params"]), parameters: undefined };
  const items = Array.from({ length: 2_000 }, (_, nth) => ({ name: `e${String(nth)}`, n: BigInt(nth) }));
  const params = { list: items, text: "x".repeat(100_000) };
  const run = (text: string, cost: number) => {
    const program = readCel(text, names);
    if (typeof program !== "function") return { kind: "problem", problem: program } as const;
    return program({ params }, new CompileBudget({ cost, items: 1 }));
  };

  test.each([
    "params.list.all(x, params.list.all(y, params.list.all(z, x.n + y.n + z.n >= 0)))",
    "params.list.exists(x, params.list.exists(y, params.list.exists(z, x.nope == 1)))",
    "params.list.map(x, params.list.map(y, params.list.map(z, z)))",
    "params.list.filter(x, x in params.list).size() > 0",
    "params.list.filter(x, params.list == params.list).size() > 0",
    "params.list.map(x, params.text).join('')",
    "params.list.map(x, x.name).join(params.text)",
    "params.list.map(x, params.text.contains('y'))",
    `[params.text]${".map(x, x + x)".repeat(30)}`,
    "true || params.list.exists(x, params.list.exists(y, params.list.exists(z, false)))",
  ])("cost no more than they may: %s", (text) => {
    const outcome = run(text, 100_000);
    // What does not have to be looked at is not paid for.
    if (text.startsWith("true")) expect(outcome).toEqual({ kind: "value", value: true });
    else expect(outcome).toMatchObject({ kind: "problem", problem: { kind: "limit" } });
  });

  test("ten times the budget is about ten times the work, never more", () => {
    const loops = "params.list.exists(x, params.list.exists(y, params.list.exists(z, x.n + y.n + z.n < 0)))";
    run(loops, 10_000);
    const timeOf = (cost: number): number => {
      const start = cpuTimeMs();
      run(loops, cost);
      return cpuTimeMs() - start;
    };
    const [few, more] = [timeOf(30_000), timeOf(300_000)];
    expect(more / few).toBeLessThan(40);
  });

  test("an error on the way does not hide that the budget is spent", () => {
    const outcome = run("params.list.exists(x, params.list.exists(y, x.n + y.n == 0)) || true", 5_000);
    expect(outcome).toMatchObject({ kind: "problem", problem: { kind: "limit" } });
  });

  test("are bounded in length and depth", () => {
    const { expressionLength, expressionDepth } = SERVICE_LIMITS;
    const nested = "(".repeat(expressionDepth + 1) + "1" + ")".repeat(expressionDepth + 1);
    for (const text of [nested, `'${"x".repeat(expressionLength)}'`])
      expect(run(text, 100)).toMatchObject({ kind: "problem", problem: { kind: "limit" } });
  });

  test.each([
    ["params.list[0].name + '-' + string(params.list[1].n)", "e0-1"],
    ['(params.list[0]).name == \'e0\' ? r\'a\\d\' : """b"""', "a\\d"],
    ["params.list.filter(x, x.n < 3).map(x, x.name).join(',')", "e0,e1,e2"],
    ["has(params.list) && !has(params.nope)", true],
    ["type(params.text) == string && 2 in [1, 2]", true],
    ["{'a': 1.5, 'b': -2.0}.a", 1.5],
    ["'x1y'.matches('[0-9]') && !'xy'.matches('^[0-9]+$')", true],
    ["params.list.map(x, x.n)[2] * 3 % 4", 2n],
    ["[].map(x, x).size() == 0", true],
  ])("mean what they meant: %s", (text, value) => {
    expect(run(text, 100_000)).toEqual({ kind: "value", value });
  });
});

describe("patterns of definitions run in linear time", () => {
  test.each([
    ["^[a-z]+$", "abc", "ab1"],
    ["[0-9]{2}", "x12y", "x1y"],
    ["^(?:eth|ge)\\d+/\\d+$", "ge0/1", "xe0/1"],
    ["^a", "abc", "ba"],
    ["c$", "abc", "cb"],
    ["^$", "", "x"],
    ["\\w\\.\\w", "a.b", "a-b"],
    ["^[^\\s]*?$", "a", "a b"],
    ["^x\\??$", "x?", "x??"],
    ["^[\\w-[\\]]+$", "a-[]", "a b"],
    ["^\\D+$", "ab", "a1"],
    ["a|b", "xb", "xc"],
    ["^.$", "é", "\n"],
    ["^\\$5$", "$5", "5"],
    ["^a\\\\$", "a\\", "a"],
  ])("%s matches %j and not %j, as in JavaScript", (pattern, good, bad) => {
    const matcher = linearPattern(pattern);
    if (matcher.kind === "error") throw new Error(matcher.reason);
    const judge = new RegExp(pattern);
    expect([matcher.test(good), matcher.test(bad)]).toEqual([judge.test(good), judge.test(bad)]);
    expect([judge.test(good), judge.test(bad)]).toEqual([true, false]);
  });

  test.each(["(?=a)", "(a)\\1", "a^b", "^a|b", "\\bx", "(?<n>a)", "[\\D]", "(", "a**", "x$y"])(
    "%s is not taken",
    (pattern) => {
      expect(linearPattern(pattern).kind).toBe("error");
    },
  );

  test("the pattern of a parameter is one of them", () => {
    const schema = "parameters: {type: object, properties: {name: {type: string, pattern: '^(a+)+$'}}}\n";
    const text = (name: string): string =>
      `${definition("  - path: /net:system/hostname", schema)}---\n${instance(`{name: ${name}}`)}`;
    const checked = (name: string): Result<unknown> => {
      const { definitions, instances } = valueOf(readSubmission([{ name: "t.yaml", text: text(name) }]));
      const [of] = definitions;
      const [by] = instances;
      if (of === undefined || by === undefined) throw new Error("no definition or no instance");
      return checkParameters(of, by);
    };
    expect(checked("aaa").kind).toBe("ok");
    expect(told(checked(`${"a".repeat(5_000)}b`))).toEqual([expect.stringMatching("^parameter t.yaml:12:20 ")]);
  });
});

test("docs/services.md has the limits as they are, and every function there is", () => {
  const text = readFileSync(new URL("../../docs/services.md", import.meta.url), "utf8");
  const limits = [...text.matchAll(/^\| [^|]+ \| ([0-9,]+) \|/gmu)].map(([, number = ""]) =>
    Number(number.replaceAll(",", "")),
  );
  expect(limits.sort((a, b) => a - b)).toEqual(Object.values(SERVICE_LIMITS).sort((a, b) => a - b));
  for (const limit of [YAML_MAX_CHARACTERS, YAML_MAX_NESTING, YAML_MAX_TOKENS])
    expect(text).toContain(limit.toLocaleString("en-US"));
  const names = /There are `([^`]+)`/u.exec(text)?.[1]?.split(/\s+/u).sort();
  expect(names).toEqual([...CEL_FUNCTIONS].sort());
});
