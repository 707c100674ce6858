// Lint rules. The compiler and dependency-cruiser hold the layers; ESLint adds what neither can see: values that differ
// from run to run (clocks, randomness) in pure folders, floating promises, switches that miss a case.
import tseslint from "typescript-eslint";
import { pureFolders } from "./scripts/lib/layers.mjs";

const sharedSyntax = [
  { selector: "ExportAllDeclaration", message: "Name what you export; `export *` hides the public surface." },
  { selector: "ExportDefaultDeclaration", message: "Use a named export." },
];

const runToRun = "differs from run to run; take it as an argument (pure folders must replay identically)";

const pureSyntax = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: `new Date() ${runToRun}.` },
  { selector: "CallExpression[callee.name='Date']", message: `Date() ${runToRun}.` },
];

export default tseslint.config(
  { ignores: ["dist/", ".venv/", ".cache/", ".tenure/", "coverage/", "proto/gen/", "node_modules/"] },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "no-restricted-syntax": ["error", ...sharedSyntax],
    },
  },
  {
    files: pureFolders.map((folder) => `${folder}/**/*.ts`),
    rules: {
      // This block replaces the one above for these files, so it repeats the shared selectors.
      "no-restricted-syntax": ["error", ...sharedSyntax, ...pureSyntax],
      "no-restricted-properties": [
        "error",
        { object: "Date", property: "now", message: `Date.now ${runToRun}.` },
        { object: "Math", property: "random", message: `Math.random ${runToRun}.` },
      ],
      "no-restricted-globals": ["error", "Temporal", "performance", "crypto"],
    },
  },
  {
    files: ["test/**/*.ts", "bench/**/*.ts"],
    rules: { "@typescript-eslint/no-non-null-assertion": "off" },
  },
  {
    // Ambient globals can only be declared with `var`.
    files: ["pure-globals.d.ts"],
    rules: { "no-var": "off" },
  },
  {
    // Vitest takes the default export of these two.
    files: ["vitest.config.ts", "test/support/counts-reporter.ts"],
    rules: { "no-restricted-syntax": "off" },
  },
);
