/** Generated schemas and data for properties: every kind of node and type, names shared by modules, hostile texts. */
import fc from "fast-check";
import { parseValue } from "../../model/values/canonical-value.ts";
import type {
  AnydataSchema,
  ContainerSchema,
  DataSchemaNode,
  LeafListSchema,
  LeafSchema,
  Schema,
  TypeSchema,
} from "../../model/schema.ts";
import { formatDiagnostic } from "../../model/diagnostic.ts";
import { type DataNode, type DataTree, type LeafOrigin, childrenOf, nodeKey } from "../../model/tree.ts";
import type { PlainValue } from "../../model/value.ts";
import { formatOpaqueXml } from "../../codec/xml/data-opaque.ts";
import { parseXml } from "../../codec/xml/read-xml.ts";
import { outlineOf } from "./tree-outline.ts";
import { type YangSource, compileYang } from "../../model/yang/compile-yang.ts";
import { GENERATED_MODULES, yangOf } from "./arbitrary-yang.ts";
import { type NodeSpec, buildSchema, types } from "./schema-builder.ts";

const NAMES = ["a", "b", "mtu", "x.y", "_z", "name", "__proto__", "constructor"];
const IDENTITIES = ["alpha:one", "beta:two", "beta:one"];

const hostileTexts = [
  "",
  " ",
  "  two blanks  ",
  "\t",
  "\n",
  "\r\n",
  "a\rb",
  "'",
  '"',
  `it's "x"`,
  "a' or '1'='1",
  "]",
  "[x='y']",
  "\\",
  "/",
  "//",
  "]]>",
  "]]>]]>",
  "&amp;",
  "<b/>",
  "<!--",
  "alpha:one",
  "a:b",
  "one",
  "__proto__",
  "constructor",
  "null",
  "true",
  "[null]",
  "007",
  "0E68",
  "1e3",
  "0x1F",
  "+5",
  "9007199254740993",
  "18446744073709551615",
  "\u{1F600}",
  "e\u0301",
  "\u0085",
  "\u2028",
  "\ufeff",
  "${x}",
  "@a",
  "*",
  ".",
  "..",
  "a".repeat(300),
];

const arbitraryText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...hostileTexts) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
);

const simpleTypes: readonly TypeSchema[] = [
  types.string(),
  types.string({ length: "0..5 | 8..300" }),
  types.string({ patterns: ["[a-z0-9.:/'\" ]*"], not: ["x.*"] }),
  types.string({ typedefs: ["ietf-inet-types:ipv6-address"], patterns: ["[0-9a-fA-F:.]+(%.+)?"] }),
  types.integer("int8"),
  types.integer("uint8", "0..10 | 200..255"),
  types.integer("uint32"),
  types.integer("int64"),
  types.integer("uint64"),
  types.decimal64(2),
  types.decimal64(18),
  types.boolean,
  types.empty,
  types.enumeration("on", "off", "10", "two words"),
  types.bits("b", "a", "c"),
  types.identityref("alpha:base"),
  types.binary(),
  types.instanceIdentifier,
];

const arbitraryType: fc.Arbitrary<TypeSchema> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...simpleTypes) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.constantFrom(...simpleTypes), { minLength: 2, maxLength: 4 })
      .map((each) => types.union(...each)),
  },
);
/** `empty` cannot be a key in YANG 1.0 and needs care in 1.1; it is legal, so it stays among the key types. */
const arbitraryKeyType = arbitraryType;

type Unnamed = (naming: { readonly name: string; readonly module: string }) => NodeSpec;

