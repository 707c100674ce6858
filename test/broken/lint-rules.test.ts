import { join } from "node:path";
import { ESLint } from "eslint";
import tseslint from "typescript-eslint";
import { describe, expect, test } from "vitest";

/** Clocks and randomness compile everywhere; in pure folders the linter refuses them. */

const root = join(import.meta.dirname, "..", "..");
const pureFolders = ["model", "codec", "plan", "goal", "resources", "services", "contract", "workflows"];

// The probes are text without a file, so rules that need type information are off here.
const linter = new ESLint({
  cwd: root,
  overrideConfig: [
    tseslint.configs.disableTypeChecked,
    { languageOptions: { parserOptions: { projectService: false } } },
  ],
});

async function rulesAgainst(folder: string, text: string): Promise<readonly (string | null)[]> {
  const [result] = await linter.lintText(text, { filePath: join(root, folder, "probe.ts") });
  return (result?.messages ?? []).map(({ ruleId }) => ruleId);
}

const refused = {
  "Date.now()": ["export const probe = Date.now();\n", "no-restricted-properties"],
  "{ now } = Date": ["export const { now } = Date;\n", "no-restricted-properties"],
  "Math.random()": ["export const probe = Math.random();\n", "no-restricted-properties"],
  "new Date()": ["export const probe = new Date();\n", "no-restricted-syntax"],
  "Date()": ["export const probe = Date();\n", "no-restricted-syntax"],
  performance: ["export const probe = performance;\n", "no-restricted-globals"],
  crypto: ["export const probe = crypto;\n", "no-restricted-globals"],
  "export *": ['export * from "./other.ts";\n', "no-restricted-syntax"],
} as const;

describe.each(pureFolders)("%s", (folder) => {
  test.each(Object.entries(refused))("%s is refused", async (_, [text, rule]) => {
    expect(await rulesAgainst(folder, text)).toEqual([rule]);
  });

  test("a date made from an argument is accepted", async () => {
    const text = "export const probe = (iso: string): Date => new Date(iso);\n";
    expect(await rulesAgainst(folder, text)).toEqual([]);
  });
});

test("an I/O folder may read the clock, and still names its exports", async () => {
  expect(await rulesAgainst("runtime", "export const probe = Date.now();\n")).toEqual([]);
  expect(await rulesAgainst("runtime", 'export * from "./other.ts";\n')).toEqual(["no-restricted-syntax"]);
});

test.each(["model/path.ts", "runtime/probe.ts", "test/unit/probe.test.ts"])(
  "typed rules are on for %s",
  async (file) => {
    const { rules } = (await new ESLint({ cwd: root }).calculateConfigForFile(join(root, file))) as {
      rules: Record<string, readonly unknown[]>;
    };
    for (const rule of ["no-floating-promises", "switch-exhaustiveness-check", "no-explicit-any"]) {
      expect(rules[`@typescript-eslint/${rule}`]?.[0]).toBe(2);
    }
  },
);
