import { createHash, timingSafeEqual } from "node:crypto";
import { type AddressInfo, type Server, type Socket, createServer } from "node:net";
import ssh2, { type AuthContext, type Connection, type ParsedKey, type ServerChannel } from "ssh2";
import type { SessionWire } from "./netconf-session.ts";

export interface SimulatorUser {
  readonly name: string;
  readonly password?: string;
  /** OpenSSH public key, as in an authorized_keys file. */
  readonly publicKey?: string;
}

export interface SshSessionHandler {
  readonly receive: (bytes: Uint8Array) => void;
  readonly transportClosed: () => void;
}

export interface SshServerOptions {
  /** 0: any free one. */
  readonly port: number;
  /** Private key in OpenSSH or PEM form. */
  readonly hostKey: string;
  readonly users: readonly SimulatorUser[];
  /** Called for each `netconf` subsystem. */
  readonly onSession: (wire: SessionWire, user: string) => SshSessionHandler;
}

const host = "127.0.0.1";

/** A new host key in OpenSSH form. */
export function generateHostKey(): string {
  // Not Ed25519: of the keys that ssh2 makes of that kind, about one in 300 cannot be read back.
  return ssh2.utils.generateKeyPairSync("ecdsa", { bits: 256 }).private;
}

/**
 * NETCONF over SSH (RFC 6242) on the loopback interface. The sockets are its own, so that it can cut a connection off, and stop and start
 * listening on the same port.
 */
export class SshServer {
  readonly #options: SshServerOptions;
  readonly #key: ParsedKey;
  readonly #users: ReadonlyMap<string, { readonly user: SimulatorUser; readonly key: ParsedKey | undefined }>;
  readonly #ssh: ssh2.Server;
  /** By the client's port: ssh2 tells that of a connection, and not its socket. */
  readonly #sockets = new Map<number, Socket>();
  #listener: Server | undefined;
  #port: number;

  /** Throws on a key that cannot be read. Does not listen yet. */
  constructor(options: SshServerOptions) {
    this.#options = options;
    this.#port = options.port;
    this.#key = readKey(options.hostKey, "host key");
    this.#users = new Map(
      options.users.map((user) => {
        const key = user.publicKey === undefined ? undefined : readKey(user.publicKey, `key of ${user.name}`);
        return [user.name, { user, key }];
      }),
    );
    this.#ssh = new ssh2.Server({ hostKeys: [options.hostKey] }, (connection, { port }) =>
      this.#serve(connection, port),
    );
  }

  get port(): number {
    return this.#port;
  }

  /** `SHA256:...`, as ssh-keygen prints it. */
  get fingerprint(): string {
    const digest = createHash("sha256").update(this.#key.getPublicSSH()).digest("base64");
    return `SHA256:${digest.replace(/=+$/u, "")}`;
  }

  /** Base64 of the public host key, as in a known_hosts file. */
  get publicKey(): string {
    return this.#key.getPublicSSH().toString("base64");
  }

  /** Listens, on the same port as before where it did. Rejects when the port is taken. */
  async listen(): Promise<void> {
    if (this.#listener !== undefined) return;
    const listener = createServer((socket) => {
      const { remotePort } = socket;
      if (remotePort === undefined) return;
      this.#sockets.set(remotePort, socket);
      socket.once("close", () => this.#sockets.delete(remotePort));
      this.#ssh.injectSocket(socket);
    });
    await new Promise<void>((resolve, reject) => {
      listener.once("error", reject);
      listener.listen(this.#port, host, resolve);
    });
    this.#listener = listener;
    this.#port = (listener.address() as AddressInfo).port;
  }

  /** Cuts all connections off and frees the port. */
  async close(): Promise<void> {
    const listener = this.#listener;
    this.#listener = undefined;
    if (listener === undefined) return;
    const closed = new Promise((resolve) => listener.close(resolve));
    for (const socket of this.#sockets.values()) socket.resetAndDestroy();
    await closed;
  }

  #serve(connection: Connection, port: number): void {
    let user = "";
    // Clients go as they like; what is left of them is cleaned up at "close" of their channels.
    connection.on("error", () => undefined);
    connection.on("authentication", (context) => {
      user = context.username;
      if (this.#admits(context)) context.accept();
      else context.reject(["password", "publickey"]);
    });
    connection.on("session", (accept) => {
      const session = accept();
      session.on("subsystem", (acceptSubsystem, reject, info) => {
        if (info.name !== "netconf") {
          reject();
          return;
        }
        this.#openChannel(connection, acceptSubsystem(), { user, port });
      });
    });
  }

  #openChannel(
    connection: Connection,
    channel: ServerChannel,
    { user, port }: { readonly user: string; readonly port: number },
  ): void {
    const wire: SessionWire = {
      write: (bytes) => void channel.write(bytes),
      end: () => {
        channel.end(() => {
          channel.exit(0);
          channel.close();
          connection.end();
        });
      },
      drop: () => this.#sockets.get(port)?.resetAndDestroy(),
    };
    const handler = this.#options.onSession(wire, user);
    channel.on("data", (bytes: Buffer) => handler.receive(bytes));
    channel.on("error", () => undefined);
    channel.on("close", () => handler.transportClosed());
    connection.on("close", () => handler.transportClosed());
  }

  #admits(context: AuthContext): boolean {
    const known = this.#users.get(context.username);
    switch (context.method) {
      case "password":
        return known?.user.password !== undefined && sameText(known.user.password, context.password);
      case "publickey": {
        const key = known?.key;
        if (key === undefined || !key.getPublicSSH().equals(context.key.data)) return false;
        // Without a signature the client only asks whether the key would do.
        if (context.signature === undefined || context.blob === undefined) return true;
        return key.verify(context.blob, context.signature, context.hashAlgo);
      }
      default:
        return false;
    }
  }
}

function readKey(text: string, what: string): ParsedKey {
  const key = ssh2.utils.parseKey(text);
  if (key instanceof Error) throw new RangeError(`the ${what} cannot be read: ${key.message}`);
  return key;
}

/** Compared by digest, so that neither length nor common start shows in the time it takes. */
function sameText(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
