import { describe, expect, it } from "vitest";
import {
  attributeValue,
  childElements,
  findChild,
  resolveQName,
  textOf,
  type XmlElement,
} from "../../codec/xml/xml-element.ts";
import { decodeUtf8, parseXml, readXml, type ReadXmlOptions } from "../../codec/xml/read-xml.ts";
import type { XmlError } from "../../codec/xml/xml-result.ts";

function parsed(text: string, options: ReadXmlOptions = {}): XmlElement {
  const result = parseXml(text, options);
  if (result.kind === "failed") {
    throw new Error(`expected a tree, got ${JSON.stringify(result.error)}`);
  }
  return result.value;
}

function refused(text: string, options: ReadXmlOptions = {}): XmlError {
  const result = parseXml(text, options);
  if (result.kind === "ok") {
    throw new Error(`expected an error, got ${JSON.stringify(result.value)}`);
  }
  return result.error;
}

it("lets exceptions of the handler pass: they say nothing about the text", () => {
  const handler = { open: () => undefined, text: () => undefined, close: () => undefined };
  const broken = (): never => {
    throw new RangeError("of the handler");
  };
  for (const event of ["open", "text", "close"] as const)
    expect(() => readXml("<a>b</a>", { ...handler, [event]: broken })).toThrow("of the handler");
});

describe("reading names and scopes", () => {
  it("gives a scope the namespaces that names are resolved by, blanks around them aside", () => {
    const root = parsed('<p:a xmlns:p=" urn:p " xmlns=" urn:d "><b/></p:a>');
    expect(root.scope.get("p")).toBe(root.namespace);
    expect(root.scope.get("")).toBe(childElements(root)[0]?.namespace);
  });

  it("keeps namespace, local name and prefix apart, and an unprefixed attribute without a namespace", () => {
    const root = parsed('<a:x xmlns:a="urn:a" xmlns="urn:d" a:k="1" k="2"><y/></a:x>');
    expect(root).toMatchObject({ namespace: "urn:a", name: "x", prefix: "a" });
    expect(attributeValue(root, "urn:a", "k")).toBe("1");
    expect(attributeValue(root, "", "k")).toBe("2");
    expect(root.attributes).toHaveLength(2);
    expect(findChild(root, "urn:d", "y")?.prefix).toBe("");
  });

  it("resolves a QName value through declarations of ancestors, also after the element was taken out", () => {
    const root = parsed('<i xmlns="urn:if" xmlns:t="urn:types"><type>t:ethernet</type><plain> ether </plain></i>');
    const type = findChild(root, "urn:if", "type");
    const plain = findChild(root, "urn:if", "plain");
    expect(type && resolveQName(type, textOf(type))).toEqual({ namespace: "urn:types", name: "ethernet" });
    expect(plain && resolveQName(plain, textOf(plain))).toEqual({ namespace: "urn:if", name: "ether" });
    expect(type && resolveQName(type, "u:ethernet")).toBeUndefined();
    expect(type && resolveQName(type, "t:a:b")).toBeUndefined();
  });

  it("shares one scope between elements that repeat the same declaration", () => {
    const [one, two] = childElements(parsed('<l><e xmlns="urn:e"/><e xmlns="urn:e"><f xmlns="urn:e"/></e></l>'));
    expect(two && childElements(two)[0]?.scope).toBe(two?.scope);
    expect(one?.scope).toBe(two?.scope);
  });

  it("undeclares the default namespace", () => {
    const root = parsed('<a xmlns="urn:a"><b xmlns=""/></a>');
    expect(childElements(root)[0]).toMatchObject({ namespace: "", name: "b" });
  });
});

describe("reading text", () => {
  it("case 08: keeps blanks of a value exactly, and white space between elements as text of the parent only", () => {
    const root = parsed("<c>\n <descr>  two blanks each side  </descr>\n <mtu> 9000 </mtu></c>");
    const [descr, mtu] = childElements(root);
    expect(descr && textOf(descr)).toBe("  two blanks each side  ");
    expect(mtu && textOf(mtu)).toBe(" 9000 ");
  });

  it("case 13: resolves the five references and characters, and joins CDATA and comments into one text", () => {
    const root = parsed("<a>&amp; &lt; &#x41; <![CDATA[a<b]]><!-- no text -->!</a>");
    expect(root.children).toHaveLength(1);
    expect(textOf(root)).toBe("& < A a<b!");
  });

  it("case 06: a raw CR LF becomes LF, an escaped CR stays", () => {
    expect(textOf(parsed("<banner>line1&#13;\r\nline2</banner>"))).toBe("line1\r\nline2");
  });

  it("does not count text of child elements as text of the parent", () => {
    expect(textOf(parsed("<a>x<b>y</b>z</a>"))).toBe("xz");
  });

  it("case 12: one CDATA of 12 MB arrives whole", () => {
    const block = "leaf x { type string; }\n".repeat(500_000);
    expect(textOf(parsed(`<data><![CDATA[${block}]]></data>`))).toBe(block);
  });
});

