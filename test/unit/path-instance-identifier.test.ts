import { describe, expect, test } from "vitest";
import { formatInstanceIdentifier, parseInstanceIdentifier } from "../../codec/path/instance-identifier.ts";
import { formatPath, parsePath } from "../../codec/path/path-codec.ts";
import { schemaPrefixes } from "../../codec/path/prefix-table.ts";
import { formatInstancePath, type InstancePath } from "../../model/path.ts";
import type { PathResult } from "../../model/paths/path-diagnostic.ts";
import { parseInstancePath } from "../../model/paths/parse-path.ts";
import { pathSchema as schema } from "../support/path-schema.ts";
import { valueOf } from "../support/results.ts";

const modules = { kind: "modules" } as const;
const prefixes = { kind: "prefixes", moduleOf: schemaPrefixes(schema).moduleOf } as const;

const read = (text: string): string =>
  formatInstancePath(valueOf(parseInstanceIdentifier(schema, text, prefixes)).path);
const instance = (text: string): InstancePath => valueOf(parseInstancePath(schema, text)).path;
const write = (text: string): PathResult<string> =>
  formatInstanceIdentifier(schema, instance(text), { kind: "prefixes", prefixOf: schemaPrefixes(schema).prefixOf });

/** `code offset`. */
function refusal(result: PathResult<unknown>): string {
  if (result.kind === "ok") throw new Error("the path is taken");
  const [only, ...more] = result.diagnostics;
  expect(more).toEqual([]);
  return `${only?.code ?? ""}${only?.offset === undefined ? "" : ` ${String(only.offset)}`}`;
}

test("names take prefixes, in keys and in identities too (RFC 7950 section 9.13)", () => {
  const text = "/net:net/net:route[net:target='a b'][net:family='m-xml:ipv4']/net:metric";
  const path = "/path-net:net/route[target='a b'][family='path-types:ipv4']/metric";
  expect(read(text)).toBe(path);
  expect(valueOf(write(path))).toBe(text);
});

test("two modules of one prefix get two prefixes, and one that XML reserves gets another", () => {
  const table = schemaPrefixes(schema);
  const names = [...schema.modules.keys()];
  const given = names.map((name) => table.prefixOf(name));
  expect(new Set(given).size).toBe(names.length);
  expect(given.every((prefix) => prefix !== undefined && !/^xml/i.test(prefix))).toBe(true);
  for (const name of names) expect(table.moduleOf(table.prefixOf(name) ?? "")).toBe(name);
  expect(valueOf(write("/path-net:net/path-plus:extra"))).toBe("/net:net/net-2:extra");
});

test("module names qualify where the module changes (RFC 7951 section 6.11)", () => {
  const path = "/path-net:net/port[name='a']/path-plus:note";
  expect(formatInstancePath(valueOf(parseInstanceIdentifier(schema, path, modules)).path)).toBe(path);
  expect(valueOf(formatInstanceIdentifier(schema, instance(path), modules))).toBe(path);
});

test("white space stands where the grammar has it: around the key's name and value", () => {
  expect(read("/net:net/net:port[ net:name\t= 'a' ]")).toBe("/path-net:net/port[name='a']");
  expect(refusal(parseInstanceIdentifier(schema, "/net:net /net:port[net:name='a']", prefixes))).toBe("path-syntax 8");
});

describe("case 36: a key with both kinds of quotes", () => {
  test("one kind of quotes is put between the other", () => {
    expect(valueOf(write(`/path-net:net/port[name="O'Brien"]`))).toBe(`/net:net/net:port[net:name="O'Brien"]`);
    expect(valueOf(write(`/path-net:net/port[name='say "hi"']`))).toBe(`/net:net/net:port[net:name='say "hi"']`);
    expect(valueOf(write("/path-net:net/port[name='\\']"))).toBe("/net:net/net:port[net:name='\\']");
    expect(valueOf(write("/path-net:net/port[name=']']"))).toBe("/net:net/net:port[net:name=']']");
  });
  test("both kinds have no literal: an explicit error, which names the way that there is", () => {
    const result = write(`/path-net:net/port[name='it''s "x"']`);
    expect(refusal(result)).toBe("path-not-expressible");
    expect(result).toMatchObject({ diagnostics: [{ remedy: expect.stringContaining("subtree filter") as string }] });
  });
  test("an injection is a value and nothing else", () => {
    const hostile = "a' or '1'='1";
    const path: InstancePath = [
      { kind: "node", module: "path-net", name: "net" },
      { kind: "entry", module: "path-net", name: "port", keys: [{ name: "name", value: hostile }] },
    ];
    const text = valueOf(formatPath(schema, "xpath", path));
    expect(text).toBe(`/net:net/net:port[net:name="${hostile}"]`);
    expect(read(text)).toBe(`/path-net:net/port[name="${hostile}"]`);
    expect(refusal(parseInstanceIdentifier(schema, `/net:net/net:port[net:name='${hostile}']`, prefixes))).toBe(
      "path-syntax 31",
    );
  });
  test("concat() is XPath, but no instance-identifier", () => {
    const text = `/net:net/net:port[net:name=concat("it's ", '"x"')]`;
    expect(refusal(parseInstanceIdentifier(schema, text, prefixes))).toBe("path-syntax 27");
  });
});

