/**
 * What the stories about the pipeline have in common: one world for a file, fresh devices for each test, small
 * services, and questions that a reader would put to the API or to a device.
 */
import { writeFile } from "node:fs/promises";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type {
  ApiErrorBody,
  ChangeOptions,
  DeviceDetail,
  PlanDetail,
  PlanSummary,
  RunView,
  ServiceDetail,
  StartedDevice,
  StartedRun,
  StartedSubmission,
  SubmissionView,
} from "../../contract/api.ts";
import type { ImportDevicesResult } from "../../contract/workflows.ts";
import type { PlanSection } from "../../plan/plan-document.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../simulator/simulator.ts";
import { eventually } from "./eventually.ts";
import { type World, type WorldOptions, startWorld } from "./pipeline-world.ts";

export interface Site extends World {
  /** A credentials reference that the simulated devices accept. */
  readonly credentials: string;
  /** Starts devices, adds and imports them; they end with the site, since tests that run side by side have no end of their own. Names must be new in their site. */
  imported<const Names extends readonly string[]>(
    names: Names,
    options?: Partial<SimulatorOptions>,
  ): Promise<{ readonly [Index in keyof Names]: Simulator }>;
  /** What else has to end with the site. */
  atEnd(close: () => Promise<unknown>): void;
  /** A device that nobody has added yet. */
  start(name: string, options?: Partial<SimulatorOptions>): Promise<Simulator>;
  /** The end of a first contact, whatever it is. */
  add(
    settings: { readonly name: string; readonly address: string } & Readonly<Record<string, unknown>>,
  ): Promise<RunView<unknown>>;
  /** How a submission of service files ended. */
  submit(yaml: string, options?: Partial<ChangeOptions>): Promise<SubmissionView>;
  submitted(started: StartedSubmission): Promise<SubmissionView>;
  importOf(...names: readonly string[]): Promise<ImportDevicesResult["outcomes"]>;
  planWhen(plan: string, wanted: (plan: PlanDetail) => boolean): Promise<PlanDetail>;
  plan(id: string): Promise<PlanDetail>;
  section(plan: Pick<PlanSummary, "plan">, device: string): Promise<PlanSection>;
  show(device: string): Promise<DeviceDetail>;
  service(name: string): Promise<ServiceDetail>;
  goal(device: string): Promise<string>;
  /** The error with which a call to the API ends. */
  refusal(call: Promise<unknown>): Promise<ApiErrorBody>;
}

export const LOGIN = { name: "admin", password: "only on loopback" };

/** Two Ethernet ports, as every simulated device of these tests starts. */
export const TWO_PORTS = `<interfaces xmlns="urn:tenure:demo:interfaces">
  <interface><name>eth0</name><type>ethernet</type></interface>
  <interface><name>eth1</name><type>ethernet</type></interface>
</interfaces>`;

const EXAMPLES = fileURLToPath(new URL("../../examples/yang", import.meta.url));

export function exampleModules(): SimulatorOptions["modules"] {
  return readdirSync(EXAMPLES).map((name) => ({ name, text: readFileSync(join(EXAMPLES, name), "utf8") }));
}

