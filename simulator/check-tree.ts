import { type InstancePath, segmentKey } from "../model/path.ts";
import {
  type ChoiceSchema,
  type DataSchemaNode,
  type ParentSchemaNode,
  type TypeSchema,
  childSchemas,
} from "../model/schema.ts";
import {
  type Children,
  type DataNode,
  type DataTree,
  hasChildren,
  instancesOf,
  pathText,
  segmentOf,
} from "../model/tree.ts";
import { choicesBelow, chosenCase, isInUse } from "./choice.ts";
import { applicationError, type RpcError } from "./rpc-error.ts";

/**
 * What makes a whole configuration unfit to run (RFC 7950, section 8.1): missing mandatory nodes, element counts, `unique`, and leafrefs without
 * a target. All findings are returned, with the tags and app-tags of section 15. Conditions in XPath are not evaluated: `must` never
 * fails, a node under a `when` is never demanded, and a leafref is content with any instance of its target leaf.
 */
export function checkTree(tree: DataTree): readonly RpcError[] {
  const check = new TreeCheck(tree);
  check.below(undefined, tree.roots, []);
  check.references();
  return check.errors;
}

interface Reference {
  readonly path: InstancePath;
  readonly target: DataSchemaNode;
  readonly text: string;
}

class TreeCheck {
  readonly errors: RpcError[] = [];
  readonly #tree: DataTree;
  readonly #references: Reference[] = [];
  readonly #values = new Map<DataSchemaNode, Set<string>>();

  constructor(tree: DataTree) {
    this.#tree = tree;
  }

  below(parent: ParentSchemaNode | undefined, children: Children, path: InstancePath): void {
    const choices = choicesBelow(this.#tree.schema, parent);
    for (const schema of childSchemas(this.#tree.schema, parent).values()) {
      if (!schema.config || schema.whens.length > 0) continue;
      if (schema.cases.length === 0 || isChosen(schema, children, choices)) this.#demanded(schema, children, path);
    }
    this.#choices([...choices.values()], children, path);
    for (const node of children.values()) this.#node(node, [...path, segmentOf(node)]);
  }

  references(): void {
    for (const { path, target, text } of this.#references) {
      if (this.#values.get(target)?.has(text) === true) continue;
      this.errors.push(
        applicationError("data-missing", `nothing in ${target.schemaPath} has the value ${text}`, {
          appTag: "instance-required",
          path,
        }),
      );
    }
  }

  /** What has to be there because its parent is. */
  #demanded(schema: DataSchemaNode, children: Children, path: InstancePath): void {
    const own: InstancePath = [...path, { kind: "node", module: schema.module, name: schema.name }];
    switch (schema.kind) {
      case "leaf":
      case "anydata":
      case "anyxml":
        if (schema.mandatory && !(schema.kind === "leaf" && schema.isKey) && !children.has(keyOf(own))) {
          this.errors.push(applicationError("data-missing", `mandatory ${schema.name} is missing`, { path: own }));
        }
        return;
      case "container":
        // A non-presence container exists for its conditions even while it is empty.
        if (!schema.presence && !children.has(keyOf(own))) this.below(schema, new Map(), own);
        return;
      case "list":
      case "leaf-list": {
        const entries = instancesOf(children, schema);
        const count = entries.length;
        if (count < schema.minElements)
          this.#count("too-few-elements", `${schema.name} needs ${String(schema.minElements)}`, own);
        if (schema.maxElements !== undefined && count > schema.maxElements) {
          this.#count("too-many-elements", `${schema.name} may have ${String(schema.maxElements)}`, own);
        }
        if (schema.kind === "list") {
          for (const unique of schema.uniques) this.#unique(unique, entries, path);
        }
        return;
      }
    }
  }

  #count(appTag: string, message: string, path: InstancePath): void {
    this.errors.push(applicationError("operation-failed", `${message} entries`, { appTag, path }));
  }

  /** RFC 7950, section 7.8.3: entries in which one of the leafs is missing are not compared. */
  #unique(paths: readonly string[], entries: readonly DataNode[], path: InstancePath): void {
    const seen = new Set<string>();
    for (const entry of entries) {
      const values = paths.map((each) => leafBelow(entry, each));
      if (values.includes(undefined)) continue;
      const key = JSON.stringify(values);
      if (seen.has(key)) {
        this.errors.push(
          applicationError("operation-failed", `${paths.join(", ")} must be unique`, {
            appTag: "data-not-unique",
            path: [...path, segmentOf(entry)],
          }),
        );
      }
      seen.add(key);
    }
  }

  #choices(choices: readonly ChoiceSchema[], children: Children, path: InstancePath): void {
    for (const choice of choices) {
      if (!choice.config) continue;
      const chosen = chosenCase({ choice: choice.id }, children);
      if (chosen === undefined && choice.mandatory) {
        this.errors.push(
          applicationError("data-missing", `one of the cases of ${choice.id} is needed`, {
            appTag: "missing-choice",
            path,
          }),
        );
      }
      const used = choice.cases.find((each) => each.id === chosen);
      if (used !== undefined) this.#choices(used.choices, children, path);
    }
  }

  #node(node: DataNode, path: InstancePath): void {
    if (hasChildren(node)) {
      if (node.kind === "entry") {
        for (const [index, key] of node.schema.keys.entries()) {
          const value = node.keys[index];
          if (value !== undefined) this.#value(key, pathText(value), key.type, path);
        }
      }
      this.below(node.schema, node.children, path);
    } else if (node.kind !== "anydata") {
      this.#value(node.schema, pathText(node.value), node.schema.type, path);
    }
  }

  #value(schema: DataSchemaNode, text: string, type: TypeSchema, path: InstancePath): void {
    const values = this.#values.get(schema);
    if (values === undefined) this.#values.set(schema, new Set([text]));
    else values.add(text);
    if (type.kind === "leafref" && type.requireInstance) this.#references.push({ path, target: type.target(), text });
  }
}

/** Is the node's case chosen by data? A default case demands nothing that is not there (RFC 7950, section 7.9.3). */
function isChosen(schema: DataSchemaNode, children: Children, choices: ReadonlyMap<string, ChoiceSchema>): boolean {
  return isInUse(schema, children, choices) && schema.cases.every((each) => chosenCase(each, children) === each.case);
}

/** The value of a leaf by its path below a list entry, in the form of `ListSchema.uniques`. */
function leafBelow(entry: DataNode, path: string): string | undefined {
  let node: DataNode | undefined = entry;
  for (const step of path.split("/")) {
    if (step === "") continue;
    if (node === undefined || !hasChildren(node)) return undefined;
    const index: number =
      node.kind === "entry" ? node.schema.keys.findIndex((key) => key.id === step || key.name === step) : -1;
    if (node.kind === "entry" && index >= 0) {
      const value = node.keys[index];
      return value === undefined ? undefined : pathText(value);
    }
    node = [...node.children.values()].find((child) => child.schema.id === step || child.schema.name === step);
  }
  return node?.kind === "leaf" ? pathText(node.value) : undefined;
}

function keyOf(path: InstancePath): string {
  const last = path.at(-1);
  return last === undefined ? "" : segmentKey(last);
}
