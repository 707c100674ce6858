import { describe, expect, it } from "vitest";
import { formatXml } from "../../codec/xml/format-xml.ts";
import { parseXml } from "../../codec/xml/read-xml.ts";
import {
  childElements,
  type XmlElement,
  xmlElement,
  xmlQNameElement,
  xmlText,
  xmlTextElement,
} from "../../codec/xml/xml-element.ts";

function formatted(element: XmlElement): string {
  const result = formatXml(element);
  if (result.kind === "failed") {
    throw new Error(result.error.message);
  }
  return result.value;
}

function parsed(text: string): XmlElement {
  const result = parseXml(text);
  if (result.kind === "failed") {
    throw new Error(result.error.message);
  }
  return result.value;
}

const base = "urn:ietf:params:xml:ns:netconf:base:1.0";

describe("namespaces", () => {
  it("declares a default namespace where it changes and nowhere else", () => {
    const entry = (id: string) =>
      xmlElement({ namespace: "urn:l", name: "e", children: [xmlTextElement({ namespace: "urn:l", name: "id" }, id)] });
    const list = xmlElement({ namespace: "urn:l", name: "l", children: [entry("1"), entry("2")] });
    expect(formatted(xmlElement({ namespace: base, name: "config", children: [list] }))).toBe(
      `<config xmlns="${base}"><l xmlns="urn:l"><e><id>1</id></e><e><id>2</id></e></l></config>`,
    );
  });

  it("case 16: an attribute in a namespace always gets a bound prefix, declared once when an ancestor offers it", () => {
    const attribute = { namespace: base, name: "operation", prefix: "nc", value: "delete" };
    const entry = xmlElement({ namespace: "urn:l", name: "e", attributes: [attribute] });
    expect(formatted(entry)).toBe(`<e xmlns="urn:l" xmlns:nc="${base}" nc:operation="delete"/>`);
    const config = xmlElement({
      namespace: base,
      name: "config",
      children: [entry, entry],
      scope: new Map([["nc", base]]),
    });
    expect(formatted(config)).toBe(
      `<config xmlns="${base}" xmlns:nc="${base}"><e xmlns="urn:l" nc:operation="delete"/><e xmlns="urn:l" nc:operation="delete"/></config>`,
    );
  });

  it("case 16: finds another prefix when the wanted one is taken, missing, or only the default namespace is bound", () => {
    const attribute = { namespace: base, name: "operation", prefix: "", value: "remove" };
    const taken = xmlElement({
      namespace: base,
      name: "e",
      attributes: [{ ...attribute, prefix: "nc" }, attribute],
      scope: new Map([["nc", "urn:other"]]),
    });
    const text = formatted(taken).replace(' ns1:operation="remove"', "");
    expect(parsed(text).attributes).toEqual([{ ...attribute, prefix: "ns1" }]);
    expect(parsed(formatted(xmlElement({ namespace: base, name: "e", attributes: [attribute] }))).attributes).toEqual([
      { ...attribute, prefix: "ns" },
    ]);
  });

  it("case 16: does not take the prefix of an ancestor that means something else in the tag itself", () => {
    const attribute = { namespace: base, name: "operation", prefix: "", value: "remove" };
    const inner = xmlElement({ namespace: "urn:other", name: "e", prefix: "nc", attributes: [attribute] });
    const outer = xmlElement({ namespace: "urn:l", name: "l", children: [inner], scope: new Map([["nc", base]]) });
    const [read] = childElements(parsed(formatted(outer)));
    expect(read).toMatchObject({ namespace: "urn:other", prefix: "nc" });
    expect(read?.attributes).toEqual([{ ...attribute, prefix: "ns" }]);
  });

  it("case 14: an element that is cut out of a document keeps the prefixes of its values declared", () => {
    const root = parsed('<i xmlns="urn:if" xmlns:t="urn:types"><e><name>1</name><type>t:ether</type></e></i>');
    const [entry] = childElements(root);
    const text = formatted(entry as XmlElement);
    expect(text).toBe('<e xmlns="urn:if" xmlns:t="urn:types"><name>1</name><type>t:ether</type></e>');
  });

  it("case 14: a built QName value declares its prefix on its own element", () => {
    const type = xmlQNameElement(
      { namespace: "urn:if", name: "type" },
      { namespace: "urn:t", name: "ether", prefix: "t" },
    );
    expect(formatted(type)).toBe('<type xmlns="urn:if" xmlns:t="urn:t">t:ether</type>');
  });

  it("keeps the default namespace that an unprefixed QName value was read under", () => {
    const [type] = childElements(parsed('<p:i xmlns:p="urn:p"><p:type>ether</p:type></p:i>'));
    const wrapped = xmlElement({ namespace: "urn:w", name: "w", children: type ? [type] : [] });
    expect(formatted(wrapped)).toBe('<w xmlns="urn:w"><p:type xmlns:p="urn:p" xmlns="">ether</p:type></w>');
  });
});

