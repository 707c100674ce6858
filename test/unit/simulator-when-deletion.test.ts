/** RFC 7950 section 8.2: the server deletes nodes whose `when` becomes false by an edit of something else. */
import { describe, expect, it } from "vitest";
import { dataFromJson } from "../../codec/json/data-from-json.ts";
import { dataToJson } from "../../codec/json/data-to-json.ts";
import { parseJson } from "../../codec/json/parse-json.ts";
import { formatJson } from "../../codec/json/json-value.ts";
import { parseXml } from "../../codec/xml/read-xml.ts";
import { applyEdit } from "../../simulator/apply-edit.ts";
import { checkTree } from "../../simulator/check-tree.ts";
import { readEdit } from "../../simulator/read-edit.ts";
import { deleteWhereWhenFails } from "../../simulator/when-deletion.ts";
import { valueOf } from "../support/results.ts";
import { compiled, yangModule } from "./yang-fixture.ts";

const schema = compiled([
  yangModule(
    "m",
    `container c {
       leaf on { type boolean; default true; }
       leaf a { when "not(../on = 'false')"; type uint8; }
       container far { leaf b { when "../../a"; type uint8; } }
       list l { key k; leaf k { type uint8; } leaf v { when "../../far/b"; type uint8; } }
       leaf-list s { when "../a > 1"; type uint8; }
       choice ch { case x { when "a"; leaf x { type uint8; } } }
       leaf kept { type uint8; }
     }`,
  ),
]);

/** The datastore after an edit, and the tags and paths of what is wrong with it. */
function after(data: string, edit: string): { readonly data: unknown; readonly errors: readonly string[] } {
  const options = { unknown: "error", nodes: "config", defaultsMode: "explicit" } as const;
  const before = valueOf(dataFromJson(schema, valueOf(parseJson(data, { source: "data" })), options));
  const root = parseXml(`<c xmlns="urn:t:m" xmlns:nc="urn:ietf:params:xml:ns:netconf:base:1.0">${edit}</c>`);
  if (root.kind === "failed") throw new Error("the edit is no XML");
  const { edits } = readEdit(schema, [root.value], "merge");
  const { tree } = applyEdit(before, edits, { errorOption: "rollback-on-error", basicMode: "explicit" });
  const settled = deleteWhereWhenFails(before, tree, edits);
  return {
    data: JSON.parse(formatJson(valueOf(dataToJson(settled)), { layout: "compact" })),
    errors: checkTree(settled).map(({ tag, path }) => `${tag} ${path?.at(-1)?.name ?? ""}`),
  };
}

const full = `{"m:c": {"a": 2, "far": {"b": 1}, "l": [{"k": 1, "v": 1}, {"k": 2}], "s": [1, 2], "x": 1, "kept": 1}}`;

describe("nodes whose when becomes false", () => {
  it("go, with all that depends on them", () => {
    expect(after(full, "<on>false</on>")).toEqual({
      data: { "m:c": { on: false, l: [{ k: 1 }, { k: 2 }], kept: 1 } },
      errors: [],
    });
  });

  it("all instances of them, and nothing else", () => {
    const { data } = after(full, "<a>1</a>");
    expect(data).toEqual({ "m:c": { a: 1, far: { b: 1 }, l: [{ k: 1, v: 1 }, { k: 2 }], x: 1, kept: 1 } });
  });

  it("also when the node itself is deleted that they ask for", () => {
    const { data } = after(full, `<far><b nc:operation="delete"/></far>`);
    expect(data).toEqual({ "m:c": { a: 2, l: [{ k: 1 }, { k: 2 }], s: [1, 2], x: 1, kept: 1 } });
  });

  it("are refused where the edit writes them itself (section 8.3.1)", () => {
    const { data, errors } = after(full, "<on>false</on><a>3</a>");
    expect(data).toMatchObject({ "m:c": { a: 3 } });
    expect(errors[0]).toBe("unknown-element a");
  });

  it("nor are new ones taken", () => {
    expect(after(`{"m:c": {"on": false}}`, "<a>3</a>").errors).toEqual(["unknown-element a"]);
  });
});
