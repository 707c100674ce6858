/** However an argument is quoted, joined and indented: each of its characters is found where it stands in the text. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { YangStatement } from "../../model/yang/compile-yang.ts";
import { parseYangModule } from "../../model/yang/compile-yang.ts";
import { locateInArgument } from "../../model/yang/locate-argument.ts";
import { valueOf } from "../support/results.ts";

const characters = fc.constantFrom(
  "a",
  "b",
  " ",
  "\t",
  "\n",
  "\r\n",
  "\\n",
  "\\t",
  "\\\\",
  '\\"',
  "'",
  "{",
  ";",
  "+",
  "é",
  "𝄞",
);
const doubleQuoted = fc.array(characters, { maxLength: 12 }).map((parts) => `"${parts.join("")}"`);
const singleQuoted = fc
  .array(fc.constantFrom("a", " ", "\n", "\\", '"', "/*", "é"), { maxLength: 8 })
  .map((parts) => `'${parts.join("")}'`);
const between = fc.constantFrom(" + ", "+", "\n\t + ", "/* x */ + // y\n ");
const argument = fc
  .array(fc.tuple(between, fc.oneof(doubleQuoted, singleQuoted)), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.map(([joint, part], index) => (index === 0 ? part : joint + part)).join(""));
const before = fc.constantFrom("", "\n", "  ", "\t", "\n\n\t \t", "/* c\n */ ", "// d\n");

function find(statement: YangStatement): YangStatement {
  const found = statement.children.find((child) => child.keyword === "description");
  if (found === undefined) throw new Error("no description");
  return found;
}

it("finds every character of an argument", () => {
  fc.assert(
    fc.property(fc.boolean(), before, before, argument, (marked, first, second, quoted) => {
      const mark = marked ? "\uFEFF" : "";
      const text = `${mark}module m { yang-version 1.1; namespace urn:m; prefix m;${first}description ${second}${quoted}; }`;
      const source = { name: "m", text };
      const statement = find(valueOf(parseYangModule(source)).statement);
      const lines = text.split("\n");
      let last = 0;
      for (let offset = 0; offset < (statement.argument?.length ?? 0); offset += 1) {
        const character = statement.argument?.charAt(offset) ?? "";
        const { line, column } = locateInArgument(source, statement, offset);
        const there = (lines[line - 1] ?? "").slice(column - 1 + (line === 1 ? mark.length : 0));
        // A line break ends its line; an escape stands at its backslash; a tab may stand for some of its blanks.
        const stands =
          there.startsWith(character) ||
          (character === "\n" && (there === "" || there.startsWith("\r") || there.startsWith("\\n"))) ||
          (character === "\t" && there.startsWith("\\t")) ||
          ((character === "\\" || character === '"') && there.startsWith(`\\${character}`)) ||
          (character === " " && there.startsWith("\t"));
        const at = line * 10_000 + column;
        if (!stands || at < last || (at === last && !there.startsWith("\t")))
          expect({ offset, character, there }).toEqual("the next character");
        last = at;
      }
    }),
    { numRuns: 1500 },
  );
});
