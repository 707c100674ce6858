/** Instances on all of their targets. What is wrong on many devices is said once. */
import { type Diagnostic, type Result, failure, ok } from "../model/diagnostic.ts";
import { type CompileTarget, type Yield, compileInstance } from "./compile-instance.ts";
import type { DeviceId } from "./desired-state.ts";
import type { DefinitionDocument, InstanceDocument } from "./documents.ts";
import { checkParameters } from "./parameters.ts";
import type { PutInstance } from "./propose.ts";

/** A definition, and the digest of its canonical document. */
export interface KnownDefinition {
  readonly definition: DefinitionDocument;
  readonly document: string;
}

export interface PreparedInstance extends KnownDefinition {
  readonly instance: InstanceDocument;
  /** As the definition's JSON Schema completes them. */
  readonly parameters: unknown;
}

/** Instances with their definitions and checked parameters. Errors of all of them, each once. */
export function prepareInstances(
  known: Iterable<readonly [InstanceDocument, KnownDefinition]>,
): Result<readonly PreparedInstance[]> {
  const prepared: PreparedInstance[] = [];
  const errors = new Map<string, Diagnostic>();
  for (const [instance, found] of known) {
    const parameters = checkParameters(found.definition, instance);
    if (parameters.kind === "ok") prepared.push({ instance, ...found, parameters: parameters.value });
    // A definition that is wrong is met again at each of its instances.
    else for (const each of parameters.diagnostics) errors.set(JSON.stringify(each), each);
  }
  return errors.size > 0 ? failure([...errors.values()]) : ok(prepared);
}

export interface CompileOptions {
  /** Devices by name; one that is not known yields nothing. */
  readonly targetOf: (name: string) => InstanceTarget | undefined;
  /** Canonical JSON text. */
  readonly canonicalText: (json: unknown) => string;
  /** Called between devices: a long submission must not keep a process from everything else. */
  readonly breathe: () => Promise<void>;
}

/** What the instances of a submission put, compiled on each target. Errors of all of them. */
export async function compileInstances(
  prepared: readonly PreparedInstance[],
  { targetOf, canonicalText, breathe }: CompileOptions,
): Promise<Result<readonly PutInstance[]>> {
  const changes: PutInstance[] = [];
  const errors: Diagnostic[] = [];
  for (const { instance, definition, document, parameters } of prepared) {
    const targets = instance.targets.flatMap(({ name }) => targetOf(name) ?? []);
    const yields = await compileOnTargets({ definition, instance, parameters }, targets, breathe);
    if (yields.kind === "error") {
      errors.push(...yields.diagnostics);
      continue;
    }
    changes.push({
      kind: "put",
      name: instance.name,
      definition: { name: definition.name, version: definition.version, document },
      parameters: canonicalText(instance.parametersJson),
      yields: yields.value,
      position: instance.position,
    });
  }
  return errors.length > 0 ? failure(errors) : ok(changes);
}

export interface InstanceTarget extends CompileTarget {
  readonly id: DeviceId;
}

/** What the instance yields by device; errors name their devices. */
async function compileOnTargets(
  { definition, instance, parameters }: Pick<PreparedInstance, "definition" | "instance" | "parameters">,
  targets: readonly InstanceTarget[],
  breathe: () => Promise<void>,
): Promise<Result<ReadonlyMap<DeviceId, readonly Yield[]>>> {
  const yields = new Map<DeviceId, readonly Yield[]>();
  const errors = new Map<string, { readonly diagnostic: Diagnostic; readonly devices: string[] }>();
  for (const target of targets) {
    await breathe();
    const compiled = compileInstance(definition, instance, parameters, target);
    if (compiled.kind === "ok") yields.set(target.id, compiled.value);
    else
      for (const diagnostic of compiled.diagnostics) {
        const key = JSON.stringify([diagnostic.code, diagnostic.message, diagnostic.places]);
        const known = errors.get(key);
        if (known === undefined) errors.set(key, { diagnostic, devices: [target.device] });
        else known.devices.push(target.device);
      }
  }
  if (errors.size === 0) return ok(yields);
  return failure(
    [...errors.values()].map(({ diagnostic, devices }) => ({
      ...diagnostic,
      message: `on ${namesOf(devices)}: ${diagnostic.message}`,
    })),
  );
}

const MAX_SHOWN = 3;

function namesOf(devices: readonly string[]): string {
  const more = devices.length - MAX_SHOWN;
  return `${devices.slice(0, MAX_SHOWN).join(", ")}${more > 0 ? ` and ${String(more)} more` : ""}`;
}
