import { connect } from "node:net";
import { Connection } from "@temporalio/client";

export interface ProbeTemporalOptions {
  /** Give up after this time. */
  readonly limitMs: number;
  /** Namespace that must exist; not looked at when absent. */
  readonly namespace?: string;
  /** Search attributes that must be registered in `namespace`. */
  readonly searchAttributes?: readonly string[];
}

/**
 * Returns when the Temporal server at `address` (HOST:PORT) answers and has what is asked for. Rejects otherwise, also
 * when something that is not Temporal listens there. One attempt: whoever waits for a server calls it again.
 *
 * A workflow that sets an unregistered search attribute hangs without an error, so a server is usable only after the
 * attributes are there.
 */
export async function probeTemporal(address: string, options: ProbeTemporalOptions): Promise<void> {
  const { limitMs, namespace, searchAttributes = [] } = options;
  const deadline = Date.now() + limitMs;
  // gRPC waits a second or more before it tries a refused port again, and then names no reason.
  await reachPort(address, limitMs);
  const connection = await Connection.connect({ address, connectTimeout: limitMs });
  try {
    await connection.withDeadline(deadline, async () => {
      if (namespace === undefined) return;
      await connection.workflowService.describeNamespace({ namespace });
      if (searchAttributes.length === 0) return;
      const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
      const missing = searchAttributes.filter((name) => !(name in customAttributes));
      if (missing.length > 0) throw new Error(`search attributes not registered: ${missing.join(", ")}`);
    });
  } finally {
    await connection.close();
  }
}

function reachPort(address: string, limitMs: number): Promise<void> {
  const { hostname, port } = new URL(`tcp://${address}`);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) });
    socket.setTimeout(limitMs, () => socket.destroy(new Error(`no answer within ${limitMs / 1000} s`)));
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
  });
}
