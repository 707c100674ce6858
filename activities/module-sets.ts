/** Module sets of devices: fetched from the device or given by a person, compiled once to prove them, kept by digest. */
import type { GivenModulesDocument, ModuleSetDocument } from "../contract/documents.ts";
import { formatDiagnostic } from "../model/diagnostic.ts";
import { parseYangModule } from "../model/yang/compile-yang.ts";
import type { FetchedModule } from "../providers/capability.ts";
import type { OwnerClient } from "../runtime/owner-client.ts";
import { canonicalText, compileModuleSet, readFormat } from "./documents.ts";
import { RefusedError } from "./to-application-failure.ts";

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
  if (compiled.kind === "error") {
    const first = compiled.diagnostics.slice(0, 3).map(formatDiagnostic).join("; ");
    throw new RefusedError(`the device's modules do not compile: ${first}`, compiled.diagnostics);
  }
  const [moduleSet] = await owner.putDocuments([canonicalText(document)]);
  if (moduleSet === undefined) throw new RangeError("the owner answered without a digest");
  return moduleSet;
}
