/**
 * One activity attempt, one session. It heartbeats while it works, ends the session the moment Temporal takes the
 * attempt away, and sends nothing after its own deadline, which is shorter than the attempt's.
 */
import { Context } from "@temporalio/activity";
import type { DeviceReference } from "../contract/device-reference.ts";
import type { ConnectRequest, DeviceConnection, DeviceProfile, Provider } from "../providers/capability.ts";
import { ProviderError, ProviderErrorCode } from "../providers/error.ts";
import type { ProviderRegistry } from "../providers/registry.ts";
import { resolveCredentials } from "../runtime/credentials.ts";
import { withHeartbeat } from "./heartbeat.ts";

export interface OpenDevice {
  readonly connection: DeviceConnection;
  readonly profile: DeviceProfile;
}

/** What is kept back of an attempt's time for closing the session and reporting. */
const RESERVE_MS = 10_000;

/** Opens a session, works, closes. The profile is the device's own, or the first of its provider before it is known. */
export async function withDevice<T>(
  registry: ProviderRegistry,
  device: DeviceReference,
  work: (open: OpenDevice) => Promise<T>,
): Promise<T> {
  const provider = registry.get(device.provider);
  const profile = profileOf(provider, device.profile);
  return withAttempt(async ({ signal, deadline }) => {
    const credentials = await resolveCredentials(device.credentials);
    const connection = await provider.connect({
      host: device.host,
      port: device.port,
      credentials,
      hostKey: hostKeyOf(device),
      profile,
      signal,
      deadline,
    });
    try {
      return await work({ connection, profile });
    } finally {
      await connection.close();
    }
  });
}

export function profileOf(provider: Provider, name: string | undefined): DeviceProfile {
  const profile = name === undefined ? provider.profiles[0] : provider.profiles.find((each) => each.name === name);
  if (profile !== undefined) return profile;
  throw new ProviderError({
    code: ProviderErrorCode.InvalidArgument,
    message: `provider ${provider.name} has no profile ${name ?? "at all"}`,
    details: [{ fieldPath: "profile", description: `known: ${provider.profiles.map((each) => each.name).join(", ")}` }],
  });
}

function hostKeyOf(device: DeviceReference): ConnectRequest["hostKey"] {
  switch (device.hostKey.kind) {
    case "pinned":
      return device.hostKey;
    case "accept-new":
      return { kind: "accept-new", onAccept: () => undefined };
    case "unknown":
      return { kind: "refuse-unknown" };
  }
}

interface Attempt {
  readonly signal: AbortSignal;
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
}

function withAttempt<T>(work: (attempt: Attempt) => Promise<T>): Promise<T> {
  const { cancellationSignal: signal, info } = Context.current();
  const deadline = performance.now() + info.startToCloseTimeoutMs - RESERVE_MS;
  return withHeartbeat(() => work({ signal, deadline }));
}
