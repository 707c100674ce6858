import { type AddressInfo, createServer, type Server, Socket } from "node:net";
import ssh2 from "ssh2";
import { afterEach, describe, expect, it } from "vitest";
import { isProviderError, ProviderError } from "../../providers/error.ts";
import { connectSsh, type SshConnectOptions } from "../../providers/transport/ssh-connection.ts";
import { type ScriptServer, type ScriptServerOptions, startScriptServer } from "../support/netconf-script-server.ts";

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0)) {
    await step();
  }
});

async function server(options: ScriptServerOptions = {}): Promise<ScriptServer> {
  const started = await startScriptServer(async ({ gone }) => gone, options);
  cleanUp.push(started.close);
  return started;
}

function optionsFor(target: ScriptServer, changes: Partial<SshConnectOptions> = {}): SshConnectOptions {
  return {
    host: "127.0.0.1",
    port: target.port,
    credentials: { username: target.username, proof: { kind: "password", password: target.password } },
    hostKey: { kind: "pinned", sha256: target.hostKeySha256 },
    connectTimeoutMs: 10_000,
    ...changes,
  };
}

async function failure(options: SshConnectOptions): Promise<ProviderError> {
  try {
    const connection = await connectSsh(options);
    await connection.close();
  } catch (error) {
    if (isProviderError(error)) {
      return error;
    }
    throw error;
  }
  throw new Error("expected a ProviderError");
}

async function rawServer(onData: (server: Server) => Server): Promise<number> {
  const raw = onData(createServer());
  const open = new Set<Socket>();
  raw.on("connection", (socket) => {
    open.add(socket.on("error", () => undefined));
  });
  await new Promise<void>((resolve) => {
    raw.listen(0, "127.0.0.1", resolve);
  });
  cleanUp.push(
    () =>
      new Promise((resolve) => {
        raw.close(() => {
          resolve();
        });
        for (const socket of open) {
          socket.destroy();
        }
      }),
  );
  return (raw.address() as AddressInfo).port;
}

describe("host key", () => {
  it("connects to the pinned key, and says which key it was", async () => {
    const target = await server();
    const connection = await connectSsh(optionsFor(target));
    expect(connection.hostKeySha256).toBe(target.hostKeySha256);
    await connection.close();
    await connection.close();
  });

  it("refuses another key with both fingerprints, before anything of the credentials is sent", async () => {
    const target = await server();
    const other = `SHA256:${"A".repeat(43)}`;
    const error = await failure(optionsFor(target, { hostKey: { kind: "pinned", sha256: other } }));
    expect(error).toMatchObject({ code: "HostKeyMismatch", retryable: false });
    expect(error.message).toContain(other);
    expect(error.message).toContain(target.hostKeySha256);
    expect(target.attempts).toEqual([]);
  });

  it("refuses an unknown key with its fingerprint, before anything of the credentials is sent", async () => {
    const target = await server();
    const error = await failure(optionsFor(target, { hostKey: { kind: "refuse-unknown" } }));
    expect(error).toMatchObject({ code: "HostKeyUnknown", retryable: false });
    expect(error.message).toContain(target.hostKeySha256);
    expect(target.attempts).toEqual([]);
  });

  it("accepts a new key only through the callback, which may refuse", async () => {
    const target = await server();
    const seen: string[] = [];
    const onAccept = (sha256: string): void => {
      seen.push(sha256);
      expect(target.attempts).toEqual([]);
    };
    const connection = await connectSsh(optionsFor(target, { hostKey: { kind: "accept-new", onAccept } }));
    await connection.close();
    expect(seen).toEqual([target.hostKeySha256]);
    const refusing = (): void => {
      throw new Error("the key file cannot be written");
    };
    const error = await failure(optionsFor(target, { hostKey: { kind: "accept-new", onAccept: refusing } }));
    expect(error.code).toBe("HostKeyUnknown");
    expect(error.message).toContain("the key file cannot be written");
  });
});

