/**
 * Tokens to the statement tree (RFC 7950 section 6.3). Goes on after an error at the next place where a statement can
 * begin, so that one run shows them all; an explicit stack instead of recursion, so that depth costs no call stack.
 */
import { internedKeyword } from "./grammar.ts";
import { YangLexer, type Token } from "./lexer.ts";
import type { YangSource, YangStatement } from "./statement.ts";
import type { YangReport } from "./yang-report.ts";

/** Deeper than any module in use; later stages recurse along the tree and rely on it. */
export const MAX_DEPTH = 200;
const MAX_SYNTAX_ERRORS = 30;

const KEYWORD = /^[A-Za-z_][A-Za-z0-9_.-]*(:[A-Za-z_][A-Za-z0-9_.-]*)?$/;
// RFC 7950 section 14, yang-char: no controls, surrogates or noncharacters.
const NOT_YANG_CHARACTER =
  /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FDCF}\u{FDF0}-\u{FFFD}\u{10000}-\u{10FFFF}]|[\u{1FFFE}\u{1FFFF}\u{2FFFE}\u{2FFFF}\u{10FFFE}\u{10FFFF}]/u;

interface OpenStatement extends YangStatement {
  readonly children: YangStatement[];
}

/** Of the many statements that have no block. */
const NO_CHILDREN: readonly YangStatement[] = [];

/**
 * The statements at the top of a text; a proper module text has exactly one. Never throws; what cannot be read is
 * reported. `quirks` are the places of what YANG 1 allows and YANG 1.1 does not.
 */
export function parseStatements(
  source: YangSource,
  report: YangReport,
): { readonly statements: readonly YangStatement[]; readonly quirks: YangLexer["onlyVersion1"] } {
  checkCharacters(source, report);
  const lexer = new YangLexer(source, report);
  const top: YangStatement[] = [];
  const open: OpenStatement[] = [];
  const errorsBefore = report.errorCount;
  let token = lexer.next();
  const fail = (message: string, at: Token, expected: string): void => {
    report.error("statement-syntax", message, lexer.positionOf(at.at), { expected });
  };
  while (token.kind !== "end") {
    if (report.errorCount - errorsBefore >= MAX_SYNTAX_ERRORS) break;
    if (token.kind === "close") {
      if (open.pop() === undefined) fail("'}' closes nothing", token, "a statement or the end of the text");
      token = lexer.next();
      continue;
    }
    if (token.kind !== "string") {
      fail(`'${token.kind === "open" ? "{" : ";"}' without a statement before it`, token, "a keyword");
      // An opened block is read under a name that the grammar check never sees, so that its '}' finds a partner.
      if (token.kind === "open")
        open.push({ keyword: "", argument: undefined, position: lexer.positionOf(token.at), children: [] });
      token = lexer.next();
      continue;
    }
    const keyword = token;
    const position = lexer.positionOf(keyword.at);
    const known = keyword.form === "quoted" ? undefined : internedKeyword(keyword.text);
    if (keyword.form === "quoted" || (known === undefined && !KEYWORD.test(keyword.text)))
      fail(`${JSON.stringify(keyword.text.slice(0, 40))} is no keyword`, keyword, "a keyword or prefix:keyword");
    token = lexer.next();
    let argument: string | undefined;
    if (token.kind === "string") {
      argument = token.text;
      token = lexer.next();
    }
    for (; token.kind === "string" && token.form === "quoted"; token = lexer.next())
      fail(`a second argument of ${keyword.text}`, token, "';' or '{'");
    const siblings = open.at(-1)?.children ?? top;
    if (token.kind === "open") {
      const statement: OpenStatement = { keyword: known ?? keyword.text, argument, position, children: [] };
      siblings.push(statement);
      if (open.length >= MAX_DEPTH) {
        report.error(
          "nesting-too-deep",
          `more than ${String(MAX_DEPTH)} levels of statements`,
          lexer.positionOf(token.at),
        );
        break;
      }
      open.push(statement);
      token = lexer.next();
      continue;
    }
    siblings.push({ keyword: known ?? keyword.text, argument, position, children: NO_CHILDREN });
    if (token.kind === "semicolon") token = lexer.next();
    else fail(`statement ${keyword.text} does not end`, token, "';' or '{'");
  }
  if (token.kind === "end") {
    const unclosed = open.at(-1);
    if (unclosed !== undefined)
      report.error(
        "statement-syntax",
        `the text ends inside ${unclosed.keyword === "" ? "a block" : unclosed.keyword}`,
        [lexer.positionOf(token.at), unclosed.position],
        { expected: "'}'" },
      );
  }
  return { statements: top, quirks: lexer.onlyVersion1 };
}

function checkCharacters(source: YangSource, report: YangReport): void {
  const found = NOT_YANG_CHARACTER.exec(source.text);
  if (found === null) return;
  const before = source.text.slice(0, found.index);
  const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  report.error("illegal-character", `U+${code} must not stand in a YANG text (only the first is named)`, {
    source: source.name,
    line: before.split("\n").length,
    column: found.index - before.lastIndexOf("\n"),
  });
}
