/**
 * How much one submission may ask for. Every limit is far above what networks are run with and low enough that nothing
 * a person can write keeps the owner of the graph busy for minutes; an error about one names it and the place.
 * The texts are bounded before they are read: `YAML_MAX_CHARACTERS`, `_NESTING`, `_TOKENS` (codec/yaml/read-yaml.ts).
 */
export const SERVICE_LIMITS = {
  /** Characters of all texts of one submission, and the definitions and instances in them. */
  characters: 4 * 1024 * 1024,
  documents: 10_000,
  /** Characters of one definition as canonical JSON, which is read again as it was stored: never more than a text may have. */
  definitionLength: 262_144,
  /** Rules of one definition. */
  rules: 1_000,
  /** Lists that one rule goes through, one in the other. */
  loops: 4,
  /** Devices of one instance. */
  targets: 10_000,
  /** Items of one list among the parameters. */
  listLength: 20_000,
  /** Characters of one text: a parameter, a key or a value. */
  textLength: 1_048_576,
  /** Characters of one expression, and how deep its parts stand in each other. */
  expressionLength: 4_000,
  expressionDepth: 50,
  /** Times that one instance's rules are gone through on one device. */
  items: 100_000,
  /** The same for a whole submission on all of its devices. */
  submissionItems: 500_000,
  /** Values that the expressions of a whole submission may look at (services/compile-budget.ts). */
  expressionCost: 10_000_000,
} as const;
