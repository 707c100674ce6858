/** The statement tree of a YANG text (RFC 7950 section 6.3): every statement with its place, nothing interpreted. */
import type { SourcePosition } from "../diagnostic.ts";

/** One module or submodule text; `name` is what diagnostics show: a file name or a `module@revision` label. */
export interface YangSource {
  readonly name: string;
  readonly text: string;
}

export interface YangStatement {
  /** As written: `leaf`, or `prefix:name` for an extension (RFC 7950 section 6.3.1). */
  readonly keyword: string;
  /** After quotes, escapes, indentation and `+` are resolved (RFC 7950 section 6.1.3). */
  readonly argument: string | undefined;
  /** Of the keyword. */
  readonly position: SourcePosition;
  readonly children: readonly YangStatement[];
}

export function isExtensionStatement(statement: YangStatement): boolean {
  return statement.keyword.includes(":");
}

export function findChild(statement: YangStatement, keyword: string): YangStatement | undefined {
  for (const child of statement.children) if (child.keyword === keyword) return child;
  return undefined;
}

export function findChildren(statement: YangStatement, keyword: string): readonly YangStatement[] {
  return statement.children.filter((child) => child.keyword === keyword);
}

export function childArgument(statement: YangStatement, keyword: string): string | undefined {
  return findChild(statement, keyword)?.argument;
}

/** The argument of a statement whose grammar demands one and was checked; "" never occurs then by accident. */
export function argumentOf(statement: YangStatement): string {
  return statement.argument ?? "";
}

/** `keyword argument`, as diagnostics name a statement. */
export function describe(statement: YangStatement): string {
  if (statement.argument === undefined) return statement.keyword;
  const short = statement.argument.length > 60 ? `${statement.argument.slice(0, 57)}...` : statement.argument;
  return `${statement.keyword} ${/^[^\s"';{}]+$/.test(short) ? short : JSON.stringify(short)}`;
}

export interface PrefixedName {
  readonly prefix: string | undefined;
  readonly name: string;
}

/** Splits `prefix:name` (RFC 7950 section 14, identifier-ref). */
export function splitName(text: string): PrefixedName {
  const colon = text.indexOf(":");
  return colon < 0 ? { prefix: undefined, name: text } : { prefix: text.slice(0, colon), name: text.slice(colon + 1) };
}
