import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { buildWorkflowBundle } from "../../worker/build-workflow-bundle.ts";
import { createTemporaryTree, type TemporaryTree } from "./temporary-tree.ts";

/** The bundler refuses workflows that reach Node: hence documents are hashed in activities, never in plan/. */

let tree: TemporaryTree | undefined;
afterEach(() => tree?.remove());

function bundle(planModule: string): Promise<string> {
  tree = createTemporaryTree(
    {
      "package.json": '{ "type": "module" }',
      "workflows/index.ts":
        'import { summarise } from "../plan/summarise.ts";\n' +
        "export async function probeWorkflow(input: string): Promise<string> {\n  return summarise(input);\n}\n",
      "plan/summarise.ts": planModule,
    },
    { nodeModules: join(import.meta.dirname, "..", "..", "node_modules") },
  );
  return buildWorkflowBundle({
    workflowsPath: join(tree.path, "workflows", "index.ts"),
    outputPath: join(tree.path, "bundle.js"),
  });
}

test("TypeScript sources bundle", async () => {
  const path = await bundle("export const summarise = (input: string): string => `${input}-probe-text`;\n");
  expect(readFileSync(path, "utf8")).toContain("-probe-text");
});

test("node:crypto reached through plan/ fails the bundle, by name", async () => {
  const building = bundle(
    'import { createHash } from "node:crypto";\n' +
      'export const summarise = (input: string): string => createHash("sha256").update(input).digest("hex");\n',
  );
  await expect(building).rejects.toThrow(/crypto/);
});