describe("authentication", () => {
  it("one wrong password costs one attempt and never shows", async () => {
    const target = await server();
    const secret = "wrong-secret-7291";
    const error = await failure(
      optionsFor(target, { credentials: { username: target.username, proof: { kind: "password", password: secret } } }),
    );
    expect(error).toMatchObject({ code: "AuthenticationFailed", retryable: false });
    expect(target.attempts).toEqual(["none", "password"]);
    expect(JSON.stringify(error) + error.message + String(error.stack) + String(error.cause)).not.toContain(secret);
  });

  it("gives the password by keyboard-interactive where only that is offered, and once", async () => {
    const target = await server({ methods: ["keyboard-interactive"] });
    await (await connectSsh(optionsFor(target))).close();
    expect(target.attempts).toEqual(["none", "keyboard-interactive"]);
    const error = await failure(
      optionsFor(target, { credentials: { username: target.username, proof: { kind: "password", password: "x" } } }),
    );
    expect(error.code).toBe("AuthenticationFailed");
    expect(target.attempts).toEqual(["none", "keyboard-interactive", "none", "keyboard-interactive"]);
  });

  it("signs with a private key, also an encrypted one", async () => {
    const pair = ssh2.utils.generateKeyPairSync("ecdsa", {
      bits: 256,
      passphrase: "open sesame",
      cipher: "aes256-ctr",
    });
    const [, authorizedKey = ""] = pair.public.split(" ");
    const target = await server({ methods: ["publickey"], authorizedKey });
    const proof = { kind: "private-key", privateKey: pair.private } as const;
    const withPassphrase = { username: target.username, proof: { ...proof, passphrase: "open sesame" } };
    await (await connectSsh(optionsFor(target, { credentials: withPassphrase }))).close();

    for (const passphrase of [undefined, "wrong-secret-7291"]) {
      const credentials = {
        username: target.username,
        proof: passphrase === undefined ? proof : { ...proof, passphrase },
      };
      const error = await failure(optionsFor(target, { credentials }));
      expect(error.code).toBe("AuthenticationFailed");
      expect(error.message).not.toContain("wrong-secret-7291");
    }
    const other = ssh2.utils.generateKeyPairSync("ecdsa", { bits: 256 });
    for (const privateKey of [other.private, other.public, "no key at all"]) {
      const credentials = { username: target.username, proof: { kind: "private-key", privateKey } } as const;
      expect((await failure(optionsFor(target, { credentials }))).code).toBe("AuthenticationFailed");
    }
  });

  it("does not try a password where only keys are taken", async () => {
    const target = await server({ methods: ["publickey"] });
    expect((await failure(optionsFor(target))).code).toBe("AuthenticationFailed");
    expect(target.attempts).toEqual(["none"]);
  });
});

describe("reaching the device", () => {
  it("nobody listens", async () => {
    const target = await server();
    const port = await rawServer((raw) => raw);
    await cleanUp.pop()?.();
    const error = await failure(optionsFor(target, { port }));
    expect(error).toMatchObject({ code: "Unreachable", retryable: true });
    expect(error.message).toContain(`127.0.0.1:${String(port)}`);
  });

  it("a port that is none", async () => {
    const target = await server();
    expect((await failure(optionsFor(target, { port: 70_000 }))).code).toBe("InvalidArgument");
  });

  it("somebody listens and says nothing", async () => {
    const target = await server();
    const port = await rawServer((raw) => raw);
    const error = await failure(optionsFor(target, { port, connectTimeoutMs: 200 }));
    expect(error).toMatchObject({ code: "Unreachable", retryable: true });
  });

  it("somebody hangs up at once", async () => {
    const target = await server();
    const port = await rawServer((raw) => raw.on("connection", (socket) => socket.destroy()));
    expect((await failure(optionsFor(target, { port }))).code).toBe("Unreachable");
  });

  it("somebody speaks another protocol", async () => {
    const target = await server();
    const port = await rawServer((raw) =>
      raw.on("connection", (socket) => {
        socket.end("SSH-9.9-nonsense\r\n");
      }),
    );
    expect((await failure(optionsFor(target, { port }))).code).toBe("ProtocolError");
  });

  it("is cancelled before and while it connects", async () => {
    const target = await server();
    const port = await rawServer((raw) => raw);
    expect((await failure(optionsFor(target, { signal: AbortSignal.abort() }))).code).toBe("Cancelled");
    const controller = new AbortController();
    const pending = failure(optionsFor(target, { port, signal: controller.signal }));
    controller.abort();
    expect((await pending).code).toBe("Cancelled");
  });

  it("a subsystem that the server does not have is named", async () => {
    const target = await server();
    const connection = await connectSsh(optionsFor(target));
    await expect(connection.openSubsystem("xnm")).rejects.toMatchObject({ code: "ProtocolError" });
    await connection.close();
  });

  it("notices a peer that stops answering", async () => {
    const target = await server();
    const sockets: Socket[] = [];
    // Stands between both and, when told to, passes nothing on any more.
    const port = await rawServer((raw) =>
      raw.on("connection", (client) => {
        const onward = new Socket();
        onward.connect(target.port, "127.0.0.1");
        sockets.push(client, onward);
        for (const socket of [client, onward]) {
          socket.on("error", () => undefined);
        }
        client.pipe(onward).pipe(client);
      }),
    );
    const keepalive = { intervalMs: 50, maxMissed: 2 };
    const connection = await connectSsh(optionsFor(target, { port, keepalive }));
    for (const socket of sockets) {
      socket.unpipe();
      socket.pause();
    }
    expect((await connection.ended).code).toBe("Unreachable");
    for (const socket of sockets) {
      socket.destroy();
    }
  });
});
