import type { Command, Option } from "commander";
import type {
  AddDeviceRequest,
  DeviceDetail,
  DeviceView,
  SetDeviceRequest,
  StartedDevice,
} from "../../contract/api.ts";
import type { HostKeyPolicy } from "../../contract/device-reference.ts";
import type { AddDeviceResult } from "../../contract/workflows.ts";
import { readYangFolder } from "../yang-folder.ts";
import { ExitCode } from "./exit-code.ts";
import type { Session } from "./session.ts";
import { table } from "./table.ts";
import { type CliRun, addVerb, argument, noWait, option } from "./verb.ts";
import { waitForRun } from "./wait.ts";
import { CONDITION_HEADS, conditionRow, hostKeyText, syncText } from "./words.ts";

interface SettingOptions {
  readonly address?: string;
  readonly credentials?: string;
  readonly provider?: string;
  readonly profile?: string;
  readonly yang?: string;
  readonly hostKey?: string;
  readonly acceptNewHostKey?: true;
  readonly wait: boolean;
}

function settingOptions(): {
  readonly address: Option;
  readonly credentials: Option;
  readonly others: readonly Option[];
} {
  return {
    address: option("--address <host:port>", "where it listens; an IPv6 host in brackets"),
    credentials: option("--credentials <ref>", "env:PREFIX, file:PATH or command:PATH, resolved by the worker"),
    others: [
      option("--provider <name>", "protocol: netconf"),
      option("--profile <name>", "profile; without it the device's announcement decides"),
      option("--yang <dir>", "its YANG modules, for a device that does not give them"),
      option("--host-key <sha256>", "the SSH host key it must present: SHA256:..").conflicts("acceptNewHostKey"),
      option("--accept-new-host-key", "trust the host key of the first contact and pin it"),
      noWait(),
    ],
  };
}

export function addDevice(program: Command, cli: CliRun): void {
  const device = program.command("device").description("add, change, list and remove devices");
  const settings = settingOptions();

  addVerb<SettingOptions>(device, cli, {
    usage: "add <name>",
    summary: "Contact a device, check its host key, fetch its YANG modules and record it. Nothing is written to it.",
    examples: [
      "tenure device add r1 --address 192.0.2.1:830 --credentials env:R1 --host-key SHA256:..",
      "tenure device add lab --address 127.0.0.1:8300 --credentials file:/etc/tenure/lab.json --accept-new-host-key",
    ],
    options: [settings.address.makeOptionMandatory(), settings.credentials.makeOptionMandatory(), ...settings.others],
    run: async ({ session, args, options }) => {
      const name = argument(args, 0);
      const { address = "", credentials = "" } = options;
      const request: AddDeviceRequest = { name, address, credentials, ...(await chosen(options)) };
      return contact(session, await session.api.post<StartedDevice>("/devices", request), options);
    },
  });

  const changes = settingOptions();
  addVerb<SettingOptions>(device, cli, {
    usage: "set <name>",
    summary: "Change settings and contact the device again with them; without options, fetch its modules again.",
    examples: [
      "tenure device set r1 --host-key SHA256:..",
      "tenure device set r1 --address 192.0.2.7:830",
      "tenure device set r1",
    ],
    options: [changes.address, changes.credentials, ...changes.others],
    run: async ({ session, args, options }) => {
      const { address, credentials } = options;
      const request: SetDeviceRequest = {
        ...(address === undefined ? {} : { address }),
        ...(credentials === undefined ? {} : { credentials }),
        ...(await chosen(options)),
      };
      return contact(session, await session.api.post<StartedDevice>(`${path(args)}/settings`, request), options);
    },
  });

  addVerb(device, cli, {
    usage: "list",
    summary: "All devices and how they stand against desired state.",
    examples: ["tenure device list", "tenure device list --json"],
    run: async ({ session }) => {
      const devices = await session.api.get<readonly DeviceView[]>("/devices");
      session.result(devices, () =>
        table(
          ["name", "id", "address", "provider", "profile", "state", "sync"],
          devices.map((each) => [
            each.name,
            each.id,
            each.address,
            each.provider,
            each.profile.name ?? "",
            each.state,
            syncText(each.sync),
          ]),
          "no devices",
        ),
      );
      return ExitCode.ok;
    },
  });

  addVerb(device, cli, {
    usage: "show <name>",
    summary: "Settings, profile, conditions, services and open plans of one device.",
    examples: ["tenure device show r1"],
    run: async ({ session, args }) => {
      const detail = await session.api.get<DeviceDetail>(path(args));
      session.result(detail, () => deviceText(detail));
      return ExitCode.ok;
    },
  });

  addVerb(device, cli, {
    usage: "rename <old> <new>",
    summary: "Give a device another name. Old revisions still answer to the old one.",
    examples: ["tenure device rename r1 core-1"],
    run: async ({ session, args }) => {
      const view = await session.api.post<DeviceView>(`${path(args)}/name`, { name: argument(args, 1) });
      session.result(view, () => `device ${argument(args, 0)} is called ${view.name} now`);
      return ExitCode.ok;
    },
  });

  for (const [verb, summary] of [
    ["pause", "Stop writes to a device; imports and drift checks go on."],
    ["resume", "Let writes to a device go on."],
  ] as const) {
    addVerb(device, cli, {
      usage: `${verb} <name>`,
      summary,
      examples: [`tenure device ${verb} r1`],
      run: async ({ session, args }) => {
        const view = await session.api.post<DeviceView>(`${path(args)}/${verb}`);
        session.result(view, () => `device ${view.name} is ${view.state}`);
        return ExitCode.ok;
      },
    });
  }

  addVerb(device, cli, {
    usage: "remove <name>",
    summary:
      "Forget a device; its history stays. Refused while a service targets it or a plan is open. Nothing is written to it.",
    examples: ["tenure device remove r1"],
    run: async ({ session, args }) => {
      const view = await session.api.delete<DeviceView>(path(args));
      session.result(view, () => `device ${view.name} is removed; nothing was written to it`);
      return ExitCode.ok;
    },
  });
}