function arbitraryNode(depth: number): fc.Arbitrary<Unnamed> {
  const leaf = fc.record({ type: arbitraryType, fallback: arbitraryText }).map(
    ({ type, fallback }): Unnamed =>
      (naming) => {
        const value = defaultOf(type, fallback, naming.module);
        return { kind: "leaf", ...naming, type, ...(value === undefined ? {} : { default: value.text }) };
      },
  );
  const leafList = fc.record({ type: arbitraryType, user: fc.boolean() }).map(
    ({ type, user }): Unnamed =>
      (naming) => ({ kind: "leaf-list", ...naming, type, ...(user ? { orderedBy: "user" } : {}) }),
  );
  const anydata = fc.constant<Unnamed>((naming) => ({ kind: "anydata", ...naming }));
  if (depth === 0)
    return fc.oneof(
      { weight: 4, arbitrary: leaf },
      { weight: 2, arbitrary: leafList },
      { weight: 1, arbitrary: anydata },
    );
  const container = fc.record({ children: arbitraryNodes(depth - 1), presence: fc.boolean() }).map(
    ({ children, presence }): Unnamed =>
      (naming) => ({ kind: "container", ...naming, presence, children: children(naming.module) }),
  );
  const list = fc
    .record({
      keys: fc.array(arbitraryKeyType, { minLength: 1, maxLength: 3 }),
      children: arbitraryNodes(depth - 1),
      user: fc.boolean(),
    })
    .map(
      ({ keys, children, user }): Unnamed =>
        (naming) => ({
          kind: "list",
          ...naming,
          ...(user ? { orderedBy: "user" } : {}),
          keys: keys.map((_type, index) => `k${String(index)}`),
          // Keys are declared in reverse, so that their order is not that of the key statement.
          children: [
            ...children(naming.module),
            ...keys
              .map(
                (type, index): NodeSpec => ({ kind: "leaf", name: `k${String(index)}`, module: naming.module, type }),
              )
              .reverse(),
          ],
        }),
    );
  const choice = fc.record({ one: arbitraryNode(0), two: arbitraryNode(0), three: arbitraryNode(depth - 1) }).map(
    ({ one, two, three }): Unnamed =>
      (naming) => ({
        kind: "choice",
        ...naming,
        cases: {
          [`${naming.name}-first`]: [
            one({ ...naming, name: `${naming.name}-1` }),
            two({ ...naming, name: `${naming.name}-2` }),
          ],
          [`${naming.name}-second`]: [three({ ...naming, name: `${naming.name}-3` })],
        },
      }),
  );
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    { weight: 2, arbitrary: leafList },
    { weight: 3, arbitrary: container },
    { weight: 3, arbitrary: list },
    { weight: 2, arbitrary: choice },
    { weight: 1, arbitrary: anydata },
  );
}

/** Siblings: names come again from the next module, as far as there is one. */
function arbitraryNodes(depth: number): fc.Arbitrary<(module: string) => readonly NodeSpec[]> {
  return fc
    .record({
      nodes: fc.array(arbitraryNode(depth), { minLength: 1, maxLength: 5 }),
      names: fc.shuffledSubarray(NAMES, { minLength: 3 }),
    })
    .map(
      ({ nodes, names }) =>
        (module) =>
          nodes.flatMap((node, index) => {
            const other = GENERATED_MODULES[GENERATED_MODULES.findIndex((each) => each === module) + 1];
            const name = names[index % 3] ?? "";
            if (index < 3) return [node({ name, module })];
            return other === undefined ? [] : [node({ name, module: other })];
          }),
    );
}

/** The texts of modules that go together; `yangOf` says what they hold. */
export const arbitraryModules: fc.Arbitrary<readonly YangSource[]> = fc
  .record({ nodes: arbitraryNodes(3), picks: fc.array(fc.nat(), { minLength: 50, maxLength: 50 }) })
  .map(({ nodes, picks }) => yangOf(nodes("alpha"), picks));

export const arbitrarySchema: fc.Arbitrary<Schema> = arbitraryModules.map((sources) => {
  const compiled = compileYang(sources, { implement: "all", features: "all" });
  if (compiled.kind === "ok") return compiled.value;
  throw new Error([...compiled.diagnostics.map(formatDiagnostic), ...sources.map(({ text }) => text)].join("\n"));
});

export interface ArbitraryTreeOptions {
  readonly origins: readonly LeafOrigin[];
  /** Encoding of anydata content; `none`: no such nodes. */
  readonly opaque: "xml" | "json" | "none";
  /** `config` where left out. State data holds lists without keys and repeated values. */
  readonly nodes?: "config" | "all";
}

