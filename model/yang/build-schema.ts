/**
 * Draft tree to schema tree: inheritance of `config`, choices folded into memberships, types resolved, what is switched
 * off left out, operations and notifications put apart from the data (RFC 7950 sections 7.14 to 7.16).
 */
import type { SourcePosition } from "../diagnostic.ts";
import type {
  CaseMembership,
  CaseSchema,
  ChoiceSchema,
  DataSchemaNode,
  LeafListSchema,
  LeafSchema,
  MessageBody,
  ParentSchemaNode,
  WhenConstraint,
} from "../schema.ts";
import type { LeafrefBinder } from "./bind-leafrefs.ts";
import { checkList, keyNames } from "./check-list.ts";
import { type DraftNode, propertiesOf, propertyOf, propertyText, stepId } from "./draft-node.ts";
import type { Definition } from "./linked-module.ts";
import { extensionsOf, mustsOf, nodeCommon, statusOf, whensOf } from "./node-properties.ts";
import type { ResolvedType, TypeResolver } from "./resolve-type.ts";
import { type SchemaBlock, blockFor, emptyBlock } from "./schema-block.ts";
import { anydataNode, containerNode, leafListNode, leafNode, listNode } from "./schema-node.ts";
import { argumentOf, describe } from "./statement.ts";
import type { YangReport } from "./yang-report.ts";

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A leaf or leaf-list whose defaults are still to be put into canonical form. */
export interface OpenDefault {
  readonly node: Mutable<LeafSchema> | Mutable<LeafListSchema>;
  readonly values: readonly Definition[];
  /** Of the node, or of the deviation that gave it its type. */
  readonly typedAt: SourcePosition;
}

/** What the nodes of one block have around them. */
interface Surroundings {
  readonly parent: ParentSchemaNode | undefined;
  /** Schema path of the parent, or of the message body at whose top the nodes stand; "" at the top of the tree. */
  readonly path: string;
  /** In messages `config` is ignored, and `ordered-by` in all but input (RFC 7950 sections 7.7.7, 7.21.1). */
  readonly place: "data" | "input" | "output" | "notification";
  readonly config: { readonly value: boolean; readonly from: Definition | undefined };
  readonly cases: readonly CaseMembership[];
  readonly whens: readonly WhenConstraint[];
  readonly keys: ReadonlySet<string>;
  readonly into: SchemaBlock;
}

/** Around the nodes of a tree or a message body without more. */
const TOP = {
  parent: undefined,
  path: "",
  place: "data",
  config: { value: true, from: undefined },
  cases: [],
  whens: [],
  keys: new Set<string>(),
} as const satisfies Omit<Surroundings, "into">;

export class SchemaBuilder {
  readonly #types: TypeResolver;
  readonly #report: YangReport;
  readonly #built = new Map<DraftNode, DataSchemaNode>();
  readonly openDefaults: OpenDefault[] = [];
  /** Set once, before anything is built: binder and builder need each other. */
  binder: LeafrefBinder | undefined;

  constructor(types: TypeResolver, report: YangReport) {
    this.#types = types;
    this.#report = report;
  }

  /** Adds the top-level nodes of a module's draft tree. */
  addRoots(root: DraftNode, into: SchemaBlock): void {
    this.#children(root, into.choices, { ...TOP, into });
  }