function path(args: readonly string[]): string {
  return `/devices/${encodeURIComponent(argument(args, 0))}`;
}

async function chosen(options: SettingOptions): Promise<SetDeviceRequest> {
  const hostKey = hostKeyOf(options);
  return {
    ...(options.provider === undefined ? {} : { provider: options.provider }),
    ...(options.profile === undefined ? {} : { profile: options.profile }),
    ...(hostKey === undefined ? {} : { hostKey }),
    ...(options.yang === undefined ? {} : { modules: await readModules(options.yang) }),
  };
}

function hostKeyOf(options: SettingOptions): HostKeyPolicy | undefined {
  if (options.hostKey !== undefined) return { kind: "pinned", sha256: options.hostKey.replace(/=+$/, "") };
  return options.acceptNewHostKey === true ? { kind: "accept-new" } : undefined;
}

async function readModules(folder: string): Promise<NonNullable<SetDeviceRequest["modules"]>> {
  const files = await readYangFolder(folder);
  return files.map(({ name, source }) => ({ name, text: source.text }));
}

async function contact(session: Session, started: StartedDevice, options: SettingOptions): Promise<ExitCode> {
  if (!options.wait) {
    session.result(
      started,
      () => `device ${started.name} has id ${started.device}; it is being contacted (${started.run})`,
    );
    return ExitCode.ok;
  }
  const result = await waitForRun<AddDeviceResult>(session, started.run, `contacting ${started.name}`);
  const detail = await session.api.get<DeviceDetail>(`/devices/${started.device}`);
  session.result({ ...detail, modules: result.modules }, () => {
    const next = detail.sync.kind === "not-imported" ? `\nnext: tenure import ${detail.name}` : "";
    return `device ${detail.name} (${detail.id}): ${result.modules} modules, profile ${result.profile}, host key ${hostKeyText(detail.hostKey)}${next}`;
  });
  return ExitCode.ok;
}

function deviceText(detail: DeviceDetail): string {
  const why = detail.profile.chosen === "named" ? "named" : "by what the device announces";
  const facts = [
    ["name", detail.name],
    ["id", detail.id],
    ["address", detail.address],
    ["provider", detail.provider],
    ["profile", detail.profile.name === undefined ? "none yet" : `${detail.profile.name} (${why})`],
    ["credentials", detail.credentials],
    ["host key", hostKeyText(detail.hostKey)],
    ["module set", detail.moduleSet ?? "none yet"],
    ["state", detail.state],
    ["sync", syncText(detail.sync)],
    ["services", detail.services.join(", ") || "none"],
    ["open plans", detail.openPlans.join(", ") || "none"],
  ] as const;
  const lines = facts.map(([name, value]) => `${name.padEnd(12)}${value}\n`).join("");
  if (detail.conditions.length === 0) return lines;
  return `${lines}\n${table(CONDITION_HEADS, detail.conditions.map(conditionRow), "")}`;
}
