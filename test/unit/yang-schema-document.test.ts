import { describe, expect, it } from "vitest";
import type { Schema } from "../../model/schema.ts";
import type { CompileOptions } from "../../model/yang/compile-yang.ts";
import { schemaFromDocument, schemaToDocument } from "../../model/yang/schema-document.ts";
import { valueOf } from "../support/results.ts";
import { plainSchema } from "../support/plain-schema.ts";
import { compiled, leafAt, listAt, nodeAt, yangModule } from "./yang-fixture.ts";

const lib = yangModule(
  "lib",
  `feature f; identity kind; identity special { base kind; }
   extension mark { argument name; }
   typedef ref { type leafref { path "/lib:top/lib:name"; } }
   container top { leaf name { type string { length "1..9" { error-message long; error-app-tag tag; } pattern 'a.*'; pattern 'b' { modifier invert-match; } } } }`,
);
const main = yangModule(
  "m",
  `import lib { prefix l; }
   revision 2024-01-01;
   typedef percent { type decimal64 { fraction-digits 2; range "0 .. 100 | 200"; } default 1.50; units "%"; }
   container c { presence "on"; must "a = 'x'" { error-message no; error-app-tag bad; } description "text"; l:mark q { l:mark r; }
     leaf a { type string; default x; }
     list l { key "b a"; unique "d e/f"; ordered-by user; min-elements 1; max-elements 4294967295; when "../a";
       leaf a { type int64 { range "-9223372036854775808 .. 5"; } } leaf b { type percent; } leaf d { type binary { length 4; } } container e { leaf f { type empty; } } }
     leaf-list ll { type percent; default 1; default 2; ordered-by user; max-elements 5; }
     choice ch { default r; when "a"; case x { when "../c"; leaf o { type boolean; } choice inner { mandatory true; leaf p { type int8; } leaf q { type int8; } } } leaf r { type int8; } }
     anydata ad { status deprecated; } anyxml ax { mandatory true; }
     leaf lr { type leafref { path "../a"; require-instance false; } mandatory true; }
     leaf far { type l:ref; }
     leaf back { type leafref { path "../u"; } }
     leaf u { type union { type enumeration { enum one { value 5; } enum "two words"; } type bits { bit q; bit r { position 9; } }
       type identityref { base l:kind; } type instance-identifier { require-instance false; } type leafref { path "../lr"; } } }
     container state { config false; list keyless { leaf z { type uint64; } } }
     action act { input { leaf i { type leafref { path "../../a"; } } } output { must "o"; leaf o { type int8; } } }
     notification note { leaf n { type string; } } }
   choice top { leaf t { type string; } }
   rpc go { input { container in { leaf deep { type string; } } leaf same { type leafref { path "../in/deep"; } } } }
   notification gone { leaf why { type string; } }
   container __proto__ { leaf constructor { type string; default toString; } }`,
);

function again(schema: Schema): Schema {
  return valueOf(schemaFromDocument(schemaToDocument(schema)));
}

describe("a schema kept as a document", () => {
  const first = compiled([lib, main]);
  const second = again(first);

  it("says what the compiled one says", () => {
    expect(plainSchema(second)).toEqual(plainSchema(first));
    expect(JSON.stringify(plainSchema(first)).length).toBeGreaterThan(10_000);
  });

  it("is the same text again, whoever reads it", () => {
    expect(schemaToDocument(second)).toBe(schemaToDocument(first));
  });

  it("has one object for a node, however one comes to it", () => {
    const list = listAt(second, "/m:c/m:l");
    expect(list.keys.map((key) => key.name)).toEqual(["b", "a"]);
    expect(list.keys.every((key) => key === list.children.get(key.id))).toBe(true);
    expect(nodeAt(second, "/m:c/m:l")).toBe(list);
    expect(list.parent).toBe(nodeAt(second, "/m:c"));
    const { type } = leafAt(second, "/m:c/m:lr");
    if (type.kind !== "leafref") throw new Error("no leafref");
    expect(type.target()).toBe(leafAt(second, "/m:c/m:a"));
    expect({ ...list }.children).toBe(list.children);
  });

  it("keeps targets that stand apart from the tree", () => {
    const schema = compiled([lib, yangModule("n", "import lib { prefix l; } leaf x { type l:ref; }")], {
      implement: [{ name: "n" }],
      features: "all",
    });
    const { type } = leafAt(again(schema), "/n:x");
    expect(type.kind === "leafref" && type.target().type.kind).toBe("string");
    expect(plainSchema(again(schema))).toEqual(plainSchema(schema));
  });
});

describe("the schema of a module set", () => {
  const sources = [
    yangModule("b", "revision 2024-01-01; container c { leaf x { type int8; } } identity i;"),
    yangModule("a", "import b { prefix b; } augment /b:c { leaf y { type int8; } } identity j { base b:i; }"),
    yangModule(
      "z",
      "import b { prefix b; } augment /b:c { leaf y { type int8; } } deviation /b:c/b:x { deviate add { must '1'; } }",
    ),
    yangModule("d", "import b { prefix b; } deviation /b:c/b:x { deviate add { must '2'; } } identity k { base b:i; }"),
    yangModule("e", "import b { prefix o; revision-date 2023-01-01; } leaf old { type o:t; } identity l { base o:i; }"),
    {
      ...yangModule("b", "revision 2023-01-01; typedef t { type string; } identity top; identity i { base top; }"),
      name: "b@2023-01-01.yang",
    },
  ];
  const names = ["z", "d", "b", "e", "a"].map((name) => ({ name }));

  it.each([
    ["all of them", "all", "all"],
    ["those named", names, [...names].reverse()],
  ] as const)("does not depend on the order of the sources: %s", (_title, one, other) => {
    const document = (order: typeof sources, implement: CompileOptions["implement"]): string =>
      schemaToDocument(compiled(order, { implement, features: "all" }));
    const first = document(sources, one);
    expect(document([...sources].reverse(), other)).toBe(first);
    expect(document([...sources.slice(3), ...sources.slice(0, 3)], other)).toBe(first);
  });
});

describe("a schema document that is not as it was written", () => {
  const text = schemaToDocument(compiled([lib, main]));
  const codes = (damaged: string): readonly string[] => {
    const result = schemaFromDocument(damaged);
    return result.kind === "ok" ? [] : result.diagnostics.map(({ code }) => code);
  };

  it.each([
    ["empty", ""],
    ["something else", '{"format":"other"}\n{}'],
    ["no JSON", "tenure-schema\n"],
    ["null", "null\nnull"],
    ["cut in the header", text.slice(0, 30)],
    ["cut in the middle", text.slice(0, text.length / 2)],
    ["cut at the end", text.slice(0, -1)],
    ["longer", `${text} `],
  ])("%s is refused", (_title, damaged) => {
    expect(codes(damaged)).toEqual(["schema-document-damaged"]);
  });

  it("is refused whichever character changed", () => {
    const start = text.indexOf("\n") + 1;
    for (let at = start; at < text.length; at += 97) {
      const other = text[at] === "1" ? "2" : "1";
      expect(codes(text.slice(0, at) + other + text.slice(at + 1))).toEqual(["schema-document-damaged"]);
    }
  });

  it("is refused when it is of another version, with what to do", () => {
    const other = text.replace(/"version":\d+/, '"version":999');
    expect(codes(other)).toEqual(["schema-document-version"]);
    const result = schemaFromDocument(other);
    expect(result.kind === "error" && result.diagnostics[0]?.remedy).toBe("compile the modules again");
  });
});
