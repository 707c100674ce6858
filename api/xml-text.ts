import { formatXml } from "../codec/xml/format-xml.ts";
import { type XmlElement, xmlElement } from "../codec/xml/xml-element.ts";
import { badRequest } from "./api-error.ts";

const NETCONF_NAMESPACE = "urn:ietf:params:xml:ns:netconf:base:1.0";

/** Top-level nodes in a `<config>`, as edit-config and get-config have it (RFC 6241, 7.1 and 7.2). */
export function configXml(children: readonly XmlElement[]): string {
  const text = formatXml(xmlElement({ namespace: NETCONF_NAMESPACE, name: "config", children }));
  if (text.kind === "ok") return text.value;
  throw badRequest(`this cannot be written as XML: ${text.error.message}`);
}
