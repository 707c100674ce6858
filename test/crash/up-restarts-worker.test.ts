/** `tenure up` keeps a worker running: one that is killed is replaced, and what was under way goes on. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createApiClient } from "../../client/api-client.ts";
import type { DeviceView, HealthView, RunView, StartedDevice } from "../../contract/api.ts";
import type { AddDeviceResult } from "../../contract/workflows.ts";
import { startSimulator } from "../../simulator/simulator.ts";
import { eventually } from "../support/eventually.ts";
import { CREDENTIALS, CREDENTIALS_ENV, USER, demoModules } from "../support/pipeline-world.ts";

const START_LIMIT_MS = 60_000;

test("a killed worker is replaced, and the first contact that it was in goes on", { timeout: 180_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "tenure-up-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const device = await startSimulator({ name: "r1", modules: await demoModules(), users: [USER] });
  onTestFinished(() => device.stop());

  const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  const up = spawn(
    process.execPath,
    ["--import", loader, fileURLToPath(new URL("../../worker/up.ts", import.meta.url))],
    {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...CREDENTIALS_ENV, TENURE_HOME: folder, TENURE_LOG: "error", TEMPORAL_ADDRESS: "" },
    },
  );
  let said = "";
  up.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = new Promise<number | null>((resolve) => up.once("exit", resolve));
  onTestFinished(() => {
    up.kill("SIGKILL");
  });

  const api = createApiClient({ dataFolder: folder, actor: "alice" });
  const health = (): Promise<HealthView> => api.get<HealthView>("/health");
  const first = await eventually("the first worker", health, { limitMs: START_LIMIT_MS });

  device.setFaults([{ id: "contact", operation: "*", occurrence: 1, action: { kind: "hold", when: "before" } }]);
  const address = `127.0.0.1:${String(device.port)}`;
  const settings = { name: "r1", address, credentials: CREDENTIALS, hostKey: { kind: "accept-new" } };
  const { run } = await api.post<StartedDevice>("/devices", settings);
  await eventually("the first contact", () => (device.heldBy("contact") > 0 ? true : undefined));

  process.kill(first.pid, "SIGKILL");
  const second = await eventually(
    "another worker",
    async () => {
      const now = await health();
      return now.pid === first.pid ? undefined : now;
    },
    { limitMs: START_LIMIT_MS },
  );
  expect(second.temporal.address, "the engine lives on").toBe(first.temporal.address);
  expect(said).toContain("the worker ended (killed); starting it again");

  device.setFaults([]);
  const view = await eventually(
    "the end of the first contact",
    async () => {
      const now = await api.get<RunView<AddDeviceResult>>(`/runs/${run}`);
      return now.kind === "running" ? undefined : now;
    },
    { limitMs: START_LIMIT_MS },
  );
  expect(view).toMatchObject({ kind: "completed", result: { modules: 4 } });
  expect((await api.get<readonly DeviceView[]>("/devices")).map((each) => each.name)).toEqual(["r1"]);

  up.kill("SIGTERM");
  expect(await ended, said).toBe(0);
  // Neither the worker nor the engine outlives it.
  expect(() => process.kill(second.pid, 0)).toThrow("ESRCH");
  await expect(fetch(`http://${second.temporal.address}`)).rejects.toThrow();
});
