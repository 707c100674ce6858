/** What is fuzzed: for each language where its texts come from, and what has to hold for every one of them. */
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { dataFromJsonText } from "../../codec/json/data-from-json.ts";
import { dataToJson } from "../../codec/json/data-to-json.ts";
import { type JsonValue, formatJson } from "../../codec/json/json-value.ts";
import { parseJson } from "../../codec/json/parse-json.ts";
import { dataFromXmlText } from "../../codec/xml/data-from-xml-text.ts";
import { dataToXml } from "../../codec/xml/data-to-xml.ts";
import { formatXml } from "../../codec/xml/format-xml.ts";
import { parseXml } from "../../codec/xml/read-xml.ts";
import { xmlElement } from "../../codec/xml/xml-element.ts";
import type { Diagnostic, Result } from "../../model/diagnostic.ts";
import type { Schema } from "../../model/schema.ts";
import type { DataTree } from "../../model/tree.ts";
import { type YangSource, compileYang } from "../../model/yang/compile-yang.ts";
import { KEYWORDS } from "../../model/yang/grammar.ts";
import { arbitraryModules, arbitrarySchema, arbitraryTree } from "../support/arbitrary-data.ts";
import { outlineOf } from "../support/tree-outline.ts";
import { mutate } from "./mutate.ts";
import { Random } from "./random.ts";

export interface FuzzTarget {
  readonly name: string;
  /** The text of an iteration; the same for the same seed. */
  readonly textOf: (iteration: number) => string;
  /** Throws when something does not hold. Every tenth text or so is right as it stands, and must be read. */
  readonly check: (text: string, iteration: number) => "read" | "refused";
}

/** What a text is made from. */
interface Origin {
  readonly text: string;
  readonly schema: Schema;
}

const CORPUS = 25;
const reading = { unknown: "error", nodes: "all", defaultsMode: "report-all-tagged", source: "fuzz" } as const;

const XML_WORDS = [
  "<",
  ">",
  "/>",
  "</",
  "<!DOCTYPE x [",
  "<!ENTITY a 'b'>",
  "&a;",
  "&#0;",
  "&#x10FFFF;",
  "&#xD800;",
  "<![CDATA[",
  "]]>",
  "<!--",
  "-->",
  "<?x",
  "?>",
  '<?xml version="1.1"?>',
  ' xmlns=""',
  ' xmlns:p="urn:test:alpha"',
  "p:",
  " a='1'",
  "\r\n",
  '<data xmlns="urn:ietf:params:xml:ns:netconf:base:1.0">',
  "<rpc-reply>",
  "\u0000",
  "\ud800",
  "\ufeff",
  "__proto__",
]; // prettier-ignore
const JSON_WORDS = [
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"',
  "\\u0000",
  "\\ud800",
  "\\",
  "null",
  "[null]",
  "true",
  "1e400",
  "-0",
  "0.10",
  "18446744073709551616",
  '"@":{',
  '"@a":',
  '"__proto__":',
  '"alpha:',
  '"ietf-netconf-with-defaults:default":true',
  "\u0000",
  "\ufeff",
  "\u2028",
  "NaN",
  "//",
  "'",
]; // prettier-ignore
const YANG_WORDS = [
  ...KEYWORDS,
  "{",
  "}",
  ";",
  '"',
  "'",
  "+",
  "//",
  "/*",
  "*/",
  "\\",
  "1..max",
  "min..0",
  "|",
  "xml:",
  "i-alpha:",
  "/xml:fixed",
  "../",
  "current()",
  "\u0000",
  "\ud800",
  "\ufeff",
  "\t",
  "\r\n",
  "deref(",
  "9".repeat(40),
  "not-supported",
]; // prettier-ignore

export const TARGET_NAMES = ["xml", "json", "yang"] as const;
export type TargetName = (typeof TARGET_NAMES)[number];

export function fuzzTarget(name: TargetName, seed: number): FuzzTarget {
  switch (name) {
    case "xml":
      return dataTarget({
        name,
        seed,
        opaque: "xml",
        words: XML_WORDS,
        print: printXml,
        read: readXmlData,
        law: xmlLaw,
      });
    case "json":
      return dataTarget({
        name,
        seed,
        opaque: "json",
        words: JSON_WORDS,
        print: printJson,
        read: readJsonData,
        law: jsonLaw,
      });
    case "yang":
      return yangTarget(seed);
  }
}

interface DataTargetOptions {
  readonly name: TargetName;
  readonly seed: number;
  readonly opaque: "xml" | "json";
  readonly words: readonly string[];
  readonly print: (tree: DataTree) => string;
  readonly read: (schema: Schema, text: string) => Result<DataTree>;
  /** What holds for the text without any schema. */
  readonly law: (text: string) => void;
}

