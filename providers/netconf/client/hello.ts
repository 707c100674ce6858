import {
  childElements,
  findChild,
  findChildren,
  textOf,
  type XmlElement,
  xmlElement,
  xmlTextElement,
} from "../../../codec/xml/xml-element.ts";
import type { Framing } from "../../../codec/netconf/framing.ts";
import { base10Capability, base11Capability, netconfBaseNamespace as base } from "./namespaces.ts";

/** Who sent a hello. Only the server's has a session id, and it must (RFC 6241, 8.1). */
export type Hello =
  | { readonly kind: "server"; readonly capabilities: readonly string[]; readonly sessionId: number }
  | { readonly kind: "client"; readonly capabilities: readonly string[] };

export type HelloResult =
  | { readonly kind: "ok"; readonly hello: Hello }
  | { readonly kind: "malformed"; readonly reason: string };

/** The hello element of either side (RFC 6241, 8.1). */
export function formatHello(hello: Hello): XmlElement {
  const capabilities = hello.capabilities.map((uri) => xmlTextElement({ namespace: base, name: "capability" }, uri));
  return xmlElement({
    namespace: base,
    name: "hello",
    children: [
      xmlElement({ namespace: base, name: "capabilities", children: capabilities }),
      ...(hello.kind === "server"
        ? [xmlTextElement({ namespace: base, name: "session-id" }, String(hello.sessionId))]
        : []),
    ],
  });
}

/**
 * Reads a hello. White space around capabilities and session id is not part of them (RFC 6241, appendix B:
 * xs:anyURI and an integer collapse it), unlike in configuration values. Empty capabilities are dropped.
 */
export function parseHello(root: XmlElement): HelloResult {
  if (root.namespace !== base || root.name !== "hello") {
    return malformed(`the first message is {${root.namespace}}${root.name}, not a hello`);
  }
  const list = findChild(root, base, "capabilities");
  if (list === undefined) {
    return malformed("the hello has no capabilities");
  }
  const capabilities = findChildren(list, base, "capability")
    .map((element) => textOf(element).trim())
    .filter((uri) => uri !== "");
  const ids = childElements(root).filter(({ namespace, name }) => namespace === base && name === "session-id");
  const [id] = ids;
  if (id === undefined) {
    return { kind: "ok", hello: { kind: "client", capabilities } };
  }
  const text = textOf(id).trim();
  const sessionId = Number(text);
  if (ids.length > 1 || !/^\d{1,10}$/u.test(text) || sessionId < 1 || sessionId > 4_294_967_295) {
    return malformed(`the hello has the session id "${text}", which is none`);
  }
  return { kind: "ok", hello: { kind: "server", capabilities, sessionId } };
}

/**
 * Framing after the hellos: chunked only when both sides offer base:1.1 (RFC 6242, 4.1). Undefined: no base version
 * in common.
 */
export function negotiateFraming(ours: readonly string[], theirs: readonly string[]): Framing | undefined {
  if (ours.includes(base11Capability) && theirs.includes(base11Capability)) {
    return "chunked";
  }
  return ours.includes(base10Capability) && theirs.includes(base10Capability) ? "end-of-message" : undefined;
}

function malformed(reason: string): HelloResult {
  return { kind: "malformed", reason };
}
