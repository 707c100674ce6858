import { existsSync } from "node:fs";
import { buildWorkflowBundle, defaultWorkflowsPath } from "../../worker/build-workflow-bundle.ts";

/** Kept on the process, because vitest loads this file once for each project that names it. */
const shared = globalThis as { tenureWorkflowBundle?: Promise<string> };

/**
 * Builds the workflow bundle once for all test files. It happens here, in the runner's own process, because a process
 * that has loaded LadybugDB can no longer load the compiler that the bundler uses.
 */
export async function setup(): Promise<void> {
  if (!existsSync(defaultWorkflowsPath)) return;
  shared.tenureWorkflowBundle ??= buildWorkflowBundle();
  await shared.tenureWorkflowBundle;
}
