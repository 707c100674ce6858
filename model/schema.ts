/**
 * The schema tree: what a module set allows, ready for codecs, compare and validation. `model/yang/` compiles modules
 * into it. Names are (module, name) pairs everywhere; a submodule's nodes carry the main module's name, nodes from
 * `uses` the using module's (RFC 7950 sections 5.1, 7.13).
 *
 * Choice and case nodes are kept in the schema, but data nodes hang below their nearest data-node ancestor: each data
 * schema node knows the (choice, case) pairs between it and that ancestor in `cases`.
 *
 * Operations (rpc, action) and notifications stand apart from the data: who walks `children` never meets them. Their
 * bodies hold data schema nodes, which look up no further than their body.
 */
import type { BuiltInType } from "./value.ts";
import type { SourcePosition } from "./diagnostic.ts";

export interface SchemaModule {
  readonly name: string;
  readonly namespace: string;
  readonly prefix: string;
  readonly revision: string | undefined;
  readonly yangVersion: "1" | "1.1";
  /** True when the module is only imported: its identities and typedefs count, its data nodes do not exist. */
  readonly importOnly: boolean;
  readonly features: readonly string[];
  readonly deviatedBy: readonly string[];
  /** At the top of the module and its submodules: what other specifications define there, such as `yang-data`. */
  readonly extensions: readonly SchemaExtension[];
}

/** An unknown or known extension statement, kept with its sub-statements: `keyword` is (defining module, name). */
export interface SchemaExtension {
  readonly module: string;
  readonly name: string;
  readonly argument: string | undefined;
  readonly children: readonly SchemaExtension[];
}

export interface Identity {
  readonly module: string;
  readonly name: string;
  /** Direct bases as `module:name`. */
  readonly bases: readonly string[];
  /** Every identity derived from this one, transitively, itself excluded, as `module:name`. */
  readonly derived: ReadonlySet<string>;
}

/** A (choice, case) step between a data node and its data parent, outermost first. Names are `module:name`. */
export interface CaseMembership {
  readonly choice: string;
  readonly case: string;
}

/** An XPath expression of the module text with the prefixes it may use, kept for the evaluator. */
export interface SchemaExpression {
  readonly text: string;
  /** prefix -> module name. */
  readonly prefixes: ReadonlyMap<string, string>;
  /** Module in which unprefixed names resolve: the one that uses the text, where a grouping or typedef holds it. */
  readonly module: string;
  /** Module whose text this is; its prefixes are the ones of `prefixes`. */
  readonly definedIn: string;
  readonly position: SourcePosition;
}

export interface MustConstraint {
  readonly expression: SchemaExpression;
  readonly errorMessage: string | undefined;
  readonly errorAppTag: string | undefined;
}

export interface WhenConstraint {
  readonly expression: SchemaExpression;
  /** "self": evaluated with the node as context; "parent": the `when` stood on an augment, uses, choice or case (RFC 7950 section 7.21.5). */
  readonly context: "self" | "parent";
}

interface SchemaNodeBase {
  readonly module: string;
  readonly namespace: string;
  readonly name: string;
  /** `module:name`, the key under which the parent holds it and its data instances. */
  readonly id: string;
  /** Nearest data-node ancestor; undefined at the top, of the tree or of the body of an operation or notification. */
  readonly parent: ParentSchemaNode | undefined;
  /**
   * Schema path of data node ids, e.g. `/ietf-interfaces:interfaces/ietf-interfaces:interface`. Unique in a schema;
   * within operations their id and `module:input` or `module:output` are steps of it.
   */
  readonly schemaPath: string;
  /** False in operations and notifications, where `config` is ignored (RFC 7950 sections 7.14, 7.16, 7.21.1). */
  readonly config: boolean;
  readonly cases: readonly CaseMembership[];
  readonly whens: readonly WhenConstraint[];
  readonly musts: readonly MustConstraint[];
  readonly status: "current" | "deprecated" | "obsolete";
  readonly description: string | undefined;
  readonly extensions: readonly SchemaExtension[];
  readonly position: SourcePosition;
}

export interface ContainerSchema extends SchemaNodeBase {
  readonly kind: "container";
  readonly presence: boolean;
  readonly children: ReadonlyMap<string, DataSchemaNode>;
  readonly choices: ReadonlyMap<string, ChoiceSchema>;
  readonly actions: ReadonlyMap<string, OperationSchema>;
  readonly notifications: ReadonlyMap<string, NotificationSchema>;
}

