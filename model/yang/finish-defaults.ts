/**
 * Defaults of leafs, leaf-lists and typedefs, read and made canonical (RFC 7950 sections 7.3.4, 7.6.4, 7.7.4). They come
 * last: an instance-identifier, an identityref or a leafref is read with the whole schema.
 */
import { parseValue } from "../values/canonical-value.ts";
import type { SourcePosition } from "../diagnostic.ts";
import type { Schema, TypeSchema } from "../schema.ts";
import type { OpenDefault } from "./build-schema.ts";
import type { Definition, LinkedModule } from "./linked-module.ts";
import type { TypeResolver } from "./resolve-type.ts";
import { type YangStatement, argumentOf, describe, findChild, splitName } from "./statement.ts";
import type { YangReport } from "./yang-report.ts";

export interface DefaultSurroundings {
  readonly schema: Schema;
  readonly modules: readonly LinkedModule[];
  readonly types: TypeResolver;
  readonly report: YangReport;
}

/** Checks the defaults of the typedefs, then gives each open leaf and leaf-list its default in canonical form. */
export function finishDefaults(
  open: readonly OpenDefault[],
  typedefs: readonly Definition[],
  around: DefaultSurroundings,
): void {
  const wrong = new Set<YangStatement>();
  const inheriting: { readonly value: Definition; readonly reader: DefaultReader }[] = [];
  for (const { statement, scope } of typedefs) {
    const own = findChild(statement, "default");
    const type = findChild(statement, "type");
    const resolved = type && around.types.resolve(type, scope);
    // What a leafref points at depends on the leaf, so there is nothing to hold the default against.
    if (type === undefined || resolved === undefined || holdsLeafref(resolved.type)) continue;
    const reader = { type: resolved.type, what: describe(statement), position: statement.position };
    if (own !== undefined) {
      if (readDefault({ statement: own, scope }, reader, around) === undefined) wrong.add(own);
    } else if (resolved.defaultValue !== undefined && type.children.length > 0)
      inheriting.push({ value: resolved.defaultValue, reader });
  }
  // RFC 7950 section 7.3.4: a typedef that narrows its type needs another default than one that no longer fits.
  for (const { value, reader } of inheriting) {
    if (!wrong.has(value.statement)) readDefault(value, reader, around);
  }
  for (const { node, values, typedAt } of open) {
    const reader = { type: node.type, what: `${node.kind} ${node.name}`, position: typedAt };
    const texts = values.flatMap((value) =>
      wrong.has(value.statement) ? [] : (readDefault(value, reader, around) ?? []),
    );
    if (node.kind === "leaf") node.defaultText = texts[0];
    else {
      node.defaultTexts = texts;
      const twice = texts.findIndex((text, index) => texts.indexOf(text) < index);
      const [first, second] = [values[texts.indexOf(texts[twice] ?? "")], values[twice]];
      // RFC 7950 section 7.7: the values of configuration are unique.
      if (node.config && texts.length === values.length && first !== undefined && second !== undefined)
        around.report.error("default-invalid", `leaf-list ${node.name} has ${describe(second.statement)} twice`, [
          second.statement.position,
          first.statement.position,
        ]);
    }
  }
}

interface DefaultReader {
  readonly type: TypeSchema;
  readonly what: string;
  readonly position: SourcePosition;
}

/** The canonical text; undefined after an error was reported. */
function readDefault(value: Definition, reader: DefaultReader, around: DefaultSurroundings): string | undefined {
  const { statement, scope } = value;
  const { module, prefixNames } = scope.unit;
  const moduleOf = (prefix: string): string | undefined => (prefix === "" ? module.name : prefixNames.get(prefix));
  const { schema, report } = around;
  const read = parseValue(reader.type, argumentOf(statement), { schema, form: { kind: "yang", moduleOf } });
  // RFC 7950 section 9.11: an empty leaf has no value that could be its default.
  if (read.kind === "error" || reader.type.kind === "empty") {
    const reason = read.kind === "ok" ? "an empty leaf has no default" : read.diagnostics[0]?.message;
    report.error(
      "default-invalid",
      `${describe(statement)} is no value of ${reader.what}: ${reason ?? "not accepted"}`,
      [statement.position, reader.position],
    );
    return undefined;
  }
  const conditional = findConditional(reader.type, read.value.text, around);
  if (conditional !== undefined)
    report.error(
      "default-conditional",
      `${describe(statement)} of ${reader.what} depends on a feature`,
      [statement.position, conditional.position],
      { expected: "a value that is there whichever features are" },
    );
  return read.value.text;
}

/** The enum, bit or identity with an `if-feature` that the value needs (RFC 7950 sections 7.3.4, 7.6.4, 7.7.4). */
function findConditional(type: TypeSchema, text: string, around: DefaultSurroundings): YangStatement | undefined {
  if (type.kind === "enumeration" || type.kind === "bits") {
    const conditional = around.types.conditionalNames(type);
    const names = type.kind === "bits" ? text.split(" ") : [text];
    return names.map((name) => conditional.get(name)).find((each) => each !== undefined);
  }
  if (type.kind !== "identityref") return undefined;
  const { prefix, name } = splitName(text);
  const identity = around.modules.find((each) => each.name === prefix)?.definitions.identity.get(name);
  return identity && findChild(identity.statement, "if-feature") && identity.statement;
}

function holdsLeafref(type: TypeSchema): boolean {
  return type.kind === "leafref" || (type.kind === "union" && type.members.some(holdsLeafref));
}
