/**
 * Random data of a small schema as a data tree of ours and as a DOM of the peer, made from one description, and random
 * expressions over it. What is there by default only is added to the DOM by rules of its own, so that the accessible
 * tree is compared as well.
 */
import { createRequire } from "node:module";
import fc from "fast-check";
import { type DataSchemaNode, type Schema, isParentSchema } from "../../model/schema.ts";
import { type DataNode, type DataTree, childrenOf } from "../../model/tree.ts";
import { plainValue } from "../../model/value.ts";
import { type YangSource, compileYang } from "../../model/yang/compile-yang.ts";
import { valueOf } from "../support/results.ts";

const T: YangSource = {
  name: "t.yang",
  text: `module t { yang-version 1.1; namespace "urn:t"; prefix t;
    container top {
      leaf title { type string; }
      leaf size { type uint32; default 7; }
      list item {
        key name;
        leaf name { type string; }
        leaf rank { type int8; }
        leaf-list tag { type string; ordered-by user; }
        container box {
          leaf w { type decimal64 { fraction-digits 2; } default 1.5; }
          leaf title { type string; }
          list part {
            key "id kind";
            leaf label { type string; }
            leaf id { type uint8; }
            leaf kind { type string; }
            container box { leaf w { type string; } }
          }
        }
        container mark { presence "on purpose"; leaf on { type boolean; } }
      }
      list link {
        key "from to";
        leaf from { type string; }
        leaf to { type string; }
        leaf rank { type int8; default 2; }
      }
      container void { container box { leaf-list tag { type string; default a; default b; } } }
    }
  }`,
};
const U: YangSource = {
  name: "u.yang",
  text: `module u { yang-version 1.1; namespace "urn:u"; prefix u; import t { prefix t; }
    augment /t:top { leaf title { type string; } leaf note { type string; } }
    augment /t:top/t:item { leaf rank { type int8; } container box { presence other; leaf note { type string; } } }
  }`,
};

export const SCHEMA: Schema = valueOf(compileYang([T, U], { implement: "all", features: "all" }));
export const PREFIXES: ReadonlyMap<string, string> = new Map([
  ["t", "t"],
  ["u", "u"],
]);

/** One node in document order with all below it; `implied` nodes are not in the data tree. */
export interface Instance {
  readonly schema: DataSchemaNode;
  readonly label: string;
  readonly text: string | undefined;
  readonly keys: readonly string[];
  readonly children: readonly Instance[];
  readonly stored: boolean;
}

/** All of the basic plane: the peer counts UTF-16 units where XPath counts characters (section 3.6). */
const TEXTS = ["", "a", "b", "ab", "10", " 10 ", "-3", "1e3", "+1", ".5", "5.", "true", "x\u00e4y", "a b"];
const POOLS: Readonly<Record<string, readonly string[]>> = {
  string: TEXTS,
  int8: ["-3", "0", "2", "10"],
  uint8: ["0", "2", "10"],
  uint32: ["7", "10", "4294967295"],
  decimal64: ["1.5", "-0.25", "10.0"],
  boolean: ["true", "false"],
};

function textsOf(schema: DataSchemaNode): readonly string[] {
  const pool = schema.kind === "leaf" || schema.kind === "leaf-list" ? POOLS[schema.type.kind] : undefined;
  if (pool === undefined) throw new Error(`no texts for ${schema.schemaPath}`);
  return pool;
}

/** Choices of a random number generator that can be replayed. */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(limit: number): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (((t ^ (t >>> 14)) >>> 0) % 1_000_003) % limit;
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }
}

