import { SaxesParser, type SaxesTagNS } from "saxes";
import { decodeText } from "../decode-text.ts";
import { TextLines } from "../text-lines.ts";
import { ScopeCache } from "./scope-cache.ts";
import {
  type XmlAttribute,
  type XmlElement,
  type XmlNode,
  type XmlScope,
  xmlNamespaceUri,
  xmlnsNamespaceUri,
} from "./xml-element.ts";
import { isNcName } from "./xml-name.ts";
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
  /**
   * Characters in the whole text that the parser takes one at a time, each costing it dozens of octets until its text
   * ends: `&` and `]`, and `-` and `?` where there are comments and processing instructions. Default 8 Mi.
   */
  readonly maxSpecialCharacters: number;
  /** Elements in the whole text. Default 8 Mi: they fit into the memory that Node gives by itself. */
  readonly maxElements: number;
  /** Namespace bindings of all different scopes together: each scope holds those around it too. Default 1 Mi. */
  readonly maxNamespaceBindings: number;
  /** Attributes and namespace declarations of one element. Default 256. */
  readonly maxAttributes: number;
  /** Length of one attribute value in UTF-16 units. Default 1 Mi. */
  readonly maxAttributeLength: number;
}

export const defaultXmlLimits: XmlLimits = {
  maxLength: 256 * 1024 * 1024,
  maxDepth: 256,
  maxTextLength: 64 * 1024 * 1024,
  maxSpecialCharacters: 8 * 1024 * 1024,
  maxElements: 8 * 1024 * 1024,
  maxNamespaceBindings: 1024 * 1024,
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
  /** `end` is the offset right behind the start tag; `startOfTag` gives where the tag begins. */
  open(start: XmlElementStart, end: number): void;
  text(value: string): void;
  close(): void;
}

/** Where the start tag begins that ends at `end`: a `<` stands nowhere inside of a tag. */
export function startOfTag(text: string, end: number): number {
  return Math.max(text.lastIndexOf("<", end - 1), 0);
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
  if (specialCharacters(text) > limits.maxSpecialCharacters) {
    return { kind: "failed", error: limitError("maxSpecialCharacters", limits.maxSpecialCharacters) };
  }
  const surrogate = loneSurrogate.exec(text);
  if (surrogate !== null) {
    const { line, column } = new TextLines(text, "").positionOf(surrogate.index);
    const message = "a surrogate stands without its other half.";
    return { kind: "failed", error: { code: XmlErrorCode.NotWellFormed, message, position: { line, column } } };
  }
  const parser = new SaxesParser({ xmlns: true, position: false, forceXMLVersion: true, defaultXMLVersion: "1.0" });
  const located = (error: XmlError): XmlError => ({
    ...error,
    position: { line: parser.line, column: parser.columnIndex + 1 },
  });
  const fail = (error: XmlError): never => {
    throw new XmlReadFailure(located(error));
  };
  const failName = (name: string): never =>
    fail({ code: XmlErrorCode.NotWellFormed, message: `${JSON.stringify(name)} is no name with a prefix.` });
  const checkLimit = (name: keyof XmlLimits, length: number): void => {
    if (length > limits[name]) {
      fail(limitError(name, limits[name]));
    }
  };

  /** Qualified names of the elements that are open, and of the one that closed last. */
  const openNames: string[] = [];
  let closed: string | undefined;
  const scopes: XmlScope[] = [documentScope];
  let scope = documentScope;
  const scopeCache = new ScopeCache();
  let elements = 0;
  let attributes = 0;
  let pending = "";
  /** While the handler runs: what is thrown then is not about the text. */
  const state = { handling: false };
  const flush = (): void => {
    const value = pending;
    pending = "";
    state.handling = true;
    handler.text(value);
    state.handling = false;
  };
  const addText = (value: string): void => {
    // Outside of the root there is only white space; the parser refuses anything else.
    if (scopes.length > 1) {
      checkLimit("maxTextLength", pending.length + value.length);
      pending = pending === "" ? value : pending + value;
    }
  };

  // No more than six listeners: each is a property of the parser, and with the seventh V8 gives up on its fast form of
  // this object, whereupon reading takes five times as long. So there is none for errors, which the parser throws then,
  // and the XML declaration is looked at when the root opens.
  parser.on("doctype", () => {
    fail({
      code: XmlErrorCode.DocumentTypeRefused,
      message: "document type declarations are refused (RFC 6241, section 3)",
    });
  });
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("attribute", ({ name, prefix, local, value }) => {
    attributes += 1;
    if (prefix !== "" && !isNcName(local)) failName(name);
    checkLimit("maxAttributes", attributes);
    checkLimit("maxAttributeLength", value.length);
  });
  parser.on("opentag", (tag) => {
    if (pending !== "") flush();
    const { encoding } = parser.xmlDecl;
    if (elements === 0 && encoding !== undefined && !/^(utf-8|us-ascii)$/iu.test(encoding)) {
      fail({ code: XmlErrorCode.EncodingRefused, message: `declares the encoding ${encoding}; only UTF-8 is read` });
    }
    elements += 1;
    checkLimit("maxElements", elements);
    checkLimit("maxDepth", scopes.length);
    attributes = 0;
    // The parser looks at the beginning of the whole name only.
    if (tag.prefix !== "" && !isNcName(tag.local)) failName(tag.name);
    const start = elementStart(tag, scope, scopeCache);
    checkLimit("maxNamespaceBindings", scopeCache.bindings);
    scope = start.scope;
    scopes.push(scope);
    openNames.push(tag.name);
    state.handling = true;
    handler.open(start, parser.position);
    state.handling = false;
  });
  parser.on("closetag", () => {
    if (pending !== "") flush();
    scopes.pop();
    closed = openNames.pop();
    scope = scopes[scopes.length - 1] ?? documentScope;
    state.handling = true;
    handler.close();
    state.handling = false;
  });

  try {
    parser.write(text).close();
  } catch (error) {
    if (error instanceof XmlReadFailure) {
      return { kind: "failed", error: error.error };
    }
    if (state.handling || !(error instanceof Error)) {
      throw error;
    }
    // The parser closes the innermost element before it says that the end tag is of another one.
    const message =
      closed !== undefined && error.message.endsWith("unexpected close tag.")
        ? error.message.replace(/\.$/, `, where </${closed}> has to stand.`)
        : error.message;
    return { kind: "failed", error: located({ code: XmlErrorCode.NotWellFormed, message }) };
  }
  return { kind: "ok", value: undefined };
}

