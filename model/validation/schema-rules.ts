/**
 * What has to be checked below each schema node, worked out once a schema. A walk over data then looks at nodes with
 * rules only: most leafs have none, and whole subtrees without any are passed over.
 */
import { parseValue } from "../values/canonical-value.ts";
import type {
  ChoiceSchema,
  DataSchemaNode,
  InstanceIdentifierType,
  LeafListSchema,
  LeafrefType,
  LeafSchema,
  ListSchema,
  ParentSchemaNode,
  Schema,
  TypeSchema,
} from "../schema.ts";
import { childSchemas, isParentSchema } from "../schema.ts";
import type { PlainValue } from "../value.ts";

/** `config`: state data is left alone, even where it stands in the tree. `all`: it is held to its own constraints. */
export type ValidatedNodes = "config" | "all";

/** A choice below one data parent; nested ones name the case that they stand in. */
export interface ChoiceRule {
  readonly choice: ChoiceSchema;
  readonly within: Membership | undefined;
}

/** `choice` is an index into `LevelRules.choices`, since nested choices may share a name. */
export interface Membership {
  readonly choice: number;
  readonly case: string;
}

/** What a value must point at: the instance that a leafref or instance-identifier requires. */
export type ReferenceRule =
  | { readonly kind: "leafref"; readonly type: LeafrefType }
  | { readonly kind: "instance"; readonly type: InstanceIdentifierType }
  /** Good if one member takes the value and, where it is a reference, finds its instance (RFC 7950 section 9.12). */
  | { readonly kind: "union"; readonly members: readonly UnionMemberRule[] };

export interface UnionMemberRule {
  readonly type: TypeSchema;
  readonly reference: ReferenceRule | undefined;
}

export interface UniqueRule {
  /** The leafs as written, for messages. */
  readonly text: string;
  /** Data nodes from the list down to the leaf, one way for each leaf. */
  readonly leafs: readonly (readonly DataSchemaNode[])[];
}

export interface NodeRules {
  readonly schema: DataSchemaNode;
  /** Key of a container or leaf in its parent's children. */
  readonly key: string;
  readonly memberships: readonly Membership[];
  readonly reference: ReferenceRule | undefined;
  /** Values in use while no instance is there and nothing stands against it. */
  readonly defaults: readonly PlainValue[];
  readonly uniques: readonly UniqueRule[];
  /** Key leafs of a list that have rules of their own, with their position among the keys. */
  readonly keys: readonly { readonly index: number; readonly rules: NodeRules }[];
  /** The rules below a container or list. */
  readonly level: LevelRules | undefined;
  /** Is there nothing to check at an instance or below it? */
  readonly quiet: boolean;
}

export interface LevelRules {
  readonly schema: ParentSchemaNode | undefined;
  /** Every data node that may stand here and is validated. */
  readonly nodes: ReadonlyMap<DataSchemaNode, NodeRules>;
  readonly choices: readonly ChoiceRule[];
  /** Lists and leaf-lists with rules on their number or `unique`. */
  readonly counted: readonly NodeRules[];
  /** What has to be looked at where there is no instance: demanded nodes, defaults with rules, non-presence containers. */
  readonly absent: readonly NodeRules[];
  readonly quiet: boolean;
}

const known = { config: new WeakMap<Schema, LevelRules>(), all: new WeakMap<Schema, LevelRules>() };

/** The rules of the top level, and through them of everything below. The same object for the same schema. */
export function rulesOf(schema: Schema, nodes: ValidatedNodes): LevelRules {
  const cached = known[nodes].get(schema);
  if (cached !== undefined) return cached;
  const rules = new RuleCompiler(schema, nodes).level(undefined);
  known[nodes].set(schema, rules);
  return rules;
}

class RuleCompiler {
  readonly #schema: Schema;
  readonly #nodes: ValidatedNodes;

  constructor(schema: Schema, nodes: ValidatedNodes) {
    this.#schema = schema;
    this.#nodes = nodes;
  }

