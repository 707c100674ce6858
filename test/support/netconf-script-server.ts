import { createHash } from "node:crypto";
import type { AddressInfo, Socket } from "node:net";
import ssh2, { type Connection, type ServerChannel } from "ssh2";
import { encodeMessage, FrameDecoder, type Framing } from "../../codec/netconf/framing.ts";
import { decodeUtf8, parseXml } from "../../codec/xml/read-xml.ts";
import type { XmlElement } from "../../codec/xml/xml-element.ts";

/**
 * A real SSH server on loopback whose NETCONF side is a script of the test, octet by octet where that matters. It
 * knows nothing of NETCONF but framing, so that a test can break every other rule. What a script throws comes out
 * of `close()`: a broken script never passes.
 */
export interface ScriptServer {
  readonly port: number;
  readonly hostKeySha256: string;
  readonly username: string;
  readonly password: string;
  /** Authentication methods as clients tried them, in order. */
  readonly attempts: readonly string[];
  /** How many NETCONF subsystems were opened. */
  readonly sessions: () => number;
  readonly close: () => Promise<void>;
}

export interface ScriptPeer {
  /** The next message of the client, its hello included. Rejects when the client is gone. */
  readonly receive: () => Promise<XmlElement>;
  /** All octets received so far, undecoded. */
  readonly received: () => Buffer;
  readonly send: (text: string) => void;
  readonly sendRaw: (bytes: string | Uint8Array) => void;
  /** For both directions, from the next octet on. */
  readonly useChunked: () => void;
  /** Closes the channel as a server does. */
  readonly end: () => void;
  /** Breaks the TCP connection. */
  readonly drop: () => void;
  /** Resolves when the client has closed its side. */
  readonly gone: Promise<void>;
}

export interface ScriptServerOptions {
  readonly methods?: readonly ("password" | "keyboard-interactive" | "publickey")[];
  readonly hostKey?: string;
  /** OpenSSH public key in wire format, base64. */
  readonly authorizedKey?: string;
}

const username = "tester";
const password = "correct horse";

export async function startScriptServer(
  script: (peer: ScriptPeer) => Promise<void>,
  options: ScriptServerOptions = {},
): Promise<ScriptServer> {
  // Not ed25519: one in some 256 keys of that kind that the library makes it cannot read back.
  const hostKey = options.hostKey ?? ssh2.utils.generateKeyPairSync("ecdsa", { bits: 256 }).private;
  const methods = options.methods ?? ["password"];
  const attempts: string[] = [];
  const failures: unknown[] = [];
  const running: Promise<void>[] = [];
  const connections = new Set<Connection>();

  const server = new ssh2.Server({ hostKeys: [hostKey] }, (connection) => {
    connections.add(connection);
    // A client that drops its socket is part of the tests.
    connection.on("error", () => undefined);
    connection.on("close", () => connections.delete(connection));
    connection.on("authentication", (context) => {
      attempts.push(context.method);
      const isKnown = context.username === username && (methods as readonly string[]).includes(context.method);
      if (!isKnown) {
        context.reject([...methods]);
      } else if (context.method === "password") {
        answer(context, context.password === password);
      } else if (context.method === "keyboard-interactive") {
        context.prompt([{ prompt: "Password: ", echo: false }], (answers) => {
          answer(context, answers.length === 1 && answers[0] === password);
        });
      } else if (context.method === "publickey") {
        answer(context, context.key.data.toString("base64") === options.authorizedKey);
      }
    });
    connection.on("ready", () => {
      connection.on("session", (acceptSession) => {
        acceptSession().on("subsystem", (acceptSubsystem, reject, info) => {
          if (info.name !== "netconf") {
            reject();
            return;
          }
          const peer = scriptPeer(acceptSubsystem(), () => {
            (connection as unknown as { _sock: Socket })._sock.destroy();
          });
          running.push(
            script(peer).catch((error: unknown) => {
              failures.push(error);
            }),
          );
        });
      });
    });

    const answer = (context: ssh2.AuthContext, isRight: boolean): void => {
      if (isRight) {
        context.accept();
      } else {
        context.reject([...methods]);
      }
    };
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    hostKeySha256: fingerprintOf(hostKey),
    username,
    password,
    attempts,
    sessions: () => running.length,
    close: async () => {
      for (const connection of connections) {
        connection.end();
      }
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
      await Promise.all(running);
      if (failures.length > 0) {
        throw new AggregateError(failures, failures.map(String).join("; "));
      }
    },
  };
}

/** OpenSSH's own way to a fingerprint, apart from the product's. */
function fingerprintOf(privateKey: string): string {
  const key = ssh2.utils.parseKey(privateKey);
  if (key instanceof Error) {
    throw key;
  }
  return `SHA256:${createHash("sha256").update(key.getPublicSSH()).digest("base64").replaceAll("=", "")}`;
}

function scriptPeer(channel: ServerChannel, drop: () => void): ScriptPeer {
  const decoder = new FrameDecoder();
  const octets: Buffer[] = [];
  let framing: Framing = "end-of-message";
  let wake: () => void = () => undefined;
  let isGone = false;
  const gone = new Promise<void>((resolve) => {
    for (const event of ["end", "close"]) {
      channel.on(event, () => {
        isGone = true;
        resolve();
        wake();
      });
    }
  });
  channel.on("error", () => undefined);
  channel.on("data", (bytes: Buffer) => {
    octets.push(bytes);
    decoder.push(bytes);
    wake();
  });
  const receive = async (): Promise<XmlElement> => {
    for (;;) {
      const frame = decoder.next();
      if (frame.kind === "message") {
        const text = decodeUtf8(frame.bytes);
        const root = text.kind === "ok" ? parseXml(text.value) : text;
        if (root.kind === "failed") {
          throw new Error(`the client sent XML that cannot be read: ${root.error.message}`);
        }
        return root.value;
      }
      if (frame.kind !== "incomplete") {
        throw new Error(`the client broke the framing: ${JSON.stringify(frame)}`);
      }
      if (isGone) {
        throw new Error("the client is gone");
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    receive,
    received: () => Buffer.concat(octets),
    send: (text) => {
      const encoded = encodeMessage(text, framing);
      if (encoded.kind === "refused") {
        throw new Error(encoded.reason);
      }
      channel.write(encoded.bytes);
    },
    sendRaw: (bytes) => {
      channel.write(bytes);
    },
    useChunked: () => {
      framing = "chunked";
      decoder.useChunked();
    },
    end: () => {
      channel.exit(0);
      channel.end();
    },
    drop,
    gone,
  };
}