export interface ListSchema extends SchemaNodeBase {
  readonly kind: "list";
  /** Key leafs in schema order; empty only for keyless `config false` lists. */
  readonly keys: readonly LeafSchema[];
  readonly orderedBy: "system" | "user";
  readonly minElements: number;
  readonly maxElements: number | undefined;
  /** Each entry is a list of descendant schema paths relative to the list. */
  readonly uniques: readonly (readonly string[])[];
  readonly children: ReadonlyMap<string, DataSchemaNode>;
  readonly choices: ReadonlyMap<string, ChoiceSchema>;
  readonly actions: ReadonlyMap<string, OperationSchema>;
  readonly notifications: ReadonlyMap<string, NotificationSchema>;
}

export interface LeafSchema extends SchemaNodeBase {
  readonly kind: "leaf";
  readonly type: TypeSchema;
  readonly units: string | undefined;
  /** Canonical default, from the leaf or its typedef chain; undefined when mandatory or none. */
  readonly defaultText: string | undefined;
  readonly mandatory: boolean;
  readonly isKey: boolean;
}

export interface LeafListSchema extends SchemaNodeBase {
  readonly kind: "leaf-list";
  readonly type: TypeSchema;
  readonly units: string | undefined;
  readonly defaultTexts: readonly string[];
  readonly orderedBy: "system" | "user";
  readonly minElements: number;
  readonly maxElements: number | undefined;
}

export interface AnydataSchema extends SchemaNodeBase {
  readonly kind: "anydata" | "anyxml";
  readonly mandatory: boolean;
}

export type DataSchemaNode = ContainerSchema | ListSchema | LeafSchema | LeafListSchema | AnydataSchema;
export type ParentSchemaNode = ContainerSchema | ListSchema;

export interface ChoiceSchema {
  readonly kind: "choice";
  /** `module:name`. */
  readonly id: string;
  readonly mandatory: boolean;
  readonly config: boolean;
  /** Case id of the default case. */
  readonly defaultCase: string | undefined;
  /** Its own and those of the choices, cases, uses and augments around it, up to the data parent. */
  readonly whens: readonly WhenConstraint[];
  readonly cases: readonly CaseSchema[];
  readonly position: SourcePosition;
}

export interface CaseSchema {
  readonly id: string;
  /** Ids of the data nodes of the case that hang below the choice's data parent (nested choices included). */
  readonly nodes: readonly string[];
  readonly choices: readonly ChoiceSchema[];
}

/** What a message carries: the parameters of an operation's input or output, the content of a notification. */
export interface MessageBody {
  /** Path of the node whose children these are. */
  readonly schemaPath: string;
  readonly children: ReadonlyMap<string, DataSchemaNode>;
  readonly choices: ReadonlyMap<string, ChoiceSchema>;
  /** `must` of the body itself (RFC 7950 sections 7.14.2, 7.14.3, 7.16). */
  readonly musts: readonly MustConstraint[];
  readonly position: SourcePosition;
}

interface MessageBase {
  readonly module: string;
  readonly namespace: string;
  readonly name: string;
  /** `module:name`, the key under which the parent or the schema holds it. */
  readonly id: string;
  /** The container or list of an action or a nested notification; undefined at the top. */
  readonly parent: ParentSchemaNode | undefined;
  readonly schemaPath: string;
  /** Of the `uses` and augments that brought it; operations and notifications have no `when` of their own. */
  readonly whens: readonly WhenConstraint[];
  readonly status: DataSchemaNode["status"];
  readonly description: string | undefined;
  readonly extensions: readonly SchemaExtension[];
  readonly position: SourcePosition;
}

/** RFC 7950 sections 7.14, 7.15. Input and output are there also where the module writes none; they are empty then. */
export interface OperationSchema extends MessageBase {
  readonly kind: "rpc" | "action";
  readonly input: MessageBody;
  readonly output: MessageBody;
}

/** RFC 7950 section 7.16. */
export interface NotificationSchema extends MessageBase, MessageBody {
  readonly kind: "notification";
}

export interface RangePart {
  /** Inclusive canonical bounds: integers as decimal text, decimal64 as canonical decimal text. */
  readonly min: string;
  readonly max: string;
}

