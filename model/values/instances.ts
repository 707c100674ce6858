/** instance-identifier (RFC 7950 section 9.13; RFC 7951 section 6.11 in JSON). */
import { parseInstanceIdentifier } from "../paths/parse-path.ts";
import { type InstancePath, formatInstancePath } from "../path.ts";
import type { LeafListSchema, LeafSchema, TypeSchema } from "../schema.ts";
import { type ValueContext, type ValueForm, type ValueReader, type ValueResult, good, problem } from "./reading.ts";

const EXPECTED = "an instance-identifier of this module set";

/** Keys within the path are values in turn, so reading them comes from outside. The canonical text is our path's. */
export function instanceReader(
  readKey: (type: TypeSchema, text: string, context: ValueContext) => ValueResult,
): ValueReader {
  return (text, { schema, form }) => {
    const prefixed = form.kind === "xml" || form.kind === "yang";
    const names = prefixed ? { kind: "prefixes" as const, moduleOf: form.moduleOf } : { kind: "modules" as const };
    const path = parseInstanceIdentifier(schema, text, names, {
      read: (leaf, value) => readKey(leaf.type, value, { schema, form: keyForm(leaf, form) }),
    });
    if (path.kind === "error")
      return problem("value-instance", path.diagnostics.map((each) => each.message).join("; "), EXPECTED);
    if (valuesOf(path.value.path).some((value) => value.includes("'") && value.includes('"'))) {
      return problem("value-instance", "an instance-identifier cannot hold a key with both kinds of quotes", EXPECTED);
    }
    return good("instance-identifier", formatInstancePath(path.value.path));
  };
}

function keyForm(leaf: LeafSchema | LeafListSchema, form: ValueForm): ValueForm {
  return form.kind === "json" ? { kind: "json", module: leaf.module } : form;
}

/** Canonical forms may hold a quote that the text had in another spelling. */
function valuesOf(path: InstancePath): readonly string[] {
  return path.flatMap((segment) => {
    switch (segment.kind) {
      case "node":
        return [];
      case "entry":
        return segment.keys.map((key) => key.value);
      case "leaf-list-entry":
        return [segment.value];
    }
  });
}
