import fc from "fast-check";
import { expect, it } from "vitest";
import { type GnmiPath, formatGnmiPath, parseGnmiPath } from "../../codec/path/gnmi-path-text.ts";
import { readGnmiPath, writeGnmiPath } from "../../codec/path/gnmi-path.ts";
import { formatInstanceIdentifier, parseInstanceIdentifier } from "../../codec/path/instance-identifier.ts";
import { PATH_FORMS, type PathForm, formatPath, parsePath } from "../../codec/path/path-codec.ts";
import { keyReader } from "../../codec/path/key-text.ts";
import { type InstancePath, type KeyValue, type PathSegment, formatInstancePath } from "../../model/path.ts";
import type { LeafListSchema, LeafSchema, Schema } from "../../model/schema.ts";
import { walkTree } from "../../model/tree.ts";
import { arbitraryData } from "../support/arbitrary-data.ts";
import { pathSchema } from "../support/path-schema.ts";
import { valueOf } from "../support/results.ts";

interface Sample {
  readonly schema: Schema;
  readonly path: InstancePath;
}

/** Paths of generated trees of generated schemas. */
const treeSample: fc.Arbitrary<Sample> = arbitraryData({ origins: ["set"], opaque: "xml" })
  .map((tree) => ({ schema: tree.schema, paths: [...walkTree(tree)].map(({ path }) => path) }))
  .filter(({ paths }) => paths.length > 0)
  .chain(({ schema, paths }) => fc.constantFrom(...paths).map((path) => sample(schema, path)));

/** Characters that mean something to one of the encodings. */
const hostileCharacter = fc.oneof(
  fc.constantFrom(
    "'",
    '"',
    "[",
    "]",
    "/",
    "\\",
    "%",
    ",",
    ":",
    "=",
    "*",
    ".",
    " ",
    "\t",
    "\n",
    "\r",
    "?",
    "#",
    "&",
    "+",
    ";",
  ),
  fc.constantFrom("é", "😀", "\u00a0", "\u200f", "e\u0301", "%2F", "\\]", "''", "..", "__proto__"),
  fc.string({ minLength: 1, maxLength: 1, unit: "grapheme" }),
);
const hostileText = fc.array(hostileCharacter, { maxLength: 6 }).map((parts) => parts.join(""));

const readKey = keyReader(pathSchema, { kind: "modules" });

/** Below the lists of a compiled schema, with the most awkward keys that their types have. */
const hostileSample: fc.Arbitrary<Sample> = fc
  .constantFrom("port", "route", "peer", "link", "either", "tag", "family", "log", "seen")
  .chain((name) => {
    const net = pathSchema.roots.get("path-net:net");
    const node = net?.kind === "container" ? net.children.get(`path-net:${name}`) : undefined;
    const top: PathSegment = { kind: "node", module: "path-net", name: "net" };
    if (node?.kind === "leaf-list") {
      const position = fc.constantFrom({}, ...(node.config ? [] : [{ position: 2 }, { position: 99 }]));
      return fc
        .tuple(keyText(node), position)
        .map(([value, place]) =>
          sample(pathSchema, [top, { kind: "leaf-list-entry", module: "path-net", name, value, ...place }]),
        );
    }
    if (node?.kind !== "list") throw new Error(`no list ${name}`);
    if (node.keys.length === 0) {
      const entry = fc.integer({ min: 1, max: 2 ** 40 });
      return entry.map((position) =>
        sample(pathSchema, [top, { kind: "entry", module: "path-net", name, keys: [], position }]),
      );
    }
    return fc.tuple(...node.keys.map((key) => keyText(key))).map((texts) => {
      const keys = texts.map((value, index): KeyValue => ({ name: node.keys[index]?.name ?? "", value }));
      return sample(pathSchema, [top, { kind: "entry", module: "path-net", name, keys }]);
    });
  });

