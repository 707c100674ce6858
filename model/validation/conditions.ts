/**
 * `when` and `must`: the rules of a module that are XPath expressions (RFC 7950 sections 7.5.3, 7.21.5). Expressions are
 * compiled once a schema and evaluated on one document, whose defaults in use again ask here for their `when`.
 */
import type { DataSchemaNode, Schema, SchemaExpression, WhenConstraint } from "../schema.ts";
import { type Children, type DataTree, hasChildren } from "../tree.ts";
import { type CompiledXPath, compileXPath } from "../xpath/compile-xpath.ts";
import { DataDocument, XPathNode } from "../xpath/data-document.ts";
import { namesIn } from "./expression-names.ts";
import type { Findings } from "./finding.ts";
import { type Place, textOf } from "./place.ts";
import type { LevelRules, ValidatedNodes } from "./schema-rules.ts";
import { contextOfWhen } from "./when-context.ts";

/** An expression that cannot be read, with the reason. */
type Readiness =
  | { readonly kind: "ready"; readonly compiled: CompiledXPath }
  | { readonly kind: "unreadable"; readonly reason: string };

const expressions = new WeakMap<SchemaExpression, Readiness>();

/** The conditions on the nodes of one document. */
export class Conditions {
  readonly #schema: Schema;
  /** What expressions about configuration see, and those about state (RFC 7950 section 6.4.1). */
  readonly #config: DataDocument;
  readonly #all: DataDocument;
  readonly #contents = new WeakMap<DataDocument, ValidatedNodes>();
  readonly #findings: Findings;
  readonly #notEvaluated = new Set<SchemaExpression>();
  /** Names of leafs with sealed values, gathered when a condition fails. */
  #secrets: ReadonlySet<string> | undefined;

  constructor(tree: DataTree, { nodes, findings }: { readonly nodes: ValidatedNodes; readonly findings: Findings }) {
    this.#schema = tree.schema;
    this.#findings = findings;
    this.#config = this.#documentOf(tree, "config");
    this.#all = nodes === "config" ? this.#config : this.#documentOf(tree, "all");
  }

  /** May instances of `schema` stand below `parent`: do all its `when`s hold there? What is not evaluated holds. */
  allow(parent: Place, schema: DataSchemaNode): boolean {
    if (schema.whens.length === 0) return true;
    const node = this.#nodeOf(parent, this.#documentFor(schema));
    return node === undefined || this.#holds(node, schema);
  }

  /** The same for a choice. */
  allowChoice(parent: Place, level: LevelRules, index: number): boolean {
    const choice = level.choices[index]?.choice;
    if (choice === undefined || choice.whens.length === 0) return true;
    const node = this.#nodeOf(parent, this.#documentFor(choice));
    return node === undefined || choice.whens.every((when) => this.#whenHolds(node, undefined, when));
  }

  /** Reports a node that stands although a `when` is false. */
  reportRefused(place: Place, schema: DataSchemaNode): void {
    const parent = place.parent && this.#nodeOf(place.parent, this.#documentFor(schema));
    const failed = parent && schema.whens.find((when) => !this.#whenHolds(parent, schema, when));
    this.#findings.add({
      code: "when-false",
      path: textOf(place),
      schemaPath: schema.schemaPath,
      module: schema.module,
      message: `${schema.kind} ${schema.name} stands where its when is false`,
      position: failed?.expression.position ?? schema.position,
      expected: failed === undefined ? undefined : `when ${failed.expression.text}`,
    });
  }

