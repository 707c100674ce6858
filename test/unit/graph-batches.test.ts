import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, canonicalJsonInTurns } from "../../graph/canonical-json.ts";
import { createDeviceCache } from "../../graph/reads/device-cache.ts";
import type { DeviceState } from "../../graph/reads/device-cache.ts";
import { createImageItems } from "../../graph/start/image-items.ts";
import { batchesOf } from "../../graph/statements/batch-statement.ts";
import { type Overflow, storedText } from "../../graph/stored-text.ts";

describe("rows of a batch", () => {
  const columns = ["id", "current"];
  const rows = Array.from({ length: 9000 }, (_, index) => ({ current: index, id: `item${index}`, unasked: "x" }));

  test("structs have the columns in the statement's order, whatever order the rows have", () => {
    const [first, ...rest] = [...batchesOf({ statement: "", rows: "structs" }, rows, columns)];
    expect(Object.entries((first?.parameters["rows"] as readonly object[])[1] ?? {})).toEqual([
      ["id", "item1"],
      ["current", 1],
    ]);
    expect([first, ...rest].map((batch) => batch?.count)).toEqual(Array.from({ length: 9 }, () => 1000));
  });

  test("lines hold the same, each field and each row at its place", () => {
    const texts = [...batchesOf({ statement: "", rows: "lines" }, rows, columns)];
    expect(texts.map((batch) => batch.count)).toEqual([4000, 4000, 1000]);
    const read = texts.flatMap((batch) =>
      (batch.parameters["rows"] as string).split("\u001e").map((line) => line.split("\u001f")),
    );
    expect(read).toEqual(rows.map((row) => [row.id, String(row.current)]));
  });

  test.each([
    ["an empty field", ""],
    ["the end of a field", "a\u001fb"],
    ["the end of a row", "a\u001eb"],
  ])("%s has no place in a line", (_what, id) => {
    expect(() => [...batchesOf({ statement: "", rows: "lines" }, [{ id, current: 1 }], columns)]).toThrow(/id cannot/);
  });

  test("a text that would break a line stands outside, by its digest", () => {
    const overflow: Overflow = new Map();
    for (const path of ["/a[k='x\u001ey']", "/a[k='x\u001fy']", `/${"a".repeat(3000)}`])
      expect(overflow.get(storedText(path, overflow).slice(1))).toBe(path);
    expect(storedText("/a[k='x\ty']", overflow)).toBe("/a[k='x\ty']");
  });

  test("a row without one of its columns is a mistake of ours", () => {
    for (const form of ["structs", "lines"] as const)
      expect(() => [...batchesOf({ statement: "", rows: form }, [{ id: "a" }], columns)]).toThrow(/lacks its column/);
  });
});

describe("canonical text in turns", () => {
  const plain = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.string({ unit: "grapheme" }),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.array(tie("value"), { maxLength: 5 }),
      fc.dictionary(fc.string(), fc.oneof(tie("value"), fc.constant(undefined)), { maxKeys: 5 }),
    ),
  })).value;

  test("is the canonical text", async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), plain), async (value) => {
        expect(await canonicalJsonInTurns(value)).toBe(canonicalJson(value));
      }),
    );
  });

  test("also of long lists, and lets others run in between", async () => {
    const value = {
      devices: [{ put: Array.from({ length: 10_000 }, (_, index) => ({ path: `/a${index}`, b: [index] })) }],
    };
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 0);
    const text = await canonicalJsonInTurns(value);
    clearInterval(counting);
    expect(text).toBe(canonicalJson(value));
    expect(turns).toBeGreaterThan(0);
  });

  test("refuses what has no faithful form, at its place", async () => {
    const long: unknown[] = Array.from({ length: 5000 }, () => "x");
    long[4321] = 1.5;
    await expect(canonicalJsonInTurns({ a: [{ long }] })).rejects.toMatchObject({
      code: "not-canonical",
      message: expect.stringContaining("/a/0/long/4321") as string,
    });
    await expect(canonicalJsonInTurns({ a: null })).rejects.toMatchObject({ code: "not-canonical" });
  });
});

describe("devices that were read", () => {
  const state = (items: number): DeviceState => ({
    moduleSet: "m",
    items: new Map(
      Array.from({ length: items }, (_, index) => {
        const path = `/a${index}`;
        return [
          path,
          { item: { kind: "container", path }, setBy: { kind: "import" }, since: 1, retained: false },
        ] as const;
      }),
    ),
    links: [],
  });

  test("are kept by device and revision, the least lately asked for going first", async () => {
    const cache = createDeviceCache(25);
    const read: string[] = [];
    const ask = (device: string, revision: number) =>
      cache.get({ build: 0, device, revision }, (key) => {
        read.push(`${key.device}@${key.revision}`);
        return Promise.resolve(state(9));
      });
    const first = await ask("a", 1);
    expect(await ask("a", 1)).toBe(first);
    await ask("b", 1);
    await ask("a", 1);
    await ask("a", 2);
    await ask("a", 1);
    await ask("b", 1);
    expect(read).toEqual(["a@1", "b@1", "a@2", "b@1"]);
  });

  test("one that is larger than all that is kept is answered, and the absent one asked for again", async () => {
    const cache = createDeviceCache(5);
    let reads = 0;
    const ask = (answer: DeviceState | undefined) =>
      cache.get({ build: 0, device: "a", revision: 1 }, () => {
        reads += 1;
        return Promise.resolve(answer);
      });
    expect(await ask(undefined)).toBeUndefined();
    expect((await ask(state(50)))?.items.size).toBe(50);
    expect(reads).toBe(2);
  });
});

describe("items in the image of a rebuild", () => {
  const item = { id: "i", device: "d", path: "/a", current: 1 };
  const version = (revision: number, previous: number) => ({
    id: `i@${revision}`,
    state: "present",
    form: "{}",
    valid_from: revision,
    valid_to: 99,
    previous,
  });

  test("the newest version is found by its item, and ends when the next one comes", () => {
    const items = createImageItems();
    items.addItems([item]);
    expect([items.has("i"), items.newest("i")]).toEqual([true, undefined]);
    items.addVersions([version(1, 0)]);
    items.renewItems([{ id: "i", current: 2 }]);
    items.endVersions([{ id: "i@1", valid_to: 2 }]);
    items.addVersions([version(2, 1)]);
    expect(items.newest("i")?.id).toBe("i@2");
    expect(items.items).toEqual([{ ...item, current: 2 }]);
    expect(items.versions).toEqual([{ ...version(1, 0), valid_to: 2 }, version(2, 1)]);
    expect([...items.deviceVersions()]).toEqual([
      { from: "d", to: "i@1" },
      { from: "d", to: "i@2" },
    ]);
  });

  test("what cannot be is a mistake of ours, not a second row", () => {
    const items = createImageItems();
    items.addItems([item]);
    items.addVersions([version(1, 0)]);
    expect(() => {
      items.addItems([item]);
    }).toThrow(/stands already/);
    expect(() => {
      items.addVersions([version(1, 0)]);
    }).toThrow(/stands already/);
    expect(() => {
      items.endVersions([{ id: "i@7", valid_to: 8 }]);
    }).toThrow(/not the newest/);
    expect(() => {
      items.addVersions([{ ...version(1, 0), id: "other@1" }]);
    }).toThrow(/missing/);
  });
});
