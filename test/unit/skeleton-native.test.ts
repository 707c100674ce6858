import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

/** Each native module runs in a process of its own, on the Node that runs the tests. */
const packageRoot = join(import.meta.dirname, "..", "..");

async function output(script: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: packageRoot,
  });
  return stdout;
}

describe("native modules work on this Node", () => {
  test("LadybugDB answers a query", async () => {
    const script = `
      import lbug from "lbug";
      const database = new lbug.Database(":memory:");
      const connection = new lbug.Connection(database);
      const result = await connection.query("RETURN 40 + 2 AS answer");
      console.log(JSON.stringify(await result.getAll()));`;
    expect(JSON.parse(await output(script))).toEqual([{ answer: 42 }]);
  });

  test("Temporal's core loads", async () => {
    const script = `
      import { Runtime } from "@temporalio/worker";
      Runtime.instance();
      console.log("loaded");
      process.exit(0);`;
    expect(await output(script)).toBe("loaded\n");
  });
});
