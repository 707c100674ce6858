import fc from "fast-check";
import { expect, it } from "vitest";
import { isSameInstant } from "../../model/values/instant.ts";
import type { TypeSchema } from "../../model/schema.ts";
import { plainValue } from "../../model/value.ts";
import { segmentKey } from "../../model/path.ts";
import { type DataNode, type DataTree, segmentOf } from "../../model/tree.ts";
import { compare } from "../../plan/compare.ts";
import { buildSchema, types } from "../support/schema-builder.ts";

const dateAndTime = types.string({ typedefs: ["mine:when", "ietf-yang-types:date-and-time"] });
const same = (a: string, b: string, type: TypeSchema = dateAndTime): boolean =>
  isSameInstant(type, plainValue("string", a), plainValue("string", b));

it.each([
  ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05+00:00"],
  ["2026-01-02T03:04:05Z", "2026-01-02T05:04:05.000+02:00"],
  ["2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00Z"],
  ["2024-02-29T23:00:00-05:30", "2024-03-01T04:30:00Z"],
  ["2026-01-02T03:04:05.120Z", "2026-01-02T03:04:05.12Z"],
  ["2016-12-31T23:59:60Z", "2017-01-01T00:59:60+01:00"],
  ["0001-01-01T00:00:00Z", "0000-12-31T23:00:00-01:00"],
  ["2026-01-02T03:04:05-00:00", "2026-01-02T03:04:05.0-00:00"],
])("%s and %s are one instant", (a, b) => {
  expect([same(a, b), same(b, a)]).toEqual([true, true]);
});

it.each([
  ["2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z"],
  ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05+01:00"],
  ["2026-01-02T03:04:05.12Z", "2026-01-02T03:04:05.1200000000000000000001Z"],
  ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05-00:00"],
  ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"],
  ["2026-02-30T00:00:00Z", "2026-03-02T00:00:00Z"],
  ["2026-13-01T00:00:00Z", "2027-01-01T00:00:00Z"],
  ["2026-01-01T24:00:00Z", "2026-01-02T00:00:00Z"],
  ["2026-01-02T03:04:05", "2026-01-02T03:04:05"],
  ["", ""],
])("%s and %s are not", (a, b) => {
  expect([same(a, b), same(b, a)]).toEqual([false, false]);
});

it("holds for the typedef alone", () => {
  const [a, b] = ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05+00:00"];
  expect(same(a, b, types.string())).toBe(false);
  expect(same(a, b, types.union(dateAndTime, types.integer("int8")))).toBe(true);
  expect(same(a, b, types.union(dateAndTime, types.string()))).toBe(false);
  const sealed = { kind: "sealed", type: "string", keyId: "k", hmac: "00" } as const;
  expect(isSameInstant(dateAndTime, sealed, plainValue("string", a))).toBe(false);
});

it("agrees with the calendar of JavaScript", () => {
  const time = fc.integer({ min: Date.UTC(1000, 0, 1), max: Date.UTC(9990, 0, 1) });
  fc.assert(
    fc.property(
      time,
      fc.integer({ min: -23 * 60, max: 23 * 60 }).filter((offset) => offset !== 0),
      (ms, offset) => {
        const shown = (each: number): string => new Date(each).toISOString().slice(0, -1);
        const clock = (each: number): string => String(Math.floor(Math.abs(each) / 60)).padStart(2, "0");
        const minutes = String(Math.abs(offset) % 60).padStart(2, "0");
        const elsewhere = `${shown(ms + offset * 60_000)}${offset < 0 ? "-" : "+"}${clock(offset)}:${minutes}`;
        expect(same(`${shown(ms)}Z`, elsewhere)).toBe(true);
        expect(same(`${shown(ms + 1)}Z`, elsewhere)).toBe(false);
      },
    ),
    { numRuns: 2000 },
  );
});

it("makes no drift of a time that the device shows with its own offset", () => {
  const schema = buildSchema([{ name: "lab", nodes: [{ kind: "leaf", name: "until", type: dateAndTime }] }]);
  const treeOf = (text: string): DataTree => {
    const leaf = schema.roots.get("lab:until");
    if (leaf?.kind !== "leaf") throw new Error("no leaf");
    const node: DataNode = { kind: "leaf", schema: leaf, value: plainValue("string", text), origin: "set" };
    return { schema, roots: new Map([[segmentKey(segmentOf(node)), node]]) };
  };
  const operations = (shown: string): number =>
    compare(treeOf("2026-01-02T03:04:05Z"), treeOf(shown), { defaultsMode: "explicit" }).operations.length;
  expect([operations("2026-01-02T04:04:05+01:00"), operations("2026-01-02T04:04:05Z")]).toEqual([0, 1]);
});