function keyText(leaf: LeafSchema | LeafListSchema): fc.Arbitrary<string> {
  return fc
    .oneof(
      { weight: 4, arbitrary: hostileText },
      {
        weight: 1,
        arbitrary: fc.constantFrom("path-types:ipv4", "path-net:twin", "path-types:twin", "7", "2001:db8::7", "::"),
      },
      {
        weight: 1,
        arbitrary: hostileText.filter((text) => !/['"]/.test(text)).map((text) => `/path-net:net/port[name='${text}']`),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom("/path-net:net", `/path-net:net/route[target="'"][family='path-types:ipv4']`),
      },
    )
    .map((text) => readKey(leaf, text))
    .filter((read) => read.kind === "ok")
    .map((read) => valueOf(read).text);
}

/** A counterexample as text; the schema would fill pages. */
function sample(schema: Schema, path: InstancePath): Sample {
  return Object.defineProperty({ schema, path }, fc.toStringMethod, {
    value: () => formatInstancePath(path),
    enumerable: false,
  });
}

const anySample = fc.oneof(treeSample, hostileSample);

/** Why a form refuses a path that the schema has: the only reasons there are. */
function isInexpressible(form: PathForm, path: InstancePath): boolean {
  const values = path.flatMap((segment) =>
    segment.kind === "entry"
      ? segment.keys.map((key) => key.value)
      : segment.kind === "leaf-list-entry"
        ? [segment.value]
        : [],
  );
  const counted = path.filter((segment) => segment.kind !== "node" && segment.position !== undefined);
  switch (form) {
    case "instance":
      return false;
    case "restconf":
      return counted.length > 0;
    case "xpath":
      return (
        counted.some((segment) => segment.kind === "leaf-list-entry") ||
        values.some((value) => value.includes("'") && value.includes('"'))
      );
    case "gnmi":
      return counted.length > 0 || path.some((segment) => segment.kind === "leaf-list-entry") || values.includes("*");
  }
}

it.each(PATH_FORMS)("%s: reads the path that it wrote, and refuses only what it has no words for", (form) => {
  let written = 0;
  fc.assert(
    fc.property(anySample, ({ schema, path }) => {
      const text = formatPath(schema, form, path);
      if (isInexpressible(form, path)) {
        expect(text.kind === "error" && text.diagnostics[0]?.code).toBe("path-not-expressible");
      } else {
        expect(valueOf(parsePath(schema, form, valueOf(text))).path).toEqual(path);
        written += 1;
      }
    }),
    { numRuns: 600 },
  );
  expect(written).toBeGreaterThan(200);
});

it("goes through all forms, one after another, and is the same path", () => {
  let through = 0;
  fc.assert(
    fc.property(anySample, ({ schema, path }) => {
      if (PATH_FORMS.some((form) => isInexpressible(form, path))) return;
      through += 1;
      let at = path;
      for (const form of PATH_FORMS) at = valueOf(parsePath(schema, form, valueOf(formatPath(schema, form, at)))).path;
      expect(at).toEqual(path);
    }),
    { numRuns: 400 },
  );
  expect(through).toBeGreaterThan(100);
});

it("spells two paths alike only where they are the same", () => {
  fc.assert(
    fc.property(hostileSample, hostileSample, (a, b) => {
      for (const form of PATH_FORMS) {
        const [one, other] = [formatPath(pathSchema, form, a.path), formatPath(pathSchema, form, b.path)];
        if (one.kind === "ok" && other.kind === "ok")
          expect(one.value === other.value).toBe(formatInstancePath(a.path) === formatInstancePath(b.path));
      }
    }),
    { numRuns: 300 },
  );
});

it("writes instance-identifiers by module names that read back (RFC 7951 section 6.11)", () => {
  fc.assert(
    fc.property(anySample, ({ schema, path }) => {
      const text = formatInstanceIdentifier(schema, path, { kind: "modules" });
      if (text.kind === "error") expect(isInexpressible("xpath", path)).toBe(true);
      else expect(valueOf(parseInstanceIdentifier(schema, text.value, { kind: "modules" })).path).toEqual(path);
    }),
    { numRuns: 300 },
  );
});

it("writes gNMI paths in every spelling of names and identities that read back", () => {
  fc.assert(
    fc.property(
      anySample,
      fc.constantFrom("shortest", "rfc7951"),
      fc.constantFrom("qualified", "alone"),
      fc.constantFrom("", "openconfig", "rfc7951"),
      ({ schema, path }, names, identities, origin) => {
        const written = writeGnmiPath(schema, path, { identities, origin, ...(origin === "rfc7951" ? {} : { names }) });
        if (written.kind === "error") expect(isInexpressible("gnmi", path)).toBe(true);
        else expect(valueOf(readGnmiPath(schema, written.value)).path).toEqual(path);
      },
    ),
    { numRuns: 400 },
  );
});

it("case 34: the text of any structured gNMI path reads back", () => {
  const name = fc.string({ minLength: 1, unit: "grapheme" }).filter((text) => !/[/[\]\\=:]/.test(text));
  const elem = fc.record({
    name,
    key: fc.uniqueArray(fc.tuple(name, hostileText), { selector: ([key]) => key, maxLength: 3 }),
  });
  const paths = fc.record({
    origin: fc.constantFrom("", "openconfig", "rfc7951"),
    elem: fc.array(elem, { maxLength: 4 }),
  });
  fc.assert(
    fc.property(paths, ({ origin, elem: elements }) => {
      const path: GnmiPath = {
        origin,
        target: "",
        elem: elements.map((each) => ({ name: each.name, key: new Map(each.key) })),
      };
      const read = valueOf(parseGnmiPath(formatGnmiPath(path)));
      expect(read).toEqual(path);
    }),
    { numRuns: 500 },
  );
});

it("answers any text with a path or with one error that has its place, and never a wider path", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc
      .array(
        fc.constantFrom(
          "/",
          "path-net:net",
          "net",
          "port",
          "=",
          "[",
          "]",
          "name",
          "'",
          '"',
          "a",
          "\\",
          "%",
          "%2F",
          ",",
          "*",
          "..",
          ":",
          "\u0000",
        ),
        { maxLength: 14 },
      )
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(texts, fc.constantFrom(...PATH_FORMS), (text, form) => {
      const read = parsePath(pathSchema, form, text);
      if (read.kind === "error") {
        expect(read.diagnostics).toHaveLength(1);
        const offset = read.diagnostics[0]?.offset ?? -1;
        expect(offset >= 0 && offset <= text.length + 1).toBe(true);
        return;
      }
      // Whatever reads as a path names all of its keys, so it can be written again.
      const again = formatPath(pathSchema, "instance", read.value.path);
      expect(valueOf(parsePath(pathSchema, "instance", valueOf(again))).path).toEqual(read.value.path);
    }),
    { numRuns: 2000 },
  );
});
