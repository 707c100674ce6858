/**
 * Networks of any size for the benchmarks: the same configuration as RFC 7951 JSON and as XML, valid against
 * `tenure-bench-network.yang`, the same bytes for the same arguments.
 *
 * By itself: node --import tsx bench/model/generate.ts LEAFS json|xml > FILE
 */
import { fileURLToPath } from "node:url";

export type NetworkEncoding = "json" | "xml";

export interface Network {
  readonly text: string;
  /** Leafs and leaf-list entries, keys included. */
  readonly leafs: number;
}

/** Leafs of one unit: what `leafs` is rounded to. */
const LEAFS_A_UNIT = 156.5;

/**
 * A network of about `leafs` leafs, in units of which each has the same mixture: a segment, 4 interfaces, 2 neighbors,
 * 8 routes, and a filter of 6 rules. So lists grow with the network, references point everywhere in it, and the cost a
 * leaf of one that does all work once stays as it is. Some values are not canonical (decimal64, bits, numbers in XML).
 */
export function generateNetwork(options: { readonly leafs: number; readonly encoding: NetworkEncoding }): Network {
  const units = Math.max(1, Math.round(options.leafs / LEAFS_A_UNIT));
  const sink: Sink = options.encoding === "json" ? new JsonSink() : new XmlSink();
  sink.container("network", () => writeNetwork(sink, units));
  return sink.finish();
}

/** A plain value: how JSON writes it decides the kind. */
type Scalar =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "bare"; readonly text: string; readonly xml?: string }
  | { readonly kind: "identity"; readonly name: string }
  | { readonly kind: "empty" };

const text = (value: string): Scalar => ({ kind: "text", text: value });
const count = (value: number): Scalar => ({ kind: "bare", text: String(value) });
const flag = (value: boolean): Scalar => ({ kind: "bare", text: String(value) });
const identity = (name: string): Scalar => ({ kind: "identity", name });
const empty: Scalar = { kind: "empty" };

/** Writes one configuration in one encoding. Members of a list or leaf-list are written one after another. */
interface Sink {
  container(name: string, body: () => void): void;
  list(name: string, entries: number, entry: (index: number) => void): void;
  leaf(name: string, value: Scalar): void;
  leafList(name: string, values: readonly Scalar[]): void;
  finish(): Network;
}

function writeNetwork(sink: Sink, units: number): void {
  sink.container("segments", () => sink.list("segment", units, (index) => writeSegment(sink, index)));
  sink.container("interfaces", () => {
    sink.list("interface", units * 4, (index) => writeInterface(sink, index, units));
  });
  sink.container("bgp", () => {
    sink.leaf("router-id", text("192.0.2.1"));
    sink.leaf("local-as", count(64512));
    const groups = Math.ceil(units / 20);
    sink.list("group", groups, (index) => writeGroup(sink, index));
    sink.list("neighbor", units * 2, (index) => writeNeighbor(sink, index, { groups, interfaces: units * 4 }));
  });
  sink.container("routes", () => sink.list("route", units * 8, (index) => writeRoute(sink, index, units * 4)));
  sink.container("filters", () => sink.list("filter", units, (index) => writeFilter(sink, index, units)));
}

function writeSegment(sink: Sink, index: number): void {
  sink.leaf("segment-id", count(1000 + index));
  sink.leaf("customer-name", text(customerName(index)));
  if (index % 16 === 0) sink.leaf("maximum-ports", count(64));
  if (index % 4 === 0) sink.leaf("active", flag(true));
  sink.leaf("address-learning", text(["dynamic", "static", "off"][index % 3]!));
}

function customerName(index: number): string {
  return `customer-${String(spread(index, 99_991))}-${String(index)}`;
}

const KINDS = ["gigabit-ethernet", "fast-ethernet", "ethernet", "tunnel"] as const;

function interfaceName(index: number): string {
  const kind = KINDS[index % KINDS.length]!;
  if (kind === "tunnel") return `tun${String(index)}`;
  return `eth${String(Math.floor(index / 4096))}/${String(Math.floor(index / 64) % 64)}/${String(index % 64)}`;
}

