/**
 * Generated node specifications as YANG modules, so that generated data goes through everything the compiler does:
 * nodes of another module than their parent's become augments, some children become groupings and refines, some types
 * typedefs, and a fixed part holds the statements that have no generated counterpart. `picks` decides among the ways.
 */
import { KEYWORDS } from "../../model/yang/grammar.ts";
import { parseYangModule, type YangSource, type YangStatement } from "../../model/yang/compile-yang.ts";
import type { TypeSchema } from "../../model/schema.ts";
import type { NodeSpec } from "./schema-builder.ts";

/** Each module may augment those before it. */
export const GENERATED_MODULES = ["alpha", "beta", "gamma"] as const;
export type GeneratedModule = (typeof GENERATED_MODULES)[number];

/** Own prefixes, as writers of XML have to cope with: two modules with one prefix, which XML reserves besides. */
const OWN_PREFIX: Readonly<Record<GeneratedModule, string>> = { alpha: "xml", beta: "xml", gamma: "g" };

type PathStep = readonly [module: string, name: string];

interface Level {
  readonly module: GeneratedModule;
  readonly path: readonly PathStep[];
  readonly keys: readonly string[];
}

function isGenerated(name: string): name is GeneratedModule {
  return (GENERATED_MODULES as readonly string[]).includes(name);
}

/** The modules that hold these nodes. `nodes` are those at the top, each with its module. */
export function yangOf(nodes: readonly NodeSpec[], picks: readonly number[]): readonly YangSource[] {
  const writer = new YangWriter(picks);
  for (const module of GENERATED_MODULES) {
    writer.writeTop(
      module,
      nodes.filter((node) => node.module === module),
    );
  }
  return writer.sources();
}

class YangWriter {
  readonly #picks: readonly number[];
  readonly #bodies = new Map<GeneratedModule, string[]>(GENERATED_MODULES.map((module) => [module, []]));
  readonly #deviations: string[] = [];
  #turn = 0;
  #names = 0;

  constructor(picks: readonly number[]) {
    this.#picks = picks;
  }

  writeTop(module: GeneratedModule, nodes: readonly NodeSpec[]): void {
    this.#body(module).push(this.#children(nodes, { module, path: [], keys: [] }));
  }

  sources(): readonly YangSource[] {
    const optional = (text: string): string => (this.#pick(2) === 0 ? text : "");
    const texts: Record<string, string> = {
      "ietf-inet-types": INET_TYPES,
      "alpha-parts": ALPHA_PARTS,
      deviations: `${DEVIATIONS} ${this.#deviations.join("\n")} }`,
      alpha: `module alpha { yang-version 1.1; namespace "urn:test:alpha"; prefix xml;
        import ietf-inet-types { prefix inet; ${optional("revision-date 2020-02-02;")} reference "none"; }
        include alpha-parts { ${optional("revision-date 2020-03-03;")} }
        ${optional('organization "o";')} ${optional('contact "c";')} description "d"; reference "r";
        ${optional('revision 2020-03-03 { description "first"; }')}
        identity base; identity one { base base; } ${ALPHA_FIXED} ${this.#body("alpha").join("\n")} }`,
      beta: `module beta { yang-version 1.1; namespace "urn:test:beta"; prefix xml;
        import ietf-inet-types { prefix inet; } import alpha { prefix i-alpha; }
        identity two { base i-alpha:one; } identity one { base i-alpha:base; } ${this.#body("beta").join("\n")} }`,
      gamma: `module gamma { yang-version 1.1; namespace "urn:test:gamma"; prefix g;
        import ietf-inet-types { prefix inet; } import alpha { prefix i-alpha; } import beta { prefix i-beta; }
        ${this.#body("gamma").join("\n")} }`,
    };
    return Object.entries(texts).map(([name, text]) => ({ name: `${name}.yang`, text }));
  }

  #body(module: GeneratedModule): string[] {
    const body = this.#bodies.get(module);
    if (body === undefined) throw new RangeError(module);
    return body;
  }

  #pick(ways: number): number {
    this.#turn += 1;
    return (this.#picks[this.#turn % this.#picks.length] ?? 0) % ways;
  }

