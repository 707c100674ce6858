/** A schema read from its document cannot be told from the compiled one: by what it says, and by what it does to data. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { dataFromJson } from "../../codec/json/data-from-json.ts";
import { dataToJson } from "../../codec/json/data-to-json.ts";
import { schemaFromDocument, schemaToDocument } from "../../model/yang/schema-document.ts";
import { arbitraryData, arbitrarySchema } from "../support/arbitrary-data.ts";
import { plainSchema } from "../support/plain-schema.ts";
import { valueOf } from "../support/results.ts";

it("says the same, and gives the same document", () => {
  fc.assert(
    fc.property(arbitrarySchema, (schema) => {
      const document = schemaToDocument(schema);
      const again = valueOf(schemaFromDocument(document));
      expect(plainSchema(again)).toEqual(plainSchema(schema));
      expect(schemaToDocument(again)).toBe(document);
    }),
    { numRuns: 60 },
  );
});

it("reads and writes the same data", () => {
  fc.assert(
    fc.property(arbitraryData({ origins: ["set"], opaque: "none", nodes: "all" }), (tree) => {
      const schema = valueOf(schemaFromDocument(schemaToDocument(tree.schema)));
      const json = valueOf(dataToJson(tree));
      const options = { unknown: "error", nodes: "all", defaultsMode: "explicit" } as const;
      expect(valueOf(dataToJson(valueOf(dataFromJson(schema, json, options))))).toEqual(
        valueOf(dataToJson(valueOf(dataFromJson(tree.schema, json, options)))),
      );
    }),
    { numRuns: 60 },
  );
});

it("is refused, and nothing thrown, however it was damaged", () => {
  const cut = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), remove: fc.nat(50), insert: fc.string() });
  fc.assert(
    fc.property(arbitrarySchema, cut, (schema, { at, remove, insert }) => {
      const text = schemaToDocument(schema);
      const start = Math.floor(at * text.length);
      const damaged = text.slice(0, start) + insert + text.slice(start + remove);
      fc.pre(damaged !== text);
      expect(schemaFromDocument(damaged).kind).toBe("error");
    }),
    { numRuns: 150 },
  );
});
