import { describe, expect, it } from "vitest";
import { type DataFromJsonOptions, dataFromJsonText } from "../../codec/json/data-from-json.ts";
import { dataToJson } from "../../codec/json/data-to-json.ts";
import { formatJson } from "../../codec/json/json-value.ts";
import { itemsOf } from "../../codec/items.ts";
import { type Result, formatPlace } from "../../model/diagnostic.ts";
import type { DataTree } from "../../model/tree.ts";
import { problemsOf, valueOf, warningsOf } from "../support/results.ts";
import { buildSchema, types } from "../support/schema-builder.ts";

const schema = buildSchema([
  {
    name: "ex",
    identities: { kind: [], own: ["ex:kind"] },
    nodes: [
      {
        kind: "container",
        name: "c",
        children: [
          { kind: "leaf", name: "u32", type: types.integer("uint32") },
          { kind: "leaf", name: "mtu", type: types.integer("uint16"), default: "1500" },
          { kind: "leaf", name: "u64", type: types.integer("uint64") },
          { kind: "leaf", name: "i64", type: types.integer("int64") },
          { kind: "leaf", name: "d", type: types.decimal64(2) },
          { kind: "leaf", name: "text", type: types.string() },
          { kind: "leaf", name: "enabled", type: types.boolean },
          { kind: "leaf", name: "shut", type: types.empty },
          { kind: "leaf", name: "e", type: types.enumeration("25", "50") },
          { kind: "leaf", name: "type", type: types.identityref("ex:kind") },
          { kind: "leaf", name: "level", type: types.union(types.integer("uint8"), types.boolean, types.string()) },
          { kind: "leaf", name: "leaf", type: types.string() },
          { kind: "leaf", name: "leaf", module: "b", type: types.string() },
          { kind: "leaf-list", name: "ll", type: types.empty },
          { kind: "leaf-list", name: "words", type: types.string() },
          {
            kind: "list",
            name: "lst",
            keys: ["k"],
            children: [{ kind: "leaf", name: "k", type: types.integer("uint8") }],
          },
          { kind: "container", name: "client", presence: true, children: [] },
          { kind: "container", name: "plain", children: [] },
          { kind: "anydata", name: "any" },
          { kind: "container", name: "state", config: false, children: [] },
        ],
      },
    ],
  },
  { name: "b", prefix: "bp", identities: { ethernet: ["ex:kind"], unique: ["ex:kind"] } },
  { name: "d", identities: { ethernet: ["ex:kind"] } },
]);

const strict: DataFromJsonOptions = { unknown: "error", nodes: "config", defaultsMode: "explicit" };

function read(text: string, options: DataFromJsonOptions = strict): Result<DataTree> {
  return dataFromJsonText(schema, text, { source: "in.json", ...options });
}
function inC(members: string, options: DataFromJsonOptions = strict): Result<DataTree> {
  return read(`{"ex:c":{${members}}}`, options);
}
function flat(result: Result<DataTree>): readonly string[] {
  return itemsOf(valueOf(result)).map((item) =>
    "value" in item && item.value.kind === "plain" ? `${item.path} = ${item.value.text}` : item.path,
  );
}
function again(members: string): string {
  return formatJson(valueOf(dataToJson(valueOf(inC(members)))), { layout: "compact" });
}

