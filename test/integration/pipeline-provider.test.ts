/** The NETCONF provider's two-phase write, alone, on a device that does what RFC 6241 says. */
import { afterAll, beforeAll, describe } from "vitest";
import { netconfProvider } from "../../providers/netconf/netconf-provider.ts";
import { type Simulator, startSimulator } from "../../simulator/simulator.ts";
import { LOGIN, TWO_PORTS, exampleModules, mtuPath } from "../support/pipeline-site.ts";
import { type TwoPhaseDevice, twoPhaseTests } from "../support/two-phase-conformance.ts";

describe("the two-phase write on a simulated device", () => {
  let device: Simulator;
  beforeAll(async () => {
    device = await startSimulator({
      name: "r1",
      modules: exampleModules(),
      users: [LOGIN],
      initialConfigXml: TWO_PORTS,
    });
  });
  afterAll(() => device.stop());

  const target = (): TwoPhaseDevice => ({
    provider: netconfProvider,
    profile: "netconf-generic",
    target: {
      host: device.host,
      port: device.port,
      credentials: { username: LOGIN.name, proof: { kind: "password", password: LOGIN.password } },
      hostKey: { kind: "pinned", sha256: device.fingerprint },
    },
    leaf: mtuPath(),
  });
  twoPhaseTests(target, (operation) => {
    const action = { kind: "fail", tag: "operation-failed", message: "not now" } as const;
    device.setFaults([{ id: "refused once", operation, occurrence: 1, action }]);
  });
});
