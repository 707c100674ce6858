import type { ServiceState } from "./desired-state.ts";

/** What an instance is: all that a put says of it. Targets are a set. */
export type InstanceContent = Pick<ServiceState, "definition" | "parameters" | "targets">;

/** In what two instances of one name differ; in nothing: they are the same instance. */
export function instanceDifferences(
  a: InstanceContent,
  b: InstanceContent,
): readonly ("definition" | "parameters" | "targets")[] {
  const isSameTargets = a.targets.length === b.targets.length && a.targets.every((id) => b.targets.includes(id));
  return [
    ...(a.definition.document === b.definition.document ? [] : (["definition"] as const)),
    ...(a.parameters === b.parameters ? [] : (["parameters"] as const)),
    ...(isSameTargets ? [] : (["targets"] as const)),
  ];
}