export function arbitraryTree(schema: Schema, options: ArbitraryTreeOptions): fc.Arbitrary<DataTree> {
  return arbitraryChildren(schema, schema.roots, options).map((nodes) =>
    Object.defineProperty({ schema, roots: childrenOf(nodes) }, fc.toStringMethod, {
      value: describe,
      enumerable: false,
    }),
  );
}

/** A counterexample as readable text; the schema would fill pages. */
function describe(this: DataTree): string {
  return JSON.stringify(outlineOf(this), undefined, 1);
}

/** A schema with a tree of it. */
export function arbitraryData(options: ArbitraryTreeOptions): fc.Arbitrary<DataTree> {
  return arbitrarySchema.chain((schema) => arbitraryTree(schema, options));
}

function arbitraryChildren(
  schema: Schema,
  schemas: ReadonlyMap<string, DataSchemaNode>,
  options: ArbitraryTreeOptions,
): fc.Arbitrary<readonly DataNode[]> {
  const present = [...schemas.values()].filter(
    (each) => !(each.kind === "leaf" && each.isKey) && (each.config || options.nodes === "all"),
  );
  const instances = fc.tuple(...present.map((each) => arbitraryInstances(schema, each, options)));
  return fc
    .record({ instances, second: fc.boolean() })
    .map(({ instances: groups, second }) =>
      groups.flat().filter((node) => node.schema.cases.every((step) => step.case.endsWith("-second") === second)),
    )
    .chain((nodes) => fc.shuffledSubarray(nodes, { minLength: nodes.length }))
    .map(positioned);
}

/** State data: entries without keys and repeated values get the positions in which they stand. */
function positioned(nodes: readonly DataNode[]): readonly DataNode[] {
  const counts = new Map<string, number>();
  return nodes.map((node) => {
    if (node.schema.config || (node.kind !== "entry" && node.kind !== "leaf-list-entry")) return node;
    if (node.kind === "entry" && node.schema.keys.length > 0) return node;
    const key = nodeKey(node);
    const position = (counts.get(key) ?? 0) + 1;
    counts.set(key, position);
    return node.kind === "leaf-list-entry" && position === 1 ? node : { ...node, position };
  });
}

function arbitraryInstances(
  schema: Schema,
  node: DataSchemaNode,
  options: ArbitraryTreeOptions,
): fc.Arbitrary<readonly DataNode[]> {
  switch (node.kind) {
    case "container":
      return fc.oneof(
        fc.constant([]),
        fc.array(arbitraryContainer(schema, node, options), { minLength: 1, maxLength: 1 }),
      );
    case "list": {
      const entry = fc.record({
        keys: fc.tuple(...node.keys.map((key) => arbitraryValue(schema, key))),
        children: arbitraryChildren(schema, node.children, options),
      });
      return fc.array(entry, { maxLength: 3 }).map((entries) =>
        entries.flatMap(({ keys, children }): DataNode[] => {
          const found = keys.filter((key) => key !== undefined);
          return found.length < keys.length
            ? []
            : [{ kind: "entry", schema: node, keys: found, children: childrenOf(children) }];
        }),
      );
    }
    case "leaf":
      return fc
        .record({ value: arbitraryValue(schema, node), origin: fc.constantFrom(...options.origins) })
        .map(({ value, origin }): DataNode[] =>
          value === undefined ? [] : [{ kind: "leaf", schema: node, value, origin }],
        );
    case "leaf-list":
      return fc
        .array(arbitraryValue(schema, node), { maxLength: 4 })
        .map((values) =>
          values.flatMap((value): DataNode[] =>
            value === undefined ? [] : [{ kind: "leaf-list-entry", schema: node, value }],
          ),
        );
    case "anydata":
    case "anyxml":
      if (options.opaque === "none") return fc.constant([]);
      return arbitraryText.map((text): DataNode[] => {
        const content = options.opaque === "json" ? JSON.stringify({ any: [text, 1.5, null] }) : opaqueXml(node, text);
        const encoding = options.opaque === "json" ? "json" : "xml";
        return content === undefined ? [] : [{ kind: "anydata", schema: node, encoding, content }];
      });
  }
}

