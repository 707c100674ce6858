/**
 * XML data in a form in which two servers can be compared: prefixes resolved, indentation and the order that YANG
 * leaves to the server gone, everything that carries meaning kept.
 */
import { SaxesParser } from "saxes";

export interface DataShape {
  /** `{namespace}name`. */
  readonly name: string;
  /** The text of a leaf, an identity as `{namespace}name`; undefined in a container or list entry. */
  readonly text?: string;
  /** Carries the `default` attribute of RFC 6243. */
  readonly isTaggedDefault?: true;
  readonly children: readonly DataShape[];
}

const DEFAULT_ATTRIBUTE = "{urn:ietf:params:xml:ns:netconf:default:1.0}default";
/** Leafs whose text is an identity, by local name, in the modules of the tests. */
const IDENTITY_LEAFS = new Set(["role", "type"]);
/** Lists and leaf-lists ordered by the user, by local name. */
const USER_ORDERED = new Set(["rule", "search-domain"]);
/** Containers without presence: empty ones mean the same as none (RFC 7950 section 7.5.1). */
const WITHOUT_PRESENCE = new Set(["lab", "limits", "interfaces"]);

interface Open {
  readonly name: string;
  readonly local: string;
  readonly isTaggedDefault: boolean;
  readonly children: DataShape[];
  text: string;
}

/** The children of the outermost element of `xml`. Throws on text that is not well formed or has a DOCTYPE. */
export function dataShape(xml: string): readonly DataShape[] {
  const parser = new SaxesParser({ xmlns: true });
  const open: Open[] = [];
  let root: Open | undefined;
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("doctype", () => {
    throw new Error("a DOCTYPE in data");
  });
  parser.on("opentag", ({ uri, local, attributes }) => {
    const isTaggedDefault = Object.values(attributes).some(
      (attribute) => `{${attribute.uri}}${attribute.local}` === DEFAULT_ATTRIBUTE && attribute.value === "true",
    );
    open.push({ name: `{${uri}}${local}`, local, isTaggedDefault, children: [], text: "" });
  });
  parser.on("text", (text) => {
    const current = open.at(-1);
    if (current !== undefined) current.text += text;
  });
  parser.on("closetag", () => {
    const element = open.at(-1);
    if (element === undefined) return;
    // Prefixes of the value are resolved while the element that may declare them is still open.
    const text = IDENTITY_LEAFS.has(element.local) ? resolve(parser, element.text.trim()) : element.text;
    open.pop();
    const parent = open.at(-1);
    if (parent === undefined) root = element;
    else if (!isAbsent(element)) parent.children.push(shape(element, text));
  });
  parser.write(xml).close();
  if (root === undefined) throw new Error("no element");
  return ordered(root.children);
}

function shape({ name, isTaggedDefault, children }: Open, text: string): DataShape {
  return {
    name,
    ...(children.length === 0 ? { text } : {}),
    ...(isTaggedDefault ? { isTaggedDefault: true } : {}),
    children: ordered(children),
  };
}

function isAbsent({ local, children }: Open): boolean {
  return WITHOUT_PRESENCE.has(local) && children.length === 0;
}

function resolve(parser: SaxesParser<{ xmlns: true }>, value: string): string {
  const colon = value.indexOf(":");
  const prefix = colon < 0 ? "" : value.slice(0, colon);
  return `{${parser.resolve(prefix) ?? `unbound prefix ${prefix}`}}${value.slice(colon + 1)}`;
}

/** Siblings by name; those of one name keep their order where the user gave it. */
function ordered(siblings: readonly DataShape[]): readonly DataShape[] {
  return [...siblings].sort((one, other) => {
    if (one.name !== other.name) return one.name < other.name ? -1 : 1;
    if (USER_ORDERED.has(one.name.slice(one.name.indexOf("}") + 1))) return 0;
    const [first, second] = [JSON.stringify(one), JSON.stringify(other)];
    return first < second ? -1 : first > second ? 1 : 0;
  });
}