interface Restriction {
  readonly errorMessage: string | undefined;
  readonly errorAppTag: string | undefined;
}

export interface RangeRestriction extends Restriction {
  readonly parts: readonly RangePart[];
}

export interface PatternRestriction extends Restriction {
  /** XSD regular expression; as written, unless the module says that its patterns are POSIX. */
  readonly pattern: string;
  readonly invert: boolean;
}

/** A type after resolution of typedefs: restrictions of the whole chain gathered, the typedef names kept outermost first. */
export type TypeSchema =
  | NumberType
  | Decimal64Type
  | StringType
  | BinaryType
  | BooleanType
  | EmptyType
  | EnumerationType
  | BitsType
  | IdentityrefType
  | LeafrefType
  | InstanceIdentifierType
  | UnionType;

interface TypeBase {
  /** `module:typedef` names passed through, outermost first; decides canonical forms such as inet:ipv6-address. */
  readonly typedefs: readonly string[];
}
export interface NumberType extends TypeBase {
  readonly kind: "int8" | "int16" | "int32" | "int64" | "uint8" | "uint16" | "uint32" | "uint64";
  readonly ranges: readonly RangeRestriction[];
}
export interface Decimal64Type extends TypeBase {
  readonly kind: "decimal64";
  readonly fractionDigits: number;
  readonly ranges: readonly RangeRestriction[];
}
export interface StringType extends TypeBase {
  readonly kind: "string";
  readonly lengths: readonly RangeRestriction[];
  readonly patterns: readonly PatternRestriction[];
}
export interface BinaryType extends TypeBase {
  readonly kind: "binary";
  readonly lengths: readonly RangeRestriction[];
}
export interface BooleanType extends TypeBase {
  readonly kind: "boolean";
}
export interface EmptyType extends TypeBase {
  readonly kind: "empty";
}
export interface EnumerationType extends TypeBase {
  readonly kind: "enumeration";
  readonly enums: readonly { readonly name: string; readonly value: number }[];
}
export interface BitsType extends TypeBase {
  readonly kind: "bits";
  readonly bits: readonly { readonly name: string; readonly position: number }[];
}
export interface IdentityrefType extends TypeBase {
  readonly kind: "identityref";
  /** Bases as `module:name`; a value must derive from all of them. */
  readonly bases: readonly string[];
}
export interface LeafrefType extends TypeBase {
  readonly kind: "leafref";
  readonly path: SchemaExpression;
  readonly requireInstance: boolean;
  /** The leaf or leaf-list pointed at; its type decides lexical and canonical form. Resolved after the tree stands. */
  readonly target: () => LeafSchema | LeafListSchema;
}
export interface InstanceIdentifierType extends TypeBase {
  readonly kind: "instance-identifier";
  readonly requireInstance: boolean;
}
export interface UnionType extends TypeBase {
  readonly kind: "union";
  readonly members: readonly TypeSchema[];
}

/** One compiled module set. Immutable. */
export interface Schema {
  readonly modules: ReadonlyMap<string, SchemaModule>;
  /** Top-level data nodes by `module:name`. */
  readonly roots: ReadonlyMap<string, DataSchemaNode>;
  /** Choices at the top level by id (a top-level choice is legal, RFC 7950 section 7.9). */
  readonly rootChoices: ReadonlyMap<string, ChoiceSchema>;
  /** The rpcs of all modules by `module:name`; actions hang at their container or list. */
  readonly operations: ReadonlyMap<string, OperationSchema>;
  /** Top-level notifications by `module:name`. */
  readonly notifications: ReadonlyMap<string, NotificationSchema>;
  readonly identities: ReadonlyMap<string, Identity>;
  /** namespace -> module name. */
  readonly namespaces: ReadonlyMap<string, string>;
}

export function isParentSchema(node: DataSchemaNode): node is ParentSchemaNode {
  return node.kind === "container" || node.kind === "list";
}

/** The children of a parent, or the roots when there is none. */
export function childSchemas(
  schema: Schema,
  parent: ParentSchemaNode | undefined,
): ReadonlyMap<string, DataSchemaNode> {
  return parent === undefined ? schema.roots : parent.children;
}

/** Built-in type that a resolved non-union value of this type has; unions depend on the value. */
export function builtInTypeOf(type: Exclude<TypeSchema, UnionType>): BuiltInType | "leafref" {
  return type.kind;
}
