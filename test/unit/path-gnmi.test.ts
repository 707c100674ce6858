import { describe, expect, test } from "vitest";
import { type GnmiPath, formatGnmiPath, parseGnmiPath } from "../../codec/path/gnmi-path-text.ts";
import {
  type WriteGnmiOptions,
  isSameGnmiOrigin,
  joinGnmiPaths,
  readGnmiPath,
  writeGnmiPath,
} from "../../codec/path/gnmi-path.ts";
import { parsePath } from "../../codec/path/path-codec.ts";
import { dataFromXmlText } from "../../codec/xml/data-from-xml-text.ts";
import { formatInstancePath } from "../../model/path.ts";
import { parseInstancePath } from "../../model/paths/parse-path.ts";
import { findNode, walkTree } from "../../model/tree.ts";
import { compileYang } from "../../model/yang/compile-yang.ts";
import type { PathResult } from "../../model/paths/path-diagnostic.ts";
import { pathSchema as schema } from "../support/path-schema.ts";
import { valueOf } from "../support/results.ts";
import { compiled, yangModule } from "./yang-fixture.ts";

const gnmi = (text: string): GnmiPath => valueOf(parseGnmiPath(text));
const names = (text: string): readonly string[] => gnmi(text).elem.map((each) => each.name);
const keys = (text: string): readonly Record<string, string>[] =>
  gnmi(text).elem.map((each) => Object.fromEntries(each.key));
const read = (text: string): string => formatInstancePath(valueOf(readGnmiPath(schema, gnmi(text))).path);
const write = (path: string, options: WriteGnmiOptions = {}): string =>
  formatGnmiPath(valueOf(writeGnmiPath(schema, valueOf(parseInstancePath(schema, path)).path, options)));

function refusal(result: PathResult<unknown>): string {
  if (result.kind === "ok") throw new Error(`taken as ${JSON.stringify(result.value)}`);
  const [only] = result.diagnostics;
  return `${only?.code ?? ""}${only?.offset === undefined ? "" : ` ${String(only.offset)}`}`;
}
const refusedText = (text: string): string => refusal(parseGnmiPath(text));
const refused = (text: string): string => refusal(readGnmiPath(schema, gnmi(text)));

describe("case 32: slashes, colons and blanks in keys are data", () => {
  test.each([
    ["/state/port[port-id=1/1/1]/ethernet", ["state", "port", "ethernet"], "port-id", "1/1/1"],
    [
      "/interfaces/interface[name=ethernet 1/2:1]/config",
      ["interfaces", "interface", "config"],
      "name",
      "ethernet 1/2:1",
    ],
    ["/a/x[k=http://[2001:db8::1\\]:80/x]/b", ["a", "x", "b"], "k", "http://[2001:db8::1]:80/x"],
    ["/a/n[k=]/v", ["a", "n", "v"], "k", ""],
  ])("%s", (text, elements, key, value) => {
    expect(names(text)).toEqual(elements);
    expect(keys(text)).toEqual([{}, { [key]: value }, {}]);
    expect(gnmi(text).origin).toBe("");
    expect(formatGnmiPath(gnmi(text))).toBe(text);
  });
  test("an unescaped bracket ends the value, and what follows is no path", () => {
    expect(refusedText("/a[k=http://[2001:db8::1]:80/x]/b")).toBe("path-syntax 25");
  });
  test("a colon before a slash ends the origin", () => {
    expect(gnmi("openconfig:/interfaces")).toEqual({
      origin: "openconfig",
      target: "",
      elem: [{ name: "interfaces", key: new Map() }],
    });
  });
});

test("case 33: quotes are characters of the value, unless the device is known to put a pair around every text", () => {
  expect(keys('/l[k="Loopback0"]')).toEqual([{ k: '"Loopback0"' }]);
  expect(read('/net/port[name="a"]')).not.toBe(read("/net/port[name=a]"));
  const quoting = { keyQuotes: "surrounding" } as const;
  const path = "/path-net:net/port[name='a']";
  expect(write(path, quoting)).toBe('/net/port[name="a"]');
  for (const text of ['/net/port[name="a"]', "/net/port[name=a]"])
    expect(formatInstancePath(valueOf(readGnmiPath(schema, gnmi(text), quoting)).path)).toBe(path);
  // One pair: what stands inside is the value.
  const quoted = `/path-net:net/port[name='"a"']`;
  expect(write(quoted, quoting)).toBe('/net/port[name=""a""]');
  expect(formatInstancePath(valueOf(readGnmiPath(schema, gnmi('/net/port[name=""a""]'), quoting)).path)).toBe(quoted);
});

