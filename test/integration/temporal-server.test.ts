import { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Connection } from "@temporalio/client";
import { defineSearchAttributeKey } from "@temporalio/common";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { identifyProcess, isRunning, type ProcessIdentity } from "../../runtime/process-identity.ts";
import { startDevServer } from "../../runtime/temporal/dev-server.ts";
import { probeTemporal } from "../../runtime/temporal/probe-temporal.ts";
import { resolveTemporal, resolveTemporalProgram } from "../../runtime/temporal/resolve-temporal.ts";
import { createLocalTemporal, createTimeSkippingTemporal } from "../support/temporal.ts";

let folder: string;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tenure-temporal-"));
  program = resolveTemporalProgram().path;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Polls until `condition` holds; fails the test after 10 s. */
async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  await expect.poll(condition, { message: what, timeout: 10_000, interval: 30 }).toBe(true);
}

function identityOf(pid: number): ProcessIdentity {
  const identity = identifyProcess(pid);
  if (identity === undefined) throw new Error(`no process ${pid}`);
  return identity;
}

describe("resolving the server", () => {
  const empty = () => ({ env: { PATH: "" }, projectFolder: folder });

  test("an address where nobody answers is an error, whatever else there is", async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    await new Promise((resolve) => silent.close(resolve));
    const resolving = resolveTemporal({ env: { TEMPORAL_ADDRESS: `127.0.0.1:${port}`, TEMPORAL_CLI: program } });
    await expect(resolving).rejects.toMatchObject({
      code: "address-unreachable",
      message: expect.stringContaining(`127.0.0.1:${port}`) as string,
    });
  });

  test("a running server is taken by its address", async () => {
    const server = await startDevServer({ program, storage: { kind: "memory" } });
    try {
      const resolved = await resolveTemporal({ env: { TEMPORAL_ADDRESS: server.address, TEMPORAL_CLI: "/nowhere" } });
      expect(resolved).toEqual({ kind: "running", address: server.address });
    } finally {
      await server.stop();
    }
  });

  test("TEMPORAL_CLI goes before PATH, PATH before the virtual environment", async () => {
    const make = async (path: string) => {
      await writeFile(path, "#!/bin/sh\n", { flag: "w" });
      await chmod(path, 0o755);
      return path;
    };
    await mkdir(join(folder, ".venv", "bin"), { recursive: true });
    await mkdir(join(folder, "path"));
    const configured = await make(join(folder, "my-temporal"));
    const onPath = await make(join(folder, "path", "temporal"));
    const inVenv = await make(join(folder, ".venv", "bin", "temporal"));
    const PATH = join(folder, "path");
    const find = (env: Record<string, string>) => resolveTemporal({ env, projectFolder: folder });
    expect(await find({ TEMPORAL_CLI: configured, PATH })).toEqual({
      kind: "program",
      path: configured,
      foundBy: "setting",
    });
    expect(await find({ PATH })).toEqual({ kind: "program", path: onPath, foundBy: "PATH" });
    expect(await find({ PATH: "" })).toEqual({ kind: "program", path: inVenv, foundBy: "virtual environment" });
    await rm(join(folder, ".venv"), { recursive: true });
  });

  test("a TEMPORAL_CLI that is no program is an error, whatever else there is", async () => {
    const resolving = resolveTemporal({ env: { TEMPORAL_CLI: join(folder, "absent"), PATH: process.env.PATH } });
    await expect(resolving).rejects.toMatchObject({ code: "program-unusable" });
  });

  test("without any the error names every way", async () => {
    const error: unknown = await resolveTemporal(empty()).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "program-missing" });
    for (const way of ["TEMPORAL_ADDRESS", "TEMPORAL_CLI", "PATH", ".venv"]) expect(String(error)).toContain(way);
  });
});

