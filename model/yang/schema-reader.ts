/**
 * The body of a schema document to a schema. What a container or list holds is built when it is first asked for, and
 * then kept, so a node is always the same object, however one comes to it.
 */
import type {
  CaseMembership,
  ChoiceSchema,
  DataSchemaNode,
  LeafListSchema,
  LeafSchema,
  MessageBody,
  MustConstraint,
  NotificationSchema,
  OperationSchema,
  ParentSchemaNode,
  RangeRestriction,
  Schema,
  SchemaExpression,
  SchemaExtension,
  TypeSchema,
  WhenConstraint,
} from "../schema.ts";
import {
  FLAG,
  LazyTable,
  NODE_KINDS,
  NOTHING,
  type Packed,
  STATUSES,
  STATUS_SHIFT,
  type SchemaBody,
  array,
  held,
  number,
  pairs,
} from "./schema-body.ts";
import { nodeAtSchemaPath } from "./schema-path.ts";

/** Needs: the body is what `writeSchema` wrote; the caller has made sure of that. */
export function readSchema(body: SchemaBody): Schema {
  return new SchemaReader(body).schema;
}

/** What a container or list holds. */
interface Block {
  readonly children: ReadonlyMap<string, DataSchemaNode>;
  readonly choices: ReadonlyMap<string, ChoiceSchema>;
  readonly actions: ReadonlyMap<string, OperationSchema>;
  readonly notifications: ReadonlyMap<string, NotificationSchema>;
}

interface Above {
  readonly parent: ParentSchemaNode | undefined;
  readonly path: string;
}

const TOP: Above = { parent: undefined, path: "" };

class SchemaReader {
  readonly schema: Schema;
  readonly #strings: readonly string[];
  readonly #prefixes: LazyTable<ReadonlyMap<string, string>>;
  readonly #expressions: LazyTable<SchemaExpression>;
  readonly #types: LazyTable<TypeSchema>;
  readonly #caseLists: LazyTable<readonly CaseMembership[]>;
  readonly #whenLists: LazyTable<readonly WhenConstraint[]>;
  readonly #mustLists: LazyTable<readonly MustConstraint[]>;
  readonly #textLists: LazyTable<readonly string[]>;
  readonly #extensionLists: LazyTable<readonly SchemaExtension[]>;
  readonly #apart: LazyTable<DataSchemaNode>;

  constructor(body: SchemaBody) {
    this.#strings = body.strings;
    this.#prefixes = new LazyTable(
      body.prefixes,
      (row) => new Map(pairs(row).map(([a, b]) => [this.#text(a), this.#text(b)])),
    );
    this.#expressions = new LazyTable(body.expressions, (row) => this.#expression(row));
    this.#types = new LazyTable(body.types, (row) => this.#type(row));
    this.#caseLists = new LazyTable(body.lists, (row) =>
      pairs(row).map(([choice, each]) => ({ choice: this.#text(choice), case: this.#text(each) })),
    );
    this.#whenLists = new LazyTable(body.lists, (row) =>
      pairs(row).map(([expression, self]) => ({
        expression: this.#expressions.at(number(expression)),
        context: self === 1 ? "self" : "parent",
      })),
    );
    this.#mustLists = new LazyTable(body.lists, (row) => this.#musts(row));
    this.#textLists = new LazyTable(body.lists, (row) => row.map((each) => this.#text(each)));
    this.#extensionLists = new LazyTable(body.extensions, (row) => row.map((each) => this.#extension(array(each))));
    this.#apart = new LazyTable(body.apart, (row) => this.#node(row, TOP));
    const top = this.#block(body.top, TOP);
    this.schema = {
      modules: new Map(body.modules),
      roots: top.children,
      rootChoices: top.choices,
      operations: top.actions,
      notifications: top.notifications,
      identities: new Map(body.identities.map(([id, each]) => [id, { ...each, derived: new Set(each.derived) }])),
      namespaces: new Map(body.namespaces),
    };
  }

  #text(place: Packed[number] | undefined): string {
    return this.#strings[number(place) - 1] ?? "";
  }

  #optional(place: Packed[number] | undefined): string | undefined {
    return this.#strings[number(place) - 1];
  }

  #position(row: Packed, at: number): DataSchemaNode["position"] {
    return { source: this.#text(row[at]), line: number(row[at + 1]), column: number(row[at + 2]) };
  }

  #expression(row: Packed): SchemaExpression {
    return {
      text: this.#text(row[0]),
      prefixes: this.#prefixes.at(number(row[1])),
      module: this.#text(row[2]),
      position: this.#position(row, 3),
    };
  }

