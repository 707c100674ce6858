import { type XmlElement, type XmlNode, xmlElement, xmlTextElement } from "../codec/xml/xml-element.ts";
import type { InstancePath } from "../model/path.ts";
import type { Schema } from "../model/schema.ts";
import { formatInstanceIdentifier } from "./instance-identifier.ts";
import { baseNamespace } from "./netconf-names.ts";

/** The error tags of RFC 6241, appendix A, but for the one that it deprecates. */
export const errorTags = [
  "in-use",
  "invalid-value",
  "too-big",
  "missing-attribute",
  "bad-attribute",
  "unknown-attribute",
  "missing-element",
  "bad-element",
  "unknown-element",
  "unknown-namespace",
  "access-denied",
  "lock-denied",
  "resource-denied",
  "rollback-failed",
  "data-exists",
  "data-missing",
  "operation-not-supported",
  "operation-failed",
  "malformed-message",
] as const;
export type ErrorTag = (typeof errorTags)[number];

/** One child of `<error-info>`: `bad-element`, `session-id` and so on. */
export interface ErrorInfo {
  readonly name: string;
  readonly text: string;
  /** The base namespace where absent. */
  readonly namespace?: string;
  /** Of a path: written in place of `text` as an instance-identifier whose prefixes are declared on the element. */
  readonly path?: InstancePath;
}

/** An `<rpc-error>` as data (RFC 6241, section 4.3). */
export interface RpcError {
  readonly type: "transport" | "rpc" | "protocol" | "application";
  readonly tag: ErrorTag;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly appTag?: string;
  readonly path?: InstancePath;
  readonly info?: readonly ErrorInfo[];
}

/** What is wrong with the data that a request carries or would leave behind. */
export function applicationError(tag: ErrorTag, message: string, more: Partial<RpcError> = {}): RpcError {
  return { type: "application", tag, severity: "error", message, ...more };
}

/** What is wrong with the operation itself, or with the state of the server that it needs. */
export function protocolError(tag: ErrorTag, message: string, more: Partial<RpcError> = {}): RpcError {
  return { type: "protocol", tag, severity: "error", message, ...more };
}

/** A lock that somebody else holds; `owner` 0 means that no NETCONF session does, so that none can be killed for it. */
export function lockDenied(owner: number, message: string): RpcError {
  return protocolError("lock-denied", message, { info: [{ name: "session-id", text: String(owner) }] });
}

/** The element of a reply. The path is written as an instance-identifier whose prefixes are declared on `<error-path>`. */
export function rpcErrorToXml(schema: Schema, error: RpcError): XmlElement {
  const children: XmlNode[] = [
    text("error-type", error.type),
    text("error-tag", error.tag),
    text("error-severity", error.severity),
  ];
  if (error.appTag !== undefined) children.push(text("error-app-tag", error.appTag));
  if (error.path !== undefined) {
    const { text: path, scope } = formatInstanceIdentifier(schema, error.path);
    children.push(xmlElement({ ...text("error-path", path), scope }));
  }
  children.push(
    xmlElement({
      ...text("error-message", error.message),
      attributes: [{ namespace: "http://www.w3.org/XML/1998/namespace", name: "lang", prefix: "xml", value: "en" }],
    }),
  );
  if (error.info !== undefined && error.info.length > 0) {
    const info = error.info.map((each) => infoToXml(schema, each));
    children.push(xmlElement({ namespace: baseNamespace, name: "error-info", children: info }));
  }
  return xmlElement({ namespace: baseNamespace, name: "rpc-error", children });
}

function infoToXml(schema: Schema, info: ErrorInfo): XmlElement {
  const name = { namespace: info.namespace ?? baseNamespace, name: info.name };
  if (info.path === undefined) return xmlTextElement(name, info.text);
  const { text: path, scope } = formatInstanceIdentifier(schema, info.path);
  return xmlElement({ ...xmlTextElement(name, path), scope });
}

function text(name: string, value: string): XmlElement {
  return xmlTextElement({ namespace: baseNamespace, name }, value);
}