test("case 33: quotes of a value that is no string stay apart from those around it", () => {
  const quotes = compiled([yangModule("m", `list l { key k; leaf k { type enumeration { enum '"a"'; enum a; } } }`)]);
  const quoting = { keyQuotes: "surrounding" } as const;
  for (const key of ["a", '"a"']) {
    const path = [{ kind: "entry", module: "m", name: "l", keys: [{ name: "k", value: key }] }] as const;
    const written = valueOf(writeGnmiPath(quotes, path, quoting));
    expect(valueOf(readGnmiPath(quotes, written, quoting)).path).toEqual(path);
  }
});

describe("case 34: only ] and \\ are escaped", () => {
  test.each(["a]b", "a\\b", "a\\]b", "=", "[", "x=y", "a\nb", "\\\\", "]]", "", "é😀", "'", "\r"])("%j", (value) => {
    const path: GnmiPath = { origin: "", target: "", elem: [{ name: "l", key: new Map([["k", value]]) }] };
    expect(gnmi(formatGnmiPath(path))).toEqual(path);
  });
  test("as texts", () => {
    expect(keys("/l[k=a\\]b]")).toEqual([{ k: "a]b" }]);
    expect(keys("/l[k=a\\\\b]")).toEqual([{ k: "a\\b" }]);
    expect(keys("/l[k1=x=y][k2=z]")).toEqual([{ k1: "x=y", k2: "z" }]);
    expect(refusedText("/l[k=a\\nb]")).toBe("path-syntax 6");
    expect(refusedText("/l[k=a\\")).toBe("path-syntax 6");
  });
  test("keys are written in the order of their names", () => {
    expect(formatGnmiPath(gnmi("/l[b=2][a=1]"))).toBe("/l[a=1][b=2]");
  });
});

test.each([
  ["/interfaces/interface[name=e1]abc/state", "path-syntax 30"],
  ["/a//b", "path-syntax 3"],
  ["/a[k=1", "path-syntax 6"],
  ["/a[]/b", "path-syntax 2"],
  ["/a[k]/b", "path-syntax 2"],
  ["/a[=v]/b", "path-syntax 2"],
  ["/a]b", "path-syntax 2"],
  ["/a\\b", "path-syntax 2"],
  ["//a", "path-syntax 1"],
  ["/[k=1]", "path-syntax 1"],
  ["/a[k=1][k=2]", "path-duplicate-key 8"],
])("case 35: %s is refused", (text, expected) => {
  expect(refusedText(text)).toBe(expected);
});
test("case 35: a slash at the end, or none at the beginning, adds no element", () => {
  for (const text of ["/a/b", "/a/b/", "a/b"]) expect(names(text)).toEqual(["a", "b"]);
});

describe("case 41: the root is no element", () => {
  test.each([
    ["/", []],
    ["", []],
    ["/interfaces", ["interfaces"]],
    ["interfaces", ["interfaces"]],
    ["openconfig:/", []],
  ])("%j", (text, elements) => {
    expect(names(text)).toEqual(elements);
  });
  test("prefix and path together", () => {
    const joined = (a: string, b: string): readonly string[] =>
      valueOf(joinGnmiPaths(gnmi(a), gnmi(b))).elem.map((each) => each.name);
    expect(joined("/a", "/")).toEqual(["a"]);
    expect(joined("/", "b")).toEqual(["b"]);
    expect(joined("/a", "b/c")).toEqual(["a", "b", "c"]);
    expect(read("/")).toBe("/");
  });
});

