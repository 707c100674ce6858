import { SaxesParser, type SaxesTagNS } from "saxes";
import {
  type XmlAttribute,
  type XmlElement,
  type XmlName,
  type XmlNode,
  type XmlScope,
  xmlNamespaceUri,
  xmlnsNamespaceUri,
} from "./xml-element.ts";
import { type XmlError, XmlErrorCode, type XmlResult } from "./xml-result.ts";

/**
 * Upper bounds on what a peer can make the reader hold. They are far above honest configuration and bound memory,
 * not correctness: passing one is an error that names it, never a cut.
 */
export interface XmlLimits {
  /** Length of the whole text in UTF-16 units. Default 256 Mi (a V8 string ends near 512 Mi). */
  readonly maxLength: number;
  /** Nesting of elements, the root being 1. Default 256. */
  readonly maxDepth: number;
  /** Length of one text node in UTF-16 units, CDATA included. Default 64 Mi: whole modules arrive as one text. */
  readonly maxTextLength: number;
  /** Attributes and namespace declarations of one element. Default 256. */
  readonly maxAttributes: number;
  /** Length of one attribute value in UTF-16 units. Default 1 Mi. */
  readonly maxAttributeLength: number;
}

export const defaultXmlLimits: XmlLimits = {
  maxLength: 256 * 1024 * 1024,
  maxDepth: 256,
  maxTextLength: 64 * 1024 * 1024,
  maxAttributes: 256,
  maxAttributeLength: 1024 * 1024,
};

export interface ReadXmlOptions {
  readonly limits?: Partial<XmlLimits>;
}

/** An element as it starts: everything but its children. */
export type XmlElementStart = Omit<XmlElement, "children">;

/**
 * Events in document order. Adjacent text, CDATA and references arrive as one text; comments and processing
 * instructions are dropped.
 */
export interface XmlHandler {
  readonly open: (start: XmlElementStart) => void;
  readonly text: (value: string) => void;
  readonly close: (name: XmlName) => void;
}

/**
 * Reads one document and reports it as events. References other than the five of XML and character references are
 * errors, and so is any document type declaration (RFC 6241, section 3), so nothing outside the text is ever looked
 * at. On an error the events so far describe an incomplete document and must be thrown away. Exceptions of the
 * handler pass through.
 */
export function readXml(text: string, handler: XmlHandler, options: ReadXmlOptions = {}): XmlResult<undefined> {
  const limits = { ...defaultXmlLimits, ...options.limits };
  if (text.length > limits.maxLength) {
    return { kind: "failed", error: limitError("maxLength", limits.maxLength) };
  }
  const parser = new SaxesParser({ xmlns: true, position: true, forceXMLVersion: true, defaultXMLVersion: "1.0" });
  const fail = (error: XmlError): never => {
    throw new XmlReadFailure({ ...error, position: { line: parser.line, column: parser.columnIndex + 1 } });
  };
  const checkLimit = (name: keyof XmlLimits, length: number): void => {
    if (length > limits[name]) {
      fail(limitError(name, limits[name]));
    }
  };

  const scopes: XmlScope[] = [documentScope];
  const scopeCache = new ScopeCache();
  let pending = "";
  const flush = (): void => {
    if (pending !== "") {
      const value = pending;
      pending = "";
      handler.text(value);
    }
  };
  const addText = (value: string): void => {
    // Outside of the root there is only white space; the parser refuses anything else.
    if (scopes.length > 1) {
      checkLimit("maxTextLength", pending.length + value.length);
      pending += value;
    }
  };

  parser.on("error", (error) => fail({ code: XmlErrorCode.NotWellFormed, message: withoutPosition(error.message) }));
  parser.on("xmldecl", ({ encoding }) => {
    if (encoding !== undefined && !/^(utf-8|us-ascii)$/iu.test(encoding)) {
      fail({ code: XmlErrorCode.EncodingRefused, message: `declares the encoding ${encoding}; only UTF-8 is read` });
    }
  });
  parser.on("doctype", () => {
    fail({
      code: XmlErrorCode.DocumentTypeRefused,
      message: "document type declarations are refused (RFC 6241, section 3)",
    });
  });
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("opentag", (tag) => {
    flush();
    checkLimit("maxDepth", scopes.length);
    const start = elementStart(tag, scopes.at(-1) ?? documentScope, scopeCache, checkLimit);
    scopes.push(start.scope);
    handler.open(start);
  });
  parser.on("closetag", (tag) => {
    flush();
    scopes.pop();
    handler.close({ namespace: tag.uri, name: tag.local });
  });

  try {
    parser.write(text).close();
  } catch (error) {
    if (error instanceof XmlReadFailure) {
      return { kind: "failed", error: error.error };
    }
    throw error;
  }
  return { kind: "ok", value: undefined };
}

