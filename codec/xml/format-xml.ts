import { isNcName } from "./xml-name.ts";
import { ScopeCache } from "./scope-cache.ts";
import { type XmlElement, type XmlScope, xmlNamespaceUri, xmlnsNamespaceUri } from "./xml-element.ts";
import { XmlErrorCode, type XmlResult } from "./xml-result.ts";

/**
 * Writes an element and all below it as one line of XML that reads back to the same tree: no declaration, no white
 * space of its own, empty elements as `<a/>`.
 *
 * - Namespaces: a prefix is declared on the outermost element whose `scope` or name needs it and not again while it
 *   means the same. An attribute in a namespace always has a prefix that is bound, because without one it would be
 *   in no namespace at all.
 * - `>` is always written `&gt;` and comments and CDATA are never written, so the end-of-message marker of NETCONF
 *   1.0 cannot occur.
 * - CR is written `&#13;`, and TAB and LF in attributes as references: a reader would otherwise change them (XML
 *   1.0, 2.11 and 3.3.3).
 *
 * Fails with NotWritable on names that are no NCName, on characters outside of XML 1.0 (2.2) and on two meanings of
 * one prefix in one tag.
 */
export function formatXml(element: XmlElement): XmlResult<string> {
  const writer = new XmlWriter();
  try {
    writer.write(element, rootScope);
  } catch (error) {
    if (error instanceof XmlWriteFailure) {
      return { kind: "failed", error: { code: XmlErrorCode.NotWritable, message: error.message } };
    }
    throw error;
  }
  return { kind: "ok", value: writer.text };
}

const rootScope: XmlScope = new Map([
  ["", ""],
  ["xml", xmlNamespaceUri],
]);

class XmlWriter {
  text = "";
  readonly #scopes = new ScopeCache();

  write(element: XmlElement, outer: XmlScope): void {
    const { name, prefix, namespace, attributes, scope: wanted, children } = element;
    let scope = outer;
    let tagName: string;
    // Most elements stand in the default namespace of their parent and have nothing but content.
    if (prefix === "" && attributes.length === 0 && wanted.size === 0 && outer.get("") === namespace) {
      tagName = ncName(name);
      this.text += `<${tagName}`;
    } else {
      const tag = new TagNamespaces(outer);
      tag.bind(prefix, namespace);
      for (const [each, bound] of wanted) tag.bind(each, bound);
      tagName = qualified(prefix, name);
      let written = "";
      for (const attribute of attributes) {
        const own = attribute.namespace === "" ? "" : tag.prefixForAttribute(attribute.namespace, attribute.prefix);
        written += ` ${qualified(own, attribute.name)}="${escapeAttribute(attribute.value)}"`;
      }
      this.text += `<${tagName}${tag.declarations()}${written}`;
      scope = this.#scopes.declare(outer, tag.declared);
    }
    if (children.length === 0) {
      this.text += "/>";
      return;
    }
    this.text += ">";
    for (const node of children) {
      if (node.kind === "text") this.text += escapeText(node.value);
      else this.write(node, scope);
    }
    this.text += `</${tagName}>`;
  }
}

/** The namespace declarations that one tag needs, given what its ancestors declared. */
class TagNamespaces {
  readonly declared = new Map<string, string>();
  readonly #outer: XmlScope;
  /** What this tag relies on, declared here or outside: it may not be rebound. */
  readonly #used = new Map<string, string>();

  constructor(outer: XmlScope) {
    this.#outer = outer;
  }

  bind(prefix: string, namespace: string): void {
    const used = this.#used.get(prefix);
    if (used === namespace) {
      return;
    }
    if (used !== undefined) {
      throw new XmlWriteFailure(`the prefix "${prefix}" would mean both "${used}" and "${namespace}" in one tag`);
    }
    const isXml = prefix === "xml" || namespace === xmlNamespaceUri;
    if (
      (isXml && !(prefix === "xml" && namespace === xmlNamespaceUri)) ||
      prefix === "xmlns" ||
      namespace === xmlnsNamespaceUri
    ) {
      throw new XmlWriteFailure(`the prefix "${prefix}" cannot be bound to "${namespace}"`);
    }
    if (prefix !== "" && namespace === "") {
      throw new XmlWriteFailure(`the prefix "${prefix}" cannot stand for no namespace`);
    }
    this.#used.set(prefix, namespace);
    if (this.#outer.get(prefix) !== namespace) {
      this.declared.set(prefix, namespace);
    }
  }

  prefixForAttribute(namespace: string, wanted: string): string {
    if (wanted !== "" && (this.#used.get(wanted) ?? this.#outer.get(wanted)) === namespace) {
      this.bind(wanted, namespace);
      return wanted;
    }
    for (const [prefix, bound] of this.#used) {
      if (prefix !== "" && bound === namespace) {
        return prefix;
      }
    }
    for (const [prefix, bound] of this.#outer) {
      if (prefix !== "" && bound === namespace && !this.#used.has(prefix)) {
        this.bind(prefix, namespace);
        return prefix;
      }
    }
    let prefix = wanted === "" ? "ns" : wanted;
    for (let count = 1; this.#used.has(prefix); count += 1) {
      prefix = `ns${String(count)}`;
    }
    this.bind(prefix, namespace);
    return prefix;
  }

  declarations(): string {
    let text = "";
    for (const [prefix, namespace] of this.declared) {
      text += ` ${prefix === "" ? "xmlns" : `xmlns:${ncName(prefix)}`}="${escapeAttribute(namespace)}"`;
    }
    return text;
  }
}

function qualified(prefix: string, name: string): string {
  return prefix === "" ? ncName(name) : `${ncName(prefix)}:${ncName(name)}`;
}

/** A name that is not one could otherwise carry markup. */
function ncName(name: string): string {
  if (!isNcName(name)) {
    throw new XmlWriteFailure(`${JSON.stringify(name)} is not an XML name`);
  }
  return name;
}

const textSpecial = /[&<>\r]/gu;
const attributeSpecial = /[&<>"\t\n\r]/gu;
const references: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};
/** Everything but Char of XML 1.0, section 2.2; with the flag `u` a lone surrogate is its own code point. */
const notXmlCharacter = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

/** What needs a closer look: it is escaped, refused, or a surrogate, which may be either half of a good pair. */
const textNotPlain = /[&<>\u0000-\u0008\u000b-\u001f\ud800-\udfff\ufffe\uffff]/;

function escapeText(value: string): string {
  if (!textNotPlain.test(value)) return value;
  return checkCharacters(value).replace(textSpecial, (character) => references[character] ?? character);
}

function escapeAttribute(value: string): string {
  return checkCharacters(value).replace(attributeSpecial, (character) => references[character] ?? character);
}

function checkCharacters(value: string): string {
  const match = notXmlCharacter.exec(value);
  if (match !== null) {
    const code = (match[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    throw new XmlWriteFailure(`XML cannot carry the character U+${code}`);
  }
  return value;
}

/** Leaves the recursion at the first error; never leaves this file. */
class XmlWriteFailure extends Error {}
