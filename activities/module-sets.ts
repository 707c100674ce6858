/** Module sets of devices: fetched from the device or given by a person, compiled once to prove them, kept by digest. */
import type { GivenModulesDocument, ModuleSetDocument } from "../contract/documents.ts";
import { type Diagnostic, formatPlace } from "../model/diagnostic.ts";
import { parseYangModule } from "../model/yang/compile-yang.ts";
import type { FetchedModule } from "../providers/capability.ts";
import type { OwnerClient } from "../runtime/owner-client.ts";
import { canonicalText, compileModuleSet, readFormat } from "./documents.ts";
import { RefusedError } from "./to-application-failure.ts";

const MAX_NAMED = 5;

/** Reads modules that a person gave for a device which cannot serve its own. Every one is implemented. */
export async function givenModules(owner: OwnerClient, digest: string): Promise<readonly FetchedModule[]> {
  const document = await readFormat<GivenModulesDocument>(
    (each) => owner.getDocument(each),
    digest,
    "tenure-given-modules/1",
  );
  return document.modules.map((module) => {
    const parsed = parseYangModule({ name: module.name, text: module.text });
    if (parsed.kind === "error") throw new RefusedError(`${module.name} is no YANG module`, parsed.diagnostics);
    return {
      name: parsed.value.name,
      revision: parsed.value.revision,
      text: module.text,
      role: parsed.value.kind === "submodule" ? "submodule" : "implement",
      features: [],
    };
  });
}

/** Digest of the module set, once its texts are stored. Refused, with every diagnostic's place, when it does not compile. */
export async function storeModules(owner: OwnerClient, fetched: readonly FetchedModule[]): Promise<string> {
  const texts = await owner.putDocuments(fetched.map((module) => module.text));
  const document: ModuleSetDocument = {
    format: "tenure-module-set/1",
    modules: fetched.map((module, index) => ({
      name: module.name,
      ...(module.revision === undefined ? {} : { revision: module.revision }),
      role: module.role,
      features: [...module.features].sort(),
      text: texts[index] ?? "",
    })),
  };
  const compiled = compileModuleSet(
    document,
    fetched.map((module) => module.text),
  );
  if (compiled.kind === "error") throw refusedModules(compiled.diagnostics, fetched.length);
  const [moduleSet] = await owner.putDocuments([canonicalText(document)]);
  if (moduleSet === undefined) throw new RangeError("the owner answered without a digest");
  return moduleSet;
}

/**
 * One wrong module among hundreds makes the whole set unusable: the message names the texts that are wrong, the first
 * error and the way out. The errors come before the warnings, of which a large set has many.
 */
export function refusedModules(diagnostics: readonly Diagnostic[], count: number): RefusedError {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const wrong = new Set<string>();
  for (const [place] of errors.map(({ places }) => places))
    if (place?.kind === "source") wrong.add(place.position.source);
  const [first] = errors;
  const named = [...wrong].slice(0, MAX_NAMED).join(", ") + (wrong.size > MAX_NAMED ? ", .." : "");
  const where = first?.places.map(formatPlace).join(", ") ?? "";
  return new RefusedError(
    `${String(wrong.size)} of the device's ${String(count)} modules do not compile (${named}): ${where}: ${first?.message ?? ""}; ` +
      "put all its modules into a folder, correct these there, and name it: device add .. --yang DIR",
    [...errors, ...diagnostics.filter(({ severity }) => severity !== "error")],
  );
}
