/** OpenConfig's patterns between `^` and `$`. */
import { expect, test } from "vitest";
import { parseValue } from "../../model/values/canonical-value.ts";
import { compileYang } from "../../model/yang/compile-yang.ts";
import { withoutAnchors } from "../../model/yang/posix-pattern.ts";

test.each([
  ["^a$", "a"],
  ["^(a|b)$", "(a|b)"],
  ["^([0-9]+\\.\\.[0-9]+)|exact$", "([0-9]+\\.\\.[0-9]+)|exact"],
  ["(^a$|^b$)", "(a|b)"],
  ["[^a]", "[^a]"],
  ["[$]", "[$]"],
  ["\\^a\\$", "\\^a\\$"],
  ["\\(^a", "\\(^a"],
  ["a^b$c", "a^b$c"],
])("%s without anchors is %s", (pattern, expected) => {
  expect(withoutAnchors(pattern)).toBe(expected);
});

const EXTENSIONS = `module openconfig-extensions { namespace "urn:x"; prefix oc-ext; extension regexp-posix; }`;
const withImport = (head: string): string =>
  `module m { namespace "urn:m"; prefix m; ${head} leaf a { type string { pattern '^(x|y)$'; } } leaf b { type string { pattern '^z$'; } } }`;

function accepted(head: string): readonly string[] {
  const sources = [
    { name: "e.yang", text: EXTENSIONS },
    { name: "m.yang", text: withImport(head) },
  ];
  const compiled = compileYang(sources, { implement: "all", features: "all" });
  if (compiled.kind === "error") throw new Error("no schema");
  const leaf = compiled.value.roots.get("m:a");
  if (leaf?.kind !== "leaf") throw new Error("no leaf");
  const context = { schema: compiled.value, form: { kind: "canonical" } } as const;
  const values = ["x", "^x$"].filter((text) => parseValue(leaf.type, text, context).kind === "ok");
  return [...values, ...compiled.warnings.map((each) => each.code)];
}

test("are anchors in the modules of OpenConfig, which one warning for each module says, and characters elsewhere", () => {
  expect(accepted("import openconfig-extensions { prefix oc-ext; }")).toEqual(["x", "pattern-anchored"]);
  expect(accepted("")).toEqual(["^x$"]);
});