  #name(kind: string): string {
    this.#names += 1;
    return `${kind}${String(this.#names)}`;
  }

  #children(nodes: readonly NodeSpec[], level: Level): string {
    const own: string[] = [];
    const grouped: string[] = [];
    for (const node of nodes) {
      const module = node.module ?? level.module;
      if (!isGenerated(module)) throw new RangeError(module);
      if (module !== level.module) {
        this.#augment(module, node, level);
      } else if (
        node.kind === "leaf" &&
        level.path.length > 0 &&
        !level.keys.includes(node.name) &&
        this.#pick(3) === 0
      ) {
        grouped.push(this.#groupedLeaf(node, level));
      } else {
        own.push(this.#node(node, level));
      }
    }
    return [...own, ...grouped].join("\n");
  }

  #augment(module: GeneratedModule, node: NodeSpec, level: Level): void {
    const target = level.path.map(([each, name]) => `/${prefixIn(module, each)}:${name}`).join("");
    const inner = this.#node(node, { module, path: level.path, keys: [] });
    this.#body(module).push(`augment "${target}" { ${inner} }`);
  }

  /** A leaf by way of a grouping; what the leaf says of itself is said by the refinement. */
  #groupedLeaf(node: Extract<NodeSpec, { readonly kind: "leaf" }>, { module }: Level): string {
    const name = this.#name("grouping-");
    this.#body(module).push(`grouping ${name} { leaf ${node.name} { ${this.#type(node.type, module)} } }`);
    const fallback = node.default === undefined ? "" : `default ${quoted(node.default)};`;
    return `uses ${name} { refine ${node.name} { ${fallback} description "refined"; } }`;
  }

  #node(node: NodeSpec, level: Level): string {
    const { module } = level;
    const path: readonly PathStep[] = [...level.path, [module, node.name]];
    const meta =
      ["", 'description "text";', "status current;", 'when "true()";', 'reference "r";'][this.#pick(5)] ?? "";
    const config = node.config === undefined ? "" : `config ${String(node.config)};`;
    const more = this.#more(node, level);
    switch (node.kind) {
      case "container": {
        const presence = node.presence === true ? 'presence "it is there";' : "";
        return `container ${node.name} { ${meta} ${presence} ${config} ${more} ${this.#children(node.children, { module, path, keys: [] })} }`;
      }
      case "list": {
        const order = node.orderedBy === undefined ? "" : "ordered-by user;";
        const key = node.keys.length === 0 ? "" : `key ${quoted(node.keys.join(" "))};`;
        return `list ${node.name} { ${meta} ${key} ${config} ${order} ${more} ${this.#children(node.children, { module, path, keys: node.keys })} }`;
      }
      case "leaf": {
        const fallback = node.default === undefined ? "" : `default ${quoted(node.default)};`;
        return `leaf ${node.name} { ${level.keys.includes(node.name) ? "" : meta} ${this.#type(node.type, module)} ${fallback} ${config} ${more} }`;
      }
      case "leaf-list": {
        const order = node.orderedBy === undefined ? "" : "ordered-by user;";
        return `leaf-list ${node.name} { ${meta} ${this.#type(node.type, module)} ${config} ${order} ${more} }`;
      }
      case "anydata":
        return `${this.#pick(2) === 0 ? "anydata" : "anyxml"} ${node.name} { ${meta} ${config} ${more} }`;
      case "choice": {
        const cases = Object.entries(node.cases).map(
          ([name, nodes]) =>
            `case ${name} { ${this.#children(nodes, { module, path: [...path, [module, name]], keys: [] })} }`,
        );
        return `choice ${node.name} { ${meta} ${more} ${cases.join("\n")} }`;
      }
    }
  }

  /** Some of what a node may say besides, and definitions at the module's top beside it. */
  #more(node: NodeSpec, level: Level): string {
    const { module, keys, path } = level;
    if (keys.includes(node.name)) return "";
    const alpha = prefixIn(module, "alpha");
    const parts = [
      `${alpha}:note "generated";`,
      `if-feature "${alpha}:fast${this.#pick(2) === 0 ? "" : ` or not ${alpha}:slow`}";`,
    ];
    if (node.config === undefined) parts.push("config true;");
    // An augment brings nothing that is mandatory into another module; the first module has no augment.
    const demanded = module === "alpha";
    if ((node.kind === "leaf" && node.default === undefined) || node.kind === "anydata" || node.kind === "choice") {
      parts.push(`mandatory ${String(demanded)};`);
    }
    if (node.kind === "list" || node.kind === "leaf-list") {
      parts.push(`min-elements ${demanded ? "1" : "0"};`, "max-elements 50;", "max-elements unbounded;");
    }
    if (node.kind !== "choice") {
      parts.push('must "true()" { error-message "no"; error-app-tag "generated"; }');
      if (module === "alpha" && this.#pick(4) === 0) {
        const target = [...path, [module, node.name] as const].map(([, name]) => `/a:${name}`).join("");
        this.#deviations.push(`deviation "${target}" { deviate add { must "1 = 1"; } }`);
      }
    }
    if (node.kind === "container" || node.kind === "list") {
      const message = `{ leaf x { type string; } }`;
      parts.push(
        `action ${this.#name("action-")} { input ${message} output ${message} }`,
        `notification ${this.#name("event-")} ${message}`,
      );
    }
    if (node.kind === "list") {
      parts.push(
        `leaf ${this.#name("ref-")} { type leafref { path "../${node.keys[0] ?? ""}"; require-instance false; } }`,
      );
      const marked = node.children.find(
        (child) => child.kind === "leaf" && (child.module ?? module) === module && !node.keys.includes(child.name),
      );
      if (marked !== undefined) parts.push(`unique ${quoted(marked.name)};`);
    }
    this.#define(module);
    return parts[this.#pick(parts.length * 2)] ?? "";
  }

  #define(module: GeneratedModule): void {
    const alpha = prefixIn(module, "alpha");
    const definitions = [
      `feature ${this.#name("feature-")} { if-feature "${alpha}:fast"; }`,
      `identity ${this.#name("identity-")} { base ${alpha}:base; }`,
      `extension ${this.#name("extension-")} { argument text { yin-element false; } }`,
      `rpc ${this.#name("rpc-")} { input { leaf x { type string; } } }`,
      `notification ${this.#name("news-")} { leaf x { type string; } }`,
    ];
    const definition = definitions[this.#pick(definitions.length * 3)];
    if (definition !== undefined) this.#body(module).push(definition);
  }

  #type(type: unknown, module: GeneratedModule): string {
    const written = typeText(type as TypeSchema, module);
    if (this.#pick(4) !== 0) return written;
    const name = this.#name("type-");
    this.#body(module).push(`typedef ${name} { ${written} units "things"; }`);
    return `type ${name};`;
  }
}

