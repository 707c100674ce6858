/**
 * The simulator asked by ncclient, a client that is not ours, with the conversations that netconfd is put through: the right answers by the
 * RFCs, no deviation allowed. What the simulator does not do is named here, and measured too.
 */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ssh2 from "ssh2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { YangSource } from "../../model/yang/compile-yang.ts";
import { type Simulator, startSimulator } from "../../simulator/simulator.ts";
import { Ncclient, ncclientAvailable } from "../support/ncclient/client.ts";
import { runScenario } from "../support/ncclient/run-scenario.ts";
import type { Scenario } from "../support/ncclient/scenario.ts";
import { SCENARIOS } from "../support/ncclient/scenarios.ts";
import { OWN_MODULE_FOLDERS } from "../support/netconfd.ts";

/** ncclient itself drops a prefix declaration where another prefix has the namespace already, so no server gets to see the edit as it is meant. */
const lostInClient = (scenario: Scenario): boolean =>
  scenario.name.startsWith("the prefix of an identity is the sender's choice");

const publicFolder = "/usr/share/yuma/modules/ietf";
const availability = ncclientAvailable();

function modules(publicModules: readonly string[]): readonly YangSource[] {
  const own = OWN_MODULE_FOLDERS.flatMap((folder) =>
    readdirSync(folder).map((name) => ({ name, file: join(folder, name) })),
  );
  const names = publicModules.length === 0 ? [] : [...publicModules, "ietf-yang-types", "ietf-inet-types"];
  const found = names.flatMap((name) => {
    const file = publicFile(name);
    return file === undefined ? [] : [{ name, file }];
  });
  return [...own, ...found]
    .filter(({ name }) => publicModules.length > 0 || name !== "tenure-test-interfaces.yang")
    .map(({ name, file }) => ({ name, text: readFileSync(file, "utf8") }));
}

function publicFile(name: string): string | undefined {
  if (!existsSync(publicFolder)) return undefined;
  const file = readdirSync(publicFolder).find((each) => each.startsWith(`${name}@`) && each.endsWith(".yang"));
  return file === undefined ? undefined : join(publicFolder, file);
}

if (availability.kind === "unavailable") {
  if (process.env["CI"] === "true") it("ncclient is there", () => expect.fail(availability.reason));
  else it.skip(`the simulator asked by ncclient: ${availability.reason}`, () => undefined);
}

describe.runIf(availability.kind === "available")("the simulator asked by ncclient", () => {
  describe.each(["explicit", "trim", "report-all"] as const)("basic mode %s", (withDefaults) => {
    const scenarios = SCENARIOS.filter(({ serverDefaults }) => serverDefaults === withDefaults);
    const isPlain = ({ publicModules = [] }: Scenario): boolean => publicModules.length === 0;
    conversations(withDefaults, scenarios.filter(isPlain), []);
    const needed = [...new Set(scenarios.flatMap(({ publicModules = [] }) => publicModules))];
    if (needed.length > 0) {
      const missing = needed.filter((name) => publicFile(name) === undefined);
      describe("with public modules of the system", () => {
        if (missing.length === 0) {
          conversations(
            withDefaults,
            scenarios.filter((scenario) => !isPlain(scenario)),
            needed,
          );
        } else if (process.env["CI"] === "true") {
          it("runs", () => {
            throw new Error(`CI must have these modules: ${missing.join(", ")}`);
          });
        } else {
          it.skip(`skipped: this system has no ${missing.join(", ")}`, () => undefined);
        }
      });
    }
  });
});

function conversations(
  withDefaults: "explicit" | "trim" | "report-all",
  scenarios: readonly Scenario[],
  publicModules: readonly string[],
): void {
  let folder = "";
  let simulator: Simulator;
  let client: Ncclient;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "simulator-ncclient-"));
    const key = ssh2.utils.generateKeyPairSync("ecdsa", { bits: 256 });
    await writeFile(join(folder, "key"), key.private, { mode: 0o600 });
    simulator = await startSimulator({
      name: "lab",
      modules: modules(publicModules),
      users: [{ name: "ops", publicKey: key.public }],
      withDefaults,
    });
    const { host, port, hostPublicKey } = simulator;
    client = new Ncclient({ host, port, user: "ops", privateKeyFile: join(folder, "key"), hostKey: hostPublicKey });
  });

  afterAll(async () => {
    await client.end();
    await simulator.stop();
    await rm(folder, { recursive: true, force: true });
  });

  for (const scenario of scenarios) {
    const run = lostInClient(scenario) ? it.skip : it;
    const why = lostInClient(scenario) ? ", skipped: the client's XML library changes the edit before it is sent" : "";
    run(`${scenario.name} (${scenario.rule})${why}`, async () => {
      const comparisons = await runScenario(client, { scenario });
      for (const { step, expected, actual } of comparisons) expect(actual, step).toEqual(expected);
    });
  }
}
