/**
 * A NETCONF server that nobody here wrote: Debian's netconfd behind a real sshd, on a free loopback port.
 *
 * Everything a server needs lives in one temporary folder (keys, sshd configuration, socket, startup datastore, logs),
 * so any number of them run side by side and nothing of the machine's own configuration is read or changed. Two facts
 * about the machine remain: sshd started by root insists on an empty folder `/run/sshd`, which is made when it is
 * missing, and sshd started by another user admits only that user. Passwords would need the machine's own password
 * file, so the server admits one key only.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, mkdirSync, openSync, closeSync, existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import ssh2 from "ssh2";
import { freePort, readHello } from "./netconfd-probe.ts";
import { descendantsOf, endProcesses, identify, type ProcessIdentity } from "./netconfd-processes.ts";

const NETCONFD = "/usr/sbin/netconfd";
const SUBSYSTEM = "/usr/sbin/netconf-subsystem";
const SSHD = "/usr/sbin/sshd";
/** Ends a server with the process that started it, even when that one is killed. */
const TIE_TO_PARENT = "/usr/bin/setpriv";
const SYSTEM_MODULES = "/usr/share/yuma/modules";
const SSHD_FOLDER = "/run/sshd";
const START_LIMIT_MS = 20_000;
const STOP_LIMIT_MS = 10_000;
const POLL_MS = 50;
/** How much of each log goes into an error. */
const LOG_LINES = 40;
/** The longest path that fits a socket address on Linux, without its final zero. */
const MAX_SOCKET_PATH = 107;

/** Folders with YANG modules of our own that a server may load by name. */
export const OWN_MODULE_FOLDERS: readonly string[] = [
  fileURLToPath(new URL("./yang", import.meta.url)),
  fileURLToPath(new URL("../../examples/yang", import.meta.url)),
];

/** The modules a server loads unless told otherwise: the public interface modules of the machine and our test modules. */
export const DEFAULT_MODULES: readonly string[] = [
  "iana-if-type",
  "ietf-interfaces",
  "ietf-ip",
  "tenure-test",
  "tenure-test-interfaces",
];

export type NetconfdAvailability =
  | { readonly kind: "available" }
  | { readonly kind: "unavailable"; readonly reason: string };

/** How the server begins: empty, or with a separate startup datastore that holds `content` (the children of `config`). */
export type NetconfdStartup = { readonly kind: "none" } | { readonly kind: "datastore"; readonly content: string };

export interface NetconfdOptions {
  /** Names of modules to load, found in `moduleFolders` or among those of the machine. Default: DEFAULT_MODULES. */
  readonly modules?: readonly string[];
  /** Searched before the folders of this project and of the machine. */
  readonly moduleFolders?: readonly string[];
  /** What edit-config may write. Default: candidate. */
  readonly target?: "candidate" | "running";
  /** Default: none. */
  readonly startup?: NetconfdStartup;
  /** The basic mode of RFC 6243 that the server follows and announces. Default: explicit. */
  readonly defaults?: "explicit" | "trim" | "report-all";
}

export interface NetconfdPeer {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** The user's key, OpenSSH text form. */
  readonly privateKey: string;
  readonly privateKeyFile: string;
  /** The server's public key, base64 as in a known_hosts line. */
  readonly hostKey: string;
  /** `SHA256:` and the digest in base64 without padding, as OpenSSH prints it. */
  readonly hostKeyFingerprint: string;
  /** What sshd and netconfd have written so far. */
  readonly log: () => Promise<string>;
  /** Ends the processes of this server and their children, no others, and removes the folder. Harmless when repeated. */
  readonly stop: () => Promise<void>;
}

/** Whether `startNetconfd` can work on this machine; the reason names what is missing and what to install. */
export function netconfdAvailable(): NetconfdAvailability {
  const programs = [
    { file: NETCONFD, from: "netconfd" },
    { file: SUBSYSTEM, from: "netconfd" },
    { file: SSHD, from: "openssh-server" },
    { file: TIE_TO_PARENT, from: "util-linux" },
  ];
  for (const { file, from } of programs) {
    if (!isExecutable(file)) {
      return { kind: "unavailable", reason: `${file} is not installed (Debian package ${from})` };
    }
  }
  if (process.getuid?.() === 0) {
    // sshd refuses to start as root without this folder; a package script makes it at boot, a container has no boot.
    try {
      mkdirSync(SSHD_FOLDER, { recursive: true, mode: 0o755 });
    } catch (error) {
      return { kind: "unavailable", reason: `sshd needs the folder ${SSHD_FOLDER}: ${String(error)}` };
    }
  }
  return { kind: "available" };
}

/**
 * Starts a server and returns once it has sent its hello over SSH.
 *
 * Needs `netconfdAvailable()`. Rejects with the logs of both programs when no hello arrives in 20 seconds; nothing is
 * left running then. The server is also ended when the calling process dies without `stop()`.
 */