function instancesOf(dice: Dice, schema: DataSchemaNode, above: string): readonly Instance[] {
  const path = `${above}/${schema.name === "title" || schema.name === "box" || schema.name === "rank" ? schema.id : schema.name}`;
  const leaf = (text: string, label: string, stored: boolean): Instance => ({
    schema,
    label,
    text,
    keys: [],
    children: [],
    stored,
  });
  switch (schema.kind) {
    case "leaf":
      if (dice.below(3) > 0) return [leaf(dice.of(textsOf(schema)), path, true)];
      return schema.defaultText === undefined ? [] : [leaf(schema.defaultText, path, false)];
    case "leaf-list": {
      const texts = new Set(Array.from({ length: dice.below(4) }, () => dice.of(textsOf(schema))));
      const stored = texts.size > 0;
      return [...(stored ? texts : schema.defaultTexts)].map((text) => leaf(text, `${path}[.=${text}]`, stored));
    }
    case "container": {
      if (schema.presence && dice.below(2) === 0) return [];
      const children = childrenIn(dice, schema, path);
      const stored = schema.presence || children.some((child) => child.stored);
      return [{ schema, label: path, text: undefined, keys: [], children, stored }];
    }
    case "list": {
      const entries = new Map<string, Instance>();
      // Some are long enough for the evaluator to make an index.
      const long = schema.parent?.kind === "container" && dice.below(4) === 0;
      for (let count = long ? 12 : dice.below(4); count > 0; count -= 1) {
        const keys = schema.keys.map((key) => dice.of(textsOf(key)));
        const label = `${path}[${keys.join(",")}]`;
        if (entries.has(label)) continue;
        const keyLeafs = schema.keys.map((key, index): Instance => {
          const text = keys[index] ?? "";
          return { schema: key, label: `${label}/${key.name}`, text, keys: [], children: [], stored: true };
        });
        const children = [...keyLeafs, ...childrenIn(dice, schema, label)];
        entries.set(label, { schema, label, text: undefined, keys, children, stored: true });
      }
      return [...entries.values()];
    }
    case "anydata":
    case "anyxml":
      throw new Error("not in this schema");
  }
}

function childrenIn(dice: Dice, schema: DataSchemaNode, path: string): readonly Instance[] {
  if (!isParentSchema(schema)) return [];
  return [...schema.children.values()]
    .filter((child) => child.kind !== "leaf" || !child.isKey)
    .flatMap((child) => instancesOf(dice, child, path));
}

function toData(instance: Instance): DataNode | undefined {
  const { schema, keys, children, stored } = instance;
  if (!stored) return undefined;
  const value = (node: DataSchemaNode, text: string) => {
    if (node.kind !== "leaf" && node.kind !== "leaf-list") throw new Error("no value");
    const { kind } = node.type;
    if (kind === "leafref" || kind === "union") throw new Error("not in this schema");
    return plainValue(kind, text);
  };
  const below = () =>
    childrenOf(
      children
        .filter((child) => child.schema.kind !== "leaf" || !child.schema.isKey)
        .flatMap((child) => toData(child) ?? []),
    );
  switch (schema.kind) {
    case "leaf":
      return { kind: "leaf", schema, value: value(schema, instance.text ?? ""), origin: "set" };
    case "leaf-list":
      return { kind: "leaf-list-entry", schema, value: value(schema, instance.text ?? "") };
    case "container":
      return { kind: "container", schema, children: below() };
    case "list":
      return {
        kind: "entry",
        schema,
        keys: schema.keys.map((key, index) => value(key, keys[index] ?? "")),
        children: below(),
      };
    case "anydata":
    case "anyxml":
      return undefined;
  }
}

/** As much of the DOM as is needed to make one; the package's own types would bring the browser's globals along. */
export interface DomNode {
  appendChild(child: DomNode): void;
}
interface DomDocument extends DomNode {
  createElementNS(namespace: string, name: string): DomNode;
  createTextNode(text: string): DomNode;
}
interface DomPackage {
  readonly DOMImplementation: new () => { createDocument(namespace: null, name: string): DomDocument };
}
interface PeerResult {
  toArray?(): readonly DomNode[];
  readonly num?: number;
  readonly str?: string;
  readonly b?: boolean;
}
interface PeerPackage {
  parse(text: string): {
    evaluate(options: {
      readonly node: DomNode;
      readonly namespaces: Readonly<Record<string, string>>;
      readonly functions: Readonly<Record<string, () => DomNode>>;
    }): PeerResult;
  };
}

const load = createRequire(import.meta.url);
const { DOMImplementation } = load("@xmldom/xmldom") as DomPackage;
const peer = load("xpath") as PeerPackage;

interface PeerNumber {
  readonly num: number;
}
interface PeerNodeSet {
  stringValue(): string;
}