function dataTarget({ name, seed, opaque, words, print, read, law }: DataTargetOptions): FuzzTarget {
  const trees = arbitrarySchema.chain((schema) =>
    arbitraryTree(schema, { origins: ["set", "default"], opaque, nodes: "all" }),
  );
  const corpus = fc
    .sample(trees, { seed, numRuns: CORPUS })
    .map((tree): Origin => ({ text: print(tree), schema: tree.schema }));
  const originOf = (iteration: number): Origin => new Random(seed + iteration).of(corpus);
  return {
    name,
    textOf: (iteration) => variantOf(originOf(iteration).text, seed, iteration, words),
    check: (text, iteration) => {
      const { schema, text: right } = originOf(iteration);
      const result = read(schema, text);
      checkDiagnostics(result);
      if (text === right && result.kind === "error") throw new Error("a right text is refused");
      law(text);
      if (result.kind === "error") return "refused";
      const again = read(schema, print(result.value));
      if (again.kind === "error")
        throw new Error(`what was written is refused: ${again.diagnostics[0]?.message ?? ""}`);
      if (!isDeepStrictEqual(outlineOf(again.value), outlineOf(result.value))) throw new Error("data was lost");
      return "read";
    },
  };
}

/** The text itself at times. */
function variantOf(text: string, seed: number, iteration: number, words: readonly string[]): string {
  const random = new Random(Math.imul(seed + 1, 0x9e3779b1) + iteration);
  return random.below(10) === 0 ? text : mutate(text, random, words);
}

function checkDiagnostics(result: Result<unknown>): void {
  const diagnostics: readonly Diagnostic[] = result.kind === "error" ? result.diagnostics : result.warnings;
  if (result.kind === "error" && diagnostics.length === 0) throw new Error("an error without a finding");
  for (const { code, message, places } of diagnostics) {
    if (message === "" || (places.length === 0 && !/-findings$/.test(code))) {
      throw new Error(`a finding ${code} without ${message === "" ? "reason" : "place"}`);
    }
  }
}

function printXml(tree: DataTree): string {
  const children = dataToXml(tree, { defaults: "tag" });
  if (children.kind === "error") throw new Error("data cannot be written");
  const namespace = "urn:ietf:params:xml:ns:netconf:base:1.0";
  const text = formatXml(xmlElement({ namespace, name: "data", children: children.value }));
  if (text.kind === "failed") throw new Error(`XML cannot be written: ${text.error.message}`);
  return text.value;
}

function readXmlData(schema: Schema, text: string): Result<DataTree> {
  return dataFromXmlText(schema, text, reading);
}

/** An element tree survives being written, whatever is in it. */
function xmlLaw(text: string): void {
  const root = parseXml(text);
  if (root.kind === "failed") return;
  const written = formatXml(root.value);
  if (written.kind === "failed") throw new Error(`what was read cannot be written: ${written.error.message}`);
  const again = parseXml(written.value);
  const twice = again.kind === "ok" ? formatXml(again.value) : again;
  if (twice.kind === "failed" || twice.value !== written.value)
    throw new Error("an element changes when it is written");
}

function printJson(tree: DataTree): string {
  const json = dataToJson(tree, { defaults: "tag" });
  if (json.kind === "error") throw new Error("data cannot be written");
  return formatJson(json.value, { layout: "compact" });
}

function readJsonData(schema: Schema, text: string): Result<DataTree> {
  return dataFromJsonText(schema, text, reading);
}

/** JSON.parse is the judge of what JSON is; only duplicate members and limits are ours to refuse. */
function jsonLaw(text: string): void {
  let expected: unknown;
  let isJson = true;
  try {
    expected = JSON.parse(text);
  } catch {
    isJson = false;
  }
  const result = parseJson(text, { source: "fuzz" });
  if (result.kind === "error") {
    const isSyntax = result.diagnostics.some((each) => each.code === "json-syntax");
    if (isJson && isSyntax) throw new Error("JSON is refused");
  } else {
    if (!isJson) throw new Error("what is no JSON is read");
    if (!isDeepStrictEqual(plain(result.value), expected)) throw new Error("JSON means something else");
  }
}

function plain(value: JsonValue): unknown {
  switch (value.kind) {
    case "object": {
      const object = {};
      for (const member of value.members) {
        // Like JSON.parse, and unlike an assignment, for `__proto__` too.
        Object.defineProperty(object, member.name, {
          value: plain(member.value),
          configurable: true,
          enumerable: true,
          writable: true,
        });
      }
      return object;
    }
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

/** One module of a set that goes together is changed; the others are as they should be. */
function yangTarget(seed: number): FuzzTarget {
  const corpus = fc.sample(arbitraryModules, { seed, numRuns: CORPUS });
  const chosen = (iteration: number): { readonly sources: readonly YangSource[]; readonly changed: YangSource } => {
    const random = new Random(seed + iteration);
    const sources = random.of(corpus);
    return { sources, changed: random.of(sources) };
  };
  return {
    name: "yang",
    textOf: (iteration) => variantOf(chosen(iteration).changed.text, seed, iteration, YANG_WORDS),
    check: (text, iteration) => {
      const { sources, changed } = chosen(iteration);
      const result = compileYang(
        sources.map((source) => (source === changed ? { name: source.name, text } : source)),
        { implement: "all", features: "all", maxNodes: 20_000 },
      );
      checkDiagnostics(result);
      if (text === changed.text && result.kind === "error") throw new Error("right modules are refused");
      return result.kind === "error" ? "refused" : "read";
    },
  };
}