/** Starts a world without devices. Give the hook that calls it a minute. */
export async function startSite(options: Omit<WorldOptions, "devices"> = {}): Promise<Site> {
  const world = await startWorld({ devices: [], ...options });
  const { api } = world;
  const login = join(world.folder, "device-login.json");
  await writeFile(login, JSON.stringify({ username: LOGIN.name, password: LOGIN.password }), { mode: 0o600 });
  const credentials = `file:${login}`;

  const closers: (() => Promise<unknown>)[] = [];
  const atEnd: Site["atEnd"] = (close) => {
    closers.push(close);
  };
  const start: Site["start"] = async (name, more = {}) => {
    const users = [LOGIN];
    const device = await startSimulator({
      name,
      modules: exampleModules(),
      users,
      initialConfigXml: TWO_PORTS,
      ...more,
    });
    atEnd(() => device.stop());
    return device;
  };
  const runView = <T>({ run }: StartedRun): Promise<RunView<T>> =>
    eventually(
      `the end of ${run}`,
      async () => {
        const [kind = "", ...id] = run.split("/");
        const view = await api.get<RunView<T>>(`/runs/${kind}/${encodeURIComponent(id.join("/"))}`, { wait: 10 });
        return view.kind === "running" ? undefined : view;
      },
      LONG,
    );
  const add: Site["add"] = async (settings) =>
    runView(await api.post<StartedDevice>("/devices", { credentials, hostKey: { kind: "accept-new" }, ...settings }));
  const importOf: Site["importOf"] = async (...devices) => {
    const started = await api.post<StartedRun>("/imports", { mode: "record", empty: "refuse", devices });
    return (await world.run<ImportDevicesResult>(started)).outcomes;
  };
  const submitted: Site["submitted"] = ({ submission }) =>
    eventually(
      `the plan of ${submission}`,
      async () => {
        const view = await api.get<SubmissionView>(`/submissions/${submission}`, { wait: 10 });
        return view.kind === "running" ? undefined : view;
      },
      LONG,
    );
  const plan: Site["plan"] = (id) => api.get(`/plans/${id}`);

  return {
    ...world,
    stop: async () => {
      await world.stop();
      await Promise.all(closers.map((close) => close()));
    },
    credentials,
    atEnd,
    start,
    add,
    importOf,
    submitted,
    plan,
    async imported(names, more) {
      const devices = await Promise.all(names.map((name) => start(name, more)));
      const added = await Promise.all(
        devices.map((device) => add({ name: device.name, address: `127.0.0.1:${String(device.port)}` })),
      );
      const outcomes = await importOf(...names);
      const failed = [
        ...added.filter(({ kind }) => kind !== "completed"),
        ...outcomes.filter(({ kind }) => kind === "failed"),
      ];
      if (failed.length > 0) throw new Error(JSON.stringify(failed));
      for (const device of devices) device.clearRpcs();
      return devices as never;
    },
    submit: async (text, more = {}) => submitted(await world.startPut(text, more)),
    planWhen: (id, wanted) =>
      eventually(
        `plan ${id} as wanted`,
        async () => {
          const found = await plan(id);
          return wanted(found) ? found : undefined;
        },
        LONG,
      ),
    section: async ({ plan: id }, device) => api.get(`/documents/${(await plan(id)).sections[device] ?? "none"}`),
    show: (name) => api.get(`/devices/${name}`),
    service: (name) => api.get(`/services/${name}`),
    goal: (device) => api.getText(`/devices/${device}/config`),
    refusal: async (call) => {
      const error: unknown = await call.then(
        (answer) => new Error(`it was answered: ${JSON.stringify(answer)}`),
        (reason: unknown) => reason,
      );
      if (error instanceof Error && "body" in error) return error.body as ApiErrorBody;
      throw error;
    },
  };
}

const LONG = { limitMs: 40_000 };

/** The error with which a run or a submission failed. */
export function failureOf(view: RunView<unknown> | SubmissionView): ApiErrorBody {
  if (view.kind === "failed") return view.error;
  throw new Error(`it did not fail: ${JSON.stringify(view)}`);
}

export interface MtuService {
  readonly name: string;
  readonly definition: string;
  readonly port?: string;
  readonly mtu: number;
  readonly targets: readonly string[];
}

/** A service that owns the MTU of one port; its definition comes along. */
export function mtuService({ name, definition, port = "eth0", mtu, targets }: MtuService): string {
  return `kind: definition
name: ${definition}
version: "1"
parameters:
  type: object
  properties: {port: {type: string}, mtu: {type: integer}}
  required: [port, mtu]
rules:
  - path: /tenure-demo-interfaces:interfaces/interface[name='\${params.port}']/mtu
    value: \${params.mtu}
---
kind: service
name: ${name}
definition: ${definition}
parameters: {port: ${port}, mtu: ${String(mtu)}}
targets: [${targets.join(", ")}]
`;
}

export function mtuPath(port: "eth0" | "eth1" = "eth0"): string {
  return `/tenure-demo-interfaces:interfaces/interface[name='${port}']/mtu`;
}

/** The MTU of a port in running; undefined where none is set. */
export function mtuOn(device: Simulator, port: "eth0" | "eth1" = "eth0"): string | undefined {
  const entry = device
    .configXml("running")
    .split("<interface>")
    .find((text) => text.includes(`<name>${port}</name>`));
  return /<mtu>(\d+)<\/mtu>/u.exec(entry ?? "")?.[1];
}

/** What somebody at the device's terminal types. */
export function interfaceXml(port: "eth0" | "eth1", content: string): string {
  return `<interfaces xmlns="urn:tenure:demo:interfaces"><interface><name>${port}</name>${content}</interface></interfaces>`;
}

const WRITES: ReadonlySet<string> = new Set([
  "edit-config",
  "copy-config",
  "commit",
  "delete-config",
  "discard-changes",
]);

/** The operations received so far that can change a datastore, in order. */
export function writesTo(device: Simulator): readonly string[] {
  return device.rpcs().flatMap(({ operation }) => (WRITES.has(operation) ? [operation] : []));
}
