import { describe, expect, test } from "vitest";
import { formatRestconfPath, parseRestconfPath } from "../../codec/path/restconf-path.ts";
import { formatInstancePath } from "../../model/path.ts";
import { parseInstancePath } from "../../model/paths/parse-path.ts";
import { pathSchema as schema } from "../support/path-schema.ts";
import { valueOf } from "../support/results.ts";

const read = (text: string): string => formatInstancePath(valueOf(parseRestconfPath(schema, text)).path);
const write = (path: string): string =>
  valueOf(formatRestconfPath(schema, valueOf(parseInstancePath(schema, path)).path));

function refusal(text: string): string {
  const result = parseRestconfPath(schema, text);
  if (result.kind === "ok") throw new Error(`taken as ${formatInstancePath(result.value.path)}`);
  const [only] = result.diagnostics;
  return `${only?.code ?? ""} ${String(only?.offset)}`;
}

test.each([
  ["/path-net:net", "/path-net:net"],
  ["/path-net:net/port=a/mtu", "/path-net:net/port[name='a']/mtu"],
  ["/path-net:net/port=a/path-plus:note", "/path-net:net/port[name='a']/path-plus:note"],
  ["/path-net:net/route=a,path-types%3Aipv4", "/path-net:net/route[target='a'][family='path-types:ipv4']"],
  ["/path-net:net/tag=x", "/path-net:net/tag[.='x']"],
  ["/path-net:net/port=ge-0%2F0%2F1", "/path-net:net/port[name='ge-0/0/1']"],
  ["/path-net:net/port=a%20%2C%3A%25%5B%5D%3D%3F%23%C3%A9%F0%9F%98%80", "/path-net:net/port[name='a ,:%[]=?#é😀']"],
  ["/path-net:net/port=%27%22%28%29%2A%21", `/path-net:net/port[name='''"()*!']`],
  ["/path-net:net/peer=2001%3Adb8%3A%3A1", "/path-net:net/peer[address='2001:db8::1']"],
  [
    "/path-net:net/link=%2Fpath-net%3Anet%2Fpath-plus%3Aextra",
    "/path-net:net/link[to='/path-net:net/path-plus:extra']",
  ],
])("%s both ways", (uri, path) => {
  expect(read(uri)).toBe(path);
  expect(write(path)).toBe(uri);
});

test("what may be written otherwise is read too: module names without need, characters that need no escape here", () => {
  expect(read("/path-net:net/path-net:port=a:b@c!")).toBe("/path-net:net/port[name='a:b@c!']");
  expect(read("/path-net%3Anet/port=a=b")).toBe("/path-net:net/port[name='a=b']");
  expect(read("/path-net:net/peer=2001:DB8:0:0::1")).toBe("/path-net:net/peer[address='2001:db8::1']");
});

test("a whole URI up to the datastore is read; /data alone is no datastore, so nothing widens to it", () => {
  for (const root of [
    "/restconf/data",
    "/top/restconf/data",
    "https://192.0.2.1:8443/restconf/data",
    "/restconf/ds/ietf-datastores:running",
  ]) {
    expect(read(`${root}/path-net:net/name`)).toBe("/path-net:net/name");
    expect(read(root)).toBe("/");
    expect(read(`${root}/`)).toBe("/");
  }
  expect(read("")).toBe("/");
  expect(refusal("/data")).toBe("path-needs-module 1");
  expect(refusal("/data/path-net:net")).toBe("path-needs-module 1");
  expect(refusal("/restconf/operations/path-net:net")).toBe("path-needs-module 1");
});

test("no node is taken for the way to a datastore because its colon is encoded", () => {
  for (const text of ["/path-net%3Anet/restconf/data", "/path-net%3anet/restconf/data/", "/%70/restconf/data"])
    expect(() => read(text)).toThrow();
  expect(refusal("/path-net%3Anet/restconf/data/path-net:net")).toBe("path-unknown-node 16");
  expect(read("/path-net%3Anet/port=a")).toBe("/path-net:net/port[name='a']");
});

describe("case 40: an empty key", () => {
  test("list= is the entry with the empty key, both ways", () => {
    expect(read("/path-net:net/port=")).toBe("/path-net:net/port[name='']");
    expect(write("/path-net:net/port[name='']")).toBe("/path-net:net/port=");
    expect(read("/path-net:net/route=,path-types:ipv4")).toBe(
      "/path-net:net/route[target=''][family='path-types:ipv4']",
    );
    expect(read("/path-net:net/port=/mtu")).toBe("/path-net:net/port[name='']/mtu");
    expect(read("/path-net:net/tag=")).toBe("/path-net:net/tag[.='']");
  });
  test("list without = is the whole list, and refused", () => {
    expect(refusal("/path-net:net/port")).toBe("path-missing-key 14");
    expect(refusal("/path-net:net/port/mtu")).toBe("path-missing-key 14");
  });
  test("too few and too many values are refused", () => {
    expect(refusal("/path-net:net/route=a")).toBe("path-missing-key 14");
    expect(refusal("/path-net:net/route=a,path-types:ipv4,")).toBe("path-unknown-key 38");
    expect(refusal("/path-net:net/port=a,b")).toBe("path-unknown-key 21");
  });
});

test("case 37: values stand in the order of the key statement", () => {
  expect(refusal("/path-net:net/route=path-types:ipv4,a")).toBe("path-key-value 36");
});

test("case 43: an identity without module is the leaf's own (RFC 7951 section 6.8), another module's must be named", () => {
  expect(read("/path-net:net/route=a,local")).toBe("/path-net:net/route[target='a'][family='path-net:local']");
  expect(refusal("/path-net:net/route=a,ipv4")).toBe("path-key-value 22");
});

test.each([
  ["a query", "/path-net:net?depth=1", "path-syntax 13"],
  ["a fragment", "/path-net:net#x", "path-syntax 13"],
  ["no slash first", "path-net:net", "path-syntax 0"],
  ["an empty segment", "/path-net:net//name", "path-syntax 14"],
  ["a slash at the end", "/path-net:net/", "path-syntax 14"],
  ["% without digits", "/path-net:net/port=50%", "path-syntax 21"],
  ["octets that are no UTF-8", "/path-net:net/port=%ff", "path-syntax 19"],
  ["an overlong encoding", "/path-net:net/port=%c0%af", "path-syntax 19"],
  ["NUL", "/path-net:net/port=%00", "path-key-value 19"],
  ["the first name without module", "/net", "path-needs-module 1"],
  ["an augmenting node without its module", "/path-net:net/extra", "path-unknown-node 14"],
  ["a value of a container", "/path-net:net=a", "path-not-a-list 13"],
  ["two values of a leaf-list", "/path-net:net/tag=a,b", "path-unknown-key 17"],
  ["a whole leaf-list", "/path-net:net/tag", "path-whole-list 14"],
  ["an entry of a list without keys", "/path-net:net/log=1", "path-unknown-key 17"],
])("%s is refused with its offset", (_name, text, expected) => {
  expect(refusal(text)).toBe(expected);
});