  #musts(row: Packed): readonly MustConstraint[] {
    const musts: MustConstraint[] = [];
    for (let at = 0; at < row.length; at += 3)
      musts.push({
        expression: this.#expressions.at(number(row[at])),
        errorMessage: this.#optional(row[at + 1]),
        errorAppTag: this.#optional(row[at + 2]),
      });
    return musts;
  }

  #texts(place: Packed[number] | undefined): readonly string[] {
    return place === 0 ? NOTHING : this.#textLists.at(number(place));
  }

  #extension(row: Packed): SchemaExtension {
    return {
      module: this.#text(row[0]),
      name: this.#text(row[1]),
      argument: this.#optional(row[2]),
      children: array(row[3]).map((child) => this.#extension(array(child))),
    };
  }

  #listOf<T>(table: LazyTable<readonly T[]>, place: Packed[number] | undefined): readonly T[] {
    return place === 0 ? NOTHING : table.at(number(place));
  }

  #node(row: Packed, above: Above): DataSchemaNode {
    const kind = NODE_KINDS[number(row[0])] ?? "anyxml";
    const flags = number(row[1]);
    const module = this.#text(row[2]);
    const name = this.#text(row[4]);
    const id = `${module}:${name}`;
    const schemaPath = `${above.path}/${id}`;
    const common = {
      module,
      namespace: this.#text(row[3]),
      name,
      id,
      parent: above.parent,
      schemaPath,
      config: (flags & FLAG.config) !== 0,
      cases: this.#listOf(this.#caseLists, row[9]),
      whens: this.#listOf(this.#whenLists, row[10]),
      musts: this.#listOf(this.#mustLists, row[11]),
      status: STATUSES[flags >> STATUS_SHIFT] ?? "current",
      description: this.#optional(row[8]),
      extensions: this.#listOf(this.#extensionLists, row[12]),
      position: this.#position(row, 5),
    };
    const mandatory = (flags & FLAG.mandatory) !== 0;
    const elements = (at: number): Pick<LeafListSchema, "orderedBy" | "minElements" | "maxElements"> => ({
      orderedBy: (flags & FLAG.userOrder) === 0 ? "system" : "user",
      minElements: number(row[at]),
      maxElements: row[at + 1] === -1 ? undefined : number(row[at + 1]),
    });
    switch (kind) {
      case "anydata":
      case "anyxml":
        return { kind, ...common, mandatory };
      case "leaf":
        return {
          kind,
          ...common,
          type: this.#types.at(number(row[13])),
          units: this.#optional(row[14]),
          defaultText: this.#optional(row[15]),
          mandatory,
          isKey: (flags & FLAG.key) !== 0,
        };
      case "leaf-list":
        return {
          kind,
          ...common,
          type: this.#types.at(number(row[13])),
          units: this.#optional(row[14]),
          defaultTexts: this.#texts(row[15]),
          ...elements(16),
        };
      case "container":
      case "list": {
        const block = once(() => this.#block(held(row[13]), { parent: node, path: schemaPath }));
        const node: ParentSchemaNode =
          kind === "container"
            ? {
                kind,
                ...common,
                presence: (flags & FLAG.presence) !== 0,
                get children() {
                  return block().children;
                },
                get choices() {
                  return block().choices;
                },
                get actions() {
                  return block().actions;
                },
                get notifications() {
                  return block().notifications;
                },
              }
            : this.#list(row, common, elements(16), block);
        return node;
      }
    }
  }

  #list(
    row: Packed,
    common: Omit<LeafSchema, "kind" | "type" | "units" | "defaultText" | "mandatory" | "isKey">,
    elements: Pick<LeafListSchema, "orderedBy" | "minElements" | "maxElements">,
    block: () => Block,
  ): ParentSchemaNode {
    const ids = this.#texts(row[14]);
    const keys = once(() =>
      ids.flatMap((id) => {
        const key = block().children.get(id);
        return key?.kind === "leaf" ? [key] : [];
      }),
    );
    return {
      kind: "list",
      ...common,
      ...elements,
      uniques: array(row[15]).map((each) => this.#texts(each)),
      get keys() {
        return keys();
      },
      get children() {
        return block().children;
      },
      get choices() {
        return block().choices;
      },
      get actions() {
        return block().actions;
      },
      get notifications() {
        return block().notifications;
      },
    };
  }

  #block(row: Packed, above: Above): Block {
    const [children, choices, actions, notifications] = row;
    return {
      children: byId(array(children).map((each) => this.#node(array(each), above))),
      choices: byId(array(choices).map((each) => this.#choice(array(each)))),
      actions: byId(array(actions).map((each) => this.#operation(array(each), above))),
      notifications: byId(array(notifications).map((each) => this.#notification(array(each), above))),
    };
  }

  #choice(row: Packed): ChoiceSchema {
    const flags = number(row[1]);
    return {
      kind: "choice",
      id: this.#text(row[0]),
      mandatory: (flags & FLAG.mandatory) !== 0,
      config: (flags & FLAG.config) !== 0,
      defaultCase: this.#optional(row[2]),
      cases: array(row[3]).map((each) => {
        const [id, nodes, choices] = array(each);
        return {
          id: this.#text(id),
          nodes: this.#texts(nodes),
          choices: array(choices).map((nested) => this.#choice(array(nested))),
        };
      }),
      position: this.#position(row, 4),
      whens: this.#listOf(this.#whenLists, row[7]),
    };
  }

  #message(row: Packed, above: Above) {
    const module = this.#text(row[0]);
    const name = this.#text(row[2]);
    const id = `${module}:${name}`;
    return {
      module,
      namespace: this.#text(row[1]),
      name,
      id,
      parent: above.parent,
      schemaPath: `${above.path}/${id}`,
      whens: this.#listOf(this.#whenLists, row[5]),
      status: STATUSES[number(row[3])] ?? "current",
      description: this.#optional(row[4]),
      extensions: this.#listOf(this.#extensionLists, row[6]),
      position: this.#position(row, 7),
    };
  }

  #operation([message, kind, input, output]: Packed, above: Above): OperationSchema {
    return {
      kind: kind === 0 ? "rpc" : "action",
      ...this.#message(array(message), above),
      input: this.#body(array(input)),
      output: this.#body(array(output)),
    };
  }

  #notification([message, body]: Packed, above: Above): NotificationSchema {
    return { kind: "notification", ...this.#body(array(body)), ...this.#message(array(message), above) };
  }

  #body(row: Packed): MessageBody {
    const schemaPath = this.#text(row[0]);
    return {
      schemaPath,
      children: byId(array(row[2]).map((each) => this.#node(array(each), { parent: undefined, path: schemaPath }))),
      choices: byId(array(row[3]).map((each) => this.#choice(array(each)))),
      musts: this.#listOf(this.#mustLists, row[1]),
      position: this.#position(row, 4),
    };
  }

  #type(row: Packed): TypeSchema {
    const kind = this.#text(row[0]) as TypeSchema["kind"];
    const typedefs = this.#texts(row[1]);
    switch (kind) {
      case "string":
        return {
          kind,
          typedefs,
          lengths: this.#ranges(row[2]),
          patterns: array(row[3]).map((each) => {
            const [pattern, invert, message, tag] = array(each);
            return {
              pattern: this.#text(pattern),
              invert: invert === 1,
              errorMessage: this.#optional(message),
              errorAppTag: this.#optional(tag),
            };
          }),
        };
      case "binary":
        return { kind, typedefs, lengths: this.#ranges(row[2]) };
      case "decimal64":
        return { kind, typedefs, ranges: this.#ranges(row[2]), fractionDigits: number(row[3]) };
      case "boolean":
      case "empty":
        return { kind, typedefs };
      case "enumeration":
        return {
          kind,
          typedefs,
          enums: pairs(array(row[2])).map(([name, value]) => ({ name: this.#text(name), value: number(value) })),
        };
      case "bits":
        return {
          kind,
          typedefs,
          bits: pairs(array(row[2])).map(([name, position]) => ({
            name: this.#text(name),
            position: number(position),
          })),
        };
      case "identityref":
        return { kind, typedefs, bases: this.#texts(row[2]) };
      case "leafref":
        return {
          kind,
          typedefs,
          path: this.#expressions.at(number(row[2])),
          requireInstance: row[3] === 1,
          target: once(() => this.#target(number(row[4]))),
        };
      case "instance-identifier":
        return { kind, typedefs, requireInstance: row[2] === 1 };
      case "union":
        return { kind, typedefs, members: array(row[2]).map((member) => this.#types.at(number(member))) };
      default:
        return { kind, typedefs, ranges: this.#ranges(row[2]) };
    }
  }

  #ranges(row: Packed[number] | undefined): readonly RangeRestriction[] {
    return array(row).map((each) => {
      const [parts, message, tag] = array(each);
      return {
        parts: pairs(array(parts)).map(([min, max]) => ({ min: this.#text(min), max: this.#text(max) })),
        errorMessage: this.#optional(message),
        errorAppTag: this.#optional(tag),
      };
    });
  }

  #target(place: number): LeafSchema | LeafListSchema {
    const node = place < 0 ? this.#apart.at(-place) : nodeAtSchemaPath(this.schema, this.#text(place));
    if (node?.kind === "leaf" || node?.kind === "leaf-list") return node;
    throw new TypeError("the target of a leafref is not in the schema document it was written to");
  }
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function byId<T extends { readonly id: string }>(items: readonly T[]): ReadonlyMap<string, T> {
  return items.length === 0 ? EMPTY : new Map(items.map((each) => [each.id, each]));
}

const EMPTY: ReadonlyMap<string, never> = new Map<string, never>();
