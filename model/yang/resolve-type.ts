/**
 * `type` statements to resolved types: typedef chains followed, the restrictions of the whole chain gathered (RFC 7950
 * sections 7.3, 7.4, 9). Leafrefs come out unbound, since what they point at depends on the leaf: see `bind-leafrefs`.
 */
import type { BitsType, EnumerationType, LeafrefType, TypeSchema } from "../schema.ts";
import { BIT_NUMBERS, ENUM_NUMBERS, type NumberedName, numberNames, restrictNames } from "./enums-and-bits.ts";
import type { FeatureSet } from "./feature-set.ts";
import { type Definition, type Scope, findDefinition } from "./linked-module.ts";
import { identityId } from "./resolve-identities.ts";
import { addRestriction, patternOf } from "./restrictions.ts";
import { DECIMAL64_BOUNDS, LENGTH_BOUNDS, integerBounds } from "./scaled-number.ts";
import {
  type YangStatement,
  argumentOf,
  childArgument,
  describe,
  findChild,
  findChildren,
  isExtensionStatement,
} from "./statement.ts";
import type { YangReport } from "./yang-report.ts";

export interface ResolvedType {
  readonly type: TypeSchema;
  /** The nearest `default` along the typedef chain, with the scope its prefixes belong to. */
  readonly defaultValue: Definition | undefined;
  readonly units: string | undefined;
}

type Kind = TypeSchema["kind"];

/** Typedefs in a chain and unions within unions, more than any in use; resolution recurses along them. */
const MAX_CHAIN = 100;
/** Members of a union, those of its unions included: typedefs that double each other grow without end otherwise. */
const MAX_MEMBERS = 2000;

/** What may stand in a `type` that names the built-in type, and in one that names a typedef derived from it. */
const SUBSTATEMENTS: Readonly<Record<Kind, { readonly defining: string; readonly derived: string }>> = {
  int8: { defining: "range", derived: "range" },
  int16: { defining: "range", derived: "range" },
  int32: { defining: "range", derived: "range" },
  int64: { defining: "range", derived: "range" },
  uint8: { defining: "range", derived: "range" },
  uint16: { defining: "range", derived: "range" },
  uint32: { defining: "range", derived: "range" },
  uint64: { defining: "range", derived: "range" },
  decimal64: { defining: "fraction-digits range", derived: "range" },
  string: { defining: "length pattern", derived: "length pattern" },
  binary: { defining: "length", derived: "length" },
  boolean: { defining: "", derived: "" },
  empty: { defining: "", derived: "" },
  enumeration: { defining: "enum", derived: "enum" },
  bits: { defining: "bit", derived: "bit" },
  identityref: { defining: "base", derived: "" },
  leafref: { defining: "path require-instance", derived: "require-instance" },
  "instance-identifier": { defining: "require-instance", derived: "require-instance" },
  union: { defining: "type", derived: "" },
};

const REQUIRED: Readonly<Partial<Record<Kind, string>>> = {
  decimal64: "fraction-digits",
  enumeration: "enum",
  bits: "bit",
  identityref: "base",
  leafref: "path",
  union: "type",
};

export function isBuiltInType(name: string): name is Kind {
  return Object.hasOwn(SUBSTATEMENTS, name);
}

type NameList = EnumerationType["enums"] | BitsType["bits"];
const NONE_CONDITIONAL: ReadonlyMap<string, YangStatement> = new Map();

export class TypeResolver {
  readonly #features: FeatureSet;
  readonly #report: YangReport;
  readonly #resolved = new Map<YangStatement, ResolvedType | undefined>();
  /** What a name means by itself; most `type` statements say no more, and share it. */
  readonly #plain = new Map<Kind | Definition, ResolvedType>();
  readonly #open: Definition[] = [];
  /** By the list of a type, which narrower copies of the type share until they take names away. */
  readonly #conditional = new Map<NameList, ReadonlyMap<string, YangStatement>>();
  #depth = 0;

  constructor(features: FeatureSet, report: YangReport) {
    this.#features = features;
    this.#report = report;
  }

  /** The resolved type of a `type` statement; undefined after an error was reported. A statement has one scope. */
  resolve(statement: YangStatement, scope: Scope): ResolvedType | undefined {
    const known = this.#resolved.get(statement);
    if (known !== undefined || this.#resolved.has(statement)) return known;
    if (this.#depth >= MAX_CHAIN) {
      this.#report.error("nesting-too-deep", `more than ${String(MAX_CHAIN)} types within types`, statement.position);
      return undefined;
    }
    this.#depth += 1;
    const name = argumentOf(statement);
    const resolved = isBuiltInType(name)
      ? this.#builtIn(name, statement, scope)
      : this.#derived(name, statement, scope);
    this.#depth -= 1;
    this.#resolved.set(statement, resolved);
    return resolved;
  }

  #builtIn(kind: Kind, statement: YangStatement, scope: Scope): ResolvedType | undefined {
    const plain = this.#plainOf(kind, statement);
    if (plain !== undefined) return plain;
    this.#checkSubstatements(statement, SUBSTATEMENTS[kind].defining, kind);
    const required = REQUIRED[kind];
    if (required !== undefined && findChild(statement, required) === undefined) {
      this.#report.error("restriction-missing", `type ${kind} needs ${required}`, statement.position);
      return undefined;
    }
    if (scope.unit.parsed.yangVersion === "1") this.#checkVersion1(kind, statement);
    const base = this.#define(kind, statement, scope);
    if (base === undefined) return undefined;
    const type = this.#restrict(base, statement, scope);
    return this.#keepPlain(kind, statement, { type, defaultValue: undefined, units: undefined });
  }

