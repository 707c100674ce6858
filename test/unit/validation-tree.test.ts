/** What findings of the validation say, and what it leaves alone. The verdicts themselves are in the corpus. */
import { describe, expect, it } from "vitest";
import {
  type ContainerSchema,
  type LeafSchema,
  type ListSchema,
  type Schema,
  isParentSchema,
} from "../../model/schema.ts";
import { type DataNode, type DataTree, childrenOf } from "../../model/tree.ts";
import { type ValidateOptions, type ValidationFinding, validateTree } from "../../model/validation/validate-tree.ts";
import { type Value, plainValue } from "../../model/value.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";
import { valueOf } from "../support/results.ts";
import { caseSchema, readCase } from "../verdicts/our-verdict.ts";
import type { Json, VerdictCase } from "../verdicts/verdict-case.ts";

type Data = { readonly [name: string]: Json };

function caseOf(yang: string, data: Data): VerdictCase {
  return { title: "unit", rfc: "8", yang, data, verdict: "valid" };
}

function treeOf(yang: string, data: Data): DataTree {
  const each = caseOf(yang, data);
  return valueOf(readCase(each, caseSchema(each)));
}

function findings(yang: string, data: Data, options?: ValidateOptions): readonly ValidationFinding[] {
  return validateTree(treeOf(yang, data), options);
}

/** `code path` of each finding. */
function brief(found: readonly ValidationFinding[]): readonly string[] {
  return found.map(({ code, path }) => `${code} ${path}`);
}

describe("a finding", () => {
  it("says where in the data, where in the module, what is expected, and as what NETCONF reports it", () => {
    const yang = `container c { leaf n { type uint8;\n must ". < 5" { error-message "n is too big"; } } }`;
    expect(findings(yang, { "v:c": { n: 7 } })).toEqual([
      {
        code: "must-false",
        severity: "warning",
        message: "n is too big",
        places: [
          { kind: "instance", path: "/v:c/n" },
          { kind: "source", position: { source: "0.yang", line: 3, column: 2 } },
        ],
        path: "/v:c/n",
        schemaPath: "/v:c/v:n",
        module: "v",
        expected: ". < 5",
        errorAppTag: "must-violation",
      },
    ]);
  });

  it("of unique names both entries", () => {
    const yang = `list s { key k; unique "a b"; leaf k { type string; } leaf a { type string; } leaf b { type string; } }`;
    const data = { "v:s": [{ k: "1", a: "x", b: "y" }, { k: "2" }, { k: "3", a: "x", b: "y" }] };
    const [first, ...more] = findings(yang, data);
    expect(more).toEqual([]);
    expect(first?.places.slice(0, 2)).toEqual([
      { kind: "instance", path: "/v:s[k='3']" },
      { kind: "instance", path: "/v:s[k='1']" },
    ]);
    expect(first?.message).toBe("two entries of list s have the same a b");
  });

  it("quotes a value that is missing as a key, and no other, which might be a secret", () => {
    const yang = `list e { key k; leaf k { type string; } leaf v { type string; } }
      leaf a { type leafref { path "/e/k"; } } leaf b { type leafref { path "/e/v"; } }`;
    const messages = findings(yang, { "v:a": "gone", "v:b": "hidden" }).map(({ message }) => message);
    expect(messages).toEqual(["a has the value gone of no existing k", "b has the value of no existing v"]);
  });

  it("is one for all instances under a when that is false", () => {
    const yang = `leaf on { type boolean; } leaf-list n { when "../on = 'true'"; type uint8; max-elements 3; }`;
    expect(brief(findings(yang, { "v:on": false, "v:n": [1, 2, 3] }))).toEqual(["when-false /v:n[.='1']"]);
  });

  it("tells of the other rules under a when that is false, since public models have some that are never true", () => {
    const yang = `leaf on { type boolean; } leaf-list n { when "../on = 'true'"; type uint8; max-elements 1; }
      container c { when "../on = 'true'"; leaf r { type leafref { path "../../n"; } } leaf m { type string; mandatory true; } }`;
    expect(brief(findings(yang, { "v:on": false, "v:n": [1, 2], "v:c": { r: 5 } }))).toEqual([
      "when-false /v:n[.='1']",
      "when-false /v:c",
      "reference-missing /v:c/r",
      "mandatory-missing /v:c/m",
      "too-many-elements /v:n",
    ]);
    // Nothing is asked of what is not there and may not be.
    expect(findings(yang, { "v:on": false })).toEqual([]);
  });
});

