/**
 * The validation policy of this installation on its way through the pipeline (`validation.policy` in `config.yaml`). It
 * travels as a document, so that owner and device workers judge by the same and a plan names what it was judged by.
 */
import { setImmediate } from "node:timers/promises";
import { treeFromItems } from "../codec/items.ts";
import type { ProposalDocument, ProposalFinding } from "../contract/documents.ts";
import { compareText } from "../model/compare-text.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Item } from "../model/item.ts";
import type { Schema } from "../model/schema.ts";
import type { ValidationPolicy } from "../model/validation/policy.ts";
import type { ValidationFinding } from "../model/validation/finding.ts";
import { judgeChange, refusedBy } from "../plan/validation-findings.ts";
import type { DesiredState, DeviceWrites } from "../services/desired-state.ts";
import type { Proposal } from "../services/propose.ts";
import { type ReadDocument, canonicalText, must, readFormat } from "./documents.ts";
import { RefusedError } from "./to-application-failure.ts";

interface PolicyDocument extends ValidationPolicy {
  readonly format: "tenure-validation-policy/1";
}

export function policyDocument(policy: ValidationPolicy): string {
  return canonicalText({ format: "tenure-validation-policy/1", ...policy } satisfies PolicyDocument);
}

export async function readPolicyDocument(
  read: ReadDocument,
  digest: string | undefined,
): Promise<ValidationPolicy | undefined> {
  if (digest === undefined) return undefined;
  const { name, rules, exemptions } = await readFormat<PolicyDocument>(read, digest, "tenure-validation-policy/1");
  return { name, rules, exemptions };
}

/** A proposal, what it was compiled from, and the schema of each device in that. */
export interface ProposedChange {
  readonly state: DesiredState;
  readonly proposal: Proposal;
  readonly schemas: ReadonlyMap<string, Schema>;
}

export interface JudgedDevice {
  readonly device: string;
  readonly name: string;
  /** Rules that its present desired state keeps and the resulting one breaks. */
  readonly introduced: readonly ValidationFinding[];
}

/**
 * Judges the desired state that a proposal results in by the policy; without one, findings are what they are. Only
 * devices of which it writes items: nothing else can break a rule. Sorted by their names. Needs a schema for each.
 */
export async function judgeProposal(
  change: ProposedChange,
  policy: ValidationPolicy | undefined,
): Promise<readonly JudgedDevice[]> {
  const judged: JudgedDevice[] = [];
  for (const writes of change.proposal.body.devices) {
    if (writes.put.length + writes.remove.length === 0) continue;
    // A device takes up to a second: what else this process has to do goes on between them.
    await setImmediate();
    const device = change.state.devices.get(writes.device);
    const schema = change.schemas.get(writes.device);
    if (device === undefined || schema === undefined) throw new RangeError(`no state of device ${writes.device}`);
    const before = new Map([...device.items].map(([path, each]) => [path, each.item]));
    const after = new Map(before);
    applyWrites(after, writes);
    const tree = (items: ReadonlyMap<string, Item>) =>
      must("desired state", treeFromItems(schema, [...items.values()]));
    const { introduced } = judgeChange(tree(before), tree(after), policy);
    judged.push({ device: device.device, name: device.name, introduced });
  }
  return judged.sort((a, b) => compareText(a.name, b.name));
}

/** Throws Refused when one of these findings is what the policy calls an error. */
export function refuseByPolicy(policy: ValidationPolicy, judged: readonly JudgedDevice[]): void {
  refuseFindings(
    policy,
    judged.flatMap(({ name, introduced }) => diagnosticsOf(name, refusedBy({ introduced, standing: 0 }))),
  );
}

/** More than anybody reads before a decision. */
const SHOWN_FINDINGS = 1_000;

/** The findings as a proposal carries them; nothing where there are none, so that its bytes say nothing of them. */
export function findingsOf(
  judged: readonly JudgedDevice[],
): Pick<ProposalDocument, "findings" | "moreFindings"> | undefined {
  const all = judged.flatMap(({ device, name, introduced }) =>
    introduced
      .map(
        ({ path, code, message, severity, errorAppTag }): ProposalFinding => ({
          ...{ device, name, path, code, message, severity },
          ...(errorAppTag === undefined ? {} : { errorAppTag }),
        }),
      )
      .sort((a, b) => compareText(a.path, b.path) || compareText(a.code, b.code) || compareText(a.message, b.message)),
  );
  if (all.length === 0) return undefined;
  const more = all.length - SHOWN_FINDINGS;
  return { findings: all.slice(0, SHOWN_FINDINGS), ...(more > 0 ? { moreFindings: more } : {}) };
}

/** Throws Refused with these errors, if there are any. */
export function refuseFindings(policy: ValidationPolicy, errors: readonly Diagnostic[]): void {
  if (errors.length === 0) return;
  const rules =
    errors.length === 1 ? "a rule of a device's modules" : `${String(errors.length)} rules of devices' modules`;
  throw new RefusedError(`this would break ${rules}, which validation policy ${policy.name} does not allow`, errors);
}

/** A finding beside the device it is on. */
export function diagnosticsOf(device: string, findings: readonly ValidationFinding[]): readonly Diagnostic[] {
  return findings.map(({ code, severity, message, places, expected, errorAppTag }) => ({
    code,
    severity,
    message: `on ${device}: ${message}`,
    places,
    ...(expected === undefined ? {} : { expected }),
    ...(errorAppTag === undefined ? {} : { errorAppTag }),
    remedy: "change the configuration, or the policy: an exemption names its reason",
  }));
}

/** Makes the items what they are after these writes. */
export function applyWrites(items: Map<string, Item>, writes: DeviceWrites | undefined): void {
  for (const path of writes?.remove ?? []) items.delete(path);
  for (const put of writes?.put ?? []) items.set(put.item.path, put.item);
}
