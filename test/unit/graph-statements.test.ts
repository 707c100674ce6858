/** All Cypher stands in `graph/statements/` (the tables in `graph/schema/migrations.ts`), as constant text. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const FOLDERS = [
  "activities",
  "api",
  "client",
  "codec",
  "contract",
  "goal",
  "graph",
  "model",
  "plan",
  "providers",
  "runtime",
  "services",
  "simulator",
  "worker",
  "workflows",
];
/** Where statements may stand. */
const ALLOWED = /^graph\/(statements\/|schema\/migrations\.ts$)/;

/** Words that only a query is made of. How a transaction begins and ends is no query: `graph/ladybug.ts` says that. */
const CYPHER =
  /\b(?:OPTIONAL )?MATCH \(|\bUNWIND\b|\bMERGE \(|\bCREATE (?:\(|NODE TABLE|REL TABLE)|\b(?:ALTER|DROP) TABLE\b|\bCOPY \w+ FROM\b|\bDETACH DELETE\b|\bRETURN \w+\.|-\[:?\w*\]->/;

interface Text {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

function sources(): readonly string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`),
  );
}

const textOf = (file: string): string => readFileSync(join(ROOT, file), "utf8");

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, textOf(file), ts.ScriptTarget.ES2022, true);
}

/** Files in which such a word stands anywhere, were it in a comment: the only ones worth parsing. */
const SUSPECTS: readonly string[] = sources().filter((file) => CYPHER.test(textOf(file)));

/** Every text in the code of a file; what a comment says is not one. */
function textsOf(source: ts.SourceFile): readonly Text[] {
  const texts: Text[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)) {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      texts.push({ file: source.fileName, line, text: node.getText() });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

const placed = ({ file, line, text }: Text): string => `${file}:${line} ${text.slice(0, 100)}`;

test("the words by which a query is told hit every statement, so that a stray one would be seen", () => {
  const statements = sources()
    .filter((file) => ALLOWED.test(file))
    .flatMap((file) => textsOf(parse(file)))
    .filter(({ text }) => /^["'`][A-Z]{4,} /.test(text));
  expect(statements.length).toBeGreaterThan(100);
  expect(statements.filter(({ text }) => !CYPHER.test(text)).map(placed)).toEqual([]);
});

test("no Cypher stands elsewhere", () => {
  const stray = SUSPECTS.filter((file) => !ALLOWED.test(file))
    .flatMap((file) => textsOf(parse(file)))
    .filter(({ text }) => CYPHER.test(text));
  expect(stray.map(placed)).toEqual([]);
});

test("a statement is one constant text: nothing is put together", () => {
  const composed: string[] = [];
  for (const file of SUSPECTS) {
    const source = parse(file);
    const visit = (node: ts.Node): void => {
      const isComposed =
        ts.isTemplateExpression(node) ||
        (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken);
      if (isComposed && CYPHER.test(node.getText())) composed.push(`${file} ${node.getText().slice(0, 100)}`);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  expect(composed).toEqual([]);
});

test("every statement is explained where it stands, or belongs to a group that is", () => {
  const bare: string[] = [];
  for (const file of sources().filter((name) => name.startsWith("graph/statements/"))) {
    const text = textOf(file);
    // A group is what stands together without a blank line; its first line is a comment.
    for (const group of text.split(/\n{2,}/).slice(1)) {
      const [first = ""] = group.split("\n");
      if (group.includes("export const") && !/^(?:\/\*\*|\/\* |\/\/)/.test(first)) bare.push(`${file}: ${first}`);
    }
  }
  expect(bare).toEqual([]);
});