test("case 37: predicates may stand in any order", () => {
  const path = "/path-net:net/route[target='a'][family='path-types:ipv4']";
  expect(read("/net:net/net:route[net:family='m-xml:ipv4'][net:target='a']")).toBe(path);
  expect(read("/net:net/net:route[net:target='a'][net:family='m-xml:ipv4']")).toBe(path);
});

test.each([
  ["case 38: a missing key", "/net:net/net:route[net:target='a']", "path-missing-key 9"],
  ["case 53: no key at all", "/net:net/net:port", "path-missing-key 9"],
  ["case 53: no key on the way", "/net:net/net:port/net:mtu", "path-missing-key 9"],
  ["a leaf-list without a value", "/net:net/net:tag", "path-whole-list 9"],
  ["an unknown key", "/net:net/net:port[net:mtu='1']", "path-unknown-key 18"],
  ["a key twice", "/net:net/net:port[net:name='a'][net:name='a']", "path-duplicate-key 32"],
  ["a value where keys are needed", "/net:net/net:port[.='a']", "path-unknown-key 18"],
  ["a key where a value is needed", "/net:net/net:tag[net:name='a']", "path-unknown-key 17"],
  ["two values", "/net:net/net:tag[.='a'][.='b']", "path-syntax 23"],
  ["a key of a container", "/net:net[net:name='a']", "path-not-a-list 9"],
  ["a position", "/net:net/net:port[1]", "path-position 18"],
  ["a position in a leaf-list", "/net:net/net:tag[1]", "path-position 17"],
  ["a list without keys as a whole", "/net:net/net:log", "path-whole-list 9"],
  ["a key of a list without keys", "/net:net/net:log[net:text='a']", "path-unknown-key 17"],
  ["position 0", "/net:net/net:log[0]", "path-syntax 17"],
  ["two positions", "/net:net/net:log[1][1]", "path-syntax 19"],
  ["a position beside keys", "/net:net/net:port[net:name='a'][1]", "path-syntax 31"],
  ["a repeated value, which the grammar does not have", "/net:net/net:seen[.='a'][2]", "path-syntax 24"],
  ["a wildcard", "/net:net/*", "path-wildcard 9"],
  ["any depth", "/net:net//net:mtu", "path-wildcard 9"],
  ["a step upwards", "/net:net/../net:net", "path-wildcard 9"],
  ["a name without prefix", "/net:net/port[net:name='a']", "path-needs-module 9"],
  ["a key without prefix", "/net:net/net:port[name='a']", "path-needs-module 18"],
  ["an unknown prefix", "/nowhere:net", "path-unknown-prefix 1"],
  ["an unknown node", "/net:net/net:nothing", "path-unknown-node 9"],
  ["something below a leaf", "/net:net/net:name/net:x", "path-unknown-node 18"],
  ["a relative path", "net:net", "path-syntax 0"],
  ["a slash at the end", "/net:net/", "path-syntax 9"],
  ["no end of the literal", "/net:net/net:port[net:name='a]", "path-syntax 27"],
  ["a doubled quote, which XPath does not have", "/net:net/net:port[net:name='a''b']", "path-syntax 30"],
  ["nothing", "", "path-syntax 0"],
  ["a value outside of its type", "/net:net/net:route[net:target='a'][net:family='m-xml:no']", "path-key-value 35"],
  ["a NUL in a value", "/net:net/net:port[net:name='a\u0000']", "path-key-value 18"],
])("%s is refused with its offset", (_name, text, expected) => {
  expect(refusal(parseInstanceIdentifier(schema, text, prefixes))).toBe(expected);
});