function writeInterface(sink: Sink, index: number, segments: number): void {
  const kind = KINDS[index % KINDS.length]!;
  sink.leaf("name", text(interfaceName(index)));
  sink.leaf("kind", identity(kind));
  sink.leaf("description", text(`to rack ${String(index % 97)}, port ${String(index)}`));
  sink.leaf("administratively-enabled", flag(true));
  sink.leaf("maximum-packet-size", count(1500 + (index % 8) * 64));
  sink.leaf("bandwidth", text(`${String(1 + (index % 10))}000000000`));
  sink.leaf("load-alarm-threshold", text(`${String(50 + (index % 40))}.50`));
  sink.list("unit", 1, () => {
    sink.leaf("unit-number", count(0));
    sink.leaf("outer-tag", count(1 + (index % 4094)));
  });
  if (kind === "tunnel") {
    sink.container("ipv4", () => {
      sink.list("address", 2, (nth) => {
        sink.leaf("ip", text(ipv4(10, index * 2 + nth)));
        sink.leaf("prefix-length", count(31));
      });
    });
    return;
  }
  sink.container("ethernet", () => {
    sink.leaf("mac-address", text(mac(index)));
    sink.leaf("duplex-mode", text(["full", "half", "auto"][index % 3]!));
    sink.leaf("flow-control", text(index % 2 === 0 ? "receive send" : "send"));
  });
  const segment = (nth: number): Scalar => count(1000 + spread(index * 3 + nth, segments));
  sink.container("switching", () => {
    if (kind === "ethernet") {
      sink.leaf("mode", text("trunk"));
      const wanted = new Set([0, 1, 2, 3].map((nth) => spread(index * 3 + nth, segments)));
      sink.leafList(
        "trunk-segment",
        [...wanted].map((each) => count(1000 + each)),
      );
    } else {
      sink.leaf("mode", text("access"));
      sink.leaf("access-segment", segment(0));
    }
  });
}

function writeGroup(sink: Sink, index: number): void {
  sink.leaf("name", text(`peers-${String(index)}`));
  sink.leaf("remote-as", count(64_600 + index));
  sink.leafList("family", [identity("ipv4-unicast"), identity("ipv6-unicast")]);
  writeTimers(sink, 180, 60);
}

function writeNeighbor(
  sink: Sink,
  index: number,
  sizes: { readonly groups: number; readonly interfaces: number },
): void {
  sink.leaf(
    "neighbor-address",
    text(index % 2 === 0 ? ipv4(172, index) : `2001:db8:0:${hex(index >> 16)}::${hex(index)}`),
  );
  sink.leaf("neighbor-description", text(`peer ${String(index)} of site ${String(spread(index, 499))}`));
  sink.leaf("peer-group", text(`peers-${String(index % sizes.groups)}`));
  sink.leaf("peer-as", count(65_000 + (index % 500)));
  sink.leaf("update-source-interface", text(interfaceName(spread(index, sizes.interfaces))));
  if (index % 3 === 0) sink.leaf("remote-port", count(179));
  sink.leaf("passive-mode", flag(index % 2 === 1));
  sink.leaf("default-weight", text(`${String(index % 100)}.0`));
  if (index % 2 === 0) sink.leaf("authentication-required", empty);
  writeTimers(sink, 90 + (index % 10) * 3, 30);
}

function writeTimers(sink: Sink, holdTime: number, keepalive: number): void {
  sink.container("timers", () => {
    sink.leaf("hold-time", count(holdTime));
    sink.leaf("keepalive-interval", count(keepalive));
  });
}

function writeRoute(sink: Sink, index: number, interfaces: number): void {
  sink.leaf("destination-prefix", text(`${ipv4(100, index)}/${String(24 + (index % 9))}`));
  sink.leaf("next-hop-address", text(index % 10 === 0 ? "blackhole" : ipv4(10, spread(index, interfaces))));
  sink.leaf("route-preference", count(1 + (index % 200)));
  sink.leaf("outgoing-interface", text(interfaceName(spread(index, interfaces))));
  // Few, since each costs a peer that looks through all interfaces for it.
  if (index % 128 === 1) sink.leaf("outgoing-unit", count(0));
  sink.leaf("route-description", text(`static ${String(index)}`));
}

function writeFilter(sink: Sink, index: number, segments: number): void {
  sink.leaf("filter-name", text(`filter-${String(index)}`));
  sink.leaf("customer", text(customerName(spread(index, segments))));
  sink.list("rule", 6, (nth) => {
    sink.leaf("sequence-number", count((nth + 1) * 10));
    sink.leaf("source-prefix", text(`${ipv4(198, index * 6 + nth)}/32`));
    sink.leaf("payload-protocol", nth % 3 === 2 ? count(47) : text(["tcp", "udp"][nth % 3]!));
    if (nth % 3 !== 2) {
      sink.leaf("lowest-port", count(1024 + (index % 1000)));
      sink.leaf("highest-port", count(2048 + (index % 1000)));
    }
    sink.leaf("forwarding-action", text(nth % 2 === 0 ? "permit" : "deny"));
    if (nth === 0) sink.leaf("token", text("c2VjcmV0IHRva2Vu"));
  });
}

