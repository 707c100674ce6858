/** The devices that bench `graph` imports, and the service that it puts on them. */
import { readFileSync } from "node:fs";
import type { SubmissionDocument } from "../../contract/documents.ts";
import { digestOf } from "../../graph/canonical-json.ts";
import type { DeviceRecord } from "../../graph/journal/record.ts";
import { formatDiagnostic } from "../../model/diagnostic.ts";
import type { Item } from "../../model/item.ts";
import type { Schema } from "../../model/schema.ts";
import type { BuiltInType } from "../../model/value.ts";
import { compileYang } from "../../model/yang/compile-yang.ts";

const MODULE = "tenure-bench-interfaces";
const UPLINKS = 5;
export const MODULE_SET = digestOf(MODULE);
/** Stands for the document of an observation, which the graph only names. */
export const OBSERVATION = digestOf("an observation");

export function benchSchema(): Schema {
  const text = readFileSync(new URL(`${MODULE}.yang`, import.meta.url), "utf8");
  const compiled = compileYang([{ name: MODULE, text }], { implement: "all", features: "all" });
  if (compiled.kind === "error") throw new Error(compiled.diagnostics.map(formatDiagnostic).join("\n"));
  return compiled.value;
}

export function deviceName(number: number): string {
  return `router-${String(number)}`;
}

export function deviceRecord(number: number): DeviceRecord {
  return {
    id: `device-${String(number)}`,
    name: deviceName(number),
    provider: "netconf",
    host: "192.0.2.1",
    port: 830,
    credentials: "env:BENCH",
    hostKey: { kind: "accept-new" },
    profile: undefined,
    moduleSet: MODULE_SET,
    announcement: undefined,
    chosenProfile: "generic",
    providerConfig: undefined,
    givenModules: undefined,
    tls: undefined,
    state: "managed",
  };
}

/**
 * `count` items, ten an interface, sorted by path. `variant` is in ten values of the device, one an interface; `mtu` in
 * the ten that the service sets.
 */
export function deviceItems(
  count: number,
  { variant = 0, mtu = 1500 }: { readonly variant?: number; readonly mtu?: number } = {},
): readonly Item[] {
  const items: Item[] = [];
  for (let number = 0; items.length < count; number += 1) {
    const name = interfaceName(number);
    const entry = `/${MODULE}:interfaces/interface[name='${name}']`;
    const address = `10.${String((number >> 16) & 255)}.${String((number >> 8) & 255)}.${String(number & 255)}`;
    const addressEntry = `${entry}/ipv4/address[ip='${address}']`;
    const site = `customer ${String(number * 7)}, site ${String(number % 97)}`;
    const size = String(number < UPLINKS ? mtu : 1500);
    const description = variant > 0 && number >= 10 && number < 20 ? `${site}, moved ${String(variant)}` : site;
    items.push(
      { kind: "entry", path: entry, keyTypes: ["string"] },
      leaf(`${entry}/description`, "string", description),
      leaf(`${entry}/role`, "enumeration", number % 10 === 0 ? "uplink" : "customer"),
      leaf(`${entry}/enabled`, "boolean", "true"),
      leaf(`${entry}/mtu`, "uint16", size),
      leaf(`${entry}/link-up-down-trap`, "boolean", "true"),
      leaf(`${entry}/ipv4/forwarding`, "boolean", "true"),
      leaf(`${entry}/ipv4/mtu`, "uint16", size),
      { kind: "entry", path: addressEntry, keyTypes: ["string"] },
      leaf(`${addressEntry}/prefix-length`, "uint8", "24"),
    );
  }
  return items.slice(0, count).sort((a, b) => (a.path < b.path ? -1 : 1));
}

function leaf(path: string, type: BuiltInType, text: string): Item {
  return { kind: "leaf", path, value: { kind: "plain", type, text }, origin: "set" };
}

export function interfaceName(number: number): string {
  return `GigabitEthernet0/${String(number)}`;
}

/** The path whose value `variant` of a device changes, and the service too. */
export function descriptionPath(number: number): string {
  return `/${MODULE}:interfaces/interface[name='${interfaceName(number)}']/description`;
}

/** One instance on one device that owns ten items, two an interface, each with a value that follows `mtu`. */
export function serviceSubmission(device: number, mtu: number): SubmissionDocument {
  const uplinks = Array.from({ length: UPLINKS }, (_, number) => interfaceName(number)).join(", ");
  const text = `kind: definition
name: uplinks
version: "1"
parameters:
  type: object
  additionalProperties: false
  required: [uplinks, mtu]
  properties:
    uplinks: { type: array, items: { type: string } }
    mtu: { type: integer, minimum: 1280, maximum: 9216 }
rules:
  - path: /${MODULE}:interfaces/interface[name='\${uplink}']/mtu
    value: \${params.mtu}
    for: uplink in params.uplinks
  - path: /${MODULE}:interfaces/interface[name='\${uplink}']/ipv4/mtu
    value: \${params.mtu}
    for: uplink in params.uplinks
---
kind: service
name: uplinks-${deviceName(device)}
definition: uplinks
version: "1"
parameters: { uplinks: [${uplinks}], mtu: ${String(mtu)} }
targets: [${deviceName(device)}]
`;
  return { format: "tenure-submission/1", files: [{ name: "uplinks.yaml", text }] };
}