describe("values", () => {
  it("case 21: 64-bit numbers and decimals are strings, others are numbers, and no digit is lost", () => {
    const members = '"u32":4294967295,"u64":"18446744073709551615","i64":"-9223372036854775808","d":"0.1"';
    expect(flat(inC(members))).toEqual([
      "/ex:c/u32 = 4294967295",
      "/ex:c/u64 = 18446744073709551615",
      "/ex:c/i64 = -9223372036854775808",
      "/ex:c/d = 0.1",
    ]);
    expect(again(members)).toBe(`{"ex:c":{${members}}}`);
    const loose = inC('"u64":9007199254740993', { ...strict, quirks: ["stringly"] });
    expect(flat(loose)).toEqual(["/ex:c/u64 = 9007199254740993"]);
  });

  it("case 23: type empty is [null], with any blanks", () => {
    expect(flat(inC('"shut":[ null ],"ll":[[null]]'))).toEqual(["/ex:c/shut = ", "/ex:c/ll[.=''] = "]);
    expect(again('"shut":[\nnull]')).toBe('{"ex:c":{"shut":[null]}}');
    for (const bad of ["null", "true", '"null"', "[]", "[null,null]", "[0]", "{}"]) {
      expect(problemsOf(inC(`"shut":${bad}`))).toEqual(["wrong-json-type /ex:c/shut"]);
    }
  });

  it("case 24: an empty array is no entries; null is no data and no deletion", () => {
    expect(flat(inC('"words":[],"lst":[]'))).toEqual([]);
    expect(problemsOf(inC('"text":null'))).toEqual(["wrong-json-type /ex:c/text"]);
    expect(problemsOf(inC('"words":null'))).toEqual(["wrong-json-type /ex:c/words"]);
    expect(problemsOf(inC('"plain":null'))).toEqual(["wrong-json-type /ex:c/plain"]);
    expect(problemsOf(inC('"words":["a",null]'))).toEqual(["wrong-json-type /ex:c/words"]);
  });

  it("case 25: a string is no boolean and no number, unless the profile says that the device does this", () => {
    const members = '"enabled":"false","mtu":"9000","u64":5';
    expect(problemsOf(inC(members))).toEqual([
      "wrong-json-type /ex:c/enabled",
      "wrong-json-type /ex:c/mtu",
      "wrong-json-type /ex:c/u64",
    ]);
    const loose = inC(members, { ...strict, quirks: ["stringly"] });
    expect(flat(loose)).toEqual(["/ex:c/enabled = false", "/ex:c/mtu = 9000", "/ex:c/u64 = 5"]);
    expect(warningsOf(loose)).toEqual([
      "device-deviation /ex:c/enabled",
      "device-deviation /ex:c/mtu",
      "device-deviation /ex:c/u64",
    ]);
    expect(problemsOf(inC('"enabled":"yes"', { ...strict, quirks: ["stringly"] }))).toEqual([
      "value-syntax /ex:c/enabled",
    ]);
  });

  it("case 27: an enum is a string, also when it looks like a number", () => {
    expect(flat(inC('"e":"50"'))).toEqual(["/ex:c/e = 50"]);
    for (const bad of ["50", "2"]) expect(problemsOf(inC(`"e":${bad}`))).toEqual(["wrong-json-type /ex:c/e"]);
  });

  it("takes whole numbers for integers, however JSON spells them (RFC 8259 section 6)", () => {
    for (const ten of ["10", "1e1", "0.1e2", "10.0", "100E-1"])
      expect(again(`"u32":${ten}`)).toBe('{"ex:c":{"u32":10}}');
    for (const bad of ["1.5", "1e-1", "1e9999"])
      expect(problemsOf(inC(`"u32":${bad}`))).toEqual(["value-syntax /ex:c/u32"]);
    for (const large of ["4294967296", "1e10", "1e400", "-1", "-1e0"])
      expect(problemsOf(inC(`"u32":${large}`))).toEqual(["value-range /ex:c/u32"]);
    // A string is not JSON's number: there the lexical forms of YANG hold (RFC 7950 section 9.2.1).
    for (const text of ["1e1", "1.0", " 1", ""])
      expect(problemsOf(inC(`"u64":"${text}"`))).toEqual(["value-syntax /ex:c/u64"]);
    const stringly = { ...strict, quirks: ["stringly"] } as const;
    expect(flat(inC('"u64":1.8446744073709551615e19,"d":15e-1', stringly))).toEqual([
      "/ex:c/u64 = 18446744073709551615",
      "/ex:c/d = 1.5",
    ]);
    expect(problemsOf(inC('"u32":"1e1"', stringly))).toEqual(["value-syntax /ex:c/u32"]);
  });

  it("case 28: an identity is named by its module", () => {
    for (const good of ["b:ethernet", "ex:own", "own"]) expect(flat(inC(`"type":"${good}"`))).toHaveLength(1);
    expect(again('"type":"own"')).toBe('{"ex:c":{"type":"ex:own"}}');
    for (const bad of ["bp:ethernet", "ethernet", "unique"])
      expect(problemsOf(inC(`"type":"${bad}"`))).toEqual(["value-identity /ex:c/type"]);
    const quirks = { ...strict, quirks: ["loose-identity"] } as const;
    for (const spelled of ["bp:unique", "unique"]) {
      expect(flat(inC(`"type":"${spelled}"`, quirks))).toEqual(["/ex:c/type = b:unique"]);
      expect(warningsOf(inC(`"type":"${spelled}"`, quirks))).toEqual(["device-deviation /ex:c/type"]);
    }
    expect(problemsOf(inC('"type":"ethernet"', quirks))).toEqual(["value-identity /ex:c/type"]);
  });

  it("chooses the member of a union by the JSON type", () => {
    const typeOf = (json: string): unknown => itemsOf(valueOf(inC(`"level":${json}`)))[0];
    expect(typeOf("7")).toMatchObject({ value: { type: "uint8", text: "7" } });
    expect(typeOf('"7"')).toMatchObject({ value: { type: "string", text: "7" } });
    expect(typeOf("true")).toMatchObject({ value: { type: "boolean" } });
    expect(typeOf("7.0e0")).toMatchObject({ value: { type: "uint8", text: "7" } });
    expect(typeOf('"true"')).toMatchObject({ value: { type: "string", text: "true" } });
    expect(typeOf('""')).toMatchObject({ value: { type: "string", text: "" } });
    expect(problemsOf(inC('"level":256'))).toEqual(["value-union /ex:c/level"]);
    expect(problemsOf(inC('"level":null'))).toEqual(["value-union /ex:c/level"]);
    for (const json of ["7", '"7"', "true", '"true"'])
      expect(again(`"level":${json}`)).toBe(`{"ex:c":{"level":${json}}}`);
    expect(problemsOf(inC('"level":256'))).toEqual(["value-union /ex:c/level"]);
  });
});

