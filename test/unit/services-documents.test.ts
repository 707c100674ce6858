/** Reading YAML with positions, and service documents: what is refused, and where the error points. */
import { describe, expect, test } from "vitest";
import { YAML_MAX_CHARACTERS, jsonData, plainData, readYaml, roundedData } from "../../codec/yaml/read-yaml.ts";
import { canonicalJson } from "../../graph/canonical-json.ts";
import { type Result, formatPlace } from "../../model/diagnostic.ts";
import { readServiceDocuments, readSubmission } from "../../services/documents.ts";
import { valueOf } from "../support/results.ts";

/** `code line:column` of every finding. */
function places(result: Result<unknown>): readonly string[] {
  if (result.kind === "ok") throw new Error("nothing was refused");
  return result.diagnostics.map((each) =>
    [each.code, ...each.places.map(formatPlace)].join(" ").replaceAll("t.yaml:", ""),
  );
}

const yaml = (text: string): readonly string[] => places(readYaml("t.yaml", text));
const documents = (text: string): readonly string[] => places(readServiceDocuments("t.yaml", text));
const data = (text: string): unknown => valueOf(readYaml("t.yaml", text)).map(plainData)[0];

describe("YAML", () => {
  test("duplicate keys are refused where the second stands, however they are quoted; JSON too", () => {
    expect(yaml('a: 1\nb:\n  c: 1\n  "c": 2\n')).toEqual(["yaml-duplicate-key 4:3"]);
    expect(yaml('{"a": 1,\n "a": 2}')).toEqual(["yaml-duplicate-key 2:2"]);
    expect(yaml("a: [{b: 1, c: 2, 'b': 3}]\nd: {? e : 1, ? e : 2}\n")).toEqual([
      "yaml-duplicate-key 1:18",
      "yaml-duplicate-key 2:16",
    ]);
  });

  test("several errors come at once, over several documents", () => {
    expect(yaml("a: 1\na: 2\n---\nb: *x\nc: !own 1\n---\n1: x\nd: 007\n")).toEqual([
      "yaml-duplicate-key 2:1",
      "yaml-syntax 5:4",
      "yaml-alias 4:4",
      "yaml-key 7:1",
      "yaml-number 8:4",
    ]);
  });

  test("aliases are refused even where they would resolve", () => {
    expect(yaml("a: &x [1]\nb: *x\n")).toEqual(["yaml-alias 2:4"]);
    expect(yaml("a: &x {b: 1}\nc:\n  <<: *x\n")).toEqual(["yaml-alias 3:7"]);
    // Each level ten times the one before: nothing is made of it.
    const bomb = Array.from(
      { length: 9 },
      (_, nth) => `l${String(nth + 1)}: &l${String(nth + 1)} [${`*l${String(nth)},`.repeat(10)}]`,
    );
    expect(yaml(["l0: &l0 [x]", ...bomb].join("\n"))).toHaveLength(90);
  });

  test("words of YAML 1.1 are text, and its directive is refused", () => {
    expect(data("a: yes\nb: on\n<<: x\n")).toEqual({ a: "yes", b: "on", "<<": "x" });
    expect(yaml("%YAML 1.1\n---\na: yes\n")).toHaveLength(1);
    expect(yaml("%YAML 1.1\n---\na: yes\n")[0]).toMatch(/^yaml-version/);
  });

  test("integers keep all their digits; JSON data has them as text beyond 2^53", () => {
    const [value] = valueOf(readYaml("t.yaml", "a: 18446744073709551615\nb: 9000\nc: 0x1F\n"));
    if (value === undefined) throw new Error("no document");
    expect(plainData(value)).toEqual({ a: 18446744073709551615n, b: 9000n, c: 31n });
    expect(jsonData(value)).toEqual({ a: "18446744073709551615", b: 9000, c: 31 });
    expect(roundedData(value)).toEqual({ a: 18446744073709552000, b: 9000, c: 31 });
  });

  test.each([
    ["flow", `a: ${"[".repeat(100_000)}`, "1:104"],
    ["balanced flow", "[".repeat(101) + "]".repeat(101), "1:101"],
    ["one line of block", `${"- ".repeat(5000)}x`, "1:201"],
    ["many lines of block", Array.from({ length: 600 }, (_, level) => `${" ".repeat(level)}a:`).join("\n"), "402:1"],
  ])("deep nesting is refused before it is parsed: %s", (_, text, place) => {
    expect(yaml(text)).toEqual([`yaml-limit ${place}`]);
  });

  test("brackets in texts are no nesting", () => {
    expect(data(`a: "${"[".repeat(300)}"\nb: x${"[".repeat(300)}\n`)).toMatchObject({ a: "[".repeat(300) });
  });

  test("empty and oversized texts", () => {
    expect(yaml("# nothing\n")).toEqual(["yaml-empty 1:1"]);
    expect(yaml("---\n---\n")).toEqual(["yaml-empty 1:1"]);
    expect(valueOf(readYaml("t.yaml", "---\na: 1\n---\n# nothing\n---\nb: 2\n---\n")).map(plainData)).toEqual([
      { a: 1n },
      { b: 2n },
    ]);
    expect(valueOf(readYaml("t.yaml", '""\n---\nnull\n')).map(plainData)).toEqual(["", null]);
    expect(yaml("a".repeat(YAML_MAX_CHARACTERS + 1))).toEqual(["yaml-limit 1:1"]);
  });
});