describe("case 42: an origin is a field of its own", () => {
  test("a module name at the first element is no origin, with or without slash", () => {
    for (const text of ["path-net:net/name", "/path-net:net/name"]) {
      expect(gnmi(text).origin).toBe("");
      expect(read(text)).toBe("/path-net:net/name");
    }
  });
  test("an origin beside a module name; rfc7951 has the rule of RFC 7951", () => {
    expect(read("rfc7951:/path-net:net/path-plus:extra")).toBe("/path-net:net/path-plus:extra");
    expect(refused("rfc7951:/net/name")).toBe("path-needs-module 9");
    expect(refused("rfc7951:/path-net:net/extra")).toBe("path-unknown-node 22");
    expect(write("/path-net:net/path-plus:extra", { origin: "rfc7951" })).toBe("rfc7951:/path-net:net/path-plus:extra");
  });
  test("no origin and openconfig are one; others are not", () => {
    expect(isSameGnmiOrigin("", "openconfig")).toBe(true);
    expect(isSameGnmiOrigin("", "")).toBe(true);
    expect(isSameGnmiOrigin("", "rfc7951")).toBe(false);
  });
  test("prefix and path cannot name two origins or targets", () => {
    expect(refusal(joinGnmiPaths(gnmi("openconfig:/a"), gnmi("cli:/b")))).toBe("path-origin");
    expect(refusal(joinGnmiPaths({ ...gnmi("/a"), target: "x" }, { ...gnmi("/b"), target: "y" }))).toBe("path-origin");
    expect(valueOf(joinGnmiPaths(gnmi("/a"), gnmi("cli:/b"))).origin).toBe("cli");
  });
  test("origin cli holds commands", () => {
    expect(refused("cli:/net")).toBe("path-origin 0");
  });
});

describe("case 43: an identity as key, however it is spelled", () => {
  test.each([
    "/net/route[target=a][family=ipv4]",
    "/net/route[target=a][family=path-types:ipv4]",
    "/net/route[family=ipv4][target=a]",
  ])("%s", (text) => {
    expect(read(text)).toBe("/path-net:net/route[target='a'][family='path-types:ipv4']");
  });
  test("the leaf's own module comes first, as in RFC 7951", () => {
    expect(read("/net/route[target=a][family=twin]")).toBe("/path-net:net/route[target='a'][family='path-net:twin']");
  });
  test("written with its module, or alone where that is no other identity", () => {
    const path = (identity: string): string => `/path-net:net/route[target='a'][family='${identity}']`;
    expect(write(path("path-types:ipv4"))).toBe("/net/route[family=path-types:ipv4][target=a]");
    expect(write(path("path-types:ipv4"), { identities: "alone" })).toBe("/net/route[family=ipv4][target=a]");
    expect(write(path("path-types:twin"), { identities: "alone" })).toBe(
      "/net/route[family=path-types:twin][target=a]",
    );
  });
  test("XML, RESTCONF and both spellings in gNMI are one entry", () => {
    const xml = `<net xmlns="urn:t:path-net"><route><target>a</target>
      <family xmlns:q="urn:t:path-types">q:ipv4</family></route></net>`;
    const tree = valueOf(
      dataFromXmlText(schema, xml, { unknown: "error", nodes: "config", defaultsMode: "explicit", source: "xml" }),
    );
    const fromXml = [...walkTree(tree)].map((each) => formatInstancePath(each.path));
    const others = [
      parsePath(schema, "restconf", "/path-net:net/route=a,path-types%3Aipv4"),
      parsePath(schema, "gnmi", "/net/route[target=a][family=ipv4]"),
      parsePath(schema, "gnmi", "/net/route[target=a][family=path-types:ipv4]"),
      parsePath(schema, "xpath", "/net:net/net:route[net:target='a'][net:family='m-xml:ipv4']"),
    ].map((each) => valueOf(each).path);
    expect(fromXml.at(-1)).toBe("/path-net:net/route[target='a'][family='path-types:ipv4']");
    for (const path of others) {
      expect(formatInstancePath(path)).toBe(fromXml.at(-1));
      expect(findNode(tree, path)?.kind).toBe("entry");
    }
  });
  test("an earlier member of a union does not take a name for itself", () => {
    const path = "/path-net:net/either[id='path-types:ipv4']";
    expect(read(write(path, { identities: "alone" }))).toBe(path);
  });
});