describe("the dev server", () => {
  test("has its UI, its namespace and its search attributes, and is gone after stop", async () => {
    const server = await startDevServer({
      program,
      storage: { kind: "memory" },
      searchAttributes: { TenureDevice: "KeywordList", TenurePlan: "Keyword" },
    });
    const identity = identityOf(server.pid);
    await probeTemporal(server.address, {
      limitMs: 5000,
      namespace: "default",
      searchAttributes: ["TenureDevice", "TenurePlan"],
    });
    await expect(
      probeTemporal(server.address, { limitMs: 5000, namespace: "default", searchAttributes: ["Absent"] }),
    ).rejects.toThrow("Absent");
    expect((await fetch(server.uiUrl)).status).toBe(200);
    await server.stop();
    expect(isRunning(identity)).toBe(false);
    await expect(fetch(server.uiUrl)).rejects.toThrow();
    await server.stop();
  });

  test("with a file it keeps workflows over a restart", async () => {
    const options = {
      program,
      storage: { kind: "file", path: join(folder, "data", "temporal.db") },
      searchAttributes: { TenurePlan: "Keyword" },
    } as const;
    const first = await startDevServer(options);
    await withConnection(first.address, (connection) =>
      connection.workflowService.startWorkflowExecution({
        namespace: "default",
        workflowId: "kept",
        requestId: "1",
        workflowType: { name: "nobodyRunsIt" },
        taskQueue: { name: "empty" },
      }),
    );
    await first.stop();
    const second = await startDevServer(options);
    const described = await withConnection(second.address, (connection) =>
      connection.workflowService.describeWorkflowExecution({ namespace: "default", execution: { workflowId: "kept" } }),
    );
    expect(described.workflowExecutionInfo?.type?.name).toBe("nobodyRunsIt");
    await second.stop();
  });

  test("refuses a file that a live server uses", async () => {
    const storage = { kind: "file", path: join(folder, "shared.db") } as const;
    const server = await startDevServer({ program, storage });
    await expect(startDevServer({ program, storage })).rejects.toMatchObject({ code: "data-in-use" });
    await server.stop();
    await (await startDevServer({ program, storage })).stop();
  });

  test("says what the program said when it does not start", async () => {
    const broken = join(folder, "broken");
    await writeFile(broken, "#!/bin/sh\necho 'no disk today' >&2\nexit 3\n", { mode: 0o755 });
    await expect(startDevServer({ program: broken, storage: { kind: "memory" } })).rejects.toMatchObject({
      code: "start-failed",
      message: expect.stringMatching(/exit code 3.*no disk today/s) as string,
    });
  });

  test.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)("ends when its owner ends by %s", async (signal) => {
    const path = join(folder, `${signal}.db`);
    const owner = spawn(
      process.execPath,
      ["--import", "tsx", join(import.meta.dirname, "..", "support", "dev-server-owner.ts"), program, path],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const ended = new Promise((resolve) => owner.once("exit", resolve));
    let text = "";
    owner.stdout.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    await until("the owner names its server", () => text.includes("\n"));
    const identity = identityOf(Number(text));
    owner.kill(signal);
    await ended;
    // A server may start on the same file at once: it waits until the old one has ended.
    const next = await startDevServer({ program, storage: { kind: "file", path } });
    expect(isRunning(identity)).toBe(false);
    const record: unknown = JSON.parse(await readFile(`${path}.owner.json`, "utf8"));
    expect(record).toMatchObject({ owner: { pid: process.pid }, server: { pid: next.pid } });
    await next.stop();
  });

  test("ends with a killed owner also when nobody starts another", async () => {
    const owner = spawn(
      process.execPath,
      ["--import", "tsx", join(import.meta.dirname, "..", "support", "dev-server-owner.ts"), program],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    let text = "";
    owner.stdout.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    await until("the owner names its server", () => text.includes("\n"));
    const identity = identityOf(Number(text));
    owner.kill("SIGKILL");
    await until("the server has ended", () => !isRunning(identity));
  });
});

test.each([
  ["the local server", createLocalTemporal],
  ["the time-skipping server", createTimeSkippingTemporal],
] as const)("%s of the tests knows its search attributes", async (_, create) => {
  const environment = await create({ searchAttributes: { TenurePlan: "Keyword", TenureCount: "Int" } });
  try {
    const start = (id: string, name: string) =>
      environment.client.workflow.start("nobodyRunsIt", {
        workflowId: id,
        taskQueue: "empty",
        typedSearchAttributes: [{ key: defineSearchAttributeKey(name, "KEYWORD"), value: "v" }],
      });
    await start("known", "TenurePlan");
    await expect(start("unknown", "Absent")).rejects.toThrow();
  } finally {
    await environment.teardown();
  }
});

async function withConnection<T>(address: string, use: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}