const definition = `kind: definition
name: d
version: "1"
rules:
  - path: /net:system/hostname
    value: x
`;

describe("service documents", () => {
  test("unknown fields are refused where they stand, all of them", () => {
    expect(documents(`${definition}    valeu: y\n    wen: z\nowner: me\n`)).toEqual([
      "document-field 7:5",
      "document-field 8:5",
      "document-field 9:1",
    ]);
  });

  test("missing and wrong fields point at the deepest place there is", () => {
    expect(documents("kind: definition\nname: D\nrules:\n  - value: x\n    relation: own\n")).toEqual([
      "document-field 2:7",
      "document-field 1:1",
      "document-field 4:5",
      "document-field 5:15",
    ]);
  });

  test("a document without kind, or with an unknown one", () => {
    expect(documents("name: x\n---\nkind: svc\nname: y\n")).toEqual(["document-kind 1:1", "document-kind 3:7"]);
  });

  test("what canonical JSON cannot hold is refused: nothing, fractions, torn characters", () => {
    expect(documents(`${definition.replace("value: x", "value:")}description: "\\ud800"\n`)).toEqual([
      "document-value 6:11",
      "document-value 7:14",
    ]);
    expect(
      documents("kind: service\nname: s\ndefinition: d\ntargets: [r1]\nparameters: {ratio: 0.5, big: 1e3}\n"),
    ).toEqual(["document-value 5:21", "document-value 5:31"]);
  });

  test("a bound of a parameter schema that would be rounded is refused", () => {
    expect(documents(`${definition}parameters:\n  type: integer\n  maximum: 18446744073709551615\n`)).toEqual([
      "document-value 9:12",
    ]);
  });

  test("a secret reference is said to be not resolved yet", () => {
    expect(documents(definition.replace("value: x", "value: {secretRef: env:X}"))).toEqual(["document-field 6:5"]);
  });

  test("a variable cannot hide what every expression sees, and a target stands once", () => {
    expect(documents(`${definition}    for: params in params.list\n`)).toEqual(["document-field 7:10"]);
    expect(documents("kind: service\nname: s\ndefinition: d\ntargets: [r1, r2, r1]\n")).toEqual([
      "document-field 4:19",
    ]);
  });

  test("one name twice in a submission names both places", () => {
    const text = `${definition}---\n${definition}`;
    expect(places(readSubmission([{ name: "t.yaml", text }]))).toEqual(["document-duplicate-name 8:1 1:1"]);
    const files = ["a.yaml", "b.yaml"].map((name) => ({ name, text: definition }));
    expect(places(readSubmission(files))).toEqual(["document-duplicate-name b.yaml:1:1 a.yaml:1:1"]);
  });

  test("a stored definition reads back as it was written, fields in any order", () => {
    const written = `description: about it\n${definition}    scope: node\n  - path: /net:system/quota\n    value: 18446744073709551615\n`;
    const first = valueOf(readServiceDocuments("t.yaml", written))[0];
    if (first?.kind !== "definition") throw new Error("no definition");
    const second = valueOf(readServiceDocuments("stored", canonicalJson(first.json as object)))[0];
    if (second?.kind !== "definition") throw new Error("no definition came back");
    const meaning = ({ name, version, parameters, rules }: typeof first) => ({
      name,
      version,
      parameters,
      rules: rules.map(({ path, value, scope, relation, onRemove }) => [
        path,
        value?.template,
        scope,
        relation,
        onRemove,
      ]),
    });
    expect(meaning(second)).toEqual(meaning(first));
  });
});