describe("what is refused", () => {
  const expansion =
    '<!DOCTYPE x [<!ENTITY a "0123456789"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/hostname">]>\n<x>&b;&f;</x>';

  it.each([
    ["with entities", expansion],
    ["without a subset", "<!DOCTYPE x><x/>"],
    ["naming an external subset", '<!DOCTYPE x SYSTEM "http://127.0.0.1/x.dtd"><x/>'],
    ["after the declaration", '<?xml version="1.0"?>\n<!DOCTYPE x PUBLIC "a" "b"><x/>'],
  ])("case 13: a document type %s", (_title, text) => {
    expect(refused(text).code).toBe("DocumentTypeRefused");
  });

  it.each(["&nbsp;", "&a;", "&constructor;", "&__proto__;", "&#0;", "&#xD800;", "&#x110000;", "&amp"])(
    "case 13: the reference %s",
    (reference) => {
      expect(refused(`<a>${reference}</a>`).code).toBe("NotWellFormed");
      expect(refused(`<a b="${reference}"/>`).code).toBe("NotWellFormed");
    },
  );

  it.each([
    ["nothing", ""],
    ["white space", " \n"],
    ["an open element", "<a><b></b>"],
    ["a wrong end tag", "<a></b>"],
    ["two roots", "<a/><b/>"],
    ["text after the root", "<a/>x"],
    ["an undeclared element prefix", "<p:a/>"],
    ["an undeclared attribute prefix", '<a p:b="1"/>'],
    ["one attribute under two prefixes", '<a xmlns:p="urn:x" xmlns:q="urn:x" p:b="1" q:b="2"/>'],
    ["an attribute twice", '<a b="1" b="2"/>'],
    ["a control character", "<a>\u0007</a>"],
    ["a control character under XML 1.1", '<?xml version="1.1"?><a>&#7;</a>'],
    ["]]> in text", "<a>]]></a>"],
    ["an attribute without quotes", "<a b=1/>"],
  ])("%s", (_title, text) => {
    expect(refused(text).code).toBe("NotWellFormed");
  });

  it("an encoding that is not UTF-8, whatever the octets are", () => {
    expect(refused('<?xml version="1.0" encoding="ISO-8859-1"?><a/>').code).toBe("EncodingRefused");
    expect(parsed('<?xml version="1.0" encoding="utf-8"?><a/>').name).toBe("a");
  });

  it("names the place, both numbers from 1", () => {
    expect(refused("<a>\n  <b></c>\n</a>").position).toEqual({ line: 2, column: 10 });
  });
});

describe("limits", () => {
  it.each([
    ["maxLength", "<a>0123456789</a>", { maxLength: 16 }],
    ["maxDepth", "<a><a><a/></a></a>", { maxDepth: 2 }],
    ["maxTextLength", "<a>012<![CDATA[345]]>6</a>", { maxTextLength: 6 }],
    ["maxAttributes", '<a xmlns:p="urn:p" b="" c=""/>', { maxAttributes: 2 }],
    ["maxAttributeLength", '<a b="0123"/>', { maxAttributeLength: 3 }],
  ] as const)("case 12: passing %s is an error that names it, reaching it is none", (name, text, limits) => {
    const value = Number(Object.values(limits)[0]);
    expect(refused(text, { limits })).toMatchObject({ code: "LimitExceeded", limit: { name, value } });
    expect(parsed(text, { limits: { [name]: value + 1 } }).name).toBe("a");
  });

  it("case 12: 5,000 nested elements and an attribute of 3 MB pass the default limits with one clear error", () => {
    const nested = `${"<a>".repeat(5000)}${"</a>".repeat(5000)}`;
    expect(refused(nested).limit).toEqual({ name: "maxDepth", value: 256 });
    expect(refused(`<a b="${"x".repeat(3_000_000)}"/>`).limit).toEqual({ name: "maxAttributeLength", value: 1048576 });
  });
});

describe("decoding", () => {
  it.each([
    ["a cut character", [0x61, 0xe6, 0x97]],
    ["an overlong form", [0xc0, 0xaf]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["Latin-1", [0x5a, 0xfc, 0x72]],
  ])("refuses %s", (_title, bytes) => {
    expect(decodeUtf8(Uint8Array.from(bytes))).toMatchObject({ kind: "failed", error: { code: "NotUtf8" } });
  });

  it("gives the text back", () => {
    expect(decodeUtf8(new TextEncoder().encode("日本 🛰"))).toEqual({ kind: "ok", value: "日本 🛰" });
  });
});
