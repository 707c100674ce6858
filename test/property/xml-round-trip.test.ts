import fc from "fast-check";
import { expect, it } from "vitest";
import { formatXml } from "../../codec/xml/format-xml.ts";
import { parseXml } from "../../codec/xml/read-xml.ts";
import type { XmlElement, XmlNode } from "../../codec/xml/xml-element.ts";
import { xmlElement, xmlText } from "../../codec/xml/xml-element.ts";

const names = fc.constantFrom("a", "b", "interface", "Zürich", "x-1._", "日");
const namespaces = fc.constantFrom("", "urn:one", "urn:two", 'urn:"odd"&<>');
const prefixes = fc.constantFrom("", "p", "q");
const characters = fc.constantFrom(
  "a",
  " ",
  "\n",
  "\r",
  "\t",
  "<",
  ">",
  "&",
  '"',
  "'",
  "]]>",
  "é",
  "日",
  "🛰",
  "\u0085",
  "\u2028",
);
const values = fc.array(characters, { maxLength: 8 }).map((parts) => parts.join(""));

const attributes = fc.uniqueArray(fc.record({ namespace: namespaces, name: names, prefix: prefixes, value: values }), {
  maxLength: 3,
  selector: ({ namespace, name }) => `${namespace} ${name}`,
});

const { element } = fc.letrec<{ element: XmlElement; text: XmlNode }>((tie) => ({
  text: values.map(xmlText),
  element: fc
    .record({
      namespace: namespaces,
      name: names,
      prefix: prefixes,
      attributes,
      children: fc.array(fc.oneof({ depthSize: "small" }, tie("text"), tie("element")), { maxLength: 4 }),
    })
    .map((input) => xmlElement({ ...input, prefix: input.namespace === "" ? "" : input.prefix })),
}));

/** What must survive: everything but the choice of prefixes and the cutting of text into nodes. */
function meaning(node: XmlElement): unknown {
  const children: unknown[] = [];
  for (const child of node.children) {
    const last = children.at(-1);
    if (child.kind === "element") {
      children.push(meaning(child));
    } else if (typeof last === "string") {
      children[children.length - 1] = last + child.value;
    } else if (child.value !== "") {
      children.push(child.value);
    }
  }
  const own = node.attributes.map(({ namespace, name, value }) => `{${namespace}}${name}=${value}`).sort();
  return { name: `{${node.namespace}}${node.name}`, own, children };
}

it("parse after format gives the same names, attributes and text", () => {
  fc.assert(
    fc.property(element, (tree) => {
      const text = formatXml(tree);
      expect(text.kind).toBe("ok");
      if (text.kind === "ok") {
        expect(text.value).not.toContain("]]>");
        const again = parseXml(text.value);
        expect(again.kind === "ok" && meaning(again.value)).toEqual(meaning(tree));
      }
    }),
    { numRuns: 500 },
  );
});

it("format after parse is stable, so a prefix in a value means the same for ever", () => {
  fc.assert(
    fc.property(element, (tree) => {
      const first = formatXml(tree);
      const again = first.kind === "ok" ? parseXml(first.value) : first;
      const second = again.kind === "ok" ? formatXml(again.value) : again;
      const third = second.kind === "ok" ? parseXml(second.value) : second;
      expect(second.kind).toBe("ok");
      expect(third).toEqual(again);
    }),
    { numRuns: 300 },
  );
});