/**
 * What the peer gets wrong and every second expression would meet, put right by the letter of the Recommendation:
 * - section 4.4: number() of a node-set is that of its string-value; the peer takes JavaScript's, which reads "" as 0
 *   and allows exponents and plus signs;
 * - section 3.7 (Number): "5." is a number;
 * - section 4.2: numbers are written without exponent; the peer loses digits of negative ones.
 */
function correctPeer(): void {
  const prototypeOf = (text: string, node: DomNode): object =>
    Object.getPrototypeOf(peer.parse(text).evaluate({ node, namespaces: {}, functions: {} })) as object;
  const node = new DOMImplementation().createDocument(null, "");
  const numbers = prototypeOf("1", node);
  const parse = (text: string): number =>
    /^[ \t\r\n]*-?(?:\d+\.?\d*|\.\d+)[ \t\r\n]*$/.test(text) ? parseFloat(text) : Number.NaN;
  const written = (numbers as { readonly toString: (this: PeerNumber) => string }).toString;
  Object.assign(numbers, {
    parse,
    toString(this: PeerNumber): string {
      return this.num < 0 ? `-${written.call({ num: -this.num })}` : written.call(this);
    },
  });
  Object.assign(prototypeOf("/", node), {
    numberValue(this: PeerNodeSet): number {
      return parse(this.stringValue());
    },
    number(this: PeerNodeSet): object {
      return Object.assign(Object.create(numbers) as object, { num: parse(this.stringValue()) });
    },
  });
}
correctPeer();

/** The data in both forms; nodes of the DOM are known by their labels. */
export interface World {
  readonly tree: DataTree;
  readonly instances: readonly Instance[];
  readonly document: DomNode;
  readonly nodes: ReadonlyMap<string, DomNode>;
  readonly labels: ReadonlyMap<DomNode, string>;
}

export function worldOf(seed: number): World {
  const dice = new Dice(seed);
  const top = [...SCHEMA.roots.values()].flatMap((root) => instancesOf(dice, root, ""));
  const document = new DOMImplementation().createDocument(null, "");
  const nodes = new Map<string, DomNode>([["/", document]]);
  const instances: Instance[] = [];
  const append = (parent: DomNode, instance: Instance): void => {
    const element = document.createElementNS(`urn:${instance.schema.module}`, instance.schema.name);
    nodes.set(instance.label, element);
    instances.push(instance);
    if (instance.text !== undefined && instance.text !== "") {
      const text = document.createTextNode(instance.text);
      nodes.set(`${instance.label}/text()`, text);
      element.appendChild(text);
    }
    for (const child of instance.children) append(element, child);
    parent.appendChild(element);
  };
  for (const each of top) append(document, each);
  const tree = { schema: SCHEMA, roots: childrenOf(top.flatMap((each) => toData(each) ?? [])) };
  return { tree, instances, document, nodes, labels: new Map([...nodes].map(([label, node]) => [node, label])) };
}

/** What an expression gives, in a form that both sides can be brought into. */
export type Outcome = readonly string[] | number | string | boolean;

export function peerOutcome(world: World, text: string, context: DomNode): Outcome {
  const result = peer
    .parse(text)
    .evaluate({ node: context, namespaces: { t: "urn:t", u: "urn:u" }, functions: { current: () => context } });
  if (result.toArray !== undefined) return result.toArray().map((node) => world.labels.get(node) ?? "?");
  return result.num ?? result.str ?? result.b ?? "no result";
}

const MOST_WIDE_STEPS = 3;

/**
 * Can the peer answer in reasonable time? It keeps a node once for each way that leads to it until a path ends, and asks
 * predicates of each, so that steps over much of the document multiply: five of them (descendants of followers of
 * parents of anything ..) take it 15 seconds on these small documents.
 */
export function isAffordable(text: string): boolean {
  return [...text.matchAll(/\/\/|descendant|following|preceding/g)].length <= MOST_WIDE_STEPS;
}

/** A name of module t with or without its prefix: ours takes both (RFC 7950 section 6.4.1), the peer needs one. */
export const OWN = "\u00a7";

export function ours(text: string): string {
  return text.replaceAll(OWN, (_mark, offset: number) => (offset % 2 === 0 ? "" : "t:"));
}

