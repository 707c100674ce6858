/**
 * The validation policy of this installation on its way through the pipeline (`validation.policy` in `config.yaml`). It
 * travels as a document, so that owner and device workers judge by the same and a plan names what it was judged by.
 */
import { treeFromItems } from "../codec/items.ts";
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

/**
 * Refuses a proposal whose resulting desired state breaks a rule that its present one keeps and the policy calls an
 * error. Looks at the devices that the proposal writes; `schemas` has one for each.
 */
export function refuseByPolicy(
  policy: ValidationPolicy,
  change: { readonly state: DesiredState; readonly proposal: Proposal; readonly schemas: ReadonlyMap<string, Schema> },
): void {
  const refused: Diagnostic[] = [];
  for (const writes of change.proposal.body.devices) {
    const device = change.state.devices.get(writes.device);
    const schema = change.schemas.get(writes.device);
    if (device === undefined || schema === undefined) throw new RangeError(`no state of device ${writes.device}`);
    const before = new Map([...device.items].map(([path, each]) => [path, each.item]));
    const after = new Map(before);
    applyWrites(after, writes);
    const tree = (items: ReadonlyMap<string, Item>) =>
      must("desired state", treeFromItems(schema, [...items.values()]));
    refused.push(...diagnosticsOf(device.name, refusedBy(judgeChange(tree(before), tree(after), policy))));
  }
  refuseFindings(policy, refused);
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
