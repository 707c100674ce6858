/** Looks at a NETCONF server from outside with nothing but SSH: does it answer with a hello yet? */
import { createServer } from "node:net";
import ssh2 from "ssh2";

export interface Connection {
  readonly port: number;
  readonly user: string;
  readonly privateKey: string;
  readonly limitMs: number;
}

/** Resolves when the server's hello is complete; with an empty subsystem channel netconfd is not up yet, and it rejects. */
export function readHello({ port, user, privateKey, limitMs }: Connection): Promise<void> {
  const client = new ssh2.Client();
  return new Promise<void>((resolve, reject) => {
    let text = "";
    const timer = setTimeout(() => {
      reject(new Error("the hello is incomplete"));
    }, limitMs);
    client.on("error", reject);
    client.on("close", () => {
      clearTimeout(timer);
      reject(new Error("the connection closed before the hello"));
    });
    client.on("ready", () => {
      client.subsys("netconf", (error, channel) => {
        if (error !== undefined) {
          reject(error);
          return;
        }
        channel.on("data", (bytes: Buffer) => {
          text += bytes.toString("utf8");
          if (text.includes("]]>]]>")) resolve();
        });
        channel.on("close", () => {
          client.end();
        });
      });
    });
    client.connect({ host: "127.0.0.1", port, username: user, privateKey });
  }).finally(() => client.end());
}

/** A loopback port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("the system gave no port");
  return address.port;
}
