/** Every kind of node and value that a rule can name, and what is said of those it cannot. */
import { describe, expect, test } from "vitest";
import { type Result, formatPlace } from "../../model/diagnostic.ts";
import { displayValue } from "../../model/value.ts";
import { compileYang } from "../../model/yang/compile-yang.ts";
import { type Yield, compileInstance } from "../../services/compile-instance.ts";
import { readSubmission } from "../../services/documents.ts";
import { checkParameters } from "../../services/parameters.ts";
import { OwnershipStory } from "../support/ownership-story.ts";
import { valueOf } from "../support/results.ts";

const BASE = `module base {
  yang-version 1.1; namespace "urn:t:base"; prefix b;
  identity transport;
  identity ssh { base transport; }
  container all {
    leaf text { type string; }
    leaf short { type string { length "1..4"; } }
    leaf ratio { type decimal64 { fraction-digits 2; } }
    leaf big { type uint64; }
    leaf small { type int8; }
    leaf flag { type boolean; }
    leaf mark { type empty; }
    leaf mixed { type union { type uint8; type enumeration { enum auto; } } }
    leaf transport { type identityref { base transport; } }
    leaf bits { type bits { bit one; bit two; } }
    leaf raw { type binary; }
    leaf address { type instance-identifier; }
    container optional { presence "here"; leaf size { type uint8; } }
    container plain { leaf size { type uint8; } }
    choice how { case wire { leaf wire { type string; } } case air { leaf air { type string; } } }
    list server { key name; ordered-by user; leaf name { type string; } leaf port { type uint16; } }
    leaf-list search { type string; ordered-by user; }
    list seen { config false; leaf count { type uint8; } }
    anydata extra;
  }
}`;
const MORE = `module more {
  yang-version 1.1; namespace "urn:t:more"; prefix m;
  import base { prefix b; }
  identity tls { base b:transport; }
  augment /b:all { leaf extra-leaf { type string; } }
}`;
const schema = valueOf(
  compileYang(
    [
      { name: "base.yang", text: BASE },
      { name: "more.yang", text: MORE },
    ],
    { implement: "all", features: "all" },
  ),
);

/** The rule's fields on line 5. */
function document(rule: string, parameters = "{}"): string {
  return `kind: definition\nname: d\nversion: 1\nrules:\n  - ${rule}\n---\nkind: service\nname: s\ndefinition: d\ntargets: [r1]\nparameters: ${parameters}\n`;
}

function compile(rule: string, parameters?: string): Result<readonly Yield[]> {
  const read = readSubmission([{ name: "t.yaml", text: document(rule, parameters) }]);
  if (read.kind === "error") return read;
  const [definition] = read.value.definitions;
  const [instance] = read.value.instances;
  if (definition === undefined || instance === undefined) throw new Error("no definition or no instance");
  const checked = valueOf(checkParameters(definition, instance));
  return compileInstance(definition, instance, checked, { device: "r1", schema, isSecret: () => false });
}

const leaf = (name: string, value: string): string => `{path: "/base:all/${name}", value: ${value}}`;
const told = (rule: string, parameters?: string): readonly string[] =>
  valueOf(compile(rule, parameters)).map(
    (each) => `${each.text}${each.value === undefined ? "" : ` = ${displayValue(each.value)}`}`,
  );
function refused(rule: string, parameters?: string) {
  const result = compile(rule, parameters);
  if (result.kind === "ok") throw new Error("nothing was refused");
  return result.diagnostics.map(({ code, places, message, expected }) => ({
    code,
    place: places.map(formatPlace)[0],
    message,
    expected,
  }));
}

describe("values that fit", () => {
  test.each([
    ["text", '"a: b"', "a: b"],
    ["ratio", '"-1.50"', "-1.5"],
    ["ratio", "7", "7.0"],
    ["big", "18446744073709551615", "18446744073709551615"],
    ["small", "-128", "-128"],
    ["flag", "true", "true"],
    ["mixed", "7", "7"],
    ["mixed", "auto", "auto"],
    ["transport", "ssh", "base:ssh"],
    ["transport", '"more:tls"', "more:tls"],
    ["bits", '"two one"', "one two"],
    ["raw", '"YWJj"', "YWJj"],
    ["more:extra-leaf", "x", "x"],
  ])("%s takes %s", (name, value, canonical) => {
    expect(told(leaf(name, value))).toEqual([`/base:all/${name} = ${canonical}`]);
  });

  test("a parameter keeps every digit and every line", () => {
    expect(told(leaf("big", "'${params.n}'"), "{n: 9007199254740993}")).toEqual(["/base:all/big = 9007199254740993"]);
    const [banner] = valueOf(compile(leaf("text", "'${params.text}'"), '{text: "one\\n  two\\r\\n\\n"}'));
    expect(banner?.value).toMatchObject({ text: "one\n  two\r\n\n" });
    const block = "path: /base:all/text\n    value: |\n      one\n        two\n";
    expect(valueOf(compile(block))[0]?.value).toMatchObject({ text: "one\n  two\n" });
  });

  test("presence containers and empty leafs exist without a value", () => {
    expect(told('{path: "/base:all/optional"}')).toEqual(["/base:all/optional"]);
    expect(told('{path: "/base:all/mark"}')).toEqual(["/base:all/mark = "]);
    expect(told('{path: "/base:all/text", relation: depends}')).toEqual(["/base:all/text"]);
  });
});

