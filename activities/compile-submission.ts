/**
 * From the files of a submission to a proposal: documents read, definitions found, instances compiled on every target,
 * ownership rules applied. Reads the graph; writes only documents.
 */
import type { SubmissionDocument } from "../contract/documents.ts";
import { FailureType } from "../contract/failure.ts";
import type { GraphStore } from "../graph/store.ts";
import { digestOf } from "../graph/canonical-json.ts";
import type { DeviceRecord } from "../graph/journal/record.ts";
import type { Diagnostic, Result } from "../model/diagnostic.ts";
import type { DataSchemaNode, Schema } from "../model/schema.ts";
import { type Yield, checkParameters, compileInstance } from "../services/compile-instance.ts";
import type { DefinitionWrite, DesiredState, DeviceId } from "../services/desired-state.ts";
import { type DefinitionDocument, type InstanceDocument, readServiceDocuments } from "../services/documents.ts";
import { type Change, type Proposal, type PutInstance, propose } from "../services/propose.ts";
import { canonicalText } from "./documents.ts";
import { RefusedError } from "./to-application-failure.ts";

export interface CompileContext {
  readonly store: GraphStore;
  readonly schemaOf: (moduleSet: string) => Promise<Schema>;
  readonly isSecret: (device: DeviceRecord, node: DataSchemaNode) => boolean;
}

export interface CompiledSubmission {
  readonly state: DesiredState;
  readonly proposal: Proposal;
  readonly definitions: readonly DefinitionWrite[];
  readonly changes: readonly Change[];
}

export async function compilePut(context: CompileContext, submission: SubmissionDocument): Promise<CompiledSubmission> {
  const { definitions, instances } = readFiles(submission);
  const known = await definitionsFor(context, definitions, instances);
  const errors: Diagnostic[] = [];
  const devices = await targetDevices(context, instances, errors);
  refuseOn(errors);
  const state = await stateFor(
    context.store,
    [...devices.values()].map((device) => device.id),
    instances.map((instance) => instance.name),
  );
  const schemas = await schemasFor(context, state);
  const changes: PutInstance[] = [];
  for (const instance of instances) {
    const definition = known.get(instance.definition.name);
    if (definition === undefined) continue;
    const change = compileOne(context, { instance, definition, devices, schemas }, errors);
    if (change !== undefined) changes.push(change);
  }
  refuseOn(errors);
  const writes = await definitionWrites(context.store, definitions);
  const proposal = must(propose(state, schemas, changes, writes));
  return { state, proposal, definitions: writes, changes };
}

export async function compileRemove(context: CompileContext, service: string): Promise<CompiledSubmission> {
  const state = await stateFor(context.store, [], [service]);
  const changes: readonly Change[] = [{ kind: "remove", name: service }];
  const proposal = must(propose(state, await schemasFor(context, state), changes, []));
  return { state, proposal, definitions: [], changes };
}

function readFiles(submission: SubmissionDocument): {
  readonly definitions: readonly DefinitionDocument[];
  readonly instances: readonly InstanceDocument[];
} {
  const errors: Diagnostic[] = [];
  const definitions: DefinitionDocument[] = [];
  const instances: InstanceDocument[] = [];
  const seen = new Map<string, Diagnostic["places"]>();
  for (const file of submission.files) {
    const read = readServiceDocuments(file.name, file.text);
    if (read.kind === "error") {
      errors.push(...read.diagnostics);
      continue;
    }
    for (const document of read.value) {
      const key = `${document.kind} ${document.name}`;
      const places = [{ kind: "source" as const, position: document.position }];
      const earlier = seen.get(key);
      if (earlier !== undefined) {
        errors.push({
          code: "document-duplicate-name",
          severity: "error",
          message: `${key} stands twice in one submission`,
          places: [...places, ...earlier],
        });
      }
      seen.set(key, places);
      if (document.kind === "definition") definitions.push(document);
      else instances.push(document);
    }
  }
  refuseOn(errors);
  return { definitions, instances };
}