  level(parent: ParentSchemaNode | undefined): LevelRules {
    const choices = new ChoiceTable(parent === undefined ? this.#schema.rootChoices : parent.choices);
    const nodes = new Map<DataSchemaNode, NodeRules>();
    for (const child of childSchemas(this.#schema, parent).values()) {
      if (!child.config && this.#nodes === "config") continue;
      nodes.set(child, this.#node(child, choices.membershipsOf(child)));
    }
    const all = [...nodes.values()];
    const counted = all.filter(isCounted);
    const absent = all.filter(matters);
    const validated = choices.all.filter(({ choice }) => choice.config || this.#nodes === "all");
    const quiet =
      validated.length === 0 && counted.length === 0 && absent.length === 0 && all.every((each) => each.quiet);
    return { schema: parent, nodes, choices: choices.all, counted, absent, quiet };
  }

  #node(schema: DataSchemaNode, memberships: readonly Membership[]): NodeRules {
    const level = isParentSchema(schema) ? this.level(schema) : undefined;
    const hasValue = schema.kind === "leaf" || schema.kind === "leaf-list";
    const reference = hasValue ? referenceOf(schema.type) : undefined;
    const own = schema.whens.length === 0 && schema.musts.length === 0 && reference === undefined;
    return {
      schema,
      key: schema.id,
      memberships,
      reference,
      defaults: hasValue ? this.#defaultsOf(schema) : [],
      uniques: schema.kind === "list" ? uniquesOf(schema) : [],
      keys: schema.kind === "list" && level !== undefined ? keysWithRules(schema, level) : [],
      level,
      quiet: own && (level === undefined || level.quiet),
    };
  }

  #defaultsOf(node: LeafSchema | LeafListSchema): readonly PlainValue[] {
    const texts =
      node.kind === "leaf-list" ? node.defaultTexts : node.defaultText === undefined ? [] : [node.defaultText];
    return texts.flatMap((text) => {
      const read = parseValue(node.type, text, { schema: this.#schema, form: { kind: "canonical" } });
      return read.kind === "ok" ? [read.value] : [];
    });
  }
}

/** All choices below one data parent, nested ones behind those that hold them. */
class ChoiceTable {
  readonly all: ChoiceRule[] = [];
  readonly #top = new Map<string, number>();
  readonly #nested = new Map<string, number>();

  constructor(choices: ReadonlyMap<string, ChoiceSchema>) {
    for (const choice of choices.values()) this.#top.set(choice.id, this.#add(choice, undefined));
  }

  membershipsOf(node: DataSchemaNode): readonly Membership[] {
    const found: Membership[] = [];
    for (const { choice, case: name } of node.cases) {
      const above = found.at(-1);
      const index = above === undefined ? this.#top.get(choice) : this.#nested.get(nestedKey(above, choice));
      if (index === undefined) throw new TypeError(`${node.schemaPath} names no choice ${choice}`);
      found.push({ choice: index, case: name });
    }
    return found;
  }

  #add(choice: ChoiceSchema, within: Membership | undefined): number {
    const index = this.all.push({ choice, within }) - 1;
    for (const each of choice.cases) {
      const own: Membership = { choice: index, case: each.id };
      for (const inner of each.choices) this.#nested.set(nestedKey(own, inner.id), this.#add(inner, own));
    }
    return index;
  }
}

function nestedKey(within: Membership, choice: string): string {
  return `${String(within.choice)} ${within.case} ${choice}`;
}

function isCounted({ schema, uniques }: NodeRules): boolean {
  if (schema.kind !== "list" && schema.kind !== "leaf-list") return false;
  return schema.minElements > 0 || schema.maxElements !== undefined || uniques.length > 0;
}

/** Does the absence of any instance need a look? Lists and their minimum are counted, not looked at here. */
function matters(rules: NodeRules): boolean {
  const { schema, reference, defaults, level } = rules;
  switch (schema.kind) {
    case "leaf":
      if (schema.isKey) return false;
      return schema.mandatory || (defaults.length > 0 && (schema.musts.length > 0 || reference !== undefined));
    case "anydata":
    case "anyxml":
      return schema.mandatory;
    case "leaf-list":
      return defaults.length > 0 && (schema.musts.length > 0 || reference !== undefined);
    case "container":
      if (schema.presence || level === undefined) return false;
      return schema.musts.length > 0 || level.absent.length > 0 || level.choices.length > 0 || level.counted.length > 0;
    case "list":
      return false;
  }
}

function keysWithRules(list: ListSchema, level: LevelRules): NodeRules["keys"] {
  return list.keys.flatMap((key, index) => {
    const rules = level.nodes.get(key);
    return rules === undefined || rules.quiet ? [] : [{ index, rules }];
  });
}

function uniquesOf(list: ListSchema): readonly UniqueRule[] {
  return list.uniques.flatMap((paths) => {
    const leafs = paths.map((path) => wayTo(list, path.split("/")));
    const found = leafs.filter((way) => way !== undefined);
    // A way through another list has no one value an entry, so that nothing could be compared.
    return found.length < leafs.length || found.length === 0
      ? []
      : [{ text: paths.map(localNames).join(" "), leafs: found }];
  });
}

function wayTo(list: ListSchema, ids: readonly string[]): readonly DataSchemaNode[] | undefined {
  const way: DataSchemaNode[] = [];
  let at: DataSchemaNode = list;
  for (const id of ids) {
    const next: DataSchemaNode | undefined = isParentSchema(at) ? at.children.get(id) : undefined;
    if (next === undefined || next.kind === "list") return undefined;
    way.push(next);
    at = next;
  }
  return at.kind === "leaf" ? way : undefined;
}

function localNames(path: string): string {
  return path.replaceAll(/[^/:]*:/g, "");
}

function referenceOf(type: TypeSchema): ReferenceRule | undefined {
  switch (type.kind) {
    case "leafref":
      return type.requireInstance ? { kind: "leafref", type } : undefined;
    case "instance-identifier":
      return type.requireInstance ? { kind: "instance", type } : undefined;
    case "union": {
      const members = type.members.map((member) => ({ type: member, reference: referenceOf(member) }));
      return members.every((member) => member.reference === undefined) ? undefined : { kind: "union", members };
    }
    default:
      return undefined;
  }
}
