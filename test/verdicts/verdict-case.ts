/**
 * The form of the verdict corpus: small modules and documents of our own, each with the answer that RFC 7950 gives. The
 * unit test holds our validator to it, the peer test compares yanglint's answer.
 */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

interface VerdictCaseBase {
  readonly title: string;
  /** Section of RFC 7950 that decides. */
  readonly rfc: string;
  /** The body of module `v` (prefix `v`, namespace `urn:v`, YANG 1.1). */
  readonly yang: string;
  /** Whole texts of further modules, in an order in which each finds what it imports. */
  readonly modules?: readonly string[];
  /** RFC 7951 JSON as data, or the text of an XML document with one root element. */
  readonly data: string | { readonly [name: string]: Json };
  /** Where yanglint answers otherwise, with the sentence of the RFC that decides. */
  readonly yanglint?: {
    /** `none`: it does not take the module. */
    readonly verdict: "valid" | "invalid" | "none";
    readonly errorAppTag?: string;
    readonly reason: string;
    readonly rfc: string;
  };
}

/** Text of a module and what to write in its place. */
export type TextEdit = readonly [from: string, to: string];

export type VerdictCase =
  | (VerdictCaseBase & { readonly verdict: "valid" })
  | (VerdictCaseBase & {
      readonly verdict: "invalid";
      /** Of the first finding: a `ValidationCode`, or a code of the reader that does not let the document in. */
      readonly code: string;
      readonly path: string;
      /** None where absent. */
      readonly errorAppTag?: string;
      /** Takes the constraint away, so that the same document is valid; `without` stands once in `yang`. */
      readonly without?: TextEdit;
    });

export interface VerdictChapter {
  readonly name: string;
  readonly cases: readonly VerdictCase[];
}

/** The text of module `v`; `edit` is applied to its body, where it has to fit exactly once. */
export function moduleText({ title, yang }: Pick<VerdictCase, "title" | "yang">, edit?: TextEdit): string {
  if (edit !== undefined && yang.split(edit[0]).length !== 2) {
    throw new Error(`${title}: ${JSON.stringify(edit[0])} does not stand once in the module`);
  }
  const body = edit === undefined ? yang : yang.replace(edit[0], () => edit[1]);
  return `module v { yang-version 1.1; namespace "urn:v"; prefix v;\n${body}\n}\n`;
}

/** A document as a file would hold it. */
export function documentOf({ data }: Pick<VerdictCase, "data">): {
  readonly format: "xml" | "json";
  readonly text: string;
} {
  return typeof data === "string" ? { format: "xml", text: data } : { format: "json", text: JSON.stringify(data) };
}
