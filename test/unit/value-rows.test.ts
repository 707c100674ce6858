import { describe, expect, it } from "vitest";
import { parseValue } from "../../model/values/canonical-value.ts";
import { valueOf } from "../support/results.ts";
import { BASE_MODULE, OTHER_MODULE, VALUES_MODULE, VALUE_ROWS, type Verdict, isIetfLeaf } from "./value-rows.ts";
import { compiled, leafAt } from "./yang-fixture.ts";

/** Typedefs of the published names with next to no restriction: what is canonical depends on the name alone. */
const inetTypes = `module ietf-inet-types { yang-version 1.1; namespace "urn:ietf-inet-types"; prefix inet;
  typedef ipv4-address { type string { pattern "[0-9.]+(%.+)?"; } }
  typedef ipv4-address-no-zone { type ipv4-address { pattern "[0-9.]*"; } }
  typedef ipv6-address { type string { pattern "[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(%.+)?"; } }
  typedef ipv6-address-no-zone { type ipv6-address { pattern "[0-9a-fA-F:.]*"; } }
  typedef ip-address { type union { type ipv4-address; type ipv6-address; } }
  typedef ipv4-prefix { type string { pattern "[0-9.]+/[0-9]+"; } }
  typedef ipv6-prefix { type string { pattern "[0-9a-fA-F:.]+/[0-9]+"; } }
  typedef ip-prefix { type union { type ipv4-prefix; type ipv6-prefix; } }
  typedef domain-name { type string { length "1..253"; } }
  typedef host { type union { type ip-address; type domain-name; } }
  typedef uri { type string; }
  typedef port-number { type uint16; }
  typedef dscp { type uint8 { range "0..63"; } }
}`;
const yangTypes = `module ietf-yang-types { yang-version 1.1; namespace "urn:ietf-yang-types"; prefix yang;
  typedef mac-address { type string; }
  typedef phys-address { type string; }
  typedef hex-string { type string; }
  typedef uuid { type string; }
  typedef date-and-time { type string; }
  typedef object-identifier { type string; }
  typedef counter64 { type uint64; }
  typedef dotted-quad { type string; }
  typedef yang-identifier { type string { length "1..max"; } }
}`;
const texts = { "values-base": BASE_MODULE, "values-other": OTHER_MODULE, values: VALUES_MODULE };
const schema = compiled(
  Object.entries({ ...texts, "ietf-inet-types": inetTypes, "ietf-yang-types": yangTypes }).map(([name, text]) => ({
    name: `${name}.yang`,
    text,
  })),
  { implement: [{ name: "values", revision: undefined }], features: "all" },
);
const modules: Readonly<Record<string, string>> = { "": "values", v: "values", o: "values-other", b: "values-base" };

function verdictOn(leaf: string, lexical: string): Verdict {
  const form = { kind: "xml", moduleOf: (prefix: string) => modules[prefix] } as const;
  const result = parseValue(leafAt(schema, `/values:${leaf}`).type, lexical, { schema, form });
  return result.kind === "ok" ? { canonical: result.value.text } : { code: result.diagnostics[0]?.code ?? "" };
}

describe("lexical values", () => {
  // What the published patterns refuse is seen where those modules are: test/peers/value-yanglint.test.ts.
  const rows = VALUE_ROWS.filter(({ leaf, verdict }) => !isIetfLeaf(leaf) || "canonical" in verdict);

  it.each(rows.map((row) => [row.leaf, row.lexical, row] as const))("%s %j", (leaf, lexical, row) => {
    expect(verdictOn(leaf, lexical)).toEqual(row.verdict);
  });

  it("are more than 250, of every built-in type", () => {
    expect(VALUE_ROWS.length).toBeGreaterThan(250);
  });

  it.each(rows.flatMap(({ leaf, verdict }) => ("canonical" in verdict ? [[leaf, verdict.canonical] as const] : [])))(
    "%s: the canonical %j stays as it is",
    (leaf, canonical) => {
      const { type } = leafAt(schema, `/values:${leaf}`);
      const value = valueOf(parseValue(type, canonical, { schema, form: { kind: "canonical" } }));
      expect(value.text).toBe(canonical);
      expect(parseValue(type, canonical, { schema, form: { kind: "canonical" }, as: value.type })).toEqual(
        expect.objectContaining({ value }),
      );
    },
  );
});