describe("names without module", () => {
  test("are found in whatever module, where there is one only", () => {
    expect(read("/net/extra")).toBe("/path-net:net/path-plus:extra");
    expect(read("/net/port[name=a]/note")).toBe("/path-net:net/port[name='a']/path-plus:note");
    expect(read("/other/y")).toBe("/path-plus:other/y");
  });
  test("are refused where they could be two nodes, and written with their module there", () => {
    const result = readGnmiPath(schema, gnmi("/net/shared/x"));
    expect(refusal(result)).toBe("path-ambiguous-node 5");
    expect(result).toMatchObject({
      diagnostics: [{ expected: "one of path-net:shared, path-plus:shared" }],
    });
    expect(read("/net/path-plus:shared/x")).toBe("/path-net:net/path-plus:shared/x");
    expect(write("/path-net:net/shared/x")).toBe("/net/path-net:shared/x");
    expect(write("/path-net:net/path-plus:shared/x")).toBe("/net/path-plus:shared/x");
  });
  test("mean OpenConfig's node where several have the name, unless another origin is named", () => {
    const both = valueOf(
      compileYang(
        ["openconfig-ports", "other-ports"].map((name) => ({
          name: `${name}.yang`,
          text: `module ${name} { namespace "urn:t:${name}"; prefix p; container ports { leaf x { type string; } } }`,
        })),
        { implement: "all", features: "all" },
      ),
    );
    const instance = (text: string): string => formatInstancePath(valueOf(readGnmiPath(both, gnmi(text))).path);
    const text = (module: string, origin: string): string =>
      formatGnmiPath(valueOf(writeGnmiPath(both, [{ kind: "node", module, name: "ports" }], { origin })));
    expect(instance("/ports/x")).toBe("/openconfig-ports:ports/x");
    expect(instance("openconfig:/ports/x")).toBe("/openconfig-ports:ports/x");
    expect(refusal(readGnmiPath(both, gnmi("vendor:/ports/x")))).toBe("path-ambiguous-node 8");
    expect(text("openconfig-ports", "")).toBe("/ports");
    expect(text("other-ports", "")).toBe("/other-ports:ports");
    expect(text("openconfig-ports", "vendor")).toBe("vendor:/openconfig-ports:ports");
  });
  test("may be written by RFC 7951 on wish", () => {
    expect(write("/path-net:net/port[name='a']/path-plus:note", { names: "rfc7951" })).toBe(
      "/path-net:net/port[name=a]/path-plus:note",
    );
  });
});

test.each([
  ["case 38: a missing key", "/net/route[target=a]", "path-missing-key 5"],
  ["case 53: no key, which gNMI takes for all entries", "/net/port", "path-missing-key 5"],
  ["no key on the way", "/net/port/mtu", "path-missing-key 5"],
  ["every entry", "/net/port[name=*]", "path-wildcard 5"],
  ["every node", "/net/*", "path-wildcard 5"],
  ["any depth", "/net/.../mtu", "path-wildcard 5"],
  ["a key of another list", "/net/port[id=a]", "path-unknown-key 5"],
  ["a key of a container", "/net[name=a]/name", "path-not-a-list 1"],
  ["an entry of a leaf-list", "/net/tag[.=a]", "path-not-expressible 5"],
  ["a name that is none", "/net/a b", "path-syntax 5"],
  ["an unknown node behind keys that need escapes", "/net/port[name=\\]\\\\]/nothing", "path-unknown-node 21"],
])("%s is refused as an instance", (_name, text, expected) => {
  expect(refused(text)).toBe(expected);
});

test("a slash inside an element's name does not become a second element", () => {
  const path: GnmiPath = { origin: "", target: "", elem: [{ name: "net/name", key: new Map() }] };
  expect(refusal(readGnmiPath(schema, path))).toBe("path-syntax 1");
});

test("a leaf-list stands as a whole; one entry of it has no path", () => {
  expect(read("/net/tag")).toBe("/path-net:net/tag");
  expect(write("/path-net:net/tag")).toBe("/net/tag");
  const entry = valueOf(parseInstancePath(schema, "/path-net:net/tag[.='a']")).path;
  expect(refusal(writeGnmiPath(schema, entry))).toBe("path-not-expressible");
});

test("a key that is * has no path, since every reader takes it for all entries", () => {
  const path = valueOf(parseInstancePath(schema, "/path-net:net/port[name='*']")).path;
  expect(refusal(writeGnmiPath(schema, path))).toBe("path-not-expressible");
  expect(write("/path-net:net/port[name='**']")).toBe("/net/port[name=**]");
});
