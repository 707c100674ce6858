/** Augments that depend on each other (RFC 7950 section 7.17). */
import { describe, expect, it } from "vitest";
import { compiled, findings, paths, yangModule } from "./yang-fixture.ts";

describe("augments of one module", () => {
  it("may each name a node that only a later one adds", () => {
    const source = yangModule(
      "m",
      `container a;
       augment "/a/b/c/d" { leaf deepest { type string; } }
       augment "/a/b/c" { container d; }
       augment "/a/b" { container c; }
       augment "/a" { container b; }`,
    );
    expect(paths(compiled([source]))).toEqual([
      "/m:a",
      "/m:a/m:b",
      "/m:a/m:b/m:c",
      "/m:a/m:b/m:c/m:d",
      "/m:a/m:b/m:c/m:d/m:deepest",
    ]);
  });

  it("add in the order in which they stand, those that had to wait as soon as they can", () => {
    const source = yangModule(
      "m",
      `container a;
       augment "/a/b" { leaf first { type string; } }
       augment "/a" { container b { leaf own { type string; } } }
       augment "/a/b" { leaf second { type string; } }`,
    );
    expect(paths(compiled([source])).slice(2)).toEqual(["/m:a/m:b/m:own", "/m:a/m:b/m:first", "/m:a/m:b/m:second"]);
  });

  it("may wait for a case, or for the case around a node that stands by itself", () => {
    const source = yangModule(
      "m",
      `container a { choice x { leaf y { type string; } } }
       augment "/a/x/z" { leaf more { type string; } }
       augment "/a/x/w/w" { leaf inner { type string; } }
       augment "/a/x" { case z; container w; }`,
    );
    expect(paths(compiled([source]))).toEqual(["/m:a", "/m:a/m:y", "/m:a/m:more", "/m:a/m:w", "/m:a/m:w/m:inner"]);
  });
});

describe("augments across modules", () => {
  it("find what other modules' augments add, whatever the order of the sources", () => {
    const sources = [
      yangModule("a", "container a;"),
      yangModule("b", 'import a { prefix a; } augment "/a:a" { container b; }'),
      yangModule("c", 'import a { prefix a; } import b { prefix b; } augment "/a:a/b:b" { leaf c { type string; } }'),
    ];
    const expected = ["/a:a", "/a:a/b:b", "/a:a/b:b/c:c"];
    expect(paths(compiled(sources))).toEqual(expected);
    expect(paths(compiled([...sources].reverse()))).toEqual(expected);
  });

  it("that name nothing are all errors, each at its place", () => {
    const source = yangModule(
      "m",
      `container a;
       augment "/a/gone" { leaf x { type string; } }
       augment "/nowhere/at/all" { leaf y { type string; } }
       augment "/a/gone/x" { leaf z { type string; } }`,
    );
    expect([...findings([source])].sort()).toEqual([
      "augment-target-not-found m.yang:3:8",
      "augment-target-not-found m.yang:4:8",
      "augment-target-not-found m.yang:5:8",
    ]);
  });
});