function prefixIn(module: GeneratedModule, of: string): string {
  return module === of ? OWN_PREFIX[module] : `i-${of}`;
}

function typeText(type: TypeSchema, module: GeneratedModule): string {
  switch (type.kind) {
    case "string": {
      if (type.typedefs.length > 0) return "type inet:ipv6-address;";
      const lengths = type.lengths.map((each) => `length "${rangeText(each.parts)}";`);
      const patterns = type.patterns.map(
        (each) => `pattern ${quoted(each.pattern)}${each.invert ? " { modifier invert-match; }" : ";"}`,
      );
      return `type string { ${[...lengths, ...patterns].join(" ")} }`;
    }
    case "decimal64":
      return `type decimal64 { fraction-digits ${String(type.fractionDigits)}; }`;
    case "enumeration":
      return `type enumeration { ${type.enums.map((each) => `enum ${quoted(each.name)} { value ${String(each.value)}; }`).join(" ")} }`;
    case "bits":
      return `type bits { ${type.bits.map((each) => `bit ${each.name} { position ${String(each.position)}; }`).join(" ")} }`;
    case "identityref":
      return `type identityref { ${type.bases.map((base) => `base ${prefixIn(module, base.split(":")[0] ?? "")}:${base.split(":")[1] ?? ""};`).join(" ")} }`;
    case "instance-identifier":
      return "type instance-identifier { require-instance false; }";
    case "union":
      return `type union { ${type.members.map((member) => typeText(member, module)).join(" ")} }`;
    case "binary":
    case "boolean":
    case "empty":
      return `type ${type.kind};`;
    case "leafref":
      throw new RangeError("leafrefs stand in the fixed part");
    default: {
      const ranges = type.ranges.map((each) => `range "${rangeText(each.parts)}";`);
      return ranges.length === 0 ? `type ${type.kind};` : `type ${type.kind} { ${ranges.join(" ")} }`;
    }
  }
}

