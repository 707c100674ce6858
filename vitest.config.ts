import { defineConfig } from "vitest/config";

const bundle = ["./test/support/global-setup.ts"];
const reporters = ["default", "./test/support/counts-reporter.ts"];

/** One project for each kind of test, so that a command can run one kind: `npx vitest run --project unit`. */
function project(
  name: string,
  folders: readonly string[],
  { seconds, globalSetup = [] }: { readonly seconds: number; readonly globalSetup?: string[] },
) {
  return {
    extends: true as const,
    test: {
      name,
      globalSetup,
      include: folders.map((folder) => `test/${folder}/**/*.test.ts`),
      testTimeout: seconds * 1000,
      hookTimeout: Math.max(seconds, 30) * 1000,
    },
  };
}

export default defineConfig({
  test: {
    // Temporal's core and LadybugDB are native and keep process-wide state: one process a test file.
    pool: "forks",
    reporters,
    projects: [
      project("unit", ["unit", "property", "golden"], { seconds: 20 }),
      project("integration", ["integration", "conformance", "replay"], { seconds: 60, globalSetup: bundle }),
      project("peers", ["peers"], { seconds: 60, globalSetup: bundle }),
      project("crash", ["crash"], { seconds: 60, globalSetup: bundle }),
      project("broken", ["broken"], { seconds: 60 }),
    ],
  },
});