describe("characters", () => {
  it("case 01: the end-of-message marker cannot occur in text or attributes", () => {
    const element = xmlElement({
      namespace: "",
      name: "d",
      attributes: [{ namespace: "", name: "a", prefix: "", value: "]]>]]>" }],
      children: [xmlText("x ]]>]]> y"), xmlText("]]"), xmlText(">]]>")],
    });
    const text = formatted(element);
    expect(text).not.toContain("]]>");
    expect(text).toContain("x ]]&gt;]]&gt; y");
  });

  it("case 06: CR survives a round trip, and white space in attributes too", () => {
    const element = xmlElement({
      namespace: "",
      name: "d",
      attributes: [{ namespace: "", name: "a", prefix: "", value: "\t\r\n\"'<&" }],
      children: [xmlText("line1\r\r\nline2\n\t")],
    });
    const again = parsed(formatted(element));
    expect(again.children).toEqual(element.children);
    expect(again.attributes).toEqual(element.attributes);
  });

  it("case 08: blanks are written as they are and the empty text as an element without content", () => {
    expect(formatted(xmlTextElement({ namespace: "", name: "d" }, "  two  "))).toBe("<d>  two  </d>");
    expect(formatted(xmlTextElement({ namespace: "", name: "d" }, ""))).toBe("<d/>");
  });

  it.each(["\u0000", "\u0007", "\u001b", "\ufffe", "\ud800", "a\udc00"])("refuses %j", (value) => {
    expect(formatXml(xmlTextElement({ namespace: "", name: "d" }, value))).toMatchObject({
      kind: "failed",
      error: { code: "NotWritable" },
    });
  });
});

describe("names", () => {
  it.each(["", "a b", "a:b", "1a", "a>", 'a="1"', "-a"])("refuses %j as element, attribute and prefix", (name) => {
    const inputs = [
      xmlElement({ namespace: "", name }),
      xmlElement({ namespace: "", name: "a", attributes: [{ namespace: "", name, prefix: "", value: "" }] }),
      ...(name === "" ? [] : [xmlElement({ namespace: "urn:x", name: "a", prefix: name })]),
    ];
    for (const input of inputs) {
      expect(formatXml(input)).toMatchObject({ kind: "failed", error: { code: "NotWritable" } });
    }
  });

  it.each([
    ["xml", "urn:x"],
    ["xmlns", "urn:x"],
    ["p", ""],
    ["p", "http://www.w3.org/XML/1998/namespace"],
    ["p", "http://www.w3.org/2000/xmlns/"],
  ])("refuses to bind the prefix %j to %j", (prefix, namespace) => {
    const element = xmlElement({ namespace: "urn:a", name: "a", scope: new Map([[prefix, namespace]]) });
    expect(formatXml(element)).toMatchObject({ kind: "failed", error: { code: "NotWritable" } });
  });

  it("refuses two meanings of one prefix in one tag", () => {
    const element = xmlElement({ namespace: "urn:a", name: "a", prefix: "p", scope: new Map([["p", "urn:b"]]) });
    expect(formatXml(element)).toMatchObject({ kind: "failed", error: { code: "NotWritable" } });
  });
});
