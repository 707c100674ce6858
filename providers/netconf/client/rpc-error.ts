import { childElements, findChild, textOf, type XmlElement } from "../../../codec/xml/xml-element.ts";
import type { DeviceReport, DeviceReportInfo } from "../../error.ts";
import { netconfBaseNamespace as base } from "./namespaces.ts";

/**
 * All rpc-errors of a reply in document order, errors and warnings (RFC 6241, 4.3). They are found by namespace and
 * at any depth, because some servers wrap them in elements of their own; text that looks like one, or an element of
 * that name in another namespace, is data.
 */
export function findRpcErrors(reply: XmlElement): readonly DeviceReport[] {
  const reports: DeviceReport[] = [];
  collect(reply, reports);
  return reports;
}

/** Whether the reply says `ok`, also inside of a wrapping element (RFC 6241, 4.4). */
export function saysOk(reply: XmlElement): boolean {
  return childElements(reply).some((child) => (child.namespace === base && child.name === "ok") || saysOk(child));
}

/** One line a report: `invalid-value at /a:b: the server's words`. */
export function describeReports(reports: readonly DeviceReport[]): string {
  return reports
    .map(({ tag, path, message, appTag }) => {
      const place = path === undefined ? "" : ` at ${path}`;
      const words = [message, appTag === undefined ? undefined : `(${appTag})`]
        .filter((part) => part !== undefined)
        .join(" ");
      return `${tag}${place}${words === "" ? "" : `: ${words}`}`;
    })
    .join("; ");
}

function collect(element: XmlElement, reports: DeviceReport[]): void {
  for (const child of element.children) {
    if (child.kind === "text") {
      continue;
    }
    if (child.namespace === base && child.name === "rpc-error") {
      reports.push(readReport(child));
    } else {
      collect(child, reports);
    }
  }
}

function readReport(element: XmlElement): DeviceReport {
  const field = (name: string): string | undefined => {
    const child = findChild(element, base, name);
    const text = child === undefined ? "" : textOf(child).trim();
    return text === "" ? undefined : text;
  };
  const path = field("error-path");
  const appTag = field("error-app-tag");
  const message = field("error-message");
  return {
    type: field("error-type") ?? "application",
    tag: field("error-tag") ?? "operation-failed",
    // Only a plain warning is one: what does not say so counts as an error.
    severity: field("error-severity") === "warning" ? "warning" : "error",
    ...(appTag === undefined ? {} : { appTag }),
    ...(path === undefined ? {} : { path, pathPrefixes: prefixesOf(element, path) }),
    ...(message === undefined ? {} : { message }),
    info: infoOf(element),
  };
}

/** What the prefixes of an error-path mean, which is known only in the scope of the element that carried it. */
function prefixesOf(report: XmlElement, path: string): Readonly<Record<string, string>> {
  const scope = findChild(report, base, "error-path")?.scope;
  const prefixes = new Map<string, string>();
  for (const [, prefix] of path.matchAll(/([\p{L}_][\p{L}\p{N}_.-]*):(?!:)/gu)) {
    const namespace = prefix === undefined ? undefined : scope?.get(prefix);
    if (prefix !== undefined && namespace !== undefined) {
      prefixes.set(prefix, namespace);
    }
  }
  return Object.fromEntries(prefixes);
}

function infoOf(report: XmlElement): readonly DeviceReportInfo[] {
  const info = findChild(report, base, "error-info");
  return info === undefined
    ? []
    : childElements(info).map((child) => ({
        namespace: child.namespace,
        name: child.name,
        text: textOf(child).trim(),
      }));
}