/** Reads one document into a tree: `readXml` with everything kept. */
export function parseXml(text: string, options: ReadXmlOptions = {}): XmlResult<XmlElement> {
  // Finished nodes of all open elements, one after another; an element takes its own off the end when it closes.
  // (An array for each open element would keep the spare room that growing arrays have, several times the size of a
  // small leaf.)
  const nodes: XmlNode[] = [];
  const open: { readonly start: XmlElementStart; readonly firstChild: number }[] = [];
  let root: XmlElement | undefined;
  const result = readXml(
    text,
    {
      open: (start) => {
        open.push({ start, firstChild: nodes.length });
      },
      text: (value) => {
        nodes.push({ kind: "text", value });
      },
      close: () => {
        const { start, firstChild } = open.pop() as (typeof open)[number];
        const children = firstChild === nodes.length ? none : nodes.splice(firstChild);
        root = { ...start, children };
        nodes.push(root);
      },
    },
    options,
  );
  if (result.kind === "failed") {
    return result;
  }
  if (root === undefined) {
    return {
      kind: "failed",
      error: { code: XmlErrorCode.NotWellFormed, message: "document must contain a root element." },
    };
  }
  return { kind: "ok", value: root };
}

/**
 * Decodes a whole message. Any octet sequence that is not UTF-8 is an error: nothing is ever replaced by U+FFFD. A
 * leading BOM is dropped.
 */
export function decodeUtf8(bytes: Uint8Array): XmlResult<string> {
  try {
    return { kind: "ok", value: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { kind: "failed", error: { code: XmlErrorCode.NotUtf8, message: "not valid UTF-8" } };
  }
}

const none: readonly never[] = [];

/** The default namespace of a document that declares none is known to be empty, which a built element leaves open. */
const documentScope: XmlScope = new Map([
  ["", ""],
  ["xml", xmlNamespaceUri],
]);

function elementStart(
  tag: SaxesTagNS,
  outer: XmlScope,
  scopes: ScopeCache,
  checkLimit: (name: keyof XmlLimits, length: number) => void,
): XmlElementStart {
  const all = Object.values(tag.attributes);
  checkLimit("maxAttributes", all.length);
  const attributes: XmlAttribute[] = [];
  let scope = outer;
  for (const { uri, local, prefix, value } of all) {
    checkLimit("maxAttributeLength", value.length);
    if (uri === xmlnsNamespaceUri) {
      scope = scopes.declare(scope, prefix === "" ? "" : local, value.trim());
    } else {
      attributes.push({ namespace: uri, name: local, prefix, value });
    }
  }
  return {
    kind: "element",
    namespace: tag.uri,
    name: tag.local,
    prefix: tag.prefix,
    attributes: attributes.length === 0 ? none : attributes,
    scope,
  };
}

/** Many servers repeat the same declaration on every list entry: those entries get one scope. */
class ScopeCache {
  readonly #inner = new Map<XmlScope, Map<string, XmlScope>>();

  declare(outer: XmlScope, prefix: string, namespace: string): XmlScope {
    if (outer.get(prefix) === namespace) {
      return outer;
    }
    let declared = this.#inner.get(outer);
    if (declared === undefined) {
      declared = new Map();
      this.#inner.set(outer, declared);
    }
    const key = `${prefix}=${namespace}`;
    let scope = declared.get(key);
    if (scope === undefined) {
      scope = new Map(outer).set(prefix, namespace);
      declared.set(key, scope);
    }
    return scope;
  }
}

function limitError(name: keyof XmlLimits, value: number): XmlError {
  return {
    code: XmlErrorCode.LimitExceeded,
    message: `exceeds the limit ${name} of ${String(value)}`,
    limit: { name, value },
  };
}

/** The parser puts "line:column: " in front, which we keep as data. */
function withoutPosition(message: string): string {
  return message.replace(/^\d+:\d+: /u, "");
}

/** Leaves the parser at the first error; never leaves this file. */
class XmlReadFailure extends Error {
  readonly error: XmlError;
  constructor(error: XmlError) {
    super(error.message);
    this.error = error;
  }
}
