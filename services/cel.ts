/**
 * CEL (Common Expression Language) as definitions may use it: no I/O, no code, and a price for everything.
 *
 * The problem it owns: an expression always ends, but loops within loops over long lists end in years. So an expression
 * is checked and written anew before it runs, with every operand handed to the budget first. Only what is listed here
 * can be called.
 */
import { type ASTNode, Environment, ParseError } from "@marcbachmann/cel-js";
import { BudgetSpentError, type CompileBudget } from "./compile-budget.ts";
import { SERVICE_LIMITS } from "./limits.ts";
import { linearPattern } from "./linear-pattern.ts";

/** What an expression may name. */
export interface KnownNames {
  /** `params`, `device`, and the variables of `for`. */
  readonly variables: ReadonlySet<string>;
  /** Names of the parameters; undefined: the definition does not say. */
  readonly parameters: ReadonlySet<string> | undefined;
}

export interface CelProblem {
  readonly kind: "syntax" | "name" | "limit" | "value";
  readonly message: string;
  readonly expected?: string;
}

export type CelProgram = (context: Readonly<Record<string, unknown>>, budget: CompileBudget) => CelOutcome;
export type CelOutcome =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "problem"; readonly problem: CelProblem };

const LOOPS: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "map", "filter"]);
const METHODS: ReadonlySet<string> = new Set([
  ...LOOPS,
  ...["size", "startsWith", "endsWith", "contains", "matches", "indexOf", "lastIndexOf", "substring"],
  ...["split", "join", "trim", "lowerAscii", "upperAscii"],
]);
const FUNCTIONS: ReadonlySet<string> = new Set([
  "has",
  "size",
  "string",
  "int",
  "uint",
  "double",
  "bool",
  "type",
  "dyn",
]);
/** Everything that can be called. */
export const CEL_FUNCTIONS: ReadonlySet<string> = new Set([...FUNCTIONS, ...METHODS]);
/** What `type(..)` can be compared with. */
const TYPES: ReadonlySet<string> = new Set(["string", "int", "uint", "double", "bool", "bytes", "list", "map", "type"]);

/** Names that no parameter and no variable can have, since an expression cannot begin with two underscores. */
const BUDGET = "__budget";
const PAY = "__pay";
const JOIN = "__join";
const MATCHES = "__matches";

/** Carries the budget through an evaluation. */
class Purse {
  readonly budget: CompileBudget;
  constructor(budget: CompileBudget) {
    this.budget = budget;
  }
}

const environment = new Environment({
  unlistedVariablesAreDyn: true,
  // `[params.n, 1]` is a list of numbers, though nobody knows before what the parameter is.
  homogeneousAggregateLiterals: false,
  limits: { maxDepth: SERVICE_LIMITS.expressionDepth, maxAstNodes: SERVICE_LIMITS.expressionLength },
})
  .registerType("Purse", Purse)
  .registerVariable(BUDGET, "Purse")
  .registerFunction(`${PAY}(Purse, dyn): dyn`, (purse: Purse, value: unknown) => {
    purse.budget.pay(value);
    return value;
  })
  .registerFunction(`${JOIN}(Purse, list<dyn>, string): string`, (purse: Purse, list: unknown, separator: string) => {
    if (!Array.isArray(list) || !list.every((each) => typeof each === "string"))
      throw new TypeError("join() takes a list of texts");
    // The separator is written once for each item.
    for (let times = 0; times < list.length; times += 1) purse.budget.pay(separator);
    return list.join(separator);
  })
  .registerFunction(`${MATCHES}(string, string): bool`, (text: string, pattern: string) => {
    const matcher = linearPattern(pattern);
    if (matcher.kind === "error") throw new TypeError(`matches("${pattern}"): ${matcher.reason}`);
    return matcher.test(text);
  });

/** Reads an expression. Problems: `syntax`, `name` (a function, variable or parameter that there is not), `limit`. */
export function readCel(expression: string, names: KnownNames): CelProgram | CelProblem {
  if (expression.length > SERVICE_LIMITS.expressionLength) {
    const limit = String(SERVICE_LIMITS.expressionLength);
    return {
      kind: "limit",
      message: `an expression of ${String(expression.length)} characters; the limit is ${limit}`,
    };
  }
  try {
    const { ast } = environment.parse(expression);
    const wrong = firstUnknownName(ast, names);
    if (wrong !== undefined) return wrong;
    // Parentheses of our own make it deeper; it was measured as it is written.
    const run = metering.parse(metered(ast));
    return (context, budget) => outcomeOf(() => run({ ...context, [BUDGET]: new Purse(budget) }) as unknown, budget);
  } catch (error) {
    return {
      kind: error instanceof ParseError && /Exceeded/.test(error.message) ? "limit" : "syntax",
      message: firstLine(error),
    };
  }
}

const metering = environment.clone({ limits: { maxDepth: 1_000, maxAstNodes: 100_000 } });

function outcomeOf(run: () => unknown, budget: CompileBudget): CelOutcome {
  let outcome: CelOutcome;
  try {
    outcome = { kind: "value", value: run() };
  } catch (error) {
    const kind = error instanceof BudgetSpentError ? "limit" : "value";
    outcome = { kind: "problem", problem: { kind, message: firstLine(error) } };
  }
  if (!budget.spent) return outcome;
  // `all` and `exists` go on after an error in them, so what came out says nothing.
  const limit = String(SERVICE_LIMITS.expressionCost);
  return {
    kind: "problem",
    problem: { kind: "limit", message: `the expressions of this submission look at more than ${limit} values` },
  };
}