  #plainOf(meaning: Kind | Definition, statement: YangStatement): ResolvedType | undefined {
    return statement.children.length === 0 ? this.#plain.get(meaning) : undefined;
  }

  #keepPlain(meaning: Kind | Definition, statement: YangStatement, resolved: ResolvedType): ResolvedType {
    if (statement.children.length === 0) this.#plain.set(meaning, resolved);
    return resolved;
  }

  /** RFC 6020 sections 9.9 and 9.12. What modules of YANG 1 in use do nevertheless, and means the same as in 1.1, warns. */
  #checkVersion1(kind: Kind, statement: YangStatement): void {
    const wrong =
      kind === "union"
        ? findChildren(statement, "type").filter((each) => each.argument === "empty" || each.argument === "leafref")
        : kind === "leafref"
          ? findChildren(statement, "require-instance")
          : [];
    for (const each of wrong)
      this.#report[each.argument === "empty" ? "error" : "warning"](
        "restriction-not-allowed",
        `${describe(each)} does not apply to type ${kind} in YANG 1`,
        each.position,
        { remedy: "yang-version 1.1" },
      );
  }

  #derived(name: string, statement: YangStatement, scope: Scope): ResolvedType | undefined {
    const definition = findDefinition("typedef", name, scope, statement, this.#report);
    const inner = definition && findChild(definition.statement, "type");
    if (definition === undefined || inner === undefined) return undefined;
    const plain = this.#plainOf(definition, statement);
    if (plain !== undefined) return plain;
    if (this.#open.includes(definition)) {
      const circle = this.#open.slice(this.#open.indexOf(definition));
      this.#report.error(
        "circular-typedef",
        `typedef ${argumentOf(definition.statement)} is defined by itself`,
        circle.map((each) => each.statement.position),
      );
      return undefined;
    }
    this.#open.push(definition);
    const base = this.resolve(inner, definition.scope);
    this.#open.pop();
    if (base === undefined) return undefined;
    const version1 = scope.unit.parsed.yangVersion === "1";
    const { kind } = base.type;
    // RFC 6020 knows no restriction of enumeration, bits, leafref and instance-identifier in derived types.
    const fixed = version1 && (kind === "enumeration" || kind === "bits" || kind === "leafref");
    this.#checkSubstatements(statement, fixed ? "" : SUBSTATEMENTS[kind].derived, name);
    const own = findChild(definition.statement, "default");
    const id = `${definition.scope.unit.module.name}:${argumentOf(definition.statement)}`;
    return this.#keepPlain(definition, statement, {
      type: this.#restrict({ ...base.type, typedefs: [id, ...base.type.typedefs] }, statement, scope),
      defaultValue: own === undefined ? base.defaultValue : { statement: own, scope: definition.scope },
      units: childArgument(definition.statement, "units") ?? base.units,
    });
  }

  #checkSubstatements(statement: YangStatement, allowed: string, name: string): void {
    if (statement.children.length === 0) return;
    const keywords = allowed.split(" ");
    for (const child of statement.children) {
      if (isExtensionStatement(child) || keywords.includes(child.keyword)) continue;
      this.#report.error(
        "restriction-not-allowed",
        `${describe(child)} does not apply to type ${name}`,
        child.position,
        {
          expected: allowed === "" ? "no restriction" : keywords.join(" or "),
        },
      );
    }
  }

  /** The built-in type before its restrictions. */
  #define(kind: Kind, statement: YangStatement, scope: Scope): TypeSchema | undefined {
    const place = { scope, features: this.#features, report: this.#report };
    switch (kind) {
      case "decimal64":
        return { kind, typedefs: [], ranges: [], fractionDigits: Number(childArgument(statement, "fraction-digits")) };
      case "string":
        return { kind, typedefs: [], lengths: [], patterns: [] };
      case "binary":
        return { kind, typedefs: [], lengths: [] };
      case "boolean":
      case "empty":
        return { kind, typedefs: [] };
      case "enumeration": {
        const enums = numberNames(findChildren(statement, "enum"), ENUM_NUMBERS, place);
        return this.#enumeration({ kind, typedefs: [], enums: [] }, enums);
      }
      case "bits": {
        const bits = numberNames(findChildren(statement, "bit"), BIT_NUMBERS, place);
        return this.#bits({ kind, typedefs: [], bits: [] }, bits);
      }
      case "identityref": {
        const bases = findChildren(statement, "base").map((base) =>
          findDefinition("identity", argumentOf(base), scope, base, this.#report),
        );
        return { kind, typedefs: [], bases: bases.flatMap((base) => (base === undefined ? [] : [identityId(base)])) };
      }
      case "leafref":
        return unboundLeafref(statement, scope);
      case "instance-identifier":
        return { kind, typedefs: [], requireInstance: true };
      case "union": {
        const members = findChildren(statement, "type").map((member) => this.resolve(member, scope));
        const types = members.flatMap((member) => (member === undefined ? [] : [member.type]));
        if (types.length < members.length) return undefined;
        if (types.map(memberCount).reduce((sum, count) => sum + count, 0) > MAX_MEMBERS) {
          this.#report.error(
            "schema-too-large",
            `a union of more than ${String(MAX_MEMBERS)} types`,
            statement.position,
          );
          return undefined;
        }
        return { kind, typedefs: [], members: types };
      }
      default:
        return { kind, typedefs: [], ranges: [] };
    }
  }

  #restrict(base: TypeSchema, statement: YangStatement, scope: Scope): TypeSchema {
    const place = { scope, features: this.#features, report: this.#report };
    const newest = scope.unit.parsed.yangVersion === "1.1";
    switch (base.kind) {
      case "string":
        return {
          ...base,
          lengths: this.#lengths(base.lengths, statement),
          patterns: [
            ...base.patterns,
            ...findChildren(statement, "pattern").map((each) => patternOf(each, scope.unit)),
          ],
        };
      case "binary":
        return { ...base, lengths: this.#lengths(base.lengths, statement) };
      case "decimal64": {
        const below = { bounds: DECIMAL64_BOUNDS, digits: base.fractionDigits, restrictions: base.ranges };
        return { ...base, ranges: addRestriction(below, findChild(statement, "range"), this.#report) };
      }
      case "enumeration": {
        if (base.typedefs.length === 0 || !newest) return base;
        const names = this.#names(base, (each) => each.enums.map(({ name, value }) => [name, value]));
        return this.#enumeration(base, restrictNames(names, findChildren(statement, "enum"), ENUM_NUMBERS, place));
      }
      case "bits": {
        if (base.typedefs.length === 0 || !newest) return base;
        const names = this.#names(base, (each) => each.bits.map(({ name, position }) => [name, position]));
        return this.#bits(base, restrictNames(names, findChildren(statement, "bit"), BIT_NUMBERS, place));
      }
      case "leafref":
      case "instance-identifier": {
        const own = childArgument(statement, "require-instance");
        return own === undefined ? base : { ...base, requireInstance: own === "true" };
      }
      case "boolean":
      case "empty":
      case "identityref":
      case "union":
        return base;
      default: {
        const below = { bounds: integerBounds(base.kind), digits: 0, restrictions: base.ranges };
        return { ...base, ranges: addRestriction(below, findChild(statement, "range"), this.#report) };
      }
    }
  }

  #enumeration(base: EnumerationType, names: readonly NumberedName[]): EnumerationType {
    const enums = names.map(({ name, number }) => ({ name, value: number }));
    this.#keepConditional(enums, names);
    return { ...base, enums };
  }

  #bits(base: BitsType, names: readonly NumberedName[]): BitsType {
    const bits = names.map(({ name, number }) => ({ name, position: number }));
    this.#keepConditional(bits, names);
    return { ...base, bits };
  }

  #keepConditional(list: NameList, names: readonly NumberedName[]): void {
    const conditional = names.flatMap(({ name, conditional }): [string, YangStatement][] =>
      conditional === undefined ? [] : [[name, conditional]],
    );
    if (conditional.length > 0) this.#conditional.set(list, new Map(conditional));
  }

  #names<T extends EnumerationType | BitsType>(
    type: T,
    numbersOf: (type: T) => readonly (readonly [string, number])[],
  ): readonly NumberedName[] {
    const conditional = this.conditionalNames(type);
    return numbersOf(type).map(([name, number]) => ({ name, number, conditional: conditional.get(name) }));
  }

  /** The enums or bits of the type that have an `if-feature`, by name. */
  conditionalNames(type: EnumerationType | BitsType): ReadonlyMap<string, YangStatement> {
    return this.#conditional.get(type.kind === "bits" ? type.bits : type.enums) ?? NONE_CONDITIONAL;
  }

  #lengths(restrictions: Parameters<typeof addRestriction>[0]["restrictions"], statement: YangStatement) {
    const below = { bounds: LENGTH_BOUNDS, digits: 0, restrictions };
    return addRestriction(below, findChild(statement, "length"), this.#report);
  }
}

function memberCount(type: TypeSchema): number {
  return type.kind === "union" ? type.members.reduce((sum, member) => sum + memberCount(member), 0) : 1;
}

function unboundLeafref(statement: YangStatement, scope: Scope): LeafrefType {
  const path = findChild(statement, "path") ?? statement;
  return {
    kind: "leafref",
    typedefs: [],
    path: {
      text: argumentOf(path),
      prefixes: scope.unit.prefixNames,
      module: scope.unit.module.name,
      definedIn: scope.unit.module.name,
      position: path.position,
    },
    requireInstance: true,
    target: () => {
      throw new TypeError("leafref read before it was bound to its leaf");
    },
  };
}
