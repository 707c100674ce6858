/**
 * A device that does not exist: an SSH NETCONF server on loopback, driven by whatever YANG modules it is started with. It keeps to RFC 6241
 * for all that it offers, so that a client can be tried against right behaviour, and departs from it only where a quirk or a fault is asked
 * for. State lives in memory: datastores in `datastores.ts`, sessions in `netconf-session.ts`, misbehaviour in `faults.ts`.
 */
import { performance } from "node:perf_hooks";
import { formatXml } from "../codec/xml/format-xml.ts";
import { xmlElement } from "../codec/xml/xml-element.ts";
import { formatDiagnostic } from "../model/diagnostic.ts";
import { type YangSource, compileYang, parseYangModule } from "../model/yang/compile-yang.ts";
import type { DatastoreName, Quirk } from "./datastores.ts";
import { type Clock, Device } from "./device.ts";
import { faultProblem, readConfigText } from "./device-faults.ts";
import type { SessionInfo } from "./device-state.ts";
import { type Fault, FaultTable } from "./faults.ts";
import { moduleLibrary } from "./module-library.ts";
import { baseNamespace } from "./netconf-names.ts";
import { NetconfServerSession } from "./netconf-session.ts";
import { type DeviceOffer, defaultOffer } from "./offer.ts";
import { reportXml } from "./report.ts";
import type { RpcError } from "./rpc-error.ts";
import { RpcLog, type RpcRecord } from "./rpc-log.ts";
import { type SimulatorUser, SshServer, generateHostKey } from "./ssh-server.ts";
import type { WithDefaultsMode } from "./with-defaults.ts";

export interface SimulatorOptions {
  /** Only for messages. */
  readonly name: string;
  /** The texts of all modules, imported ones and submodules included. Every module is implemented, with all its features. */
  readonly modules: readonly YangSource[];
  readonly users: readonly SimulatorUser[];
  /** Left out or 0: any free port. */
  readonly port?: number;
  /** Private key in OpenSSH or PEM form; left out: a new one. */
  readonly hostKey?: string;
  /** Left out: an empty configuration. A `<config>` or `<data>` element, or the data elements by themselves. */
  readonly initialConfigXml?: string;
  /** Short for the basic mode in `offer.withDefaults`. */
  readonly withDefaults?: WithDefaultsMode;
  /** Differences from `defaultOffer`. */
  readonly offer?: Partial<DeviceOffer>;
  readonly quirks?: readonly Quirk[];
  readonly faults?: readonly Fault[];
  /** Cuts replies into chunks of at most so many octets, where chunks are used. */
  readonly maxChunkBytes?: number;
}

/** What went wrong with a request to the simulator itself; `errors` where the device found fault with a configuration. */
export class SimulatorError extends Error {
  readonly errors: readonly RpcError[];

  constructor(message: string, errors: readonly RpcError[] = []) {
    super(errors.length === 0 ? message : `${message}: ${errors.map((error) => error.message).join("; ")}`);
    this.errors = errors;
  }
}

export interface Simulator {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** `SHA256:...` of the host key. */
  readonly fingerprint: string;
  /** Base64 of the public host key. */
  readonly hostPublicKey: string;
  /** Every operation received since the start or the last `clearRpcs`, in order. */
  readonly rpcs: () => readonly RpcRecord[];
  readonly clearRpcs: () => void;
  readonly faults: () => readonly Fault[];
  /** Installs exactly these faults; throws a SimulatorError naming one that does not fit, and installs none then. */
  readonly setFaults: (faults: readonly Fault[]) => void;
  readonly releaseFault: (id: string) => void;
  /** How many operations the hold of that id keeps waiting. */
  readonly heldBy: (id: string) => number;
  /** A datastore as a `<data>` element, only what is set; an empty one where it does not exist. */
  readonly configXml: (datastore: DatastoreName) => string;
  /**
   * Somebody changes running without NETCONF: the content of an edit-config's `<config>`, default operation merge. A pending confirmed commit
   * does not keep them out; its rollback undoes the change. Throws a SimulatorError, and changes nothing, where the device refuses it.
   */
  readonly edit: (configXml: string, options?: { readonly locks: "respected" | "ignored" }) => void;
  readonly sessions: () => readonly SessionInfo[];
  /** `unreachable`: all connections are cut and the port is closed, until `reachable`. Datastores and timers go on. */
  readonly setNetwork: (state: "reachable" | "unreachable") => Promise<void>;
  /** Ends all sessions; what was neither confirmed nor, with a startup datastore, saved is gone. */
  readonly reboot: () => void;
  readonly stop: () => Promise<void>;
}