export async function startNetconfd(options: NetconfdOptions = {}): Promise<NetconfdPeer> {
  const availability = netconfdAvailable();
  if (availability.kind === "unavailable") throw new Error(`netconfd cannot start: ${availability.reason}`);

  const folder = await mkdtemp(join(tmpdir(), "tenure-netconfd-"));
  const started: ChildProcess[] = [];
  let ending: Promise<void> | undefined;
  const stop = (): Promise<void> =>
    (ending ??= endStarted(started).finally(() => rm(folder, { recursive: true, force: true })));
  try {
    return await start({ folder, options, started, stop });
  } catch (error) {
    const log = await readLogs(folder, { lines: LOG_LINES });
    await stop();
    throw new Error(`netconfd did not start: ${error instanceof Error ? error.message : String(error)}\n${log}`, {
      cause: error,
    });
  }
}

interface Start {
  readonly folder: string;
  readonly options: NetconfdOptions;
  /** Receives every process as soon as it exists, so that a failed start can end it. */
  readonly started: ChildProcess[];
  readonly stop: () => Promise<void>;
}

async function start({ folder, options, started, stop }: Start): Promise<NetconfdPeer> {
  const socket = join(folder, "ncx");
  if (Buffer.byteLength(socket) > MAX_SOCKET_PATH) throw new Error(`the path of the socket is too long: ${socket}`);
  const user = userInfo().username;
  const keys = await writeKeys(folder);
  await mkdir(join(folder, "data"));

  const deadline = Date.now() + START_LIMIT_MS;
  for (;;) {
    const port = await freePort();
    const netconfd = spawnTied({
      command: [NETCONFD, ...(await netconfdArguments({ folder, socket, port, user, options }))],
      folder,
      log: "netconfd.log",
    });
    started.push(netconfd);
    while (!existsSync(socket)) {
      if (hasEnded(netconfd)) throw new Error("netconfd ended by itself");
      if (Date.now() > deadline) throw new Error(`netconfd opened no socket in ${START_LIMIT_MS} ms`);
      await delay(POLL_MS);
    }

    await writeFile(join(folder, "sshd_config"), sshdConfiguration({ folder, socket, port, user }));
    const sshd = spawnTied({ command: [SSHD, "-D", "-e", "-f", join(folder, "sshd_config")], folder, log: "sshd.log" });
    started.push(sshd);
    const outcome = await waitForHello({ port, user, privateKey: keys.privateKey, netconfd, sshd, deadline });
    switch (outcome.kind) {
      case "hello":
        return {
          host: "127.0.0.1",
          port,
          user,
          ...keys,
          log: () => readLogs(folder),
          stop,
        };
      case "failed":
        throw new Error(outcome.reason);
      case "port-taken":
        // Another process took the port before sshd did, and netconfd knows only that port.
        await endStarted(started);
        await rm(socket, { force: true });
    }
  }
}

interface Keys {
  readonly privateKey: string;
  readonly privateKeyFile: string;
  readonly hostKey: string;
  readonly hostKeyFingerprint: string;
}

async function writeKeys(folder: string): Promise<Keys> {
  const host = ssh2.utils.generateKeyPairSync("ecdsa", { bits: 256 });
  const client = ssh2.utils.generateKeyPairSync("ecdsa", { bits: 256 });
  const privateKeyFile = join(folder, "user_key");
  await writeFile(join(folder, "host_key"), host.private, { mode: 0o600 });
  await writeFile(privateKeyFile, client.private, { mode: 0o600 });
  await writeFile(join(folder, "authorized_keys"), `${client.public.trim()}\n`, { mode: 0o600 });
  const hostKey = host.public.split(" ")[1];
  if (hostKey === undefined) throw new Error("the public host key has an unexpected form");
  const digest = createHash("sha256").update(Buffer.from(hostKey, "base64")).digest("base64").replace(/=+$/u, "");
  return { privateKey: client.private, privateKeyFile, hostKey, hostKeyFingerprint: `SHA256:${digest}` };
}

interface NetconfdSetup {
  readonly folder: string;
  readonly socket: string;
  readonly port: number;
  readonly user: string;
  readonly options: NetconfdOptions;
}

async function netconfdArguments({ folder, socket, port, user, options }: NetconfdSetup): Promise<string[]> {
  const own = [...(options.moduleFolders ?? []), ...OWN_MODULE_FOLDERS];
  const system = ["ietf", "ietf-derived", "netconfcentral", "yuma123"].map((name) => join(SYSTEM_MODULES, name));
  return [
    ...(options.modules ?? DEFAULT_MODULES).map((name) => `--module=${name}`),
    `--modpath=${[...own, ...system].join(":")}`,
    `--ncxserver-sockname=${socket}`,
    `--port=${port}`,
    `--superuser=${user}`,
    // Where it keeps its counter of transactions; an empty folder ~/.yuma it makes regardless.
    `--yuma-home=${folder}`,
    `--target=${options.target ?? "candidate"}`,
    `--default-style=${options.defaults ?? "explicit"}`,
    ...(await startupArguments(folder, options.startup ?? { kind: "none" })),
  ];
}

