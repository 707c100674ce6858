/**
 * Schema nodes made of what all kinds have and what is their own. Each kind is one object literal with its properties
 * by name: the engine makes those several times quicker than copies of another object (`...common`), and all nodes of a
 * kind share one hidden class, which is what walks over a large schema are quick by.
 */
import type {
  AnydataSchema,
  ContainerSchema,
  DataSchemaNode,
  LeafListSchema,
  LeafSchema,
  ListSchema,
} from "../schema.ts";

/** What nodes of every kind have. */
export type NodeCommon = Omit<AnydataSchema, "kind" | "mandatory">;

type Own<Node extends DataSchemaNode> = Omit<Node, "kind" | keyof NodeCommon>;

export function anydataNode(kind: AnydataSchema["kind"], common: NodeCommon, own: Own<AnydataSchema>): AnydataSchema {
  return {
    kind,
    module: common.module,
    namespace: common.namespace,
    name: common.name,
    id: common.id,
    parent: common.parent,
    schemaPath: common.schemaPath,
    config: common.config,
    cases: common.cases,
    whens: common.whens,
    musts: common.musts,
    status: common.status,
    description: common.description,
    extensions: common.extensions,
    position: common.position,
    mandatory: own.mandatory,
  };
}

export function leafNode(common: NodeCommon, own: Own<LeafSchema>): LeafSchema {
  return {
    kind: "leaf",
    module: common.module,
    namespace: common.namespace,
    name: common.name,
    id: common.id,
    parent: common.parent,
    schemaPath: common.schemaPath,
    config: common.config,
    cases: common.cases,
    whens: common.whens,
    musts: common.musts,
    status: common.status,
    description: common.description,
    extensions: common.extensions,
    position: common.position,
    type: own.type,
    units: own.units,
    defaultText: own.defaultText,
    mandatory: own.mandatory,
    isKey: own.isKey,
  };
}

export function leafListNode(common: NodeCommon, own: Own<LeafListSchema>): LeafListSchema {
  return {
    kind: "leaf-list",
    module: common.module,
    namespace: common.namespace,
    name: common.name,
    id: common.id,
    parent: common.parent,
    schemaPath: common.schemaPath,
    config: common.config,
    cases: common.cases,
    whens: common.whens,
    musts: common.musts,
    status: common.status,
    description: common.description,
    extensions: common.extensions,
    position: common.position,
    type: own.type,
    units: own.units,
    defaultTexts: own.defaultTexts,
    orderedBy: own.orderedBy,
    minElements: own.minElements,
    maxElements: own.maxElements,
  };
}

export function containerNode(common: NodeCommon, own: Own<ContainerSchema>): ContainerSchema {
  return {
    kind: "container",
    module: common.module,
    namespace: common.namespace,
    name: common.name,
    id: common.id,
    parent: common.parent,
    schemaPath: common.schemaPath,
    config: common.config,
    cases: common.cases,
    whens: common.whens,
    musts: common.musts,
    status: common.status,
    description: common.description,
    extensions: common.extensions,
    position: common.position,
    presence: own.presence,
    children: own.children,
    choices: own.choices,
    actions: own.actions,
    notifications: own.notifications,
  };
}

export function listNode(common: NodeCommon, own: Own<ListSchema>): ListSchema {
  return {
    kind: "list",
    module: common.module,
    namespace: common.namespace,
    name: common.name,
    id: common.id,
    parent: common.parent,
    schemaPath: common.schemaPath,
    config: common.config,
    cases: common.cases,
    whens: common.whens,
    musts: common.musts,
    status: common.status,
    description: common.description,
    extensions: common.extensions,
    position: common.position,
    keys: own.keys,
    uniques: own.uniques,
    orderedBy: own.orderedBy,
    minElements: own.minElements,
    maxElements: own.maxElements,
    children: own.children,
    choices: own.choices,
    actions: own.actions,
    notifications: own.notifications,
  };
}
