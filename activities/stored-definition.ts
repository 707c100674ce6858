import { type DefinitionDocument, readServiceDocuments } from "../services/documents.ts";
import { RefusedError } from "./to-application-failure.ts";

/** A laid-out text longer than this is read as it is stored. */
const MAX_LAID_OUT = 1_000_000;

/**
 * The definition of a stored document. Its file is gone: positions in errors are those of what `definition show` prints.
 * Needs: the document's canonical text. Errors: RefusedError where it does not read back.
 */
export function storedDefinition(text: string, name: string): DefinitionDocument {
  const read = readServiceDocuments(`definition ${name}`, laidOut(text));
  const documents = read.kind === "ok" ? read.value : [];
  const found = documents.find((each) => each.kind === "definition" && each.name === name);
  if (found?.kind !== "definition") {
    const why = read.kind === "error" ? read.diagnostics : [];
    throw new RefusedError(`the stored definition ${name} does not read back`, why);
  }
  return found;
}

/** As it is where JavaScript would change a number or the order of members. */
function laidOut(text: string): string {
  const value: unknown = JSON.parse(text);
  if (JSON.stringify(value) !== text) return text;
  const laid = JSON.stringify(value, undefined, 2);
  return laid.length > MAX_LAID_OUT ? text : laid;
}
