import type { Diagnostic } from "../../model/diagnostic.ts";

/**
 * What can be wrong with XML that is read or written. A closed set: tests and callers compare codes, never
 * messages.
 */
export const XmlErrorCode = {
  NotUtf8: "NotUtf8",
  NotWellFormed: "NotWellFormed",
  DocumentTypeRefused: "DocumentTypeRefused",
  EncodingRefused: "EncodingRefused",
  LimitExceeded: "LimitExceeded",
  /** A name or a character that XML 1.0 cannot carry (writing only). */
  NotWritable: "NotWritable",
} as const;
export type XmlErrorCode = (typeof XmlErrorCode)[keyof typeof XmlErrorCode];

export interface XmlError {
  readonly code: XmlErrorCode;
  readonly message: string;
  /** Both from 1, and only where there is a text to point into. The column counts UTF-16 units, as editors do. */
  readonly position?: { readonly line: number; readonly column: number };
  /** The limit that was passed, with LimitExceeded. */
  readonly limit?: { readonly name: string; readonly value: number };
}

export type XmlResult<T> =
  | { readonly kind: "ok"; readonly value: T }
  | { readonly kind: "failed"; readonly error: XmlError };

/** One line for a person: position first, where there is one. */
export function describeXmlError(error: XmlError): string {
  return error.position === undefined
    ? error.message
    : `${String(error.position.line)}:${String(error.position.column)}: ${error.message}`;
}

export type XmlDiagnosticCode =
  | "not-utf8"
  | "xml-syntax"
  | "xml-doctype"
  | "xml-encoding"
  | "xml-limit"
  | "xml-not-writable";

const diagnosticCodes: Readonly<Record<XmlErrorCode, XmlDiagnosticCode>> = {
  NotUtf8: "not-utf8",
  NotWellFormed: "xml-syntax",
  DocumentTypeRefused: "xml-doctype",
  EncodingRefused: "xml-encoding",
  LimitExceeded: "xml-limit",
  NotWritable: "xml-not-writable",
};

/** The error as a finding about the text that `source` names. */
export function xmlDiagnostic({ code, message, position }: XmlError, source: string): Diagnostic<XmlDiagnosticCode> {
  return {
    code: diagnosticCodes[code],
    severity: "error",
    message: `cannot read XML: ${message}`,
    places: position === undefined ? [] : [{ kind: "source", position: { source, ...position } }],
  };
}