function arbitraryContainer(
  schema: Schema,
  node: ContainerSchema,
  options: ArbitraryTreeOptions,
): fc.Arbitrary<DataNode> {
  return arbitraryChildren(schema, node.children, options).map((children) => ({
    kind: "container",
    schema: node,
    children: childrenOf(children),
  }));
}

/** A value of the leaf's type, as a reader would give it; undefined when the generated text is none. */
function arbitraryValue(schema: Schema, leaf: LeafSchema | LeafListSchema): fc.Arbitrary<PlainValue | undefined> {
  const texts = fc.oneof(
    { weight: 3, arbitrary: arbitraryText },
    { weight: 1, arbitrary: fc.integer({ min: -130, max: 260 }).map(String) },
    { weight: 1, arbitrary: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n }).map(String) },
    { weight: 1, arbitrary: fc.integer({ min: -99999, max: 99999 }).map((each) => (each / 100).toFixed(2)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("true", "false", "on", "off", "10", "two words", "", "a b", " c  b ", ...IDENTITIES),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString("base64")) },
    { weight: 1, arbitrary: fc.constantFrom("2001:DB8::1", "::", "fe80::1%eth0", "1:0:0:2:0:0:0:3") },
    { weight: 1, arbitrary: fc.constantFrom(...schema.roots.values()).map((root) => `/${root.id}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "/alpha:fixed/row[id='7']/mark",
        "/alpha:fixed/far[.='7']",
        "/alpha:fixed/state/sample[2]/deep/x",
      ),
    },
  );
  // Several tries, so that narrow types come about often.
  return fc
    .array(texts, { minLength: 6, maxLength: 6 })
    .map((tries) =>
      tries.map((text) => parse(leaf.type, text, leaf.module, schema)).find((value) => value !== undefined),
    );
}

/** A default is written in a module, where names take prefixes and an empty leaf has none. */
function defaultOf(type: TypeSchema, text: string, module: string): PlainValue | undefined {
  const value = parse(type, text, module);
  if (value === undefined || value.text.includes("\r")) return undefined;
  if (value.type === "identityref" || value.type === "instance-identifier" || value.type === "empty") return undefined;
  const again = parseValue(type, value.text, { schema: noSchema, form: { kind: "yang", moduleOf: () => undefined } });
  return again.kind === "ok" && type.kind !== "empty" ? value : undefined;
}

const noSchema: Schema = buildSchema([{ name: "alpha", identities: { base: [], one: ["alpha:base"] } }]);

function parse(type: TypeSchema, text: string, module: string, schema: Schema = noSchema): PlainValue | undefined {
  const read = (each: string): PlainValue | undefined => {
    const result = parseValue(type, each, { schema, form: { kind: "json", module } });
    return result.kind === "ok" ? result.value : undefined;
  };
  const value = read(text);
  // In a union of overlapping members the canonical text may belong to an earlier member than the text itself: no
  // encoding can carry such a value, so none is generated.
  const again = value && read(value.text);
  if (value === undefined || again?.type !== value.type || isSpelledAnew(type, value)) return undefined;
  return value;
}

/**
 * XML spells names with prefixes, so in a union a string member that comes first may take the spelling although it
 * refuses the canonical text (by its length, say): no encoding can carry such a value either.
 */
function isSpelledAnew(type: TypeSchema, value: PlainValue): boolean {
  if (type.kind !== "union") return false;
  if (value.type !== "instance-identifier" && value.type !== "identityref") return false;
  const own = type.members.findIndex((member) => member.kind === value.type);
  return type.members.slice(0, own).some((member) => member.kind === "string");
}

function opaqueXml({ kind, namespace, name }: AnydataSchema, text: string): string | undefined {
  const escaped = text.replace(/[^A-Za-z0-9: ]/g, "");
  // In an anydata only elements can stand.
  const tail = kind === "anyxml" ? " tail " : " \n";
  const element = parseXml(
    `<${name} xmlns="${namespace}"><p:x xmlns:p="urn:p" p:y="p:z">${escaped}</p:x>${tail}</${name}>`,
  );
  if (element.kind === "failed") return undefined;
  const content = formatOpaqueXml(element.value);
  return content.kind === "ok" ? content.value : undefined;
}
