import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JsonValue, formatJson } from "../../codec/json/json-value.ts";
import { type JsonLimits, parseJson } from "../../codec/json/parse-json.ts";
import { formatPlace } from "../../model/diagnostic.ts";
import { valueOf } from "../support/results.ts";

function problems(text: string, limits: Partial<JsonLimits> = {}): readonly string[] {
  const result = parseJson(text, { source: "f", limits });
  if (result.kind === "ok") throw new Error("no error");
  return result.diagnostics.map((each) => `${each.places.map(formatPlace).join()} ${each.code}`);
}

describe("parseJson", () => {
  it.each([
    ["", "f:1:1"],
    ["{", "f:1:2"],
    ['{"a":1,}', "f:1:8"],
    ["[1 2]", "f:1:4"],
    ["[01]", "f:1:3"],
    ["[1.]", "f:1:3"],
    ["+1", "f:1:1"],
    ["NaN", "f:1:1"],
    ["nul", "f:1:1"],
    ['\n  "a', "f:2:5"],
    ['"\t"', "f:1:2"],
    ['"\\x"', "f:1:2"],
    ['"\\u12G4"', "f:1:2"],
    ["1 1", "f:1:3"],
    ["{a:1}", "f:1:2"],
    ["// c\n1", "f:1:1"],
    ["\u00a01", "f:1:1"],
    ["\ufeff1", "f:1:1"],
  ])("refuses %j at %s", (text, place) => {
    expect(() => JSON.parse(text) as unknown).toThrow();
    expect(problems(text)).toEqual([`${place} json-syntax`]);
  });

  it("tells duplicate members before an error too, and the first thousand of any number", () => {
    const codes = (text: string): readonly string[] => {
      const result = parseJson(text, { source: "f" });
      return result.kind === "error" ? result.diagnostics.map((each) => each.code) : [];
    };
    expect(codes('{"a":1,"a":2')).toEqual(["json-duplicate-member", "json-syntax"]);
    expect(codes(`{"a":1${',"a":1'.repeat(3000)}}`)).toHaveLength(1000);
  });

  it("refuses duplicate members, also when an escape hides them, and tells each", () => {
    expect(problems('{"a":1,\n "\\u0061":2, "b":{"c":1,"c":1}}')).toEqual([
      "f:2:2 json-duplicate-member",
      "f:2:25 json-duplicate-member",
    ]);
    expect(valueOf(parseJson('[{"a":1},{"a":1}]', { source: "f" })).kind).toBe("array");
  });

  it("limits the depth, the length and the number of values, and names the limit", () => {
    expect(problems("[[[1]]]", { maxDepth: 2 })).toEqual(["f:1:3 json-limit"]);
    expect(problems("[".repeat(100_000))).toEqual(["f:1:513 json-limit"]);
    expect(problems("[1,2]", { maxLength: 4 })).toEqual(["f:1:1 json-limit"]);
    expect(problems("[1,\n2]", { maxValues: 2 })).toEqual(["f:2:1 json-limit"]);
    const result = parseJson("[1,2]", { source: "f", limits: { maxValues: 2 } });
    expect(result.kind === "error" && result.diagnostics[0]?.message).toContain("maxValues of 2");
  });

  it("reads short and long strings alike", () => {
    const lengths = [0, 1, 62, 63, 64, 65, 200];
    for (const before of lengths.map((length) => "x".repeat(length))) {
      for (const [written, read] of [
        ["", ""],
        ["\\n", "\n"],
        ["\\\\", "\\"],
        ['\\"', '"'],
        ["\\u00e4y", "\u00e4y"],
      ])
        expect(valueOf(parseJson(`"${before}${written ?? ""}"`, { source: "f" }))).toEqual({
          kind: "string",
          value: `${before}${read ?? ""}`,
        });
      const column = String(before.length + 2);
      expect(problems(`"${before}\t"`)).toEqual([`f:1:${column} json-syntax`]);
      expect(problems(`"${before}`)).toEqual([`f:1:${column} json-syntax`]);
    }
  });

  it("keeps the text of numbers and the sequence of members", () => {
    expect(valueOf(parseJson('{\r\n  "b": [ 1E400, -0.10 ], "a": {} }', { source: "f" }))).toEqual({
      kind: "object",
      members: [
        {
          name: "b",
          value: {
            kind: "array",
            items: [
              { kind: "number", text: "1E400" },
              { kind: "number", text: "-0.10" },
            ],
          },
        },
        { name: "a", value: { kind: "object", members: [] } },
      ],
    });
  });

  it("reads what JSON.parse reads", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom("compact", "indented", "canonical"), (text, layout) => {
        const value = valueOf(parseJson(text, { source: "f" }));
        expect(plain(value)).toEqual(JSON.parse(text));
        expect(JSON.parse(formatJson(value, { layout }))).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });
});

function plain(value: JsonValue): unknown {
  switch (value.kind) {
    case "object":
      return Object.fromEntries(value.members.map((member) => [member.name, plain(member.value)]));
    case "array":
      return value.items.map(plain);
    case "number":
      return Number(value.text);
    case "null":
      return null;
    default:
      return value.value;
  }
}