/** Reads one document into a tree: `readXml` with everything kept. */
export function parseXml(text: string, options: ReadXmlOptions = {}): XmlResult<XmlElement> {
  const builder = new XmlTreeBuilder();
  const result = readXml(text, builder, options);
  if (result.kind === "failed") {
    return result;
  }
  if (builder.root === undefined) {
    return {
      kind: "failed",
      error: { code: XmlErrorCode.NotWellFormed, message: "document must contain a root element." },
    };
  }
  return { kind: "ok", value: builder.root };
}

/** Makes an element of events that begin with its start. */
export class XmlTreeBuilder implements XmlHandler {
  // Finished nodes of all open elements, one after another; an element takes its own off the end when it closes.
  // (An array for each open element would keep the spare room that growing arrays have, several times the size of a
  // small leaf.)
  readonly #nodes: XmlNode[] = [];
  readonly #open: { readonly start: XmlElementStart; readonly firstChild: number }[] = [];
  #root: XmlElement | undefined;

  /** The element, once it has closed. */
  get root(): XmlElement | undefined {
    return this.#root;
  }

  open(start: XmlElementStart): void {
    this.#open.push({ start, firstChild: this.#nodes.length });
  }

  text(value: string): void {
    this.#nodes.push({ kind: "text", value });
  }

  close(): void {
    const open = this.#open.pop();
    if (open === undefined) throw new RangeError("no element is open");
    const { start, firstChild } = open;
    const children = firstChild === this.#nodes.length ? none : this.#nodes.splice(firstChild);
    const { namespace, name, prefix, attributes, scope } = start;
    const element: XmlElement = { kind: "element", namespace, name, prefix, attributes, children, scope };
    if (this.#open.length === 0) this.#root = element;
    else this.#nodes.push(element);
  }
}

/** `decodeText` of a whole message, with the error as this folder says it. */
export function decodeUtf8(bytes: Uint8Array): XmlResult<string> {
  const text = decodeText(bytes, "");
  if (text.kind === "ok") return { kind: "ok", value: text.value };
  const [problem] = text.diagnostics;
  const code = problem?.code === "not-utf8" ? XmlErrorCode.NotUtf8 : XmlErrorCode.LimitExceeded;
  return { kind: "failed", error: { code, message: problem?.message ?? "not valid UTF-8" } };
}

function specialCharacters(text: string): number {
  const inComments = text.includes("<!--") ? countOf("-", text) : 0;
  const inInstructions = text.includes("<?") ? countOf("?", text) : 0;
  return countOf("&", text) + countOf("]", text) + inComments + inInstructions;
}

function countOf(character: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

/** Text from octets has none, and the parser would take them. With the flag `u` the halves of a pair do not match. */
const loneSurrogate = /[\ud800-\udfff]/u;

const none: readonly never[] = [];

/** The default namespace of a document that declares none is known to be empty, which a built element leaves open. */
const documentScope: XmlScope = new Map([
  ["", ""],
  ["xml", xmlNamespaceUri],
]);

function elementStart(tag: SaxesTagNS, outer: XmlScope, scopes: ScopeCache): XmlElementStart {
  let declared: Map<string, string> | undefined;
  let attributes: XmlAttribute[] | undefined;
  // The object has no prototype, so these are the attributes and nothing else; most elements have none.
  for (const qualified in tag.attributes) {
    const attribute = tag.attributes[qualified];
    if (attribute === undefined) continue;
    const { uri, local, prefix, value } = attribute;
    if (uri === xmlnsNamespaceUri) {
      declared ??= new Map();
      declared.set(prefix === "" ? "" : local, value.trim());
    } else {
      attributes ??= [];
      attributes.push({ namespace: uri, name: local, prefix, value });
    }
  }
  return {
    kind: "element",
    namespace: tag.uri,
    name: tag.local,
    prefix: tag.prefix,
    attributes: attributes ?? none,
    scope: declared === undefined ? outer : scopes.declare(outer, declared),
  };
}

function limitError(name: keyof XmlLimits, value: number): XmlError {
  return {
    code: XmlErrorCode.LimitExceeded,
    message: `exceeds the limit ${name} of ${String(value)}`,
    limit: { name, value },
  };
}

/** Leaves the parser at the first error; never leaves this file. */
class XmlReadFailure extends Error {
  readonly error: XmlError;
  constructor(error: XmlError) {
    super(error.message);
    this.error = error;
  }
}