async function startupArguments(folder: string, startup: NetconfdStartup): Promise<readonly string[]> {
  // Also without a startup datastore netconfd saves running to a file at each commit; it must not look for it elsewhere.
  const file = join(folder, "startup-cfg.xml");
  const content = startup.kind === "none" ? "" : startup.content;
  const root = `<config xmlns="urn:ietf:params:xml:ns:netconf:base:1.0">${content}</config>`;
  await writeFile(file, `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`);
  return [`--startup=${file}`, `--with-startup=${String(startup.kind === "datastore")}`];
}

interface SshdSetup {
  readonly folder: string;
  readonly socket: string;
  readonly port: number;
  readonly user: string;
}

function sshdConfiguration({ folder, socket, port, user }: SshdSetup): string {
  return [
    `Port ${port}`,
    "ListenAddress 127.0.0.1",
    `HostKey ${join(folder, "host_key")}`,
    `AuthorizedKeysFile ${join(folder, "authorized_keys")}`,
    // The folder lies below a world-writable one, which the strict check refuses.
    "StrictModes no",
    "PidFile none",
    "UsePAM no",
    "PubkeyAuthentication yes",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    "PermitRootLogin prohibit-password",
    `AllowUsers ${user}`,
    "MaxStartups 200",
    "LogLevel VERBOSE",
    // sshd runs the subsystem by the user's shell, and bash then reads the .bashrc of HOME, whatever that may do.
    `SetEnv HOME=${folder}`,
    // The subsystem refuses a connection to another port than the one before the @, netconfd one that it was not told.
    `Subsystem netconf ${SUBSYSTEM} --ncxserver-sockname=${port}@${socket}`,
    "",
  ].join("\n");
}

interface Spawn {
  readonly command: readonly string[];
  readonly folder: string;
  readonly log: string;
}

function spawnTied({ command, folder, log }: Spawn): ChildProcess {
  const output = openSync(join(folder, log), "a");
  try {
    const child = spawn(TIE_TO_PARENT, ["--pdeathsig", "KILL", ...command], {
      cwd: folder,
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", HOME: folder, LANG: "C.UTF-8" },
      stdio: ["ignore", output, output],
    });
    // A start that fails shows as a missing hello; without a listener the event would end the test process.
    child.on("error", () => undefined);
    return child;
  } finally {
    closeSync(output);
  }
}

type Greeting =
  | { readonly kind: "hello" }
  | { readonly kind: "port-taken" }
  | { readonly kind: "failed"; readonly reason: string };

interface Waiting {
  readonly port: number;
  readonly user: string;
  readonly privateKey: string;
  readonly netconfd: ChildProcess;
  readonly sshd: ChildProcess;
  readonly deadline: number;
}

async function waitForHello({ port, user, privateKey, netconfd, sshd, deadline }: Waiting): Promise<Greeting> {
  let last = "no attempt was made";
  while (Date.now() < deadline) {
    if (hasEnded(netconfd)) return { kind: "failed", reason: "netconfd ended by itself" };
    if (hasEnded(sshd))
      return sshd.exitCode === 255 ? { kind: "port-taken" } : { kind: "failed", reason: "sshd ended" };
    try {
      await readHello({ port, user, privateKey, limitMs: Math.max(1, deadline - Date.now()) });
      return { kind: "hello" };
    } catch (error) {
      last = String(error);
    }
    await delay(POLL_MS);
  }
  return { kind: "failed", reason: `no hello in ${START_LIMIT_MS} ms; last attempt: ${last}` };
}

async function endStarted(started: readonly ChildProcess[]): Promise<void> {
  const roots = started.flatMap((child): ProcessIdentity[] => {
    const identity = hasEnded(child) || child.pid === undefined ? undefined : identify(child.pid);
    return identity === undefined ? [] : [identity];
  });
  // Connections outlive the sshd that accepted them, so the children are noted before their parents end.
  const children = roots.flatMap((root) => descendantsOf(root.pid));
  await endProcesses([...roots, ...children], { limitMs: STOP_LIMIT_MS });
}

async function readLogs(folder: string, { lines }: { readonly lines?: number } = {}): Promise<string> {
  const parts: string[] = [];
  for (const name of ["netconfd.log", "sshd.log"]) {
    const text = await readFile(join(folder, name), "utf8").catch(() => "");
    parts.push(`--- ${name}\n${lines === undefined ? text : text.split("\n").slice(-lines).join("\n")}`);
  }
  return parts.join("\n");
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
