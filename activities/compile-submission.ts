/**
 * From the files of a submission to a proposal: documents read, definitions found, instances compiled on every target,
 * ownership rules applied. Reads the graph; writes only documents.
 */
import { setImmediate } from "node:timers/promises";
import type { SubmissionDocument } from "../contract/documents.ts";
import { FailureType } from "../contract/failure.ts";
import type { GraphStore } from "../graph/store.ts";
import { digestOf } from "../graph/canonical-json.ts";
import type { DeviceRecord } from "../graph/journal/record.ts";
import type { Diagnostic, Result } from "../model/diagnostic.ts";
import type { DataSchemaNode, Schema } from "../model/schema.ts";
import { CompileBudget } from "../services/compile-budget.ts";
import { compileDefinition } from "../services/compile-definition.ts";
import {
  type InstanceTarget,
  type KnownDefinition,
  compileInstances,
  prepareInstances,
} from "../services/compile-targets.ts";
import type { DefinitionWrite, DesiredState, DeviceId } from "../services/desired-state.ts";
import { type DefinitionDocument, type InstanceDocument, readSubmission } from "../services/documents.ts";
import { findDefinition, someOf } from "../services/find-definition.ts";
import { type Change, type Proposal, propose } from "../services/propose.ts";
import { canonicalText } from "./documents.ts";
import { type DesiredNow, desiredNow } from "./desired-now.ts";
import { linksElsewhere } from "./links-elsewhere.ts";
import { storedDefinition } from "./stored-definition.ts";
import { RefusedError } from "./to-application-failure.ts";

export interface CompileContext {
  readonly store: GraphStore;
  readonly schemaOf: (moduleSet: string) => Promise<Schema>;
  readonly isSecret: (device: DeviceRecord, node: DataSchemaNode) => boolean;
}

export interface CompiledSubmission {
  /** What it was compiled from. */
  readonly state: DesiredState;
  readonly proposal: Proposal;
}

/**
 * Compiles a submission. Errors are gathered by stage, and a stage runs on what the one before found nothing in: the
 * texts; definitions, devices and parameters; what the rules yield on each device; conflicts between them.
 */
export async function compilePut(context: CompileContext, submission: SubmissionDocument): Promise<CompiledSubmission> {
  const { definitions, instances } = must(readSubmission(submission.files));
  const errors: Diagnostic[] = [];
  for (const definition of definitions) collect(compileDefinition(definition), errors);
  const store = await desiredNow(context.store);
  const known = await definitionsOf(store, definitions, instances, errors);
  const devices = await targetDevices(store, instances, errors);
  const prepared = collect(prepareInstances(known), errors) ?? [];
  refuseOn(unique(errors));
  refuseNotImported(devices);
  const state = await stateFor(
    store,
    [...devices.values()].map(({ record }) => record.id),
    instances.map((instance) => instance.name),
  );
  const schemas = await schemasFor(context, state);
  const budget = new CompileBudget();
  const targetOf = (name: string): InstanceTarget | undefined => {
    const record = devices.get(name)?.record;
    const schema = record === undefined ? undefined : schemas.get(record.id);
    if (record === undefined || schema === undefined) return undefined;
    return { id: record.id, device: name, schema, budget, isSecret: (node) => context.isSecret(record, node) };
  };
  const changes = must(
    await compileInstances(prepared, {
      targetOf,
      canonicalText: (json) => canonicalText(json as object),
      breathe: () => setImmediate(),
    }),
  );
  const writes = await definitionWrites(store, definitions);
  const options = { linksElsewhere: await linksElsewhere(store, state, changes) };
  return { state, proposal: must(propose(state, schemas, changes, writes, options)) };
}

export async function compileRemove(context: CompileContext, service: string): Promise<CompiledSubmission> {
  const state = await stateFor(await desiredNow(context.store), [], [service]);
  const changes: readonly Change[] = [{ kind: "remove", name: service }];
  const proposal = must(propose(state, await schemasFor(context, state), changes, []));
  return { state, proposal };
}

async function definitionsOf(
  store: DesiredNow,
  given: readonly DefinitionDocument[],
  instances: readonly InstanceDocument[],
  errors: Diagnostic[],
): Promise<ReadonlyMap<InstanceDocument, KnownDefinition>> {
  const sources = { given, stored: await store.definitions(), services: await store.services() };
  const read = new Map<string, DefinitionDocument>();
  const known = new Map<InstanceDocument, KnownDefinition>();
  for (const instance of instances) {
    const found = collect(findDefinition(instance, sources), errors);
    switch (found?.kind) {
      case undefined:
        break;
      case "given":
        known.set(instance, { definition: found.definition, document: documentDigest(found.definition) });
        break;
      case "stored": {
        const { document } = found;
        const definition =
          read.get(document) ?? storedDefinition(await store.documents.getText(document), instance.definition.name);
        read.set(document, definition);
        known.set(instance, { definition, document });
      }
    }
  }
  return known;
}

