import { openNetconfSession } from "../../providers/netconf/client/netconf-session.ts";
import { lock, unlock } from "../../providers/netconf/client/operations.ts";
import type { Simulator } from "../../simulator/simulator.ts";
import { USER } from "./pipeline-world.ts";

/**
 * What is left on a device by whoever worked on it; `nothing` when a stranger gets both locks at once (so no session
 * and no confirmed commit is in the way, RFC 6241, 7.5) and the candidate equals running.
 */
export async function leftOn(device: Simulator): Promise<string> {
  const sessions = device.sessions();
  if (sessions.length > 0) return `sessions ${sessions.map((each) => String(each.id)).join(", ")}`;
  if (device.configXml("candidate") !== device.configXml("running")) return "a candidate that differs from running";
  const session = await openNetconfSession({
    ssh: {
      host: device.host,
      port: device.port,
      credentials: { username: USER.name, proof: { kind: "password", password: USER.password } },
      hostKey: { kind: "pinned", sha256: device.fingerprint },
    },
    requestTimeoutMs: 10_000,
  });
  try {
    await lock(session, { target: "running" });
    await lock(session, { target: "candidate" });
    await unlock(session, { target: "candidate" });
    await unlock(session, { target: "running" });
    return "nothing";
  } catch (error) {
    return `a lock or a commit: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    await session.close();
  }
}
