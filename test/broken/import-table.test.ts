import { cruise, type ICruiseResult, type IFlattenedRuleSet, type IReporterOutput } from "dependency-cruiser";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTemporaryTree, type TemporaryTree } from "./temporary-tree.ts";

/**
 * Every pair of places in the tree is tried against the import rules: a file in each place imports a file of each
 * other place. What the table allows must pass and everything else must be refused, so neither an empty rule nor one
 * that is too strict goes unnoticed. The table here is written out on its own, not derived from the rules.
 */

const pure = ["model", "codec", "plan", "goal", "resources", "services", "contract"];
const sharedProvider = [
  "providers/capability.ts",
  "providers/error.ts",
  "providers/registry.ts",
  "providers/other.ts",
  "providers/transport/",
];
const clients = ["providers/netconf/client/", "providers/gnmi/client/"];
const providerBase = ["model", "codec", "plan", "resources", ...sharedProvider, ...clients];
const allProviders = [...sharedProvider, ...clients, "providers/netconf/", "providers/gnmi/", "providers/ietf/"];

/** Place -> places it may import, besides itself. */
const table: Readonly<Record<string, readonly string[]>> = {
  model: [],
  codec: ["model"],
  plan: ["model", "codec"],
  goal: ["model", "codec"],
  resources: ["model"],
  services: ["model", "codec", "plan", "resources"],
  contract: ["model", "plan", "services", "resources", "goal"],
  workflows: ["contract", "plan", "model"],
  proto: [],
  runtime: ["contract"],
  graph: [...pure, "runtime"],
  "providers/capability.ts": ["model", "codec", "plan", "resources", ...sharedProvider],
  "providers/error.ts": ["model", "codec", "plan", "resources", ...sharedProvider],
  "providers/registry.ts": ["model", "codec", "plan", "resources", ...sharedProvider],
  "providers/other.ts": ["model", "codec", "plan", "resources", ...sharedProvider],
  "providers/transport/": ["model", "codec", "plan", "resources", ...sharedProvider],
  "providers/netconf/": providerBase,
  "providers/netconf/client/": [...providerBase, "providers/netconf/"],
  "providers/gnmi/": [...providerBase, "proto"],
  "providers/gnmi/client/": [...providerBase, "proto", "providers/gnmi/"],
  "providers/ietf/": providerBase,
  activities: [...pure, "graph", "runtime", "providers/capability.ts", "providers/error.ts", "providers/registry.ts"],
  api: [...pure, "graph", "runtime"],
  simulator: ["model", "codec", "proto"],
  worker: [...pure, "proto", "runtime", "graph", ...allProviders, "activities", "api", "simulator"],
  client: [...pure, "runtime"],
};
const anything = ["scripts", "bench", "test"];
const places = [...Object.keys(table), ...anything];

const purePackages = ["saxes", "yaml", "canonicalize", "zod", "@marcbachmann/cel-js", "ajv"];
const sandboxPackages = ["@temporalio/workflow", "@temporalio/common"];
const otherPackages = ["ssh2", "@temporalio/client", "lbug"];
const packages = [...purePackages, ...sandboxPackages, ...otherPackages];

/** The file of a place that others import, and the file of a place that imports. */
const targetOf = (place: string) => (place.endsWith(".ts") ? place : join(place, "target.ts"));
const proberOf = (place: string) => (place.endsWith(".ts") ? place : join(place, "prober.ts"));
const up = (file: string) => "../".repeat(file.split("/").length - 1) || "./";

let tree: TemporaryTree;
/** `FROM -> TO` for each refused import. */
let refused: Map<string, readonly string[]>;