/**
 * The peer counts descendants to `following` and ancestors to `preceding`, which section 2.2 excludes. It is asked for
 * the same nodes in other words, which does for steps without predicates. And it takes the `*` behind a comma for a
 * multiplication (section 3.7).
 */
export function theirs(text: string): string {
  return text
    .replaceAll(OWN, "t:")
    .replaceAll(", *", ", child::*")
    .replaceAll(/(following|preceding)::/g, "ancestor-or-self::node()/$1-sibling::node()/descendant-or-self::");
}

const NAMES = [
  ...["top", "title", "size", "item", "name", "rank", "tag", "box", "w", "part", "label", "id", "kind", "mark"],
  ...["on", "link", "from", "to", "void"],
].map((name) => OWN + name);
const NODE_TESTS = [
  ...NAMES,
  ...NAMES,
  ...NAMES,
  "u:title",
  "u:note",
  "u:rank",
  "u:box",
  "*",
  "*",
  "*",
  "*",
  "t:*",
].concat([
  ...["u:*", "node()", "node()", "text()", "text()", "comment()", "processing-instruction()"],
  "processing-instruction('a')",
]);
/** Namespace nodes are left out: the peer has some for every element, YANG data has none (RFC 7950 section 6.4). */
const AXES = [
  ...["ancestor", "ancestor-or-self", "attribute", "child", "descendant", "descendant-or-self"],
  ...["following-sibling", "parent", "preceding-sibling", "self"],
];
/** Without "7.", which section 3.7 allows and the peer cannot read. */
const NUMBERS = ["0", "1", "2", "3", "10", "0.5", "1.5", ".25", "7.0", "1000000", "100000000000000000000000"];

/** Expressions of all the kinds of XPath 1.0 section 3, by type. */
export const arbitraryExpression: fc.Arbitrary<string> = fc.letrec<
  Record<"any" | "nodes" | "path" | "step" | "predicate" | "string" | "number" | "boolean", string>