async function definitionsFor(
  context: CompileContext,
  given: readonly DefinitionDocument[],
  instances: readonly InstanceDocument[],
): Promise<ReadonlyMap<string, DefinitionDocument>> {
  const known = new Map(given.map((definition) => [definition.name, definition]));
  const stored = await context.store.definitions();
  const errors: Diagnostic[] = [];
  for (const instance of instances) {
    const { name, version } = instance.definition;
    if (!known.has(name)) {
      const found = stored.find((definition) => definition.name === name);
      if (found !== undefined) known.set(name, await storedDefinition(context.store, found.document, name));
    }
    const definition = known.get(name);
    const problem =
      definition === undefined
        ? `no definition ${name}`
        : version !== undefined && version !== definition.version
          ? `definition ${name} has version ${definition.version}, the instance wants ${version}`
          : undefined;
    if (problem !== undefined) {
      errors.push({
        code: "unknown-definition",
        severity: "error",
        message: problem,
        places: [{ kind: "source", position: instance.definitionPosition }],
        expected:
          [...new Set([...known.keys(), ...stored.map((each) => each.name)])].sort().join(", ") ||
          "a definition in the same submission",
      });
    }
  }
  refuseOn(errors);
  return known;
}

async function storedDefinition(store: GraphStore, document: string, name: string): Promise<DefinitionDocument> {
  const read = must(readServiceDocuments(`definition ${name}`, await store.documents.getText(document)));
  const found = read.find((each) => each.kind === "definition" && each.name === name);
  if (found?.kind !== "definition") throw new RefusedError(`the stored definition ${name} does not read back`, []);
  return found;
}

async function definitionWrites(
  store: GraphStore,
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

async function targetDevices(
  context: CompileContext,
  instances: readonly InstanceDocument[],
  errors: Diagnostic[],
): Promise<ReadonlyMap<string, DeviceRecord>> {
  const devices = new Map<string, DeviceRecord>();
  const all = await context.store.devices();
  const notImported: string[] = [];
  for (const instance of instances) {
    for (const target of instance.targets) {
      const device = all.find((each) => each.name === target.name);
      if (device === undefined) {
        errors.push({
          code: "unknown-device",
          severity: "error",
          message: `no device ${target.name}`,
          places: [{ kind: "source", position: target.position }],
          expected: all.map((each) => each.name).join(", ") || "a device that was added",
        });
        continue;
      }
      devices.set(target.name, device);
      if ((await context.store.desiredDevice(device.id)) === undefined) notImported.push(device.name);
    }
  }
  if (notImported.length > 0 && errors.length === 0) {
    throw new RefusedError(
      `not imported yet: ${[...new Set(notImported)].join(", ")}; a device without one complete import has no goal. Try: tenure import ${[...new Set(notImported)].join(" ")}`,
      [],
      FailureType.notImported,
    );
  }
  return devices;
}

/**
 * The part of desired state that the rules need: the devices named, those that the instances target now, and every
 * other device of a service that has a link on one of them, since its status is judged whole.
 */
export async function stateFor(
  store: GraphStore,
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

interface OneInstance {
  readonly instance: InstanceDocument;
  readonly definition: DefinitionDocument;
  readonly devices: ReadonlyMap<string, DeviceRecord>;
  readonly schemas: ReadonlyMap<DeviceId, Schema>;
}

function compileOne(context: CompileContext, one: OneInstance, errors: Diagnostic[]): PutInstance | undefined {
  const { instance, definition, devices, schemas } = one;
  const parameters = checkParameters(definition, instance);
  if (parameters.kind === "error") {
    errors.push(...parameters.diagnostics);
    return undefined;
  }
  const yields = new Map<DeviceId, readonly Yield[]>();
  for (const target of instance.targets) {
    const device = devices.get(target.name);
    const schema = device === undefined ? undefined : schemas.get(device.id);
    if (device === undefined || schema === undefined) continue;
    const compiled = compileInstance(definition, instance, parameters.value, {
      device: device.name,
      schema,
      isSecret: (node) => context.isSecret(device, node),
    });
    if (compiled.kind === "error") errors.push(...compiled.diagnostics);
    else yields.set(device.id, compiled.value);
  }
  return {
    kind: "put",
    name: instance.name,
    definition: { name: definition.name, version: definition.version, document: documentDigest(definition) },
    parameters: canonicalText(instance.parametersJson as object),
    yields,
    position: instance.position,
  };
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

/** The digest under which the store keeps the definition's canonical document. */
function documentDigest(definition: DefinitionDocument): string {
  return digestOf(canonicalText(definition.json as object));
}
