/**
 * Is a tree what its schema says, whoever made it: every node at its place and under its own key, every key there, every
 * value canonical and of its type (RFC 7950 sections 7.8.2, 8.1, 9)?
 */
import { parseValue, simpleTypesOf } from "../values/canonical-value.ts";
import { segmentKey } from "../path.ts";
import { type LeafListSchema, type LeafSchema, type ParentSchemaNode, childSchemas } from "../schema.ts";
import { type DataTree, hasChildren, segmentOf } from "../tree.ts";
import type { Value } from "../value.ts";
import type { FindingReport, Findings } from "./finding.ts";
import { type Place, dataPlace, impliedPlace, rootPlace, textOf } from "./place.ts";

export function checkValues(tree: DataTree, findings: Findings): void {
  new TreeCheck(tree, findings).below(rootPlace(tree.roots), undefined);
}

class TreeCheck {
  readonly #tree: DataTree;
  readonly #findings: Findings;

  constructor(tree: DataTree, findings: Findings) {
    this.#tree = tree;
    this.#findings = findings;
  }

  below(parent: Place, schema: ParentSchemaNode | undefined): void {
    const schemas = childSchemas(this.#tree.schema, schema);
    for (const [key, node] of parent.children) {
      const named = { ...dataPlace(parent, node), data: undefined };
      if (schemas.get(node.schema.id) !== node.schema) {
        this.#report("node-misplaced", named, `${node.schema.name} has no place below ${schema?.name ?? "the top"}`);
        continue;
      }
      if (node.kind === "leaf" && node.schema.isKey) {
        this.#report("node-misplaced", named, `key ${node.schema.name} stands beside the keys of its entry`);
        continue;
      }
      if (node.kind === "entry" && node.keys.length !== node.schema.keys.length) {
        const names = node.schema.keys.map((each) => each.name).join(", ");
        this.#report("key-missing", named, `an entry of list ${node.schema.name} has not exactly its keys`, names);
        continue;
      }
      if (segmentKey(segmentOf(node)) !== key) {
        this.#report("node-misplaced", dataPlace(parent, node), `the node stands under the key ${JSON.stringify(key)}`);
      }
      const place = dataPlace(parent, node);
      if (node.kind === "entry") {
        for (const [index, leaf] of node.schema.keys.entries()) {
          const value = node.keys[index];
          if (value !== undefined) this.#value(impliedPlace(place, leaf, value), leaf, value);
        }
      }
      if (node.kind === "leaf" || node.kind === "leaf-list-entry") this.#value(place, node.schema, node.value);
      if (hasChildren(node)) this.below(place, node.schema);
    }
  }

  #value(place: Place, schema: LeafSchema | LeafListSchema, value: Value): void {
    if (value.kind === "sealed") {
      if (simpleTypesOf(schema.type).some((each) => each.kind === value.type)) return;
      this.#report("value-invalid", place, `${schema.name} cannot be of type ${value.type}`);
      return;
    }
    const context = { schema: this.#tree.schema, form: { kind: "canonical" }, as: value.type } as const;
    const read = parseValue(schema.type, value.text, context);
    if (read.kind === "ok") {
      if (read.value.text !== value.text) this.#report("value-invalid", place, "the value is not in canonical form");
      return;
    }
    for (const each of read.diagnostics) {
      this.#report("value-invalid", place, each.message, each.expected, each.errorAppTag);
    }
  }

  #report(code: FindingReport["code"], place: Place, message: string, expected?: string, errorAppTag?: string): void {
    const { schema } = place;
    this.#findings.add({
      code,
      path: textOf(place),
      schemaPath: schema?.schemaPath ?? "/",
      module: schema?.module ?? "",
      message,
      position: schema?.position,
      expected,
      errorAppTag,
    });
  }
}