describe("names and shapes", () => {
  it("case 31: top-level names carry their module", () => {
    expect(problemsOf(read('{"c":{}}'))).toEqual(["unqualified-node /c"]);
    expect(problemsOf(read('{"data":{"ex:c":{}}}'))).toEqual(["unqualified-node /data"]);
    expect(problemsOf(read('{"ietf-restconf:data":{}}'))).toEqual(["unknown-node /ietf-restconf:data"]);
    expect(problemsOf(read("[]"))).toEqual(["wrong-json-type /"]);
  });

  it("case 29: writes a module where it differs from the parent's, and accepts it anywhere", () => {
    expect(again('"leaf":"1","b:leaf":"2"')).toBe('{"ex:c":{"leaf":"1","b:leaf":"2"}}');
    expect(again('"ex:leaf":"1"')).toBe('{"ex:c":{"leaf":"1"}}');
    expect(problemsOf(inC('"leaf":"1","ex:leaf":"1"'))).toEqual(["duplicate-node /ex:c/leaf"]);
  });

  it("case 30: knows no other name for a module", () => {
    expect(problemsOf(inC('"bp:leaf":"1"'))).toEqual(["unknown-node /ex:c/bp:leaf"]);
  });

  it("case 60: an empty presence container is data, an empty non-presence container is not", () => {
    expect(flat(inC('"client":{},"plain":{}'))).toEqual(["/ex:c/client"]);
  });

  it("points into the text and into the data", () => {
    const result = read('{"ex:c": {\n  "lst": [ {"k": 1}, {"k": 1}, {} ],\n  "nope": 1 }}');
    if (result.kind === "ok") throw new Error("no error");
    expect(result.diagnostics.map((each) => [each.code, ...each.places.map(formatPlace)])).toEqual([
      ["duplicate-node", "/ex:c/lst[k='1']", "in.json:2:22", "in.json:2:12"],
      ["missing-key", "/ex:c/lst", "in.json:2:32"],
      ["unknown-node", "/ex:c/nope", "in.json:3:3"],
    ]);
  });

  it("ignores metadata, except what tells a default", () => {
    const tree = valueOf(
      inC('"@":{"x:y":1},"mtu":1500,"@mtu":{"ietf-netconf-with-defaults:default":true},"u32":1,"@u32":{"x:y":true}'),
    );
    expect(itemsOf(tree)).toMatchObject([{ origin: "default" }, { origin: "set" }]);
    const untagged = inC('"mtu":1500,"@mtu":{"ietf-netconf-with-defaults:default":false}');
    expect(itemsOf(valueOf(untagged))).toMatchObject([{ origin: "set" }]);
  });

  it("takes tags of defaults from wherever they stand, and leaves tagged leaf-list entries out", () => {
    const tag = '{"ietf-netconf-with-defaults:default":true}';
    const tree = valueOf(inC(`"@ex:mtu":${tag},"mtu":1500,"words":["a","b","c"],"@words":[null,${tag}],"@u32":${tag}`));
    expect(itemsOf(tree)).toMatchObject([
      { path: "/ex:c/mtu", origin: "default" },
      { path: "/ex:c/words[.='a']" },
      { path: "/ex:c/words[.='c']" },
    ]);
    expect(flat(inC(`"lst":[{"@k":${tag},"k":1}]`))).toEqual(["/ex:c/lst[k='1']"]);
  });

  it.each([
    ['"@":5', "wrong-json-type /ex:c/@"],
    ['"@":[{}]', "wrong-json-type /ex:c/@"],
    ['"@":null', "wrong-json-type /ex:c/@"],
    ['"u32":1,"@u32":"default"', "wrong-json-type /ex:c/@u32"],
    ['"words":["a"],"@words":[true]', "wrong-json-type /ex:c/@words"],
    ['"words":["a"],"@words":[],"@ex:words":[]', "duplicate-node /ex:c/@ex:words"],
    ['"@":{},"@":{}', "duplicate-node /ex:c/@"],
  ])("refuses metadata that is none: %s", (members, problem) => {
    expect(problemsOf(inC(members))).toEqual([problem]);
  });

  it("tells the origin of leafs by the defaults mode", () => {
    const origins = (mode: DataFromJsonOptions["defaultsMode"]): unknown =>
      itemsOf(valueOf(inC('"mtu":1500,"u32":1', { ...strict, defaultsMode: mode }))).map(
        (item) => item.kind === "leaf" && item.origin,
      );
    expect(origins("explicit")).toEqual(["set", "set"]);
    expect(origins("report-all-tagged")).toEqual(["set", "set"]);
    expect(origins("report-all")).toEqual(["unknown", "set"]);
  });

  it("writes defaults with their tag, without, or not at all", () => {
    const tree = valueOf(inC('"mtu":1500,"@mtu":{"ietf-netconf-with-defaults:default":true}'));
    const write = (defaults: "omit" | "write" | "tag"): string =>
      formatJson(valueOf(dataToJson(tree, { defaults })), { layout: "compact" });
    expect(write("omit")).toBe("{}");
    expect(write("write")).toBe('{"ex:c":{"mtu":1500}}');
    expect(write("tag")).toBe('{"ex:c":{"mtu":1500,"@mtu":{"ietf-netconf-with-defaults:default":true}}}');
  });

  it("leaves state out", () => {
    expect(flat(inC('"state":{"nonsense":1}'))).toEqual([]);
  });
});

