/**
 * Which text of a definition an instance means. A name alone means the newest there is. A version is found where it is
 * still in use: in the submission, as the newest one stored, or under an instance that stands; what nothing stands on any
 * more is history, and comes back by being put again.
 */
import { type Diagnostic, type Result, failure, ok } from "../model/diagnostic.ts";
import { nearNames } from "../model/near-names.ts";
import type { DefinitionState, ServiceState } from "./desired-state.ts";
import type { DefinitionDocument, InstanceDocument } from "./documents.ts";

export type FindDefinitionDiagnosticCode = "unknown-definition";

export interface DefinitionSources {
  readonly given: readonly DefinitionDocument[];
  readonly stored: readonly DefinitionState[];
  /** Every instance that stands. */
  readonly services: readonly ServiceState[];
}

export type FoundDefinition =
  | { readonly kind: "given"; readonly definition: DefinitionDocument }
  /** Digest of its canonical document. */
  | { readonly kind: "stored"; readonly document: string };

/**
 * The definition of an instance. Of a version that stands under instances with different texts (nobody has to give a
 * changed definition another version) the instance's own is meant. Error: `unknown-definition` at the name or the
 * version, saying which there are.
 */
export function findDefinition(instance: InstanceDocument, sources: DefinitionSources): Result<FoundDefinition> {
  const { name, version } = instance.definition;
  const fits = (each: { readonly name: string; readonly version: string }): boolean =>
    each.name === name && (version === undefined || each.version === version);
  const given = sources.given.find(fits);
  if (given !== undefined) return ok({ kind: "given", definition: given });
  // With another version of it in the submission, "the newest" is that one and no stored one.
  const stored = sources.stored.find(fits);
  if (stored !== undefined) return ok({ kind: "stored", document: stored.document });
  if (version === undefined) return failure([unknownName(instance, sources)]);
  const standing = sources.services.filter((service) => fits(service.definition));
  const own = standing.find((service) => service.name === instance.name);
  const documents = new Set((own === undefined ? standing : [own]).map((service) => service.definition.document));
  const [document, another] = documents;
  if (document !== undefined && another === undefined) return ok({ kind: "stored", document });
  return failure([unknownVersion(instance, sources, another === undefined ? "none" : "several")]);
}

function unknownName(instance: InstanceDocument, { given, stored }: DefinitionSources): Diagnostic {
  const { name } = instance.definition;
  const names = [...new Set([...given, ...stored].map((each) => each.name))].sort();
  return {
    code: "unknown-definition" satisfies FindDefinitionDiagnosticCode,
    severity: "error",
    message: `there is no definition ${name}`,
    places: [{ kind: "source", position: instance.definitionPosition }],
    expected: someOf(name, names) ?? "a definition in the same submission",
    remedy: "put the definition along",
  };
}

function unknownVersion(
  instance: InstanceDocument,
  { given, stored, services }: DefinitionSources,
  found: "none" | "several",
): Diagnostic {
  const { name, version = "" } = instance.definition;
  const all = [...given, ...stored, ...services.map((service) => service.definition)];
  const versions = [...new Set(all.filter((each) => each.name === name).map((each) => each.version))].sort();
  const there = versions.length === 0 ? "it is not known at all" : `there is ${versions.join(", ")}`;
  return {
    code: "unknown-definition" satisfies FindDefinitionDiagnosticCode,
    severity: "error",
    message:
      found === "several"
        ? `version ${version} of definition ${name} stands with several texts`
        : `definition ${name} in version ${version} is wanted, and ${there}`,
    places: [{ kind: "source", position: instance.versionPosition }],
    ...(versions.length === 0 ? {} : { expected: versions.join(", ") }),
    remedy: `put definition ${name} of version ${version} along`,
  };
}

const MAX_SHOWN = 12;

/** Names that a person may have meant; some of those there are; undefined where there is none. */
export function someOf(name: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const near = nearNames(name, names);
  if (near.length > 0) return near.join(", ");
  const more = names.length > MAX_SHOWN ? ` and ${String(names.length - MAX_SHOWN)} more` : "";
  return `${names.slice(0, MAX_SHOWN).join(", ")}${more}`;
}
