import type { Command } from "commander";
import type { LockLine, StatusView } from "../../contract/api.ts";
import { ExitCode } from "./exit-code.ts";
import { planTable } from "./plan-text.ts";
import { table } from "./table.ts";
import { type CliRun, addVerb } from "./verb.ts";
import { syncText, timeText } from "./words.ts";

export function addStatus(program: Command, cli: CliRun): void {
  addVerb(program, cli, {
    usage: "status",
    summary: "What runs, waits, is locked by what, is out of sync.",
    examples: ["tenure status", "tenure status --json"],
    run: async ({ session }) => {
      const status = await session.api.get<StatusView>("/status");
      session.result(status, () => statusText(status));
      return ExitCode.ok;
    },
  });
}

function statusText(status: StatusView): string {
  const { health } = status;
  const ui = health.temporal.ui === undefined ? "" : `, web UI ${health.temporal.ui}`;
  const parts = [
    `tenure ${health.version}, process ${health.pid}, revision ${health.revision}\ndata folder ${health.dataFolder}\nTemporal ${health.temporal.address}${ui}\n`,
    table(
      ["device", "state", "sync"],
      status.devices.map((each) => [each.name, each.state, syncText(each.sync)]),
      "no devices",
    ),
    planTable(status.openPlans, "no open plans"),
  ];
  if (status.inconsistentServices.length > 0)
    parts.push(
      `inconsistent services: ${status.inconsistentServices.join(", ")} (tenure service show NAME says why)\n`,
    );
  if (status.pausedServices.length > 0) parts.push(`paused services: ${status.pausedServices.join(", ")}\n`);
  const locks = [
    ...status.holders.map((each) => lockRow("holds", each)),
    ...status.waiters.map((each) => lockRow("waits for", each)),
  ];
  if (locks.length > 0) parts.push(table(["who", "", "keys", "since"], locks, ""));
  return parts.join("\n");
}

function lockRow(verb: string, { request, since }: LockLine): readonly string[] {
  return [request.workflowId, verb, request.keys.join(" "), timeText(since)];
}