  /** The built leaf of a draft. One that is switched off or only imported is built apart, for its type alone. */
  leafOf(draft: DraftNode, from?: SourcePosition): LeafSchema | LeafListSchema | undefined {
    if (draft.keyword !== "leaf" && draft.keyword !== "leaf-list") return undefined;
    let node = this.#built.get(draft);
    if (node === undefined) {
      this.#report.warning(
        "leafref-target-not-found",
        `${draft.id} is the target of a leafref, but it is switched off or its module is only imported`,
        from === undefined ? draft.statement.position : [from, draft.statement.position],
      );
      node = this.#node(draft, { ...TOP, into: emptyBlock() });
    }
    return node?.kind === "leaf" || node?.kind === "leaf-list" ? node : undefined;
  }

  #children(draft: DraftNode, choices: Map<string, ChoiceSchema>, around: Surroundings): readonly string[] {
    const ids: string[] = [];
    for (const child of draft.children.values()) {
      if (!child.enabled) continue;
      if (child.keyword === "choice") {
        const choice = this.#choice(child, around);
        choices.set(choice.id, choice);
        ids.push(...choice.cases.flatMap((each) => each.nodes));
        continue;
      }
      if (child.keyword === "rpc" || child.keyword === "action" || child.keyword === "notification") {
        this.#message(child, child.keyword, draft, around);
        continue;
      }
      const node = this.#node(child, around);
      if (node === undefined) continue;
      const twin = around.into.children.get(node.id);
      if (twin !== undefined)
        // RFC 7950 section 7.9.2: unique over all cases, since the data tree does not show them.
        this.#report.error("duplicate-node", `${node.id} exists twice below one parent`, [
          node.position,
          twin.position,
        ]);
      around.into.children.set(node.id, node);
      ids.push(node.id);
    }
    return ids;
  }

  #message(draft: DraftNode, keyword: "rpc" | "action" | "notification", above: DraftNode, around: Surroundings): void {
    if (!this.#checkPlace(draft, above, around)) return;
    const base = {
      module: draft.module.name,
      namespace: draft.module.namespace,
      name: draft.name,
      id: draft.id,
      parent: around.parent,
      schemaPath: `${around.path}/${draft.id}`,
      whens: whensOf(draft, "parent", around.whens),
      status: statusOf(draft),
      description: propertyText(draft, "description"),
      extensions: extensionsOf(draft),
      position: draft.statement.position,
    };
    if (keyword === "notification") {
      const body = this.#body(draft, base.schemaPath, keyword);
      around.into.notifications.set(draft.id, { kind: keyword, ...base, ...body });
      return;
    }
    const bodyOf = (place: "input" | "output"): MessageBody => {
      const id = `${draft.module.name}:${place}`;
      const path = `${base.schemaPath}/${id}`;
      const body = draft.children.get(id);
      return body === undefined
        ? { schemaPath: path, children: new Map(), choices: new Map(), musts: [], position: base.position }
        : this.#body(body, path, place);
    };
    const operation = { kind: keyword, ...base, input: bodyOf("input"), output: bodyOf("output") };
    around.into.operations.set(draft.id, operation);
  }

  #body(draft: DraftNode, schemaPath: string, place: Exclude<Surroundings["place"], "data">): MessageBody {
    const into = emptyBlock();
    this.#children(draft, into.choices, {
      ...TOP,
      path: schemaPath,
      place,
      config: { value: false, from: undefined },
      into,
    });
    const { children, choices } = into;
    return { schemaPath, children, choices, musts: mustsOf(draft), position: draft.statement.position };
  }

  /** RFC 7950 sections 7.15, 7.16: not in another message, nor in a case, nor anywhere below a list without a key. */
  #checkPlace(draft: DraftNode, above: DraftNode, around: Surroundings): boolean {
    if (draft.keyword === "rpc") return true;
    let problem = around.place === "data" ? undefined : above;
    if (above.keyword === "case" || (draft.keyword === "action" && above.keyword === "module")) problem = above;
    for (let at: DraftNode | undefined = above; at !== undefined && problem === undefined; at = at.parent) {
      if (at.keyword === "list" && propertyOf(at, "key") === undefined) problem = at;
    }
    if (problem === undefined) return true;
    const keyless = problem.keyword === "list" && around.place === "data" ? " without a key" : "";
    this.#report.error(
      "operation-not-allowed",
      `${draft.keyword} ${draft.name} must not stand in ${problem.keyword} ${problem.name}${keyless}`,
      [draft.statement.position, problem.statement.position],
    );
    return false;
  }

  #choice(draft: DraftNode, around: Surroundings): ChoiceSchema {
    const config = this.#config(draft, around);
    const whens = whensOf(draft, "parent", around.whens);
    const cases: CaseSchema[] = [];
    for (const child of draft.children.values()) {
      if (!child.enabled) continue;
      const nested = new Map<string, ChoiceSchema>();
      const nodes = this.#children(child, nested, {
        ...around,
        config,
        cases: [...around.cases, { choice: draft.id, case: child.id }],
        whens: whensOf(child, "parent", whens),
      });
      cases.push({ id: child.id, nodes, choices: [...nested.values()] });
    }
    return {
      kind: "choice",
      id: draft.id,
      mandatory: isMandatory(draft),
      config: config.value,
      defaultCase: this.#defaultCase(draft),
      whens,
      cases,
      position: draft.statement.position,
    };
  }

  #defaultCase(draft: DraftNode): string | undefined {
    const property = propertyOf(draft, "default");
    if (property === undefined) return undefined;
    const id = stepId(argumentOf(property.statement), { scope: property.scope, module: draft.module });
    const target = draft.children.get(id);
    if (target === undefined)
      this.#report.error(
        "default-case-invalid",
        `choice ${draft.name} has no case ${argumentOf(property.statement)}`,
        [property.statement.position, draft.statement.position],
        { expected: [...draft.children.values()].map((each) => each.name).join(", ") },
      );
    this.#checkMandatory(draft, property);
    return target?.enabled === true ? id : undefined;
  }

  #config(draft: DraftNode, around: Surroundings): Surroundings["config"] {
    const own = propertyOf(draft, "config");
    if (own === undefined || around.place !== "data") return around.config;
    const value = argumentOf(own.statement) === "true";
    if (value && !around.config.value) {
      // RFC 7950 section 7.21.1.
      this.#report.error("config-below-state", `${draft.keyword} ${draft.name} is config true below config false`, [
        own.statement.position,
        ...(around.config.from === undefined ? [] : [around.config.from.statement.position]),
      ]);
      return around.config;
    }
    return { value, from: own };
  }

  #node(draft: DraftNode, around: Surroundings): DataSchemaNode | undefined {
    const node = this.#unlisted(draft, around);
    if (node !== undefined) this.#built.set(draft, node);
    return node;
  }

  /** Not yet among `#built`. */
  #unlisted(draft: DraftNode, around: Surroundings): DataSchemaNode | undefined {
    const config = this.#config(draft, around);
    const { parent, path, cases, whens } = around;
    const common = nodeCommon(draft, { parent, path, config: config.value, cases, whens });
    switch (draft.keyword) {
      case "anydata":
      case "anyxml":
        return anydataNode(draft.keyword, common, { mandatory: isMandatory(draft) });
      case "leaf": {
        const resolved = this.#resolved(draft);
        if (resolved === undefined) return undefined;
        const leaf = leafNode(common, {
          type: this.#bound(resolved, draft),
          units: propertyText(draft, "units") ?? resolved.units,
          defaultText: undefined,
          mandatory: isMandatory(draft),
          isKey: around.keys.has(draft.id),
        });
        this.#openDefault(draft, leaf, resolved);
        return leaf;
      }
      case "leaf-list": {
        const resolved = this.#resolved(draft);
        if (resolved === undefined) return undefined;
        const { orderedBy, minElements, maxElements } = this.#elements(draft, config, around);
        const leafList = leafListNode(common, {
          type: this.#bound(resolved, draft),
          units: propertyText(draft, "units") ?? resolved.units,
          defaultTexts: [],
          orderedBy,
          minElements,
          maxElements,
        });
        this.#openDefault(draft, leafList, resolved);
        return leafList;
      }
      case "container": {
        const into = blockFor(draft);
        const { children, choices, operations: actions, notifications } = into;
        const presence = propertyOf(draft, "presence") !== undefined;
        const container = containerNode(common, { presence, children, choices, actions, notifications });
        this.#contents(draft, container, { config, into, around });
        return container;
      }
      case "list": {
        const into = blockFor(draft);
        const { children, choices, operations: actions, notifications } = into;
        const { orderedBy, minElements, maxElements } = this.#elements(draft, config, around);
        const keys: LeafSchema[] = [];
        const uniques: (readonly string[])[] = [];
        const contents = { children, choices, actions, notifications };
        const list = listNode(common, { keys, uniques, orderedBy, minElements, maxElements, ...contents });
        this.#contents(draft, list, { config, into, around });
        const found = checkList(draft, list, this.#report);
        keys.push(...found.keys);
        uniques.push(...found.uniques);
        return list;
      }
      default:
        return undefined;
    }
  }

  #contents(
    draft: DraftNode,
    parent: ParentSchemaNode,
    { config, into, around }: Pick<Surroundings, "config" | "into"> & { readonly around: Surroundings },
  ): void {
    this.#children(draft, into.choices, {
      parent,
      path: parent.schemaPath,
      place: around.place,
      config,
      cases: TOP.cases,
      whens: TOP.whens,
      keys: keyNames(draft),
      into,
    });
  }

  #bound(resolved: ResolvedType, draft: DraftNode): LeafSchema["type"] {
    return this.binder?.bind(resolved.type, draft) ?? resolved.type;
  }

  #resolved(draft: DraftNode): ResolvedType | undefined {
    const property = propertyOf(draft, "type");
    return property && this.#types.resolve(property.statement, property.scope);
  }

  #elements(
    draft: DraftNode,
    config: Surroundings["config"],
    around: Surroundings,
  ): Pick<LeafListSchema, "minElements" | "maxElements" | "orderedBy"> {
    const min = propertyOf(draft, "min-elements");
    const max = propertyOf(draft, "max-elements");
    const minElements = min === undefined ? 0 : Number(argumentOf(min.statement));
    const limit = max === undefined ? "unbounded" : argumentOf(max.statement);
    const maxElements = limit === "unbounded" ? undefined : Number(limit);
    if (min !== undefined && max !== undefined && maxElements !== undefined && minElements > maxElements)
      this.#report.error(
        "min-above-max",
        `${draft.keyword} ${draft.name} needs ${String(minElements)} entries and allows ${String(maxElements)}`,
        [min.statement.position, max.statement.position],
      );
    // RFC 7950 section 7.7.7: ordered-by is ignored for state, output and notifications.
    const userOrder = config.value || around.place === "input";
    const orderedBy = userOrder && propertyText(draft, "ordered-by") === "user" ? "user" : "system";
    return { minElements, maxElements, orderedBy };
  }

  #openDefault(draft: DraftNode, node: Mutable<LeafSchema> | Mutable<LeafListSchema>, resolved: ResolvedType): void {
    const own = propertiesOf(draft, "default");
    const [first] = own;
    if (first !== undefined) this.#checkMandatory(draft, first);
    const needed = node.kind === "leaf" ? node.mandatory : node.minElements > 0;
    // A default of the type counts only where none is written and the node may be absent; key leafs have none at all
    // (RFC 7950 sections 7.6.1, 7.7.2, 7.8.2), and YANG 1 leaf-lists neither.
    const inherits = !needed && (node.kind === "leaf" || draft.scope.unit.parsed.yangVersion === "1.1");
    const inherited = inherits ? resolved.defaultValue : undefined;
    const values = own.length > 0 ? own : inherited === undefined ? [] : [inherited];
    if (values.length === 0 || (node.kind === "leaf" && node.isKey)) return;
    const type = propertyOf(draft, "type");
    const deviated = type !== undefined && !draft.statement.children.includes(type.statement);
    const typedAt = deviated ? type.statement.position : node.position;
    this.openDefaults.push({ node, values, typedAt });
  }

  #checkMandatory(draft: DraftNode, value: Definition): void {
    const need = draft.keyword === "leaf-list" ? propertyOf(draft, "min-elements") : propertyOf(draft, "mandatory");
    if (need === undefined || argumentOf(need.statement) === "false" || argumentOf(need.statement) === "0") return;
    this.#report.error(
      "mandatory-with-default",
      `${draft.keyword} ${draft.name} has ${describe(need.statement)} and a default`,
      [value.statement.position, need.statement.position],
    );
  }
}

function isMandatory(draft: DraftNode): boolean {
  return propertyText(draft, "mandatory") === "true";
}