/** A place in 0..size-1 that looks like no order, and is the same each time. */
function spread(index: number, size: number): number {
  return ((index * 7919) % 1_000_003) % size;
}

function ipv4(first: number, index: number): string {
  return `${String(first)}.${String((index >> 16) & 255)}.${String((index >> 8) & 255)}.${String(index & 255)}`;
}

function hex(index: number): string {
  return (index & 0xffff).toString(16);
}

function mac(index: number): string {
  const octets = [2, 0, (index >> 24) & 255, (index >> 16) & 255, (index >> 8) & 255, index & 255];
  return octets.map((octet) => octet.toString(16).padStart(2, "0")).join(":");
}

const MODULE = "tenure-bench-network";
const TYPES = "tenure-bench-types";

/** Texts are made of the few characters above, so nothing has to be escaped in either encoding. */
class JsonSink implements Sink {
  readonly #pieces: string[] = [];
  #leafs = 0;
  /** True before the first member of the object that is open. */
  #first = true;
  #depth = 0;

  container(name: string, body: () => void): void {
    this.#name(name);
    this.#object(body);
  }

  list(name: string, entries: number, entry: (index: number) => void): void {
    this.#name(name);
    this.#pieces.push("[");
    for (let index = 0; index < entries; index += 1) {
      if (index > 0) this.#pieces.push(",");
      this.#object(() => entry(index));
    }
    this.#pieces.push("]");
    this.#first = false;
  }

  leaf(name: string, value: Scalar): void {
    this.#name(name);
    this.#pieces.push(this.#scalar(value));
  }

  leafList(name: string, values: readonly Scalar[]): void {
    this.#name(name);
    this.#pieces.push(`[${values.map((value) => this.#scalar(value)).join(",")}]`);
  }

  finish(): Network {
    return { text: `{${this.#pieces.join("")}}\n`, leafs: this.#leafs };
  }

  #object(body: () => void): void {
    this.#pieces.push("{");
    this.#first = true;
    this.#depth += 1;
    body();
    this.#depth -= 1;
    this.#pieces.push("}");
    this.#first = false;
  }

  #name(name: string): void {
    this.#pieces.push(`${this.#first ? "" : ","}"${this.#depth === 0 ? `${MODULE}:` : ""}${name}":`);
    this.#first = false;
  }

  #scalar(value: Scalar): string {
    this.#leafs += 1;
    switch (value.kind) {
      case "text":
        return `"${value.text}"`;
      case "bare":
        return value.text;
      case "identity":
        return `"${TYPES}:${value.name}"`;
      case "empty":
        return "[null]";
    }
  }
}

class XmlSink implements Sink {
  readonly #pieces: string[] = [];
  #leafs = 0;
  #depth = 0;

  container(name: string, body: () => void): void {
    const scope = this.#depth === 0 ? ` xmlns="urn:tenure:bench:network" xmlns:types="urn:tenure:bench:types"` : "";
    this.#depth += 1;
    this.#pieces.push(`<${name}${scope}>`);
    body();
    this.#pieces.push(`</${name}>`);
    this.#depth -= 1;
  }

  list(name: string, entries: number, entry: (index: number) => void): void {
    for (let index = 0; index < entries; index += 1) this.container(name, () => entry(index));
  }

  leaf(name: string, value: Scalar): void {
    this.#leafs += 1;
    const content = this.#scalar(value);
    this.#pieces.push(content === "" ? `<${name}/>` : `<${name}>${content}</${name}>`);
  }

  leafList(name: string, values: readonly Scalar[]): void {
    for (const value of values) this.leaf(name, value);
  }

  finish(): Network {
    return { text: `${this.#pieces.join("")}\n`, leafs: this.#leafs };
  }

  #scalar(value: Scalar): string {
    switch (value.kind) {
      case "text":
        return value.text;
      case "bare":
        return value.text;
      case "identity":
        return `types:${value.name}`;
      case "empty":
        return "";
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [leafs, encoding] = process.argv.slice(2);
  const wanted = Number(leafs);
  if (!Number.isInteger(wanted) || wanted < 1 || (encoding !== "json" && encoding !== "xml")) {
    process.stderr.write("usage: node --import tsx bench/model/generate.ts LEAFS json|xml > FILE\n");
    process.exitCode = 2;
  } else {
    const network = generateNetwork({ leafs: wanted, encoding });
    process.stdout.write(network.text);
    process.stderr.write(`${String(network.leafs)} leafs, ${String(network.text.length)} characters\n`);
  }
}
