/**
 * Which statement may stand in which, and how often: the substatement tables of RFC 7950 section 7 and 9, with what
 * RFC 6020 (YANG 1) says differently. A table entry reads `name` and how often: `1` exactly once, `?` at most once,
 * `*` any number, `+` at least once; `a/b` is YANG 1 / YANG 1.1, `-` means not at all.
 */
import type { ArgumentForm } from "./argument-forms.ts";

export type YangVersion = "1" | "1.1";

export interface Cardinality {
  readonly min: number;
  readonly max: number;
}

export interface StatementGrammar {
  readonly argument: ArgumentForm;
  readonly children: Readonly<Record<YangVersion, ReadonlyMap<string, Cardinality>>>;
  /** Those of the children that must be there. */
  readonly required: Readonly<Record<YangVersion, readonly string[]>>;
}

const META = "status? description? reference?";
const DATA = "container* list* leaf* leaf-list* choice* anyxml* anydata-/* uses*";
const CASE_SHORTHAND = "container* list* leaf* leaf-list* anyxml* anydata-/* choice-/*";
const OPERATIONS = "action-/* notification-/*";
const BODY =
  "extension* feature* identity* typedef* grouping* augment* rpc* notification* deviation* " +
  "container* list* leaf* leaf-list* choice* anyxml* anydata-/* uses*";
const HEADER = "import* include* organization? contact? description? reference? revision*";
const RESTRICTION = "error-message? error-app-tag? description? reference?";

/** keyword -> [argument form, substatements]. */
const TABLE: Readonly<Record<string, readonly [ArgumentForm, string]>> = {
  module: ["identifier", `yang-version?/1 namespace1 prefix1 ${HEADER} ${BODY}`],
  submodule: ["identifier", `yang-version?/1 belongs-to1 ${HEADER} ${BODY}`],
  "yang-version": ["yang-version", ""],
  namespace: ["uri", ""],
  prefix: ["identifier", ""],
  "belongs-to": ["identifier", "prefix1"],
  import: ["identifier", "prefix1 revision-date? description-/? reference-/?"],
  include: ["identifier", "revision-date? description-/? reference-/?"],
  "revision-date": ["date", ""],
  revision: ["date", "description? reference?"],
  organization: ["text", ""],
  contact: ["text", ""],
  description: ["text", ""],
  reference: ["text", ""],
  units: ["text", ""],
  extension: ["identifier", `argument? ${META}`],
  argument: ["identifier", "yin-element?"],
  "yin-element": ["boolean", ""],
  feature: ["identifier", `if-feature* ${META}`],
  "if-feature": ["if-feature", ""],
  identity: ["identifier", `if-feature-/* base?/* ${META}`],
  base: ["identifier-ref", ""],
  typedef: ["identifier", `type1 units? default? ${META}`],
  type: ["identifier-ref", "range? length? pattern* fraction-digits? enum* bit* path? require-instance? base?/* type*"],
  range: ["range", RESTRICTION],
  length: ["length", RESTRICTION],
  pattern: ["text", `modifier-/? ${RESTRICTION}`],
  modifier: ["modifier", ""],
  "fraction-digits": ["fraction-digits", ""],
  enum: ["enum-name", `value? if-feature-/* ${META}`],
  value: ["integer", ""],
  bit: ["identifier", `position? if-feature-/* ${META}`],
  position: ["non-negative", ""],
  path: ["path", ""],
  "require-instance": ["boolean", ""],
  status: ["status", ""],
  config: ["boolean", ""],
  mandatory: ["boolean", ""],
  presence: ["text", ""],
  "ordered-by": ["ordered-by", ""],
  must: ["text", RESTRICTION],
  when: ["text", "description? reference?"],
  "error-message": ["text", ""],
  "error-app-tag": ["text", ""],
  "min-elements": ["non-negative", ""],
  "max-elements": ["max-elements", ""],
  default: ["text", ""],
  key: ["key", ""],
  unique: ["unique", ""],
  grouping: ["identifier", `${META} typedef* grouping* ${DATA} ${OPERATIONS}`],
  container: [
    "identifier",
    `when? if-feature* must* presence? config? ${META} typedef* grouping* ${DATA} ${OPERATIONS}`,
  ],
  leaf: ["identifier", `when? if-feature* type1 units? must* default? config? mandatory? ${META}`],
  "leaf-list": [
    "identifier",
    `when? if-feature* type1 units? must* default-/* config? min-elements? max-elements? ordered-by? ${META}`,
  ],
  list: [
    "identifier",
    `when? if-feature* must* key? unique* config? min-elements? max-elements? ordered-by? ${META} ` +
      `typedef* grouping* ${DATA} ${OPERATIONS}`,
  ],
  choice: ["identifier", `when? if-feature* default? config? mandatory? ${META} case* ${CASE_SHORTHAND}`],
  case: ["identifier", `when? if-feature* ${META} ${DATA}`],
  anydata: ["identifier", `when? if-feature* must* config? mandatory? ${META}`],
  anyxml: ["identifier", `when? if-feature* must* config? mandatory? ${META}`],
  uses: ["identifier-ref", `when? if-feature* ${META} refine* augment*`],
  refine: [
    "descendant-path",
    "if-feature-/* must* presence? default?/* config? mandatory? min-elements? max-elements? description? reference?",
  ],
  augment: ["schema-path", `when? if-feature* ${META} case* ${DATA} ${OPERATIONS}`],
  rpc: ["identifier", `if-feature* ${META} typedef* grouping* input? output?`],
  action: ["identifier", `if-feature* ${META} typedef* grouping* input? output?`],
  input: ["none", `must-/* typedef* grouping* ${DATA}`],
  output: ["none", `must-/* typedef* grouping* ${DATA}`],
  notification: ["identifier", `if-feature* must-/* ${META} typedef* grouping* ${DATA}`],
  deviation: ["absolute-path", "description? reference? deviate+"],
  // RFC 7950 section 14: what may stand in a deviate depends on its argument.
  "deviate not-supported": ["deviate", ""],
  "deviate add": ["deviate", "units? must* unique* default?/* config? mandatory? min-elements? max-elements?"],
  "deviate delete": ["deviate", "units? must* unique* default?/*"],
  "deviate replace": ["deviate", "type? units? default?/* config? mandatory? min-elements? max-elements?"],
};