describe("what does not fit is said at its place, with the path and what was expected", () => {
  test.each([
    ["short", '""', /\/base:all\/short/],
    ["ratio", '"1.505"', /\/base:all\/ratio/],
    ["ratio", '"1e3"', /\/base:all\/ratio/],
    ["big", "18446744073709551616", /\/base:all\/big/],
    ["big", "-1", /\/base:all\/big/],
    ["small", "128", /\/base:all\/small/],
    ["flag", '"yes"', /\/base:all\/flag/],
    ["mixed", "300", /\/base:all\/mixed/],
    ["transport", "tls", /\/base:all\/transport/],
    ["transport", '"nope:ssh"', /\/base:all\/transport/],
    ["bits", '"one one"', /\/base:all\/bits/],
    ["raw", '"#"', /\/base:all\/raw/],
    ["mark", "x", /\/base:all\/mark/],
  ])("%s does not take %s", (name, value, path) => {
    expect(refused(leaf(name, value))).toEqual([
      {
        code: "rule-value",
        place: "t.yaml:5:" + String(33 + name.length),
        message: expect.stringMatching(path) as string,
        expected: expect.anything() as unknown,
      },
    ]);
  });

  test.each([
    ["/base:all/txet", "rule-path", /text/],
    ["/all/text", "rule-path", /base/],
    ["/base:all/plain", "rule-path", /presence/],
    ["/base:all/extra", "rule-path", undefined],
    ["/base:all/seen", "rule-not-writable", /config true/],
    ["/base:all/server", "rule-key", /\[name='\.\.'\]/],
    ["/base:all/server[port='1']", "rule-path", /name/],
    ["/base:all/server[name='a'][name='b']", "rule-path", undefined],
    ["/base:all/server[name='a']/name", "rule-key-leaf", /list entry/],
    ["/base:all/how/wire", "rule-path", undefined],
    ["base:all", "rule-path", undefined],
  ])("%s", (path, code, expected) => {
    const [only, ...rest] = refused(`{path: "${path}", value: x}`);
    expect([only?.code, only?.place, rest]).toEqual([code, "t.yaml:5:12", []]);
    if (expected !== undefined) expect(`${only?.expected ?? ""} ${only?.message ?? ""}`).toMatch(expected);
  });
});

describe("a put of what was typed", () => {
  const story = (): OwnershipStory => new OwnershipStory({ schema });
  const put = (on: OwnershipStory, ...rules: readonly string[]): readonly string[] =>
    on.commit(valueOf(on.proposeText("t.yaml", document(rules.join("\n  - ")))));

  test("entries of user-ordered lists go to the end, in the order of the rules, and stay where they were", () => {
    const on = story().import("r1", { set: [["/base:all/server[name='first']"]] });
    const servers = ["c", "a", "b"].map((name) => `{path: "/base:all/server[name='${name}']"}`);
    put(on, ...servers, leaf("search", "z"), leaf("search", "y"));
    const names = (): readonly string[] =>
      on.order("/base:all/server").map((key) => /name='?([a-z]+)/.exec(key)?.[1] ?? key);
    expect(names()).toEqual(["first", "c", "a", "b"]);
    expect(on.order("/base:all/search")).toHaveLength(2);
    put(on, ...[...servers].reverse());
    expect(names()).toEqual(["first", "c", "a", "b"]);
  });

  test("two cases of a choice in one submission are refused, naming both rules", () => {
    const result = story().proposeText("t.yaml", document(`${leaf("wire", "x")}\n  - ${leaf("air", "y")}`));
    if (result.kind === "ok") throw new Error("nothing was refused");
    expect(result.diagnostics.map(({ code, places }) => [code, ...places.map(formatPlace)])).toEqual([
      ["conflict", "t.yaml:5:37", "t.yaml:8:1", "t.yaml:6:36", "t.yaml:8:1"],
    ]);
  });

  test("one case after the other ends the first", () => {
    const on = story();
    put(on, leaf("wire", "x"));
    put(on, leaf("air", "y"));
    expect(on.paths()).toEqual(["/base:all/air"]);
  });
});