/**
 * Starts a device and resolves when it listens. Throws a SimulatorError where the modules do not compile (every finding with its place) or
 * the initial configuration is not valid.
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const device = createDevice(options);
  const faults = new FaultTable();
  const log = new RpcLog(Date.now);
  const setFaults = (next: readonly Fault[]): void => {
    for (const fault of next) {
      const problem = faultProblem(device.schema, fault);
      if (problem !== undefined) throw new SimulatorError(problem);
    }
    faults.replace(next);
  };
  setFaults(options.faults ?? []);
  const server = new SshServer({
    port: options.port ?? 0,
    hostKey: options.hostKey ?? generateHostKey(),
    users: options.users,
    onSession: (wire, user) =>
      new NetconfServerSession({ device, faults, log, wire, user, maxChunkBytes: options.maxChunkBytes }),
  });
  await server.listen();
  return {
    name: options.name,
    host: "127.0.0.1",
    port: server.port,
    fingerprint: server.fingerprint,
    hostPublicKey: server.publicKey,
    rpcs: () => log.records(),
    clearRpcs: () => log.clear(),
    faults: () => faults.list(),
    setFaults,
    releaseFault: (id) => faults.release(id),
    heldBy: (id) => faults.heldBy(id),
    configXml: (datastore) => configXml(device, datastore),
    edit: (xml, { locks } = { locks: "respected" }) => {
      const errors = device.editOutside(parsedConfig(xml, "the edit"), { locks });
      if (errors.length > 0) throw new SimulatorError(`${options.name} refuses the edit`, errors);
    },
    sessions: () => device.sessions(),
    setNetwork: (state) => (state === "reachable" ? server.listen() : server.close()),
    reboot: () => device.reboot(),
    stop: async () => {
      faults.releaseAll();
      device.stop();
      await server.close();
    },
  };
}

function createDevice(options: SimulatorOptions): Device {
  const compiled = compileYang(options.modules, { implement: "all", features: "all" });
  if (compiled.kind === "error") {
    const findings = compiled.diagnostics.map(formatDiagnostic).join("\n");
    throw new SimulatorError(`the modules of ${options.name} do not compile:\n${findings}`);
  }
  const schema = compiled.value;
  const parsed = options.modules.flatMap((source) => {
    const module = parseYangModule(source);
    return module.kind === "ok" ? [module.value] : [];
  });
  const offer = { ...defaultOffer, ...options.offer };
  const withDefaults =
    options.withDefaults === undefined
      ? offer.withDefaults
      : { ...offer.withDefaults, basicMode: options.withDefaults };
  const device = new Device({
    schema,
    library: moduleLibrary(parsed, [...schema.modules.values()]),
    offer: { ...offer, withDefaults },
    quirks: options.quirks ?? [],
    clock: systemClock,
  });
  const errors = device.load(parsedConfig(options.initialConfigXml ?? "", "the initial configuration"));
  if (errors.length > 0) throw new SimulatorError(`the initial configuration of ${options.name} is not valid`, errors);
  return device;
}

/** Monotonic, so that a confirmed commit's time does not jump with the machine's. */
const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  schedule: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => {
      clearTimeout(timer);
    };
  },
};

function parsedConfig(xml: string, what: string): readonly ReturnType<typeof xmlElement>[] {
  const read = readConfigText(xml);
  if (read.kind === "error") throw new SimulatorError(`${what} cannot be read: ${read.message}`);
  return read.config;
}

function configXml(device: Device, datastore: DatastoreName): string {
  const tree = device.datastores[datastore];
  const children = tree === undefined ? [] : reportXml(tree, "explicit");
  const text = formatXml(xmlElement({ namespace: baseNamespace, name: "data", children }));
  if (text.kind === "failed") throw new SimulatorError(text.error.message);
  return text.value;
}