const CARDINALITIES: Readonly<Record<string, Cardinality>> = {
  "1": { min: 1, max: 1 },
  "?": { min: 0, max: 1 },
  "*": { min: 0, max: Infinity },
  "+": { min: 1, max: Infinity },
};

const ENTRY = /^([a-z-]*[a-z])([1?*+-])(?:\/([1?*+-]))?$/;

function readTable(): ReadonlyMap<string, StatementGrammar> {
  const grammar = new Map<string, StatementGrammar>();
  for (const [keyword, [argument, entries]] of Object.entries(TABLE)) {
    const version1 = new Map<string, Cardinality>();
    const version11 = new Map<string, Cardinality>();
    for (const entry of entries.split(" ").filter((each) => each !== "")) {
      const match = ENTRY.exec(entry);
      const name = match?.[1];
      const first = match?.[2];
      if (name === undefined || first === undefined) throw new TypeError(`grammar table: ${keyword} ${entry}`);
      const older = CARDINALITIES[first];
      const newer = CARDINALITIES[match?.[3] ?? first];
      if (older !== undefined) version1.set(name, older);
      if (newer !== undefined) version11.set(name, newer);
    }
    grammar.set(keyword, {
      argument,
      children: { "1": version1, "1.1": version11 },
      required: { "1": requiredOf(version1), "1.1": requiredOf(version11) },
    });
  }
  return grammar;
}

function requiredOf(children: ReadonlyMap<string, Cardinality>): readonly string[] {
  return [...children].filter(([, { min }]) => min > 0).map(([keyword]) => keyword);
}

const GRAMMAR: ReadonlyMap<string, StatementGrammar> = readTable();

/** Every keyword of YANG, for "did you mean". */
export const KEYWORDS: readonly string[] = [...new Set([...GRAMMAR.keys()].map((key) => key.split(" ")[0] ?? key))];

const INTERNED: ReadonlyMap<string, string> = new Map(KEYWORDS.map((keyword) => [keyword, keyword]));

export function isYangKeyword(keyword: string): boolean {
  return INTERNED.has(keyword);
}

/**
 * The keyword as the tables have it: one string for all its statements, which the engine compares by address with the
 * keywords in this code, instead of by its characters. Undefined for what is no keyword of YANG.
 */
export function internedKeyword(keyword: string): string | undefined {
  return INTERNED.get(keyword);
}

/** The grammar of a statement of YANG itself; that of a deviate depends on its argument. */
export function grammarOf(keyword: string, argument: string | undefined): StatementGrammar | undefined {
  if (keyword !== "deviate") return GRAMMAR.get(keyword);
  return GRAMMAR.get(`deviate ${argument ?? ""}`) ?? GRAMMAR.get("deviate add");
}

/** Sections of a module in the order they must have (RFC 7950 section 14, module-stmt); what is not listed is body. */
const SECTIONS: readonly (readonly string[])[] = [
  ["yang-version", "namespace", "prefix", "belongs-to"],
  ["import", "include"],
  ["organization", "contact", "description", "reference"],
  ["revision"],
];

export const SECTION_NAMES = ["header", "imports", "meta information", "revisions", "body"] as const;

const SECTION_OF: ReadonlyMap<string, number> = new Map(
  SECTIONS.flatMap((keywords, section) => keywords.map((keyword): [string, number] => [keyword, section])),
);

/** 0 to 4: which section of a module a statement belongs to. */
export function sectionOf(keyword: string): number {
  return SECTION_OF.get(keyword) ?? SECTIONS.length;
}
