import { type XmlElement, type XmlNode, childElements, textOf } from "../codec/xml/xml-element.ts";
import { type DataSchemaNode, type Schema, childSchemas, isParentSchema } from "../model/schema.ts";

/**
 * Subtree filtering (RFC 6241, section 6) of a whole reply. `data` are the top elements of it, `filters` the children of `<filter>`; no filter
 * selects nothing (6.4.2). An entry that is selected in part keeps its keys, so that it can be told from its neighbours (6.2.5).
 */
export function filterSubtree(
  schema: Schema,
  data: readonly XmlElement[],
  filters: readonly XmlElement[],
): readonly XmlElement[] {
  const selection = new Selection();
  selection.siblings(data, filters);
  const atTop = (element: XmlElement): DataSchemaNode | undefined => schemaChild(schema, undefined, element);
  return data.flatMap((element) => selection.cut(schema, element, atTop(element)) ?? []);
}

class Selection {
  readonly #whole = new Set<XmlElement>();
  readonly #part = new Set<XmlElement>();

  /** Marks what one set of sibling filters selects among sibling data; says whether that is anything. */
  siblings(data: readonly XmlElement[], filters: readonly XmlElement[]): "something" | "nothing" {
    const contents = filters.filter(isContentMatch);
    const others = filters.filter((filter) => !isContentMatch(filter));
    const matched = contents.map((filter) => data.find((each) => matches(filter, each) && equalText(filter, each)));
    if (matched.includes(undefined)) return "nothing";
    // Content matches alone select everything beside them; with others they are shown themselves (6.2.5).
    const shown = others.length === 0 ? data : matched;
    if (contents.length > 0) for (const each of shown) if (each !== undefined) this.#whole.add(each);
    let found = contents.length > 0;
    for (const filter of others) {
      for (const each of data) {
        if (!matches(filter, each)) continue;
        const below = childElements(filter);
        if (below.length === 0) this.#whole.add(each);
        else if (this.siblings(childElements(each), below) === "something") this.#part.add(each);
        else continue;
        found = true;
      }
    }
    return found ? "something" : "nothing";
  }

  cut(schema: Schema, element: XmlElement, node: DataSchemaNode | undefined): XmlElement | undefined {
    if (this.#whole.has(element)) return element;
    if (!this.#part.has(element)) return undefined;
    const parent = node !== undefined && isParentSchema(node) ? node : undefined;
    const children: XmlNode[] = [];
    for (const child of childElements(element)) {
      const below = parent === undefined ? undefined : schemaChild(schema, parent, child);
      const cut = below?.kind === "leaf" && below.isKey ? child : this.cut(schema, child, below);
      if (cut !== undefined) children.push(cut);
    }
    return { ...element, children };
  }
}

function schemaChild(
  schema: Schema,
  parent: Parameters<typeof childSchemas>[1],
  element: XmlElement,
): DataSchemaNode | undefined {
  return childSchemas(schema, parent).get(`${schema.namespaces.get(element.namespace) ?? ""}:${element.name}`);
}

function isContentMatch(filter: XmlElement): boolean {
  return childElements(filter).length === 0 && textOf(filter).trim() !== "";
}

/** RFC 6241, 6.2.1 and 6.2.2; a filter in no namespace matches every one, as section 6.2.1 permits. */
function matches(filter: XmlElement, element: XmlElement): boolean {
  return (
    filter.name === element.name &&
    (filter.namespace === "" || filter.namespace === element.namespace) &&
    filter.attributes.every((wanted) =>
      element.attributes.some(
        (each) => each.name === wanted.name && each.namespace === wanted.namespace && each.value === wanted.value,
      ),
    )
  );
}

function equalText(filter: XmlElement, element: XmlElement): boolean {
  return childElements(element).length === 0 && textOf(filter).trim() === textOf(element).trim();
}