  /** Checks every `must` of a node that exists. */
  checkMusts(place: Place, schema: DataSchemaNode): void {
    const node = this.#nodeOf(place, this.#documentFor(schema));
    if (node === undefined) return;
    for (const { expression, errorMessage, errorAppTag } of schema.musts) {
      if (this.#test(expression, node, schema)) continue;
      this.#findings.add({
        code: "must-false",
        path: textOf(place),
        schemaPath: schema.schemaPath,
        module: schema.module,
        message: errorMessage ?? `a must of ${schema.kind} ${schema.name} does not hold`,
        position: expression.position,
        expected: expression.text,
        errorAppTag,
      });
    }
  }

  /** The values of the leafs that an expression selects from a place; undefined when it cannot be evaluated. */
  values(expression: SchemaExpression, place: Place): readonly string[] | undefined {
    if (place.schema === undefined) return undefined;
    const node = this.#nodeOf(place, this.#documentFor(place.schema));
    if (node === undefined) return undefined;
    const ready = this.#compiled(expression, place.schema);
    const nodes = ready?.nodes(node);
    if (nodes === "too-costly") this.#cannot(expression, place.schema, "it looks at too many nodes");
    return nodes === undefined || nodes === "too-costly"
      ? undefined
      : nodes.flatMap(({ value }) => (value?.kind === "plain" ? [value.text] : []));
  }

  #documentFor({ config }: { readonly config: boolean }): DataDocument {
    return config ? this.#config : this.#all;
  }

  #documentOf(tree: DataTree, content: ValidatedNodes): DataDocument {
    const document = new DataDocument(tree, {
      content,
      whenHolds: ({ parent, schema }) => parent === undefined || schema === undefined || this.#holds(parent, schema),
    });
    this.#contents.set(document, content);
    return document;
  }

  #holds(parent: XPathNode, schema: DataSchemaNode): boolean {
    return schema.whens.every((when) => this.#whenHolds(parent, schema, when));
  }

  /** `owner` is undefined for the `when` of a choice, whose context is its parent. */
  #whenHolds(parent: XPathNode, owner: DataSchemaNode | undefined, when: WhenConstraint): boolean {
    const content = this.#contents.get(parent.document) ?? "config";
    const context = contextOfWhen({ parent, owner, when }, (tree) => this.#documentOf(tree, content));
    return this.#test(when.expression, context, owner ?? parent.schema);
  }

  /** True where nothing is known: what is wrong then is the expression, which is a finding of its own. */
  #test(expression: SchemaExpression, node: XPathNode, schema: DataSchemaNode | undefined): boolean {
    const ready = this.#compiled(expression, node.schema, schema);
    if (ready === undefined) return true;
    const verdict = ready.test(node);
    if (verdict === true || (verdict === false && !this.#maySeeSecret(expression, node))) return verdict;
    this.#cannot(
      expression,
      schema,
      verdict === false ? "it looks at a secret that is sealed here" : "it looks at too many nodes",
    );
    return true;
  }

  /** The value of a sealed secret is not known, so what an expression says of it means nothing. */
  #maySeeSecret(expression: SchemaExpression, node: XPathNode): boolean {
    if (node.value?.kind === "sealed") return true;
    this.#secrets ??= secretNames(this.#config.tree.roots);
    if (this.#secrets.size === 0) return false;
    const names = namesIn(expression);
    return names === "any" || [...(names ?? [])].some((name) => this.#secrets?.has(name));
  }

  #compiled(
    expression: SchemaExpression,
    context: DataSchemaNode | undefined,
    owner: DataSchemaNode | undefined = context,
  ): CompiledXPath | undefined {
    let readiness = expressions.get(expression);
    if (readiness === undefined) {
      const result = compileXPath(expression, this.#schema, context);
      readiness =
        result.kind === "ok"
          ? { kind: "ready", compiled: result.value }
          : { kind: "unreadable", reason: result.diagnostics.map((each) => each.message).join("; ") };
      expressions.set(expression, readiness);
    }
    if (readiness.kind === "ready") return readiness.compiled;
    this.#cannot(expression, owner, readiness.reason);
    return undefined;
  }

  #cannot(expression: SchemaExpression, owner: DataSchemaNode | undefined, reason: string): void {
    if (this.#notEvaluated.has(expression)) return;
    this.#notEvaluated.add(expression);
    this.#findings.add({
      code: "not-evaluated",
      path: "/",
      schemaPath: owner?.schemaPath ?? "/",
      module: owner?.module ?? expression.module,
      message: `cannot evaluate ${expression.text}: ${reason}`,
      position: expression.position,
    });
  }

  #nodeOf(place: Place, document: DataDocument): XPathNode | undefined {
    if (place.xpath?.document !== document) place.xpath = this.#find(place, document);
    return place.xpath;
  }

  #find({ parent, schema, data, value }: Place, document: DataDocument): XPathNode | undefined {
    if (parent === undefined || schema === undefined) return document.root;
    const above = this.#nodeOf(parent, document);
    if (above === undefined) return undefined;
    if (data !== undefined) return document.nodeOf(above, data);
    if (schema.kind === "list" || schema.kind === "leaf-list") {
      return document.instances(above, schema).find((each) => each.value === value || sameText(each, value));
    }
    return document.child(above, schema);
  }
}

function sameText({ value }: XPathNode, other: Place["value"]): boolean {
  return value?.kind === "plain" && other?.kind === "plain" && value.text === other.text;
}

function secretNames(children: Children, into = new Set<string>()): ReadonlySet<string> {
  for (const node of children.values()) {
    if (hasChildren(node)) secretNames(node.children, into);
    else if (node.kind !== "anydata" && node.value.kind === "sealed") into.add(node.schema.name);
  }
  return into;
}
