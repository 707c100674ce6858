import { describe, expect, test } from "vitest";
import { PATH_FORMS, type PathForm, formatPath, parsePath } from "../../codec/path/path-codec.ts";
import { formatInstancePath, parentPathText } from "../../model/path.ts";
import { parseInstancePath } from "../../model/paths/parse-path.ts";
import type { PathResult } from "../../model/paths/path-diagnostic.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";
import { pathSchema as schema } from "../support/path-schema.ts";
import { valueOf } from "../support/results.ts";

function refusal(result: PathResult<unknown>): string {
  if (result.kind === "ok") throw new Error("the path is taken");
  const [only] = result.diagnostics;
  return `${only?.code ?? ""} ${String(only?.offset)}`;
}

describe("our own text", () => {
  test.each([
    "/",
    "/path-net:net",
    "/path-net:net/path-plus:extra",
    "/path-net:net/path-plus:shared/x",
    "/path-net:net/port[name='a']/path-plus:note",
    "/path-net:net/port[name='']",
    `/path-net:net/port[name="it's"]`,
    `/path-net:net/port[name='it''s "x"']/mtu`,
    "/path-net:net/port[name='/a/b[c=d]']/mtu",
    "/path-net:net/tag[.='x']",
    "/path-net:net/log[7]/text",
    "/path-net:net/port",
  ])("%s reads back", (text) => {
    expect(formatInstancePath(valueOf(parseInstancePath(schema, text)).path)).toBe(text);
  });

  test("takes keys in any order and values as written, or in their canonical form", () => {
    const text = "/path-net:net/route[ family = 'ipv4' ][target='a']";
    expect(formatInstancePath(valueOf(parseInstancePath(schema, text)).path)).toBe(
      "/path-net:net/route[target='a'][family='ipv4']",
    );
    expect(refusal(parsePath(schema, "instance", text))).toBe("path-key-value 21");
    const loose = "/path-net:net/peer[address='2001:DB8:0:0:0:0:0:1']";
    expect(formatInstancePath(valueOf(parsePath(schema, "instance", loose)).path)).toBe(
      "/path-net:net/peer[address='2001:db8::1']",
    );
  });

  test.each([
    ["/net", "path-needs-module 1"],
    ["/path-net:net/", "path-syntax 14"],
    ["/path-net:net[name='a']", "path-not-a-list 14"],
    ["/path-net:net/port/mtu", "path-missing-key 14"],
    ["/path-net:net/port[name='a'", "path-syntax 27"],
    ["/path-net:net/port[name='a']x", "path-syntax 28"],
    ["/path-net:net/port[name=a]", "path-syntax 24"],
    ["/path-net:net/port[2]", "path-position 19"],
    ["/path-net:net/log[00]", "path-syntax 18"],
    ["/path-net:net/tag[1]", "path-position 18"],
    ["/__proto__:constructor", "path-unknown-node 1"],
    ["/path-net:net/constructor", "path-unknown-node 14"],
    ["/path-net:net/port[name='a'][__proto__='b']", "path-unknown-key 29"],
  ])("%s is refused with its offset", (text, expected) => {
    expect(refusal(parseInstancePath(schema, text))).toBe(expected);
  });

  test("the parent of a path is found in its text, whatever stands in its keys", () => {
    expect(parentPathText(`/a:b/c[k='it''s "/x"']/d`)).toBe(`/a:b/c[k='it''s "/x"']`);
    expect(parentPathText("/a:b")).toBe("/");
  });
});

/** Best processor time of some rounds. */
function timeOf(work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round += 1) {
    const start = cpuTimeMs();
    work();
    best = Math.min(best, cpuTimeMs() - start);
  }
  return best;
}

/** Texts of a length that grows with `size`, for each form: one long key, many names, many predicates, no end. */
const LONG: Readonly<Record<PathForm, readonly ((size: number) => string)[]>> = {
  instance: [
    (size) => `/path-net:net/port[name='${"a''".repeat(size)}']`,
    (size) => "/path-net:net".repeat(size),
    (size) => `/path-net:net/port${"[name='a']".repeat(size)}`,
    (size) => `/path-net:net/port[name='${"''".repeat(size)}`,
  ],
  xpath: [
    (size) => `/net:net/net:port[net:name='${"a".repeat(size)}']`,
    (size) => "/net:net".repeat(size),
    (size) => `/net:net/net:port${"[net:name='a']".repeat(size)}`,
  ],
  restconf: [
    (size) => `/path-net:net/port=${"%41".repeat(size)}`,
    (size) => "/path-net:net".repeat(size),
    (size) => `/path-net:net/port=${",".repeat(size)}`,
    (size) => `${"/restconf".repeat(size)}/x`,
  ],
  gnmi: [
    (size) => `/net/port[name=${"\\]".repeat(size)}]`,
    (size) => "/net".repeat(size),
    (size) => `/net/port${"[name=a]".repeat(size)}`,
    (size) => `/net/port[name=${"\\\\".repeat(size)}`,
  ],
};

test.each(PATH_FORMS)("%s: time grows with the text and not with its square", (form) => {
  for (const text of LONG[form]) {
    const [short, long] = [text(2000), text(32_000)];
    const read = (each: string): unknown => parsePath(schema, form, each);
    read(short);
    // 16 times the text: 16 times the time, where the square would be 256 times.
    expect(
      timeOf(() => read(long)) /
        Math.max(
          timeOf(() => read(short)),
          1,
        ),
    ).toBeLessThan(64);
  }
});

test("a key of a megabyte goes through every form", () => {
  const value = "ab]'/%".repeat(180_000);
  const path = [
    { kind: "node", module: "path-net", name: "net" },
    { kind: "entry", module: "path-net", name: "port", keys: [{ name: "name", value }] },
  ] as const;
  for (const form of PATH_FORMS)
    expect(valueOf(parsePath(schema, form, valueOf(formatPath(schema, form, path)))).path).toEqual(path);
});
