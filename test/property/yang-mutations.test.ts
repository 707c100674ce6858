/** The compiler ends with a result, never with an exception, whatever became of a valid module's text. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { formatDiagnostic } from "../../model/diagnostic.ts";
import { compileYang, missingModules, schemaModuleSet } from "../../model/yang/compile-yang.ts";

const library = `module lib {
  yang-version 1.1; namespace "urn:lib"; prefix lib;
  feature fast; feature fine { if-feature "fast or not fast"; }
  identity kind; identity special { base kind; }
  typedef percent { type decimal64 { fraction-digits 2; range "0 .. 100 | 200"; } default 1.50; units "%"; }
  typedef name { type string { length "1..64"; pattern '[a-z]*' { modifier invert-match; } } }
  grouping endpoint { leaf host { type name; } leaf port { type uint16; default 22; } choice how { case a { leaf x { type empty; } } leaf y { type int8; } } }
}`;
const main = `module main {
  yang-version 1.1; namespace 'urn:main'; prefix m;
  import lib { prefix l; }
  revision 2024-01-01 { description "first" + " one"; }
  container top { if-feature "l:fast and (l:fine)";
    list server { key "name id"; ordered-by user; unique "host"; leaf name { type l:name; } leaf id { type int8 { range "min .. -3 | 5"; } }
      uses l:endpoint { refine port { default 23; must "../host"; } augment how { case z { leaf w { type l:percent; } } } } }
    leaf main { type leafref { path "/m:top/m:server/m:name"; } }
    leaf any { type union { type bits { bit a; bit b { position 4; } } type enumeration { enum x { value 2; } enum "y z"; } type identityref { base l:kind; } } default x; }
    anydata blob; action run { input { leaf force { type boolean; } } } }
  augment "/m:top/m:run/m:input" { leaf more { type binary { length 1..max; } } }
  deviation /m:top/m:main { deviate add { default "Q"; } }
  rpc go; notification gone { leaf why { type instance-identifier; } }
}`;

const snippets = [
  "{",
  "}",
  ";",
  '"',
  "'",
  "/*",
  "*/",
  "//",
  "+",
  "\\",
  "\u0000",
  "\ud800",
  " ",
  "\n",
  "m:",
  "l:",
  ":",
  "/",
  "..",
  "|",
];
const words = [...new Set(`${library} ${main}`.match(/[A-Za-z0-9:_.-]+/g))];
const piece = fc.oneof(
  fc.constantFrom(...snippets),
  fc.constantFrom(...words),
  fc.string({ unit: "binary", maxLength: 4 }),
);
const mutation = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  remove: fc.oneof(fc.constant(0), fc.nat({ max: 3 }), fc.nat({ max: 200 })),
  insert: fc.oneof(
    piece,
    fc.constant(""),
    piece.map((text) => text.repeat(20)),
  ),
});
/** Replaces whole words, so that most texts stay readable and the later stages are reached. */
const exchange = fc.record({ from: fc.constantFrom(...words), to: fc.constantFrom(...words), nth: fc.nat({ max: 5 }) });

function mutate(text: string, cuts: readonly { at: number; remove: number; insert: string }[]): string {
  return cuts.reduce((current, { at, remove, insert }) => {
    const start = Math.floor(at * current.length);
    return current.slice(0, start) + insert + current.slice(start + remove);
  }, text);
}

function exchangeWords(text: string, changes: readonly { from: string; to: string; nth: number }[]): string {
  return changes.reduce((current, { from, to, nth }) => {
    const parts = current.split(new RegExp(`(?<![A-Za-z0-9:_.-])${from.replaceAll(".", "\\.")}(?![A-Za-z0-9:_.-])`));
    if (parts.length < 2) return current;
    const at = 1 + (nth % (parts.length - 1));
    return parts.slice(0, at).join(from) + to + parts.slice(at).join(from);
  }, text);
}

function compileAll(first: string, second: string): "ok" | "error" {
  const sources = [
    { name: "lib.yang", text: first },
    { name: "main.yang", text: second },
  ];
  const options = { implement: "all", features: "all", maxNodes: 20_000 } as const;
  const result = compileYang(sources, options);
  missingModules(sources);
  schemaModuleSet(sources, options);
  if (result.kind === "ok") return "ok";
  // An error says where, in lines and columns that the text has.
  expect(result.diagnostics.length).toBeGreaterThan(0);
  for (const diagnostic of result.diagnostics) {
    expect(formatDiagnostic(diagnostic)).not.toBe("");
    for (const place of diagnostic.places) {
      if (place.kind !== "source") throw new Error("a place in a text was expected");
      const lines = (place.position.source === "lib.yang" ? first : second).split("\n");
      expect(place.position.line).toBeLessThanOrEqual(lines.length);
      expect(place.position.column).toBeLessThanOrEqual((lines[place.position.line - 1] ?? "").length + 1);
    }
  }
  return "error";
}

it("accepts the modules that are mutated here", () => {
  expect(compileAll(library, main)).toBe("ok");
});

it("never throws on texts with pieces cut out and put in", () => {
  fc.assert(
    fc.property(
      fc.array(mutation, { maxLength: 2 }),
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
      (first, second) => {
        compileAll(mutate(library, first), mutate(main, second));
      },
    ),
    { numRuns: 400 },
  );
});

it("never throws on texts whose words changed places, most of which are still statements", () => {
  const outcomes = { ok: 0, error: 0 };
  fc.assert(
    fc.property(
      fc.array(exchange, { maxLength: 2 }),
      fc.array(exchange, { minLength: 1, maxLength: 3 }),
      (first, second) => {
        outcomes[compileAll(exchangeWords(library, first), exchangeWords(main, second))] += 1;
      },
    ),
    { numRuns: 400 },
  );
  // Mutations that always fail early, or never, would test little.
  expect(outcomes.ok).toBeGreaterThan(4);
  expect(outcomes.error).toBeGreaterThan(200);
});