function rangeText(parts: readonly { readonly min: string; readonly max: string }[]): string {
  return parts.map(({ min, max }) => `${min}..${max}`).join(" | ");
}

/** A double-quoted string of RFC 7950 section 6.1.3. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n").replace(/\t/g, "\\t")}"`;
}

const INET_TYPES = `module ietf-inet-types { namespace "urn:test:inet"; prefix inet; revision 2020-02-02;
  typedef ipv6-address { type string { pattern '[0-9a-fA-F:.]+(%.+)?'; } } }`;

const ALPHA_PARTS = `submodule alpha-parts { yang-version 1.1; belongs-to alpha { prefix a; } revision 2020-03-03;
  container from-part { leaf part { type string; } } }`;

/** What the generated nodes do not say. It is part of the data too. */
const ALPHA_FIXED = `
  extension note { argument text { yin-element true; } description "e"; }
  feature fast; feature slow { if-feature "fast"; }
  container fixed {
    must "true()" { error-message "never"; error-app-tag "fixed"; }
    xml:note "kept";
    list row { key id; unique "mark"; min-elements 0; max-elements 9; ordered-by user;
      leaf id { type uint8; }
      leaf mark { type string; units "marks"; mandatory false; }
      leaf same { type leafref { path "../id"; require-instance false; } }
      action touch { input { leaf how { type string; } } output { leaf done { type empty; } } }
      notification touched { leaf when { type string; } } }
    leaf-list far { type leafref { path "../row/id"; } }
    leaf only-fast { if-feature "fast and not slow or slow"; type uint8; }
    leaf gone { type string; } leaf ranged { type int16 { range "1..9"; } default 5; } leaf plain { type string; }
    container state { config false;
      list sample { leaf at { type uint32; } leaf-list value { type int8; }
        container deep { leaf x { type string { length 0..3; } } } }
      leaf-list reading { type string; } anydata raw; } }
  rpc restart { input { leaf delay { type uint8; } } output { leaf ok { type boolean; } } }
  notification restarted { leaf at { type string; } }`;

const DEVIATIONS = `module deviations { yang-version 1.1; namespace "urn:test:deviations"; prefix d; import alpha { prefix a; }
  deviation "/a:fixed/a:gone" { deviate not-supported; }
  deviation "/a:fixed/a:ranged" { deviate replace { type int8 { range "1..7"; } } }
  deviation "/a:fixed/a:plain" { deviate add { default "from a deviation"; } }`;

/** Which statements that the compiler knows stand in generated schemas, and which are not in all of them alike. */
export class StatementCount {
  readonly #schemas: ReadonlyMap<string, number>[] = [];

  /** The modules of one schema. */
  add(sources: readonly YangSource[]): void {
    const counts = new Map<string, number>();
    for (const source of sources) {
      const parsed = parseYangModule(source);
      if (parsed.kind === "error") throw new Error(`${source.name} cannot be read`);
      countKeywords(parsed.value.statement, counts);
    }
    this.#schemas.push(counts);
  }

  /** Keywords of the grammar that never occurred. */
  get missing(): readonly string[] {
    return KEYWORDS.filter((keyword) => this.#schemas.every((counts) => !counts.has(keyword)));
  }

  /** Keywords that stand in every schema equally often: what holds of them is tried in one place only. */
  get fixed(): readonly string[] {
    return KEYWORDS.filter((keyword) => new Set(this.#schemas.map((counts) => counts.get(keyword) ?? 0)).size < 2);
  }
}

/** Percentage of the keywords of the grammar that are not among these. */
export function percentageBut(keywords: readonly string[]): number {
  return Math.floor((100 * (KEYWORDS.length - keywords.length)) / KEYWORDS.length);
}

function countKeywords(statement: YangStatement, counts: Map<string, number>): void {
  counts.set(statement.keyword, (counts.get(statement.keyword) ?? 0) + 1);
  for (const child of statement.children) countKeywords(child, counts);
}