describe("all findings of a document", () => {
  const yang = `container c { presence "on"; leaf m { type string; mandatory true; } leaf n { type uint8; must ". < 5"; }
    leaf-list l { type uint8; max-elements 1; } choice ch { mandatory true; leaf x { type string; } }
    list e { key k; leaf k { type uint8; must ". != 2"; } leaf r { type leafref { path "../../n"; } } } }`;
  const data = {
    "v:c": {
      n: 7,
      l: [1, 2],
      e: [
        { k: 1, r: 7 },
        { k: 2, r: 8 },
      ],
    },
  };

  it("come in one run", () => {
    expect(brief(findings(yang, data))).toEqual([
      "choice-missing /v:c",
      "must-false /v:c/n",
      "must-false /v:c/e[k='2']/k",
      "reference-missing /v:c/e[k='2']/r",
      "too-many-elements /v:c/l",
      "mandatory-missing /v:c/m",
    ]);
  });

  it("are listed up to a limit for each rule, and counted beyond it", () => {
    const many = `leaf-list n { type uint8; must ". > 50"; must ". < 90"; }`;
    const found = findings(many, { "v:n": Array.from({ length: 100 }, (_, index) => index) }, { limit: 3 });
    expect(found.map(({ path, more, expected }) => [path, expected, more])).toEqual([
      ["/v:n[.='0']", ". > 50", undefined],
      ["/v:n[.='1']", ". > 50", undefined],
      ["/v:n[.='2']", ". > 50", 48],
      ["/v:n[.='90']", ". < 90", undefined],
      ["/v:n[.='91']", ". < 90", undefined],
      ["/v:n[.='92']", ". < 90", 7],
    ]);
    expect(found[2]?.message).toBe("a must of leaf-list n does not hold, and 48 more like it");
  });
});

describe("state data", () => {
  const yang = `container c { leaf n { type uint8; } container s { config false; leaf m { type string; mandatory true; }
    leaf n { type uint8; must ". < ../../n"; } } }`;

  function withState(): DataTree {
    const tree = treeOf(yang, { "v:c": { n: 1 } });
    const c = schemaAt(tree.schema, "/v:c", "container");
    const s = schemaAt(tree.schema, "/v:c/v:s", "container");
    const n = schemaAt(tree.schema, "/v:c/v:n", "leaf");
    const sn = schemaAt(tree.schema, "/v:c/v:s/v:n", "leaf");
    const state: DataNode = {
      kind: "container",
      schema: s,
      children: childrenOf([leaf(sn, plainValue("uint8", "2"))]),
    };
    const roots = childrenOf([
      { kind: "container", schema: c, children: childrenOf([leaf(n, plainValue("uint8", "1")), state]) },
    ]);
    return { schema: tree.schema, roots };
  }

  it("is left alone in a configuration, even where it stands in the tree", () => {
    expect(validateTree(withState())).toEqual([]);
  });

  it("is held to its constraints where all nodes are validated", () => {
    expect(brief(validateTree(withState(), { nodes: "all" }))).toEqual([
      "must-false /v:c/s/n",
      "mandatory-missing /v:c/s/m",
    ]);
  });

  it("is not seen by an expression about configuration", () => {
    const config = `container c { leaf n { type uint8; must "not(../s)"; } container s { presence "on"; config false; leaf x { type string; } } }`;
    const tree = treeOf(config, { "v:c": { n: 1 } });
    const c = schemaAt(tree.schema, "/v:c", "container");
    const s = schemaAt(tree.schema, "/v:c/v:s", "container");
    const n = schemaAt(tree.schema, "/v:c/v:n", "leaf");
    const nodes: readonly DataNode[] = [
      leaf(n, plainValue("uint8", "1")),
      { kind: "container", schema: s, children: new Map() },
    ];
    const roots = childrenOf([{ kind: "container", schema: c, children: childrenOf(nodes) }]);
    expect(validateTree({ schema: tree.schema, roots })).toEqual([]);
    expect(brief(validateTree({ schema: tree.schema, roots }, { nodes: "all" }))).toEqual([]);
  });
});

describe("sealed secrets", () => {
  const sealed = (hmac: string): Value => ({ kind: "sealed", type: "string", keyId: "k1", hmac });

  function tree(yang: string, values: Readonly<Record<string, Value>>): DataTree {
    const { schema } = treeOf(yang, {});
    const nodes = Object.entries(values).map(([name, value]) => leaf(schemaAt(schema, `/v:${name}`, "leaf"), value));
    return { schema, roots: childrenOf(nodes) };
  }

  it("are not judged by a must, which says so", () => {
    const yang = `leaf pass { type string; must "string-length(.) > 7"; } leaf other { type string; must "../pass = 'x'"; }
      leaf third { type string; must "../other = 'x'"; }`;
    const found = validateTree(
      tree(yang, { pass: sealed("aa"), other: plainValue("string", "a"), third: plainValue("string", "a") }),
    );
    expect(brief(found)).toEqual(["not-evaluated /", "not-evaluated /", "must-false /v:third"]);
    expect(found[1]?.message).toBe("cannot evaluate ../pass = 'x': it looks at a secret that is sealed here");
  });

  it("are neither references nor equal to one another", () => {
    const yang = `leaf a { type string; } leaf r { type leafref { path "../a"; } }
      list s { key k; unique "p"; leaf k { type string; } leaf p { type string; } }`;
    const { schema } = treeOf(yang, {});
    const list = schemaAt(schema, "/v:s", "list");
    const p = schemaAt(schema, "/v:s/v:p", "leaf");
    const entry = (key: string): DataNode => ({
      kind: "entry",
      schema: list,
      keys: [plainValue("string", key)],
      children: childrenOf([leaf(p, sealed("cc"))]),
    });
    const roots = childrenOf([leaf(schemaAt(schema, "/v:r", "leaf"), sealed("bb")), entry("1"), entry("2")]);
    expect(validateTree({ schema, roots })).toEqual([]);
  });
});

