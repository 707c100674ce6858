/**
 * Node by node against yanglint, on modules of our own; `npm run test:yang` does it on public sets. A comparison that
 * finds nothing proves nothing, so it is also shown schemas in which one fact is wrong.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { describePeer } from "../support/peer-suite.ts";
import type { Schema } from "../../model/schema.ts";
import { type YangSource, compileYang } from "../../model/yang/compile-yang.ts";
import { valueOf } from "../support/results.ts";
import { missingYanglintProgram } from "../support/yanglint.ts";
import { moduleText } from "../support/yang-rules/rule.ts";

type Compile = (sources: readonly YangSource[], names: readonly string[]) => Schema;

interface Comparison {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly lines: readonly string[];
}

const { compareWithYanglint, faultyYanglintExceptions } = (await import(
  join(import.meta.dirname, "../yang/compare-yanglint.mjs")
)) as {
  readonly compareWithYanglint: (
    set: {
      readonly name: string;
      readonly folder: string;
      readonly files: readonly { readonly path: string; readonly name: string; readonly kind: string }[];
    },
    options: { readonly compile: Compile },
  ) => Promise<Comparison>;
  readonly faultyYanglintExceptions: () => readonly string[];
};

const MODULES: Readonly<Record<string, string>> = {
  lib: moduleText(
    "lib",
    `feature f; identity kind; identity special { base kind; }
     typedef percent { type decimal64 { fraction-digits 2; range "0.5 .. 100 | 200"; } default 1.50; }
     grouping endpoint { leaf host { type string { length "1..64"; pattern '[a-z]*'; pattern 'x' { modifier invert-match; } } } leaf port { type uint16; default 22; }
       choice how { default a; case a { leaf x { type empty; } } leaf y { if-feature f; type int8; } } }`,
  ),
  m: moduleText(
    "m",
    `import lib { prefix l; }
     container c { leaf a { type l:percent; } leaf b { type string; mandatory true; } container p { presence yes; config false; leaf-list s { type string; ordered-by user; } }
       list server { key "name id"; ordered-by user; min-elements 1; max-elements 9; leaf id { type int8; } leaf name { type string; } uses l:endpoint { refine port { default 23; } } }
       list keyless { config false; leaf z { type uint64; } }
       leaf-list ll { type l:percent; default 2; default 1; ordered-by user; }
       leaf ref { type leafref { path "../server/name"; require-instance false; } }
       leaf u { type union { type enumeration { enum x { value 5; } enum "y z"; } type bits { bit b; bit a { position 4; } } type union { type int8; type binary; } type instance-identifier { require-instance false; } } }
       leaf i { type identityref { base l:kind; } default l:special; }
       choice outer { mandatory true; case one { container o; choice inner { leaf p1 { type string; } leaf p2 { type string; } } } anydata two; }
       action run { input { leaf force { type boolean; default true; } list k { key n; ordered-by user; leaf n { type string; } } } output { anyxml got; } }
       notification changed { leaf-list what { type string; min-elements 1; } } }
     rpc go { input { leaf n { type string; mandatory true; } } }
     notification gone { leaf why { type string; } }`,
  ),
  aug: moduleText(
    "aug",
    `import m { prefix m; }
     augment /m:c { leaf b { type int16; } container more { config false; leaf deep { type string; } } }
     augment /m:c/m:run/m:input { leaf extra { type string; } }
     deviation /m:c/m:a { deviate add { default 3; } }`,
  ),
};

const missing = missingYanglintProgram();

it("has a list of differences in which each names the section that decides", () => {
  expect(faultyYanglintExceptions()).toEqual([]);
});

describePeer("node by node with yanglint", missing, () => {
  const folder = mkdtempSync(join(tmpdir(), "yang-nodes-"));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  async function compare(change: (texts: Record<string, string>) => void = () => undefined): Promise<Comparison> {
    const files = Object.entries(MODULES).map(([name, text]) => {
      const path = join(folder, `${name}.yang`);
      writeFileSync(path, text);
      return { path, name, kind: "module" };
    });
    const compile: Compile = (_sources, names) => {
      const texts = { ...MODULES };
      change(texts);
      const sources = Object.entries(texts).map(([name, text]) => ({ name: `${name}.yang`, text }));
      return valueOf(compileYang(sources, { implement: names.map((name) => ({ name })), features: "all" }));
    };
    return compareWithYanglint({ name: "own", folder, files }, { compile });
  }

  it("finds no difference", async () => {
    const { passed, failed, skipped, lines } = await compare();
    expect(lines.filter((line) => line.startsWith("FAILED"))).toEqual([]);
    expect({ passed, failed, skipped }).toEqual({ passed: 3, failed: 0, skipped: 0 });
    expect(lines[0]).toMatch(/^3 modules compared, (\d\d) nodes \(yanglint \1\)/);
  });

  it.each([
    ["config", "container p { presence yes; config false;", "container p { presence yes;", "/m:c/p config: ours true"],
    ["presence", "presence yes;", "", "/m:c/p presence: ours -, yanglint true"],
    ["mandatory", "mandatory true; } container p", "} container p", "/m:c/b mandatory"],
    ["key order", 'key "name id"', 'key "id name"', "/m:c/server key: ours idname, yanglint nameid"],
    ["min-elements", "min-elements 1; max-elements 9", "max-elements 9", "/m:c/server min-elements: ours 0"],
    ["max-elements", "max-elements 9", "max-elements 8", "/m:c/server max-elements: ours 8, yanglint 9"],
    ["ordered-by", "ordered-by user; min-elements", "min-elements", "/m:c/server ordered-by: ours system"],
    ["default", "default 23", "default 24", "/m:c/server/port default: ours 24, yanglint 23"],
    ["type", "leaf id { type int8;", "leaf id { type int16;", "/m:c/server/id type: ours int16, yanglint int8"],
    ["enum value", "value 5", "value 6", "/m:c/u type"],
    ["a node that is not there", "anydata two;", "", "/m:c/two node: ours 0 nodes, yanglint 1 nodes"],
    ["operations", "leaf force { type boolean; default true;", "leaf force { type boolean;", "/m:c/run/(input)/force"],
  ])("finds a wrong %s", async (_title, from, to, line) => {
    const { failed, lines } = await compare((texts) => {
      const text = texts["m"] ?? "";
      expect(text).toContain(from);
      texts["m"] = text.replace(from, to);
    });
    expect(failed).toBeGreaterThan(0);
    expect(lines.find((each) => each.startsWith(`FAILED ${line}`))).toBeDefined();
  });
});