beforeAll(async () => {
  const files: Record<string, string> = {};
  for (const place of places) {
    files[targetOf(place)] = "export type Target = 1;\nexport const target = 1;\n";
  }
  for (const place of places) {
    const prober = proberOf(place);
    const imports = places
      .filter((other) => other !== place)
      .map((other, index) => `import type { Target as T${index} } from "${up(prober)}${targetOf(other)}";`);
    const used = `export type All = ${imports.map((_, index) => `T${index}`).join(" | ")};`;
    files[prober] = `${files[prober] ?? ""}${[...imports, used].join("\n")}\n`;
  }
  for (const place of [...pure, "workflows", "runtime"]) {
    files[join(place, "packages.ts")] = [...packages, "node:fs", "node:crypto"]
      .map((name, index) => `import * as p${index} from "${name}";\nexport const u${index} = p${index};\n`)
      .join("");
  }
  files["contract/values.ts"] = 'import { target } from "../plan/target.ts";\nexport const used = target;\n';
  files["model/one.ts"] = 'import { two } from "./two.ts";\nexport const one = () => two;\n';
  files["model/two.ts"] = 'import { one } from "./one.ts";\nexport const two = () => one;\n';
  files["model/lost.ts"] = 'export { nothing } from "./absent.ts";\n';
  for (const name of packages) {
    files[`node_modules/${name}/package.json`] = JSON.stringify({ name, version: "1.0.0", main: "index.js" });
    files[`node_modules/${name}/index.js`] = "exports.value = 1;\n";
  }
  tree = createTemporaryTree(files);

  const configuration = (await import(join(import.meta.dirname, "../../.dependency-cruiser.mjs"))) as {
    default: { forbidden: IFlattenedRuleSet["forbidden"]; options: Record<string, unknown> };
  };
  const { forbidden, options } = configuration.default;
  // The probes need no compiler settings, and those of the project name its own folders.
  const { tsConfig: _, ...rest } = options;
  const result: IReporterOutput = await cruise(
    places.map((place) => place.split("/")[0] ?? place),
    { ...rest, baseDir: tree.path, validate: true, ruleSet: { forbidden: forbidden ?? [] } },
  );
  const { summary } = result.output as ICruiseResult;
  refused = new Map();
  for (const { from, to, rule } of summary.violations) {
    const key = `${from} -> ${to}`;
    refused.set(key, [...(refused.get(key) ?? []), rule.name]);
  }
});
afterAll(() => tree.remove());

describe.each(Object.keys(table))("%s", (place) => {
  const isRefused = (other: string) => refused.has(`${proberOf(place)} -> ${targetOf(other)}`);

  test("may import what its row names", () => {
    expect(places.filter((other) => table[place]?.includes(other) && isRefused(other))).toEqual([]);
  });

  test("may import nothing else", () => {
    const others = places.filter((other) => other !== place && table[place]?.includes(other) !== true);
    expect(others.length).toBeGreaterThan(0);
    expect(others.filter((other) => !isRefused(other))).toEqual([]);
  });
});

test.each(anything)("%s may import everything", (place) => {
  expect(places.filter((other) => other !== place && refused.has(`${proberOf(place)} -> ${targetOf(other)}`))).toEqual(
    [],
  );
});

test("contract may import types only", () => {
  expect(refused.get("contract/values.ts -> plan/target.ts")).toEqual(["contract-imports-types-only"]);
});

test.each([...pure, "workflows"])("%s may use pure packages and nothing of Node", (place) => {
  const refusedFrom = [...refused.keys()]
    .filter((key) => key.startsWith(`${place}/packages.ts -> `))
    .map((key) => key.replace(`${place}/packages.ts -> `, "").replace(/^node_modules\/(.*)\/index\.js$/, "$1"));
  // contract/ holds the converters that the sandbox shares with everybody else.
  const allowed = place === "workflows" ? sandboxPackages : place === "contract" ? ["@temporalio/common"] : [];
  const forbidden = [...otherPackages, ...sandboxPackages.filter((name) => !allowed.includes(name)), "fs", "crypto"];
  expect(refusedFrom.map((name) => name.replace(/^node:/, "")).sort()).toEqual(forbidden.sort());
});

test("an I/O folder may use packages and Node", () => {
  expect([...refused.keys()].filter((key) => key.startsWith("runtime/packages.ts"))).toEqual([]);
});

test("cycles and imports of nothing are refused", () => {
  expect(refused.get("model/one.ts -> model/two.ts")).toEqual(["no-cycles"]);
  expect([...refused].filter(([key]) => key.startsWith("model/lost.ts")).map(([, rules]) => rules)).toEqual([
    ["no-unresolvable"],
  ]);
});
