/**
 * Schema to the body of a schema document. Everything that stands often stands once, in a table, and is named by its
 * place there; a node is an array of numbers. What hangs below a top-level node is a text within the text, so that only
 * the parts in use are ever parsed.
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
  RangeRestriction,
  Schema,
  SchemaExpression,
  SchemaExtension,
  TypeSchema,
  WhenConstraint,
} from "../schema.ts";
import { FLAG, NODE_KINDS, type Packed, STATUSES, STATUS_SHIFT, type SchemaBody } from "./schema-body.ts";
import { nodeAtSchemaPath } from "./schema-path.ts";

export function writeSchema(schema: Schema): SchemaBody {
  return new SchemaWriter(schema).body();
}

class Table<T> {
  readonly rows: Packed[] = [];
  readonly #known = new Map<T, number>();

  /** Its place, from 1; `pack` is asked for it the first time. */
  place(item: T, pack: () => Packed): number {
    const known = this.#known.get(item);
    if (known !== undefined) return known;
    const place = this.reserve(item);
    this.rows[place - 1] = pack();
    return place;
  }

  /** Before packing, since a type may lead back to itself over leafrefs. */
  reserve(item: T): number {
    const place = this.rows.push([]);
    this.#known.set(item, place);
    return place;
  }
}

class SchemaWriter {
  readonly #schema: Schema;
  readonly #strings: string[] = [];
  readonly #stringPlaces = new Map<string, number>();
  readonly #prefixes = new Table<ReadonlyMap<string, string>>();
  readonly #expressions = new Table<SchemaExpression>();
  readonly #types = new Table<TypeSchema>();
  /** Lists are equal when their packed texts are. */
  readonly #lists = new Table<string>();
  readonly #extensions = new Table<string>();
  readonly #apart = new Table<LeafSchema | LeafListSchema>();

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  body(): SchemaBody {
    const { modules, identities, namespaces, roots, rootChoices, operations, notifications } = this.#schema;
    const top = [
      Array.from(roots.values(), (node) => this.#node(node, { below: "text" })),
      Array.from(rootChoices.values(), (choice) => this.#choice(choice)),
      Array.from(operations.values(), (operation) => this.#operation(operation)),
      Array.from(notifications.values(), (notification) => this.#notification(notification)),
    ];
    return {
      strings: this.#strings,
      prefixes: this.#prefixes.rows,
      expressions: this.#expressions.rows,
      types: this.#types.rows,
      lists: this.#lists.rows,
      extensions: this.#extensions.rows,
      modules: [...modules],
      identities: Array.from(identities, ([id, identity]) => [id, { ...identity, derived: [...identity.derived] }]),
      namespaces: [...namespaces],
      apart: this.#apart.rows,
      top,
    };
  }

  #string(text: string | undefined): number {
    if (text === undefined) return 0;
    const known = this.#stringPlaces.get(text);
    if (known !== undefined) return known;
    const place = this.#strings.push(text);
    this.#stringPlaces.set(text, place);
    return place;
  }

  #list(packed: Packed): number {
    return packed.length === 0 ? 0 : this.#lists.place(JSON.stringify(packed), () => packed);
  }

  #texts(texts: readonly string[]): number {
    return this.#list(texts.map((text) => this.#string(text)));
  }

  #expression(expression: SchemaExpression): number {
    return this.#expressions.place(expression, () => [
      this.#string(expression.text),
      this.#prefixes.place(expression.prefixes, () =>
        [...expression.prefixes].flat().map((each) => this.#string(each)),
      ),
      this.#string(expression.module),
      this.#string(expression.definedIn),
      ...this.#position(expression),
    ]);
  }

  #position({ position }: Pick<DataSchemaNode, "position">): Packed {
    return [this.#string(position.source), position.line, position.column];
  }

  #whens(whens: readonly WhenConstraint[]): number {
    return this.#list(
      whens.flatMap(({ expression, context }) => [this.#expression(expression), context === "self" ? 1 : 0]),
    );
  }

  #musts(musts: readonly MustConstraint[]): number {
    return this.#list(
      musts.flatMap(({ expression, errorMessage, errorAppTag }) => [
        this.#expression(expression),
        this.#string(errorMessage),
        this.#string(errorAppTag),
      ]),
    );
  }

  #cases(cases: readonly CaseMembership[]): number {
    return this.#list(cases.flatMap((each) => [this.#string(each.choice), this.#string(each.case)]));
  }

  #extensionList(extensions: readonly SchemaExtension[]): number {
    if (extensions.length === 0) return 0;
    const packed = extensions.map((each) => this.#extension(each));
    return this.#extensions.place(JSON.stringify(packed), () => packed);
  }

  #extension({ module, name, argument, children }: SchemaExtension): Packed {
    return [
      this.#string(module),
      this.#string(name),
      this.#string(argument),
      children.map((child) => this.#extension(child)),
    ];
  }

  /** `below`: how what a container or list holds is written. */
  #node(node: DataSchemaNode, { below }: { readonly below: "text" | "inline" }): Packed {
    const flag = (condition: boolean, bit: number): number => (condition ? bit : 0);
    const flags =
      flag(node.config, FLAG.config) |
      flag("mandatory" in node && node.mandatory, FLAG.mandatory) |
      flag(node.kind === "container" && node.presence, FLAG.presence) |
      flag(node.kind === "leaf" && node.isKey, FLAG.key) |
      flag("orderedBy" in node && node.orderedBy === "user", FLAG.userOrder) |
      (STATUSES.indexOf(node.status) << STATUS_SHIFT);
    const common = [
      NODE_KINDS.indexOf(node.kind),
      flags,
      this.#string(node.module),
      this.#string(node.namespace),
      this.#string(node.name),
      ...this.#position(node),
      this.#string(node.description),
      this.#cases(node.cases),
      this.#whens(node.whens),
      this.#musts(node.musts),
      this.#extensionList(node.extensions),
    ];
    switch (node.kind) {
      case "leaf":
        return [...common, this.#type(node.type), this.#string(node.units), this.#string(node.defaultText)];
      case "leaf-list":
        return [
          ...common,
          this.#type(node.type),
          this.#string(node.units),
          this.#texts(node.defaultTexts),
          node.minElements,
          node.maxElements ?? -1,
        ];
      case "anydata":
      case "anyxml":
        return common;
      case "container":
      case "list": {
        const block = [
          Array.from(node.children.values(), (child) => this.#node(child, { below: "inline" })),
          Array.from(node.choices.values(), (choice) => this.#choice(choice)),
          Array.from(node.actions.values(), (action) => this.#operation(action)),
          Array.from(node.notifications.values(), (notification) => this.#notification(notification)),
        ];
        const held = below === "text" ? JSON.stringify(block) : block;
        if (node.kind === "container") return [...common, held];
        return [
          ...common,
          held,
          this.#texts(node.keys.map((key) => key.id)),
          node.uniques.map((unique) => this.#texts(unique)),
          node.minElements,
          node.maxElements ?? -1,
        ];
      }
    }
  }

  #choice(choice: ChoiceSchema): Packed {
    return [
      this.#string(choice.id),
      (choice.mandatory ? FLAG.mandatory : 0) | (choice.config ? FLAG.config : 0),
      this.#string(choice.defaultCase),
      choice.cases.map((each) => [
        this.#string(each.id),
        this.#texts(each.nodes),
        each.choices.map((nested) => this.#choice(nested)),
      ]),
      ...this.#position(choice),
      this.#whens(choice.whens),
    ];
  }

  #message(message: OperationSchema | NotificationSchema): Packed {
    return [
      this.#string(message.module),
      this.#string(message.namespace),
      this.#string(message.name),
      STATUSES.indexOf(message.status),
      this.#string(message.description),
      this.#whens(message.whens),
      this.#extensionList(message.extensions),
      ...this.#position(message),
    ];
  }

  #operation(operation: OperationSchema): Packed {
    return [
      this.#message(operation),
      operation.kind === "rpc" ? 0 : 1,
      this.#body(operation.input),
      this.#body(operation.output),
    ];
  }

  #notification(notification: NotificationSchema): Packed {
    return [this.#message(notification), this.#body(notification)];
  }

  #body(body: MessageBody): Packed {
    return [
      this.#string(body.schemaPath),
      this.#musts(body.musts),
      Array.from(body.children.values(), (child) => this.#node(child, { below: "inline" })),
      Array.from(body.choices.values(), (choice) => this.#choice(choice)),
      ...this.#position(body),
    ];
  }

  #type(type: TypeSchema): number {
    return this.#types.place(type, () => [
      this.#string(type.kind),
      this.#texts(type.typedefs),
      ...this.#ownOfType(type),
    ]);
  }

  #ownOfType(type: TypeSchema): Packed {
    switch (type.kind) {
      case "string":
        return [
          this.#ranges(type.lengths),
          type.patterns.map((each) => [
            this.#string(each.pattern),
            each.invert ? 1 : 0,
            this.#string(each.errorMessage),
            this.#string(each.errorAppTag),
          ]),
        ];
      case "binary":
        return [this.#ranges(type.lengths)];
      case "decimal64":
        return [this.#ranges(type.ranges), type.fractionDigits];
      case "boolean":
      case "empty":
        return [];
      case "enumeration":
        return [type.enums.flatMap(({ name, value }) => [this.#string(name), value])];
      case "bits":
        return [type.bits.flatMap(({ name, position }) => [this.#string(name), position])];
      case "identityref":
        return [this.#texts(type.bases)];
      case "leafref":
        return [this.#expression(type.path), type.requireInstance ? 1 : 0, this.#target(type.target())];
      case "instance-identifier":
        return [type.requireInstance ? 1 : 0];
      case "union":
        return [type.members.map((member) => this.#type(member))];
      default:
        return [this.#ranges(type.ranges)];
    }
  }

  #ranges(ranges: readonly RangeRestriction[]): Packed {
    return ranges.map(({ parts, errorMessage, errorAppTag }) => [
      parts.flatMap(({ min, max }) => [this.#string(min), this.#string(max)]),
      this.#string(errorMessage),
      this.#string(errorAppTag),
    ]);
  }

  /** The schema path of a node of the tree, or below zero the place of one that stands apart. */
  #target(target: LeafSchema | LeafListSchema): number {
    if (nodeAtSchemaPath(this.#schema, target.schemaPath) === target) return this.#string(target.schemaPath);
    return -this.#apart.place(target, () => this.#node(target, { below: "inline" }));
  }
}