function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n")[0] ?? error.message) : String(error);
}

/** The first name of an expression that means nothing. */
function firstUnknownName(ast: ASTNode, names: KnownNames): CelProblem | undefined {
  const { variables, parameters } = names;
  switch (ast.op) {
    case "value":
      return undefined;
    case "id":
      return variables.has(ast.args) || TYPES.has(ast.args)
        ? undefined
        : unknown(`there is no ${ast.args}`, [...variables]);
    case ".":
    case "[]": {
      const [of, member] = ast.args;
      const name = typeof member === "string" ? member : member.op === "value" ? member.args : undefined;
      if (of.op === "id" && of.args === "params" && typeof name === "string" && parameters?.has(name) === false)
        return unknown(`the definition has no parameter ${name}`, [...parameters]);
      return firstUnknownName(of, names) ?? (typeof member === "string" ? undefined : firstUnknownName(member, names));
    }
    case "call": {
      const [name, args] = ast.args;
      if (!FUNCTIONS.has(name)) return unknown(`there is no function ${name}`, [...FUNCTIONS]);
      return firstOf(args, names);
    }
    case "rcall": {
      const [name, receiver, args] = ast.args;
      if (!METHODS.has(name)) return unknown(`there is no function .${name}`, [...METHODS]);
      const [variable, ...rest] = args;
      if (!LOOPS.has(name) || variable?.op !== "id") return firstOf([receiver, ...args], names);
      if (["params", "device"].includes(variable.args) || variable.args.startsWith("__"))
        return { kind: "name", message: `${variable.args} is no name for a variable`, expected: "another name" };
      const inside = { ...names, variables: new Set([...variables, variable.args]) };
      return firstUnknownName(receiver, names) ?? firstOf(rest, inside);
    }
    default:
      return firstOf(partsOf(ast), names);
  }
}

function firstOf(nodes: readonly ASTNode[], names: KnownNames): CelProblem | undefined {
  for (const node of nodes) {
    const found = firstUnknownName(node, names);
    if (found !== undefined) return found;
  }
  return undefined;
}

function unknown(message: string, known: readonly string[]): CelProblem {
  return { kind: "name", message, expected: [...known].sort().join(", ") || "no name at all" };
}

function partsOf(ast: ASTNode): readonly ASTNode[] {
  switch (ast.op) {
    case "list":
      return ast.args;
    case "map":
      return ast.args.flat();
    case "!_":
    case "-_":
      return [ast.args];
    default:
      return (Array.isArray(ast.args) ? (ast.args as readonly unknown[]) : []).filter(isNode);
  }
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === "object" && value !== null && "op" in value;
}

/** The same expression in which whatever looks at a value pays for it first. Literals are as they were written. */
function metered(ast: ASTNode): string {
  switch (ast.op) {
    case "value":
      return ast.input.slice(ast.start, ast.end);
    case "id":
      return ast.args;
    case ".":
      return `(${metered(ast.args[0])}).${ast.args[1]}`;
    case "[]":
      return `(${metered(ast.args[0])})[${metered(ast.args[1])}]`;
    case "call": {
      const [name, args] = ast.args;
      // The argument of `has` is a path, and nothing looks at what is there.
      return name === "has" ? `has(${args.map(fieldPath).join(", ")})` : `${name}(${args.map(paid).join(", ")})`;
    }
    case "rcall": {
      const [name, receiver, args] = ast.args;
      if (LOOPS.has(name)) return `${paid(receiver)}.${name}(${args.map(metered).join(", ")})`;
      const [first] = args;
      if (name === "join" && args.length <= 1)
        return `${JOIN}(${BUDGET}, ${paid(receiver)}, ${first === undefined ? '""' : paid(first)})`;
      if (name === "matches" && first !== undefined) return `${MATCHES}(${paid(receiver)}, ${paid(first)})`;
      return `${paid(receiver)}.${name}(${args.map(paid).join(", ")})`;
    }
    case "list":
      return `[${ast.args.map(metered).join(", ")}]`;
    case "map":
      return `{${ast.args.map(([key, value]) => `${metered(key)}: ${metered(value)}`).join(", ")}}`;
    case "?:": {
      const [condition, then, otherwise] = ast.args;
      return `((${metered(condition)}) ? (${metered(then)}) : (${metered(otherwise)}))`;
    }
    case "||":
    case "&&":
      return `((${metered(ast.args[0])}) ${ast.op} (${metered(ast.args[1])}))`;
    case "!_":
      return `!(${metered(ast.args)})`;
    case "-_":
      return `-(${metered(ast.args)})`;
    case ".?":
    case "[?]":
      throw new Error("optional access is not part of the language here");
    default:
      return `(${paid(ast.args[0])} ${ast.op} ${paid(ast.args[1])})`;
  }
}

function paid(ast: ASTNode): string {
  return ast.op === "value" ? metered(ast) : `${PAY}(${BUDGET}, ${metered(ast)})`;
}

function fieldPath(ast: ASTNode): string {
  if (ast.op === ".") return `${fieldPath(ast.args[0])}.${ast.args[1]}`;
  return metered(ast);
}
