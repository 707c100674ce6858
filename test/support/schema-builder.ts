/** Schemas made by hand, for tests of what works on a schema without the compiler, and for generated ones. */
import type { SourcePosition } from "../../model/diagnostic.ts";
import type {
  CaseMembership,
  CaseSchema,
  ChoiceSchema,
  DataSchemaNode,
  Identity,
  LeafListSchema,
  LeafSchema,
  ParentSchemaNode,
  RangeRestriction,
  Schema,
  SchemaModule,
  StringType,
  TypeSchema,
} from "../../model/schema.ts";

type Lookup = (schemaPath: string) => LeafSchema | LeafListSchema;
export type TypeSpec = TypeSchema | ((lookup: Lookup) => TypeSchema);

interface NodeSpecBase {
  readonly name: string;
  /** The parent's where left out. */
  readonly module?: string;
  readonly config?: boolean;
}
export type NodeSpec =
  | (NodeSpecBase & { readonly kind: "container"; readonly presence?: boolean; readonly children: readonly NodeSpec[] })
  | (NodeSpecBase & {
      readonly kind: "list";
      readonly keys: readonly string[];
      readonly orderedBy?: "user";
      readonly children: readonly NodeSpec[];
    })
  | (NodeSpecBase & { readonly kind: "leaf"; readonly type: TypeSpec; readonly default?: string })
  | (NodeSpecBase & { readonly kind: "leaf-list"; readonly type: TypeSpec; readonly orderedBy?: "user" })
  | (NodeSpecBase & { readonly kind: "anydata" })
  | (NodeSpecBase & { readonly kind: "choice"; readonly cases: Readonly<Record<string, readonly NodeSpec[]>> });

export interface ModuleSpec {
  readonly name: string;
  readonly namespace?: string;
  readonly prefix?: string;
  readonly identities?: Readonly<Record<string, readonly string[]>>;
  readonly nodes?: readonly NodeSpec[];
}

const position: SourcePosition = { source: "built", line: 1, column: 1 };

export function buildSchema(modules: readonly ModuleSpec[]): Schema {
  const namespaceOf = (name: string): string =>
    modules.find((each) => each.name === name)?.namespace ?? `urn:test:${name}`;
  const leafs = new Map<string, LeafSchema | LeafListSchema>();
  const lookup: Lookup = (path) => {
    const leaf = leafs.get(path);
    if (leaf === undefined) throw new RangeError(`no leaf ${path}`);
    return leaf;
  };

  interface Level {
    readonly nodes: Map<string, DataSchemaNode>;
    readonly choices: Map<string, ChoiceSchema>;
  }
  const fill = (
    level: Level,
    specs: readonly NodeSpec[],
    parent: ParentSchemaNode | undefined,
    module: string,
    cases: readonly CaseMembership[],
    keys: readonly string[],
  ): void => {
    for (const spec of specs) {
      const own = spec.module ?? module;
      if (spec.kind === "choice") {
        const id = `${own}:${spec.name}`;
        const caseSchemas: CaseSchema[] = [];
        for (const [name, nodes] of Object.entries(spec.cases)) {
          const caseId = `${own}:${name}`;
          const before = new Set(level.nodes.keys());
          fill(level, nodes, parent, own, [...cases, { choice: id, case: caseId }], keys);
          caseSchemas.push({
            id: caseId,
            nodes: [...level.nodes.keys()].filter((each) => !before.has(each)),
            choices: [],
          });
        }
        level.choices.set(id, {
          kind: "choice",
          id,
          mandatory: false,
          config: true,
          defaultCase: undefined,
          whens: [],
          cases: caseSchemas,
          position,
        });
        continue;
      }
      const node = build(spec, parent, own, cases, keys);
      if (level.nodes.has(node.id)) throw new RangeError(`${node.id} stands twice`);
      level.nodes.set(node.id, node);
    }
  };
  const build = (
    spec: Exclude<NodeSpec, { kind: "choice" }>,
    parent: ParentSchemaNode | undefined,
    module: string,
    cases: readonly CaseMembership[],
    keys: readonly string[],
  ): DataSchemaNode => {
    const id = `${module}:${spec.name}`;
    const base = {
      module,
      namespace: namespaceOf(module),
      name: spec.name,
      id,
      parent,
      schemaPath: `${parent?.schemaPath ?? ""}/${id}`,
      config: spec.config ?? parent?.config ?? true,
      cases,
      whens: [],
      musts: [],
      status: "current" as const,
      description: undefined,
      extensions: [],
      position,
    };
    switch (spec.kind) {
      case "container":
      case "list": {
        const level: Level = { nodes: new Map(), choices: new Map() };
        const node: ParentSchemaNode =
          spec.kind === "container"
            ? {
                ...base,
                kind: "container",
                presence: spec.presence ?? false,
                children: level.nodes,
                choices: level.choices,
                actions: new Map(),
                notifications: new Map(),
              }
            : {
                ...base,
                kind: "list",
                keys: [] as LeafSchema[],
                orderedBy: spec.orderedBy ?? "system",
                minElements: 0,
                maxElements: undefined,
                uniques: [],
                children: level.nodes,
                choices: level.choices,
                actions: new Map(),
                notifications: new Map(),
              };
        fill(level, spec.children, node, module, [], spec.kind === "list" ? spec.keys : []);
        if (node.kind === "list" && spec.kind === "list") {
          for (const key of spec.keys) {
            const leaf = level.nodes.get(`${module}:${key}`);
            if (leaf?.kind !== "leaf") throw new RangeError(`no key leaf ${key}`);
            (node.keys as LeafSchema[]).push(leaf);
          }
        }
        return node;
      }
      case "leaf":
      case "leaf-list": {
        const type = typeof spec.type === "function" ? spec.type(lookup) : spec.type;
        const node: LeafSchema | LeafListSchema =
          spec.kind === "leaf"
            ? {
                ...base,
                kind: "leaf",
                type,
                units: undefined,
                defaultText: spec.default,
                mandatory: false,
                isKey: keys.includes(spec.name),
              }
            : {
                ...base,
                kind: "leaf-list",
                type,
                units: undefined,
                defaultTexts: [],
                orderedBy: spec.orderedBy ?? "system",
                minElements: 0,
                maxElements: undefined,
              };
        leafs.set(node.schemaPath, node);
        return node;
      }
      case "anydata":
        return { ...base, kind: "anydata", mandatory: false };
    }
  };

  const top: Level = { nodes: new Map(), choices: new Map() };
  for (const module of modules) fill(top, module.nodes ?? [], undefined, module.name, [], []);
  return {
    modules: new Map(modules.map((each) => [each.name, moduleOf(each, namespaceOf(each.name))])),
    roots: top.nodes,
    rootChoices: top.choices,
    operations: new Map(),
    notifications: new Map(),
    identities: identitiesOf(modules),
    namespaces: new Map(modules.map((each) => [namespaceOf(each.name), each.name])),
  };
}