>((tie) => {
  const test = fc.constantFrom(...NODE_TESTS);
  const predicates = fc.oneof(
    { weight: 6, arbitrary: fc.constant("") },
    { weight: 2, arbitrary: tie("predicate").map((inner) => `[${inner}]`) },
    { weight: 1, arbitrary: fc.tuple(tie("predicate"), tie("predicate")).map(([a, b]) => `[${a}][ ${b} ]`) },
  );
  const call = (name: string, ...parameters: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
    fc.tuple(...parameters).map((given) => `${name}(${given.join(", ")})`);
  const infix = (
    operators: readonly string[],
    a: fc.Arbitrary<string>,
    b: fc.Arbitrary<string>,
  ): fc.Arbitrary<string> =>
    fc.tuple(a, fc.constantFrom(...operators), b).map(([left, operator, right]) => `${left} ${operator} ${right}`);
  const grouped = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> => inner.map((text) => `(${text})`);
  const leafPath = fc.constantFrom(
    `${OWN}name`,
    `${OWN}rank`,
    ".",
    `${OWN}id`,
    `${OWN}kind`,
    `${OWN}from`,
    `../${OWN}name`,
  );
  const compare = ["=", "!=", "<", "<=", ">", ">="];
  return {
    step: fc.oneof(
      { weight: 6, arbitrary: fc.tuple(test, predicates).map((parts) => parts.join("")) },
      { weight: 2, arbitrary: fc.constant("..") },
      { weight: 1, arbitrary: fc.constant(".") },
      {
        weight: 4,
        arbitrary: fc
          .tuple(fc.constantFrom(...AXES), test, predicates)
          .map(([axis, ...rest]) => `${axis}::${rest.join("")}`),
      },
      {
        weight: 1,
        arbitrary: fc.tuple(fc.constantFrom("following::", "preceding::"), test).map((parts) => parts.join("")),
      },
      { weight: 1, arbitrary: fc.constant("@*") },
    ),
    predicate: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom("1", "2", "last()", "position() = 2", "position() < last()", "position() != 1", "last() - 1"),
      fc
        .tuple(
          leafPath,
          fc.constantFrom("=", "=", "!=", "<"),
          fc.constantFrom(
            "'a'",
            "10",
            "'10'",
            "current()",
            `current()/${OWN}name`,
            `current()/../${OWN}rank`,
            `/${OWN}top/${OWN}item/${OWN}rank`,
            `//${OWN}from`,
          ),
        )
        .map((parts) => parts.join(" ")),
      tie("boolean"),
      tie("any"),
    ),
    path: fc
      .tuple(
        fc.constantFrom(
          "",
          "",
          "",
          "/",
          `/${OWN}top/`,
          `/${OWN}top/${OWN}item/`,
          "//",
          "//",
          "../",
          "../../",
          "current()/",
          "current()/../",
          `ancestor::${OWN}top/`,
          `../../${OWN}link/`,
        ),
        fc.array(tie("step"), { minLength: 1, maxLength: 3 }),
        fc.constantFrom("/", "/", "/", "//"),
      )
      .map(([start, steps, separator]) => start + steps.join(separator)),
    nodes: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { weight: 8, arbitrary: tie("path") },
      { weight: 1, arbitrary: fc.constantFrom("(/)", ".", "..", "current()") },
      { weight: 1, arbitrary: fc.tuple(tie("nodes"), tie("nodes")).map(([a, b]) => `(${a} | ${b})`) },
      { weight: 1, arbitrary: fc.tuple(tie("nodes"), tie("predicate")).map(([a, b]) => `(${a})[${b}]`) },
      { weight: 1, arbitrary: fc.tuple(tie("nodes"), tie("step")).map(([a, b]) => `(${a})/${b}`) },
      { weight: 1, arbitrary: fc.tuple(tie("nodes"), test).map(([a, b]) => `(${a})//${b}`) },
    ),
    string: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom(...TEXTS).map((text) => `'${text}'`),
      call("string", tie("any")),
      call("string", tie("nodes")),
      call("concat", tie("any"), tie("string"), tie("any")),
      call("substring-before", tie("any"), tie("string")),
      call("substring-after", tie("any"), tie("string")),
      // Only finite starts and lengths that are not negative: with others the peer swaps the ends, or takes all
      // (section 4.2 takes nothing).
      call("substring", tie("string"), fc.constantFrom(...NUMBERS, "-1", "-0.5")),
      call("substring", tie("string"), fc.constantFrom(...NUMBERS, "-1", "-0.5"), fc.constantFrom(...NUMBERS)),
      call("normalize-space", tie("any")),
      call("translate", tie("string"), tie("string"), tie("string")),
      // Of elements: the peer has names for the root and for texts, which have none (section 4.1).
      tie("nodes").map((nodes) => `local-name((${nodes})[self::*])`),
      call("namespace-uri", tie("nodes")),
      fc.constantFrom("string()", "local-name(self::*)", "normalize-space()"),
    ),
    number: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom(...NUMBERS),
      call("number", tie("any")),
      call("count", tie("nodes")),
      call("sum", tie("nodes")),
      call("string-length", tie("any")),
      fc.tuple(fc.constantFrom("floor", "ceiling", "round"), tie("number")).map(([name, inner]) => `${name}(${inner})`),
      grouped(infix(["+", "-", "*", "div", "mod"], tie("any"), tie("any"))),
      tie("number").map((inner) => `(-${inner})`),
      fc.constantFrom("number()", "string-length()", "position()", "last()"),
    ),
    boolean: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom("true()", "false()"),
      grouped(infix(["=", "!="], tie("any"), tie("any"))),
      // A node-set beside a boolean is one itself (section 3.4); the peer takes its number.
      grouped(
        infix(compare, fc.oneof(tie("nodes"), tie("string"), tie("number")), fc.oneof(tie("nodes"), tie("number"))),
      ),
      grouped(infix(compare, tie("boolean"), fc.oneof(tie("boolean"), tie("number"), tie("string")))),
      grouped(infix(compare, tie("nodes"), tie("nodes"))),
      grouped(infix(["and", "or"], tie("any"), tie("any"))),
      call("not", tie("any")),
      call("boolean", tie("any")),
      call("starts-with", tie("any"), tie("string")),
      call("contains", tie("any"), tie("string")),
    ),
    any: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { weight: 3, arbitrary: tie("nodes") },
      { weight: 1, arbitrary: tie("string") },
      { weight: 1, arbitrary: tie("number") },
      { weight: 1, arbitrary: tie("boolean") },
    ),
  };
}).any;