async function definitionWrites(
  store: DesiredNow,
  given: readonly DefinitionDocument[],
): Promise<readonly DefinitionWrite[]> {
  const stored = new Map((await store.definitions()).map((definition) => [definition.name, definition]));
  const writes: DefinitionWrite[] = [];
  for (const definition of given) {
    const document = await store.documents.put(canonicalText(definition.json as object));
    if (stored.get(definition.name)?.document !== document)
      writes.push({ name: definition.name, version: definition.version, document });
  }
  return writes;
}

interface TargetDevice {
  readonly record: DeviceRecord;
  readonly imported: "yes" | "no";
}

/** The devices that instances name, by name. */
async function targetDevices(
  store: DesiredNow,
  instances: readonly InstanceDocument[],
  errors: Diagnostic[],
): Promise<ReadonlyMap<string, TargetDevice>> {
  const all = new Map((await store.devices()).map((device) => [device.name, device]));
  const devices = new Map<string, TargetDevice>();
  for (const { name, position } of instances.flatMap((instance) => instance.targets)) {
    if (devices.has(name)) continue;
    const record = all.get(name);
    if (record === undefined) {
      errors.push({
        code: "unknown-device",
        severity: "error",
        message: `no device ${name}`,
        places: [{ kind: "source", position }],
        expected: someOf(name, [...all.keys()].sort()) ?? "a device that was added",
      });
    } else devices.set(name, { record, imported: (await store.desiredDevice(record.id)) === undefined ? "no" : "yes" });
  }
  return devices;
}

function refuseNotImported(devices: ReadonlyMap<string, TargetDevice>): void {
  const names = [...devices].flatMap(([name, { imported }]) => (imported === "no" ? [name] : []));
  if (names.length === 0) return;
  throw new RefusedError(
    `not imported yet: ${names.join(", ")}; without a complete import nobody knows what would change (tenure import ${names.join(" ")})`,
    [],
    FailureType.notImported,
  );
}

/**
 * The part of desired state that the rules need: the devices named, those that the instances target now, and every
 * other device of a service that has a link on one of them, since its status is judged whole.
 */
export async function stateFor(
  store: DesiredNow,
  devices: readonly DeviceId[],
  instances: readonly string[],
): Promise<DesiredState> {
  const services = await store.services();
  const former = services.filter((service) => instances.includes(service.name)).flatMap((service) => service.targets);
  const near = new Set([...devices, ...former]);
  const linked = services.filter((service) => service.targets.some((target) => near.has(target)));
  for (const service of linked) for (const target of service.targets) near.add(target);
  const involved = new Set([
    ...instances,
    ...services.filter((service) => service.targets.some((target) => near.has(target))).map((service) => service.name),
  ]);
  return store.desiredState({ devices: [...near].sort(), services: [...involved].sort() });
}

export async function schemasFor(
  context: Pick<CompileContext, "schemaOf">,
  state: DesiredState,
): Promise<ReadonlyMap<DeviceId, Schema>> {
  const entries = await Promise.all(
    [...state.devices.values()].map(
      async (device) => [device.device, await context.schemaOf(device.moduleSet)] as const,
    ),
  );
  return new Map(entries);
}

/** The value, or the errors beside those there are. */
function collect<T>(result: Result<T>, errors: Diagnostic[]): T | undefined {
  if (result.kind === "ok") return result.value;
  errors.push(...result.diagnostics);
  return undefined;
}

/** A definition that is wrong is met at itself and at its instances. */
function unique(errors: readonly Diagnostic[]): readonly Diagnostic[] {
  return [...new Map(errors.map((each) => [JSON.stringify(each), each])).values()];
}

function must<T>(result: Result<T>): T {
  if (result.kind === "ok") return result.value;
  refuseOn(result.diagnostics);
  throw new RefusedError("refused", result.diagnostics);
}

function refuseOn(errors: readonly Diagnostic[]): void {
  if (errors.length === 0) return;
  const head = errors.length === 1 ? (errors[0]?.message ?? "refused") : `${String(errors.length)} errors`;
  throw new RefusedError(head, errors);
}

function documentDigest(definition: DefinitionDocument): string {
  return digestOf(canonicalText(definition.json as object));
}