function moduleOf(spec: ModuleSpec, namespace: string): SchemaModule {
  return {
    name: spec.name,
    namespace,
    prefix: spec.prefix ?? spec.name,
    revision: undefined,
    yangVersion: "1.1",
    importOnly: false,
    extensions: [],
    features: [],
    deviatedBy: [],
  };
}

function identitiesOf(modules: readonly ModuleSpec[]): ReadonlyMap<string, Identity> {
  const bases = new Map<string, readonly string[]>();
  for (const module of modules) {
    for (const [name, own] of Object.entries(module.identities ?? {})) bases.set(`${module.name}:${name}`, own);
  }
  const derives = (id: string, base: string): boolean =>
    (bases.get(id) ?? []).some((each) => each === base || derives(each, base));
  return new Map(
    [...bases].map(([id, own]) => {
      const [module = "", name = ""] = id.split(":");
      return [
        id,
        { module, name, bases: own, derived: new Set([...bases.keys()].filter((each) => derives(each, id))) },
      ];
    }),
  );
}

function restrictions(text: string): readonly RangeRestriction[] {
  const parts = text.split("|").map((part) => {
    const [min = "", max = min] = part.split("..").map((each) => each.trim());
    return { min, max };
  });
  return [{ parts, errorMessage: undefined, errorAppTag: undefined }];
}

/** Types, in the words of YANG: `types.string({ length: "1..3", patterns: ["[a-z]+"] })`. */
export const types = {
  integer: (
    kind: "int8" | "int16" | "int32" | "int64" | "uint8" | "uint16" | "uint32" | "uint64",
    range?: string,
  ): TypeSchema => ({
    kind,
    typedefs: [],
    ranges: range === undefined ? [] : restrictions(range),
  }),
  decimal64: (fractionDigits: number, range?: string): TypeSchema => ({
    kind: "decimal64",
    typedefs: [],
    fractionDigits,
    ranges: range === undefined ? [] : restrictions(range),
  }),
  string: (
    options: {
      readonly length?: string;
      readonly patterns?: readonly string[];
      readonly not?: readonly string[];
      readonly typedefs?: readonly string[];
    } = {},
  ): StringType => ({
    kind: "string",
    typedefs: options.typedefs ?? [],
    lengths: options.length === undefined ? [] : restrictions(options.length),
    patterns: [
      ...(options.patterns ?? []).map((pattern) => ({
        pattern,
        invert: false,
        errorMessage: undefined,
        errorAppTag: undefined,
      })),
      ...(options.not ?? []).map((pattern) => ({
        pattern,
        invert: true,
        errorMessage: undefined,
        errorAppTag: undefined,
      })),
    ],
  }),
  binary: (length?: string): TypeSchema => ({
    kind: "binary",
    typedefs: [],
    lengths: length === undefined ? [] : restrictions(length),
  }),
  boolean: { kind: "boolean", typedefs: [] } satisfies TypeSchema,
  empty: { kind: "empty", typedefs: [] } satisfies TypeSchema,
  instanceIdentifier: { kind: "instance-identifier", typedefs: [], requireInstance: false } satisfies TypeSchema,
  enumeration: (...names: readonly string[]): TypeSchema => ({
    kind: "enumeration",
    typedefs: [],
    enums: names.map((name, value) => ({ name, value })),
  }),
  /** In the order of the positions. */
  bits: (...names: readonly string[]): TypeSchema => ({
    kind: "bits",
    typedefs: [],
    bits: names.map((name, bit) => ({ name, position: bit })),
  }),
  identityref: (...bases: readonly string[]): TypeSchema => ({ kind: "identityref", typedefs: [], bases }),
  union: (...members: readonly TypeSchema[]): TypeSchema => ({ kind: "union", typedefs: [], members }),
  leafref:
    (schemaPath: string) =>
    (lookup: Lookup): TypeSchema => ({
      kind: "leafref",
      typedefs: [],
      requireInstance: true,
      path: { text: schemaPath, prefixes: new Map(), module: "", definedIn: "", position },
      target: () => lookup(schemaPath),
    }),
};
