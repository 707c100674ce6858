/** Planning: every device is read and compared with what it shall become; the plan is stored under its digest. */
import { ApplicationFailure } from "@temporalio/workflow";
import type { StoredPlan } from "../contract/activities.ts";
import { FailureType } from "../contract/failure.ts";
import type { TransactionDevice } from "../contract/workflows.ts";
import { graph, readFrom } from "./activity-proxies.ts";
import { cutText } from "./cut-outcomes.ts";
import { failureWords } from "./failure-words.ts";
import { DEVICE_WINDOW, inWindows } from "./in-windows.ts";
import { recordSilent } from "./record-reach.ts";
import { type PlanRun, directionOf } from "./plan-run.ts";

export interface MadePlan {
  readonly stored: StoredPlan;
  readonly devices: readonly TransactionDevice[];
  /** Devices without a section, because they could not be read. Only a per-device plan has any. */
  readonly unreachable: readonly { readonly device: string; readonly message: string }[];
  readonly body: string | undefined;
  readonly keys: readonly string[];
}

/** Throws an ApplicationFailure that names the device when an all-or-nothing plan cannot read one, or any plan none. */
export async function makePlan(run: PlanRun): Promise<MadePlan> {
  const { input } = run;
  const { source, options } = input;
  const direction = directionOf(input);
  const paths = source.kind === "drift" ? source.paths : [];
  const proposal = source.kind === "change" ? source.proposal : undefined;
  const unreachable: { readonly device: string; readonly name: string; readonly message: string }[] = [];
  const planned = await inWindows([...new Set(source.devices)], DEVICE_WINDOW, async (device) => {
    const target = await graph.planTarget({ device, proposal });
    try {
      const section = await readFrom(`plan ${target.device.name}`).planDevice({ target, direction, options, paths });
      return { device, section };
    } catch (error) {
      const refused = failureWords(error);
      // A wrong path is nobody's silence: the request is refused as a whole.
      const words = refused.type === FailureType.refused ? refused : await recordSilent(device, error);
      if (options.policy === "all-or-nothing" || words.type === FailureType.refused)
        throw ApplicationFailure.nonRetryable(`${target.device.name}: ${words.message}`, words.type, words.details);
      unreachable.push({ device, name: target.device.name, message: cutText(words.message, 200) });
      return undefined;
    }
  });
  const sections = planned.filter((each) => each !== undefined);
  const [silent] = unreachable;
  if (sections.length === 0 && silent !== undefined)
    throw ApplicationFailure.nonRetryable(
      `no device of the plan can be read; ${silent.name}: ${silent.message}`,
      FailureType.unreachable,
    );

  let body = source.kind === "change" ? source.body : undefined;
  if (source.kind === "drift" && source.direction === "accept") {
    const observations = sections.map((each) => ({ device: each.device, observation: each.section.observation }));
    const accepted = await graph.compileAccept({ plan: input.plan, observations, paths });
    body = accepted.empty ? undefined : accepted.body;
  }
  const devices = sections.map(({ device, section }) => ({
    device,
    section: section.section,
    operations: section.operations,
  }));
  const stored = await graph.storePlan({
    plan: input.plan,
    actor: input.actor,
    direction,
    options,
    proposal,
    body,
    paths,
    sections: devices,
    unreachable,
  });
  run.stored = stored;
  return { stored, body, keys: source.kind === "change" ? source.keys : [], devices, unreachable };
}
