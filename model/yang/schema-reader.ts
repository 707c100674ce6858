/**
 * The body of a schema document to a schema. What a container or list holds is built when it is first asked for, and
 * then kept, so a node is always the same object, however one comes to it.
 */
import type {
  ChoiceSchema,
  DataSchemaNode,
  LeafListSchema,
  LeafSchema,
  MessageBody,
  NotificationSchema,
  OperationSchema,
  ParentSchemaNode,
  RangeRestriction,
  Schema,
  TypeSchema,
} from "../schema.ts";
import {
  type Packed,
  type SchemaBody,
  FLAG,
  LazyTable,
  NODE_KINDS,
  STATUSES,
  STATUS_SHIFT,
  array,
  held,
  number,
  pairs,
} from "./schema-body.ts";
import { type NodeCommon, anydataNode, leafListNode, leafNode } from "./schema-node.ts";
import { nodeAtSchemaPath } from "./schema-path.ts";
import { SchemaTables } from "./schema-tables.ts";

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
  readonly #tables: SchemaTables;
  readonly #types: LazyTable<TypeSchema>;
  readonly #apart: LazyTable<DataSchemaNode>;

  constructor(body: SchemaBody) {
    this.#tables = new SchemaTables(body);
    this.#types = new LazyTable(body.types, (row) => this.#type(row));
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

  #node(row: Packed, above: Above): DataSchemaNode {
    const kind = NODE_KINDS[number(row[0])] ?? "anyxml";
    const flags = number(row[1]);
    const module = this.#tables.text(row[2]);
    const name = this.#tables.text(row[4]);
    const id = `${module}:${name}`;
    const schemaPath = `${above.path}/${id}`;
    const common = {
      module,
      namespace: this.#tables.text(row[3]),
      name,
      id,
      parent: above.parent,
      schemaPath,
      config: (flags & FLAG.config) !== 0,
      cases: this.#tables.cases(row[9]),
      whens: this.#tables.whens(row[10]),
      musts: this.#tables.musts(row[11]),
      status: STATUSES[flags >> STATUS_SHIFT] ?? "current",
      description: this.#tables.optional(row[8]),
      extensions: this.#tables.extensions(row[12]),
      position: this.#tables.position(row, 5),
    };
    const mandatory = (flags & FLAG.mandatory) !== 0;
    switch (kind) {
      case "anydata":
      case "anyxml":
        return anydataNode(kind, common, { mandatory });
      case "leaf":
        return leafNode(common, {
          type: this.#types.at(number(row[13])),
          units: this.#tables.optional(row[14]),
          defaultText: this.#tables.optional(row[15]),
          mandatory,
          isKey: (flags & FLAG.key) !== 0,
        });
      case "leaf-list":
        return leafListNode(common, {
          type: this.#types.at(number(row[13])),
          units: this.#tables.optional(row[14]),
          defaultTexts: this.#tables.texts(row[15]),
          ...elementsOf(row),
        });
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
            : this.#list(row, common, block);
        return node;
      }
    }
  }

  #list(row: Packed, common: NodeCommon, block: () => Block): ParentSchemaNode {
    const ids = this.#tables.texts(row[14]);
    const keys = once(() =>
      ids.flatMap((id) => {
        const key = block().children.get(id);
        return key?.kind === "leaf" ? [key] : [];
      }),
    );
    return {
      kind: "list",
      ...common,
      ...elementsOf(row),
      uniques: array(row[15]).map((each) => this.#tables.texts(each)),
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
      id: this.#tables.text(row[0]),
      mandatory: (flags & FLAG.mandatory) !== 0,
      config: (flags & FLAG.config) !== 0,
      defaultCase: this.#tables.optional(row[2]),
      cases: array(row[3]).map((each) => {
        const [id, nodes, choices] = array(each);
        return {
          id: this.#tables.text(id),
          nodes: this.#tables.texts(nodes),
          choices: array(choices).map((nested) => this.#choice(array(nested))),
        };
      }),
      position: this.#tables.position(row, 4),
      whens: this.#tables.whens(row[7]),
    };
  }

  #message(row: Packed, above: Above) {
    const module = this.#tables.text(row[0]);
    const name = this.#tables.text(row[2]);
    const id = `${module}:${name}`;
    return {
      module,
      namespace: this.#tables.text(row[1]),
      name,
      id,
      parent: above.parent,
      schemaPath: `${above.path}/${id}`,
      whens: this.#tables.whens(row[5]),
      status: STATUSES[number(row[3])] ?? "current",
      description: this.#tables.optional(row[4]),
      extensions: this.#tables.extensions(row[6]),
      position: this.#tables.position(row, 7),
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
    const schemaPath = this.#tables.text(row[0]);
    return {
      schemaPath,
      children: byId(array(row[2]).map((each) => this.#node(array(each), { parent: undefined, path: schemaPath }))),
      choices: byId(array(row[3]).map((each) => this.#choice(array(each)))),
      musts: this.#tables.musts(row[1]),
      position: this.#tables.position(row, 4),
    };
  }

  #type(row: Packed): TypeSchema {
    const kind = this.#tables.text(row[0]) as TypeSchema["kind"];
    const typedefs = this.#tables.texts(row[1]);
    switch (kind) {
      case "string":
        return {
          kind,
          typedefs,
          lengths: this.#ranges(row[2]),
          patterns: array(row[3]).map((each) => {
            const [pattern, invert, message, tag] = array(each);
            return {
              pattern: this.#tables.text(pattern),
              invert: invert === 1,
              errorMessage: this.#tables.optional(message),
              errorAppTag: this.#tables.optional(tag),
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
          enums: pairs(array(row[2])).map(([name, value]) => ({ name: this.#tables.text(name), value: number(value) })),
        };
      case "bits":
        return {
          kind,
          typedefs,
          bits: pairs(array(row[2])).map(([name, position]) => ({
            name: this.#tables.text(name),
            position: number(position),
          })),
        };
      case "identityref":
        return { kind, typedefs, bases: this.#tables.texts(row[2]) };
      case "leafref":
        return {
          kind,
          typedefs,
          path: this.#tables.expression(row[2]),
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
        parts: pairs(array(parts)).map(([min, max]) => ({ min: this.#tables.text(min), max: this.#tables.text(max) })),
        errorMessage: this.#tables.optional(message),
        errorAppTag: this.#tables.optional(tag),
      };
    });
  }

  #target(place: number): LeafSchema | LeafListSchema {
    const node = place < 0 ? this.#apart.at(-place) : nodeAtSchemaPath(this.schema, this.#tables.text(place));
    if (node?.kind === "leaf" || node?.kind === "leaf-list") return node;
    throw new TypeError("the target of a leafref is not in the schema document it was written to");
  }
}

/** Of a row of a list or leaf-list. */
function elementsOf(row: Packed): Pick<LeafListSchema, "orderedBy" | "minElements" | "maxElements"> {
  return {
    orderedBy: (number(row[1]) & FLAG.userOrder) === 0 ? "system" : "user",
    minElements: number(row[16]),
    maxElements: row[17] === -1 ? undefined : number(row[17]),
  };
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function byId<T extends { readonly id: string }>(items: readonly T[]): ReadonlyMap<string, T> {
  return items.length === 0 ? EMPTY : new Map(items.map((each) => [each.id, each]));
}

const EMPTY: ReadonlyMap<string, never> = new Map<string, never>();
