/**
 * XML as NETCONF and RESTCONF carry it, without any knowledge of a schema. This folder owns the way between
 * characters and a namespace-aware tree: `xml-element.ts` is the tree, `read-xml.ts` the way in, `format-xml.ts`
 * the way out. Nothing here guesses a type or trims a text.
 */

/**
 * Prefix to namespace. The empty prefix is the default namespace; elements share one scope until one of them
 * declares something new.
 */
export type XmlScope = ReadonlyMap<string, string>;

export interface XmlAttribute {
  /** Empty for an unprefixed attribute, whatever the default namespace is (Namespaces in XML 1.0, section 6.2). */
  readonly namespace: string;
  readonly name: string;
  readonly prefix: string;
  readonly value: string;
}

export interface XmlText {
  readonly kind: "text";
  readonly value: string;
}

/** `name` is the local name. Namespace declarations are not attributes here: they are in `scope`. */
export interface XmlElement {
  readonly kind: "element";
  readonly namespace: string;
  readonly name: string;
  readonly prefix: string;
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlNode[];
  /**
   * What prefixes inside values mean here. An element that was read knows its default namespace too (possibly
   * `""`); an element that was built holds only what its builder declared.
   */
  readonly scope: XmlScope;
}

export type XmlNode = XmlElement | XmlText;

export interface XmlName {
  readonly namespace: string;
  readonly name: string;
}

export const xmlNamespaceUri = "http://www.w3.org/XML/1998/namespace";
export const xmlnsNamespaceUri = "http://www.w3.org/2000/xmlns/";

const emptyScope: XmlScope = new Map();

/** The child elements in document order; text between them is left out. */
export function childElements(element: XmlElement): readonly XmlElement[] {
  return element.children.filter((node): node is XmlElement => node.kind === "element");
}

/** The first child element of that qualified name, if any. */
export function findChild(element: XmlElement, namespace: string, name: string): XmlElement | undefined {
  for (const node of element.children) {
    if (node.kind === "element" && node.name === name && node.namespace === namespace) {
      return node;
    }
  }
  return undefined;
}

/** All child elements of that qualified name, in document order. */
export function findChildren(element: XmlElement, namespace: string, name: string): readonly XmlElement[] {
  return childElements(element).filter((child) => child.name === name && child.namespace === namespace);
}

/**
 * The element's own text exactly as it stands, never trimmed; `""` where there is none. Text of child elements is
 * not part of it.
 */
export function textOf(element: XmlElement): string {
  const [only] = element.children;
  if (element.children.length === 1 && only?.kind === "text") {
    return only.value;
  }
  let text = "";
  for (const node of element.children) {
    if (node.kind === "text") {
      text += node.value;
    }
  }
  return text;
}

/** The value of an attribute; `namespace` is `""` for an unprefixed one. */
export function attributeValue(element: XmlElement, namespace: string, name: string): string | undefined {
  return element.attributes.find((attribute) => attribute.name === name && attribute.namespace === namespace)?.value;
}

/**
 * Resolves a QName value such as an identityref in the scope of its element (RFC 7950, 9.10.3). Without a prefix it
 * is in the default namespace, `""` where none is declared. Undefined: the prefix is not declared, or the text is
 * no QName. Blanks around it are ignored.
 */
export function resolveQName(element: XmlElement, text: string): XmlName | undefined {
  const match = /^\s*(?:([^\s:]+):)?([^\s:]+)\s*$/u.exec(text);
  const name = match?.[2];
  if (name === undefined) {
    return undefined;
  }
  const prefix = match?.[1] ?? "";
  const namespace = element.scope.get(prefix) ?? (prefix === "" ? "" : undefined);
  return namespace === undefined ? undefined : { namespace, name };
}

export interface XmlElementInput {
  readonly namespace: string;
  readonly name: string;
  /** Left out: written under a default namespace declaration. */
  readonly prefix?: string;
  readonly attributes?: readonly XmlAttribute[];
  readonly children?: readonly XmlNode[];
  /** Prefixes to declare here, for QName values or for attributes of descendants. */
  readonly scope?: XmlScope;
}

/** Builds an element; every field that is left out is empty. */
export function xmlElement(input: XmlElementInput): XmlElement {
  return {
    kind: "element",
    namespace: input.namespace,
    name: input.name,
    prefix: input.prefix ?? "",
    attributes: input.attributes ?? [],
    children: input.children ?? [],
    scope: input.scope ?? emptyScope,
  };
}

/**
 * An element that holds only text. The empty text gives an element without content, which reads back as the same
 * value.
 */
export function xmlTextElement(name: XmlName, text: string): XmlElement {
  return xmlElement({ ...name, children: text === "" ? [] : [xmlText(text)] });
}

/** An element whose value is a QName, with the value's prefix declared on the element itself (RFC 7950, 9.10.3). */
export function xmlQNameElement(name: XmlName, value: XmlName & { readonly prefix: string }): XmlElement {
  return xmlElement({
    ...name,
    children: [xmlText(`${value.prefix}:${value.name}`)],
    scope: new Map([[value.prefix, value.namespace]]),
  });
}

export function xmlText(value: string): XmlText {
  return { kind: "text", value };
}