describe("a tree that was made by hand, checked whole", () => {
  const yang = `list e { key "a b"; leaf a { type uint8; } leaf b { type string; } leaf n { type uint8 { range "1..5" { error-app-tag "no-n"; } } } }
    container c { leaf x { type decimal64 { fraction-digits 2; } } }`;
  const { schema } = treeOf(yang, {});
  const list = schemaAt(schema, "/v:e", "list");
  const n = schemaAt(schema, "/v:e/v:n", "leaf");
  const x = schemaAt(schema, "/v:c/v:x", "leaf");
  const entry = (keys: readonly Value[], children: readonly DataNode[] = []): DataNode => ({
    kind: "entry",
    schema: list,
    keys,
    children: childrenOf(children),
  });
  const keys = [plainValue("uint8", "1"), plainValue("string", "q")];
  const checked = (roots: DataTree["roots"]): readonly string[] =>
    validateTree({ schema, roots }, { values: "checked" }).map(
      ({ code, path, errorAppTag = "" }) => `${code} ${path} ${errorAppTag}`,
    );

  it("is fine when it is as a reader would have made it", () => {
    expect(checked(childrenOf([entry(keys, [leaf(n, plainValue("uint8", "5"))])]))).toEqual([]);
  });

  it("may hold values outside their type, with the app-tag of the schema", () => {
    const found = checked(childrenOf([entry(keys, [leaf(n, plainValue("uint8", "6"))])]));
    expect(found).toEqual(["value-invalid /v:e[a='1'][b='q']/n no-n"]);
  });

  it("may hold values that are not canonical, or of another type", () => {
    const container: DataNode = {
      kind: "container",
      schema: schemaAt(schema, "/v:c", "container"),
      children: childrenOf([leaf(x, plainValue("decimal64", "1.50"))]),
    };
    expect(checked(childrenOf([container]))).toEqual(["value-invalid /v:c/x "]);
    const wrong = entry([plainValue("string", "1"), plainValue("string", "q")]);
    expect(checked(childrenOf([wrong]))).toEqual(["value-invalid /v:e[a='1'][b='q']/a "]);
  });

  it("may hold nodes in the wrong place or under the wrong key, and entries without keys", () => {
    expect(checked(childrenOf([leaf(n, plainValue("uint8", "1"))]))).toEqual(["node-misplaced /v:n "]);
    expect(checked(new Map([["v:other", entry(keys)]]))).toEqual(["node-misplaced /v:e[a='1'][b='q'] "]);
    expect(checked(new Map([["v:e", entry(keys.slice(1))]]))).toEqual(["key-missing /v:e "]);
  });
});

describe("the time it takes", () => {
  it("grows with the data: references, unique, counts, when and must over lists that refer to each other", () => {
    const yang = `list a { key k; unique "u"; leaf k { type uint32; } leaf u { type uint32; } leaf kind { type string; default "x"; }
        leaf w { when "../kind = 'x'"; type string; } leaf peer { type leafref { path "/a/k"; } } }
      list b { key k; min-elements 1; leaf k { type leafref { path "/a/k"; } must "/a[k = current()]/kind = 'x'"; }
        leaf u { type leafref { path "/a[k = current()/../k]/u"; } } }`;
    const document = (count: number): DataTree => {
      const numbers = Array.from({ length: count }, (_, index) => index);
      return treeOf(yang, {
        "v:a": numbers.map((k) => ({ k, u: count + k, w: "w", peer: (k * 7) % count })),
        "v:b": numbers.map((k) => ({ k, u: count + k })),
      });
    };
    const run = (tree: DataTree): number => {
      let best = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 3; round += 1) {
        const start = cpuTimeMs();
        expect(validateTree(tree)).toEqual([]);
        best = Math.min(best, cpuTimeMs() - start);
      }
      return best;
    };
    const [small, big] = [document(1000), document(16_000)];
    run(small);
    // 16 times the data: looking through a list for each entry of another would take 256 times as long.
    expect(run(big) / Math.max(run(small), 1)).toBeLessThan(64);
  });
});

interface Kinds {
  readonly container: ContainerSchema;
  readonly list: ListSchema;
  readonly leaf: LeafSchema;
}

function schemaAt<K extends keyof Kinds>(schema: Schema, path: string, kind: K): Kinds[K] {
  let children = schema.roots;
  for (const id of path.split("/").slice(1)) {
    const node = children.get(id);
    if (node === undefined) break;
    if (node.schemaPath === path && node.kind === kind) return node as Kinds[K];
    children = isParentSchema(node) ? node.children : new Map();
  }
  throw new Error(`no ${kind} ${path}`);
}

function leaf(schema: LeafSchema, value: Value): DataNode {
  return { kind: "leaf", schema, value, origin: "set" };
}
