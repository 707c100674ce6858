/** Identities of all linked modules with what derives from each (RFC 7950 section 7.18). */
import type { Identity } from "../schema.ts";
import type { FeatureSet } from "./feature-set.ts";
import { type Definition, type LinkedModule, findDefinition } from "./linked-module.ts";
import { argumentOf, findChildren } from "./statement.ts";
import type { YangReport } from "./yang-report.ts";

/** `module:name` of an identity definition. */
export function identityId(definition: Definition): string {
  return `${definition.scope.unit.module.name}:${argumentOf(definition.statement)}`;
}

/**
 * All identities by `module:name`, those of modules that are only imported included (their values are legal wherever
 * a base of them is). Left out: identities whose if-feature does not hold. Circles are errors.
 */
export function resolveIdentities(
  modules: readonly LinkedModule[],
  features: FeatureSet,
  report: YangReport,
): ReadonlyMap<string, Identity> {
  const bases = new Map<Definition, readonly Definition[]>();
  for (const module of modules) {
    for (const definition of module.definitions.identity.values()) {
      if (!features.allows(definition.statement, definition.scope)) continue;
      bases.set(
        definition,
        findChildren(definition.statement, "base").flatMap(
          (base) => findDefinition("identity", argumentOf(base), definition.scope, base, report) ?? [],
        ),
      );
    }
  }
  const derived = new Map<string, Set<string>>();
  for (const definition of bases.keys()) {
    const id = identityId(definition);
    if (!derived.has(id)) derived.set(id, new Set());
    for (const ancestor of ancestorsOf(definition, bases)) {
      if (ancestor === definition) {
        reportCircle(definition, bases, report);
        continue;
      }
      const key = identityId(ancestor);
      const set = derived.get(key) ?? new Set<string>();
      set.add(id);
      derived.set(key, set);
    }
  }
  const identities = new Map<string, Identity>();
  for (const [definition, direct] of bases) {
    const id = identityId(definition);
    // Of several revisions of a module, the first of the modules decides.
    if (identities.has(id)) continue;
    identities.set(id, {
      module: definition.scope.unit.module.name,
      name: argumentOf(definition.statement),
      bases: direct.map(identityId),
      derived: derived.get(id) ?? new Set(),
    });
  }
  return identities;
}

/** One finding a circle, by the first of its identities: the places of all in it, in the order of the definitions. */
function reportCircle(
  definition: Definition,
  bases: ReadonlyMap<Definition, readonly Definition[]>,
  report: YangReport,
): void {
  const above = ancestorsOf(definition, bases);
  const circle = [...bases.keys()].filter((each) => above.has(each) && ancestorsOf(each, bases).has(definition));
  if (circle[0] !== definition) return;
  report.error(
    "circular-identity",
    `identity ${identityId(definition)} is derived from itself`,
    circle.map((each) => each.statement.position),
  );
}

/** Every identity reached over bases, each once; the start is among them only when it stands in a circle. */
function ancestorsOf(
  start: Definition,
  bases: ReadonlyMap<Definition, readonly Definition[]>,
): ReadonlySet<Definition> {
  const found = new Set<Definition>();
  const open = [...(bases.get(start) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(bases.get(next) ?? []));
  }
  return found;
}