describe("our own documents", () => {
  const own: DataFromJsonOptions = { ...strict, dialect: "tenure" };
  const write = (tree: DataTree): string =>
    formatJson(valueOf(dataToJson(tree, { dialect: "tenure" })), { layout: "compact" });

  it("carry sealed secrets, with the type only where the schema leaves it open", () => {
    const members =
      '"text":{"keyId":"k1","hmac":"00ff"},"level":{"keyId":"k1","hmac":"01","type":"string"},"words":[{"keyId":"k1","hmac":"02"}]';
    expect(write(valueOf(inC(members, own)))).toBe(`{"ex:c":{${members}}}`);
    expect(problemsOf(inC(members))).toHaveLength(3);
    expect(problemsOf(dataToJson(valueOf(inC(members, own))))).toEqual([
      "sealed-value /ex:c/text",
      "sealed-value /ex:c/level",
      "sealed-value /ex:c/words[.='k1:02']",
    ]);
    for (const bad of [
      '{"keyId":"k1"}',
      '{"keyId":"k1","hmac":"XY"}',
      '{"keyId":"k1","hmac":"00","more":"x"}',
      '{"keyId":1,"hmac":"00"}',
    ]) {
      expect(problemsOf(inC(`"text":${bad}`, own))).toEqual(["sealed-value /ex:c/text"]);
    }
    // Of a union the type has to be told, and be one of its members.
    for (const type of ["", ',"type":"uint16"'])
      expect(problemsOf(inC(`"level":{"keyId":"k1","hmac":"01"${type}}`, own))).toEqual(["sealed-value /ex:c/level"]);
  });

  it("have keys in clear: a path names them", () => {
    expect(problemsOf(inC('"lst":[{"k":{"keyId":"k1","hmac":"00"}}]', own))).toEqual(["wrong-json-type /ex:c/lst/k"]);
  });

  it("carry opaque content of either encoding", () => {
    const members = '"any":{"encoding":"xml","content":"<any xmlns=\\"urn:test:ex\\"/>"}';
    expect(write(valueOf(inC(members, own)))).toBe(`{"ex:c":{${members}}}`);
    expect(problemsOf(dataToJson(valueOf(inC(members, own))))).toEqual(["opaque-content /ex:c/any"]);
    for (const bad of [
      '{"encoding":"yaml","content":""}',
      '{"encoding":"xml"}',
      '{"encoding":"json","content":"1","more":"x"}',
      '"x"',
    ])
      expect(problemsOf(inC(`"any":${bad}`, own))).toEqual(["opaque-content /ex:c/any"]);
  });

  it("carry the origins of leafs, and no others than there are", () => {
    const told = (origin: string): Result<DataTree> => inC(`"mtu":1,"@mtu":{"tenure:origin":${origin}}`, own);
    expect(itemsOf(valueOf(told('"unknown"')))).toMatchObject([{ origin: "unknown" }]);
    expect(itemsOf(valueOf(told('"default"')))).toMatchObject([{ origin: "default" }]);
    for (const bad of ['"defualt"', "null", "true"]) expect(problemsOf(told(bad))).toEqual(["value-enum /ex:c/mtu"]);
    // Elsewhere it is metadata like any other.
    expect(itemsOf(valueOf(inC('"mtu":1,"@mtu":{"tenure:origin":"unknown"}')))).toMatchObject([{ origin: "set" }]);
  });

  it("hold nodes in an anydata, as RFC 7951 does (section 5.5)", () => {
    for (const bad of ["5", "null", '"x"', "[{}]", "true"])
      expect(problemsOf(inC(`"any":${bad}`))).toEqual(["wrong-json-type /ex:c/any"]);
    expect(again('"any":{}')).toBe('{"ex:c":{"any":{}}}');
  });

  it("keep the digits of opaque JSON", () => {
    expect(again('"any":{"n":123456789012345678901234567890.10,"a":[null,1e400]}')).toBe(
      '{"ex:c":{"any":{"n":123456789012345678901234567890.10,"a":[null,1e400]}}}',
    );
  });
});