test("an entry of a list without keys has its position; a repeated value has one in our own text alone", () => {
  expect(read("/net:net/net:log[ 3 ]/net:text")).toBe("/path-net:net/log[3]/text");
  expect(valueOf(write("/path-net:net/log[3]/text"))).toBe("/net:net/net:log[3]/net:text");
  expect(formatInstancePath(instance("/path-net:net/seen[.='a'][2]"))).toBe("/path-net:net/seen[.='a'][2]");
  expect(formatInstancePath(instance("/path-net:net/seen[.='a'][1]"))).toBe("/path-net:net/seen[.='a']");
  expect(refusal(parseInstancePath(schema, "/path-net:net/tag[.='a'][2]"))).toBe("path-position 25");
  for (const form of ["xpath", "restconf", "gnmi"] as const)
    expect(refusal(formatPath(schema, form, instance("/path-net:net/seen[.='a'][2]")))).toBe("path-not-expressible");
  for (const form of ["restconf", "gnmi"] as const)
    expect(refusal(formatPath(schema, form, instance("/path-net:net/log[3]")))).toBe("path-not-expressible");
});

test("the whole device is XPath, but names no instance", () => {
  expect(read("/")).toBe("/");
  expect(refusal(parseInstanceIdentifier(schema, "/", prefixes, { root: "refuse" }))).toBe("path-not-expressible 0");
  expect(refusal(formatInstanceIdentifier(schema, [], modules, { root: "refuse" }))).toBe("path-not-expressible");
});

test("people may mix the modules' prefixes, module names, and names without either", () => {
  for (const text of [
    "/net:net/net:port[net:name='a']/net-2:note",
    "/path-net:net/port[name='a']/path-plus:note",
    "/net:net/port[net:name='a']/path-plus:note",
  ])
    expect(formatInstancePath(valueOf(parsePath(schema, "xpath", text)).path)).toBe(
      "/path-net:net/port[name='a']/path-plus:note",
    );
});

test("an instance-identifier as a key is respelled inside of its literal, or refused where its quotes do not fit", () => {
  const path = "/path-net:net/link[to='/path-net:net/path-plus:extra']";
  const text = "/net:net/net:link[net:to='/net:net/net-2:extra']";
  expect(valueOf(write(path))).toBe(text);
  expect(read(text)).toBe(path);
  expect(valueOf(write(`/path-net:net/link[to="/path-net:net/port[name='a']"]`))).toBe(
    `/net:net/net:link[net:to="/net:net/net:port[net:name='a']"]`,
  );
});

test("a path that the schema does not have gets no text", () => {
  const entry = (keys: readonly { readonly name: string; readonly value: string }[]): InstancePath => [
    { kind: "node", module: "path-net", name: "net" },
    { kind: "entry", module: "path-net", name: "route", keys },
  ];
  const target = { name: "target", value: "a" };
  const family = { name: "family", value: "path-types:ipv4" };
  for (const form of ["instance", "xpath", "restconf", "gnmi"] as const) {
    const code = (path: InstancePath): string => refusal(formatPath(schema, form, path));
    expect(code(entry([target]))).toBe("path-missing-key");
    expect(code(entry([target, family, { name: "z", value: "" }]))).toBe("path-unknown-key");
    expect(code(entry([target, target, family]))).toBe("path-unknown-key");
    expect(code(entry([target, { name: "family", value: "ipv4" }]))).toBe("path-key-value");
    expect(code([{ kind: "node", module: "path-net", name: "nothing" }])).toBe("path-unknown-node");
    expect(
      code([
        ...entry([target, family]).slice(0, 1),
        { kind: "leaf-list-entry", module: "path-net", name: "port", value: "a" },
      ]),
    ).toBe("path-not-a-list");
    // Keys in another order are the same entry.
    expect(valueOf(formatPath(schema, form, entry([family, target])))).toBe(
      valueOf(formatPath(schema, form, entry([target, family]))),
    );
  }
  const wholePort: InstancePath = [
    { kind: "node", module: "path-net", name: "net" },
    { kind: "node", module: "path-net", name: "port" },
  ];
  expect(valueOf(formatPath(schema, "instance", wholePort))).toBe("/path-net:net/port");
  for (const form of ["xpath", "restconf", "gnmi"] as const)
    expect(refusal(formatPath(schema, form, wholePort))).toBe("path-whole-list");
});
