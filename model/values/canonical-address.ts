/**
 * Canonical forms that string typedefs of ietf-inet-types and ietf-yang-types define (RFC 6991, RFC 9911). They belong
 * to the typedef: the same text in a leaf of plain type `string` stays as it is. A date-and-time stays too: its canonical
 * form has the device's offset to UTC, which no reader of values knows.
 */

type Canonicaliser = (text: string) => string;

const lowerCase: Canonicaliser = (text) => text.toLowerCase();

/**
 * By `module:typedef`. The OpenConfig typedefs of the same name name no canonical form of their own, but two spellings
 * of one address are one address there too; their prefixes may carry host bits and keep them.
 */
const canonicalForms: ReadonlyMap<string, Canonicaliser> = new Map([
  ["ietf-inet-types:ipv6-address", ipv6Address],
  ["ietf-inet-types:ipv6-address-no-zone", ipv6Address],
  ["ietf-inet-types:ipv6-address-link-local", ipv6Address],
  ["ietf-inet-types:ipv6-prefix", ipv6Prefix],
  ["ietf-inet-types:ipv4-prefix", ipv4Prefix],
  ["ietf-inet-types:ipv6-address-and-prefix", ipv6AddressAndPrefix],
  ["ietf-inet-types:ipv4-address-and-prefix", ipv4AddressAndPrefix],
  ["ietf-inet-types:domain-name", lowerCase],
  ["ietf-inet-types:host-name", lowerCase],
  ["ietf-yang-types:mac-address", lowerCase],
  ["ietf-yang-types:phys-address", lowerCase],
  ["ietf-yang-types:hex-string", lowerCase],
  ["ietf-yang-types:uuid", lowerCase],
  ["ietf-yang-types:language-tag", lowerCase],
  ["openconfig-inet-types:ipv6-address", ipv6Address],
  ["openconfig-yang-types:mac-address", lowerCase],
]);

/**
 * What makes texts canonical for a type that passed through these typedefs, outermost first; undefined when none of them
 * has a canonical form. The outermost known one decides. The texts are those that match the restrictions of the type; one
 * that cannot be read all the same comes back unchanged.
 */
export function typedefCanonicaliser(typedefs: readonly string[]): ((text: string) => string) | undefined {
  for (const typedef of typedefs) {
    const canonical = canonicalForms.get(typedef);
    if (canonical !== undefined) return canonical;
  }
  return undefined;
}

/** RFC 5952; the zone (RFC 4007) is kept as written, since only the device knows its number. */
function ipv6Address(text: string): string {
  const percent = text.indexOf("%");
  const groups = parseIpv6(percent < 0 ? text : text.slice(0, percent));
  return groups === undefined ? text : formatIpv6(groups) + (percent < 0 ? "" : text.slice(percent));
}

function ipv6AddressAndPrefix(text: string): string {
  const slash = text.indexOf("/");
  const length = prefixLength(text, slash, 128);
  return length === undefined ? text : `${ipv6Address(text.slice(0, slash))}/${String(length)}`;
}

function ipv4AddressAndPrefix(text: string): string {
  const slash = text.indexOf("/");
  const length = prefixLength(text, slash, 32);
  return length === undefined ? text : `${text.slice(0, slash)}/${String(length)}`;
}

function ipv6Prefix(text: string): string {
  const slash = text.indexOf("/");
  const length = prefixLength(text, slash, 128);
  const groups = length === undefined ? undefined : parseIpv6(text.slice(0, slash));
  if (groups === undefined || length === undefined) return text;
  return `${formatIpv6(clearHostBits(groups, length, 16))}/${String(length)}`;
}

function ipv4Prefix(text: string): string {
  const slash = text.indexOf("/");
  const length = prefixLength(text, slash, 32);
  const octets = length === undefined ? undefined : parseIpv4(text, 0, slash);
  if (octets === undefined || length === undefined) return text;
  return `${clearHostBits(octets, length, 8).join(".")}/${String(length)}`;
}

/** What follows the slash: a number up to `max`, leading zeros allowed. */
function prefixLength(text: string, slash: number, max: number): number | undefined {
  const digits = text.length - slash - 1;
  if (slash < 0 || digits < 1 || digits > 3) return undefined;
  const length = decimal(text, slash + 1, text.length);
  return length !== undefined && length <= max ? length : undefined;
}

function decimal(text: string, start: number, end: number): number | undefined {
  let number = 0;
  for (let at = start; at < end; at += 1) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    number = number * 10 + digit;
  }
  return end > start ? number : undefined;
}

/** Zeroes what lies behind the first `length` bits of parts of `width` bits each. */
function clearHostBits(parts: readonly number[], length: number, width: number): readonly number[] {
  return parts.map((part, index) => {
    const kept = Math.min(Math.max(length - index * width, 0), width);
    return part - (part % 2 ** (width - kept));
  });
}

/** Four octets in a part of a text. */
function parseIpv4(text: string, start: number, end: number): readonly number[] | undefined {
  const octets: number[] = [];
  for (let at = start; octets.length < 4; ) {
    const dot = text.indexOf(".", at);
    const stop = octets.length === 3 ? end : dot;
    const octet = stop < 0 || stop > end || stop - at > 3 ? undefined : decimal(text, at, stop);
    if (octet === undefined || octet > 255) return undefined;
    octets.push(octet);
    at = stop + 1;
  }
  return octets;
}

/** Eight groups of 16 bits. */
function parseIpv6(text: string): readonly number[] | undefined {
  const groups: number[] = [];
  let gap = -1;
  let at = 0;
  if (text.startsWith("::")) {
    gap = 0;
    at = 2;
  }
  while (at < text.length) {
    let group = 0;
    let end = at;
    for (; end < text.length && end - at < 5; end += 1) {
      const digit = hexDigit(text.charCodeAt(end));
      if (digit < 0) break;
      group = group * 16 + digit;
    }
    if (text[end] === ".") {
      const octets = parseIpv4(text, at, text.length);
      if (octets === undefined) return undefined;
      const [a = 0, b = 0, c = 0, d = 0] = octets;
      groups.push(a * 256 + b, c * 256 + d);
      break;
    }
    if (end === at || end - at > 4) return undefined;
    groups.push(group);
    if (end === text.length) break;
    if (text[end] !== ":") return undefined;
    at = end + 1;
    if (text[at] === ":") {
      if (gap >= 0) return undefined;
      gap = groups.length;
      at += 1;
    } else if (at === text.length) {
      return undefined;
    }
  }
  if (gap < 0) return groups.length === 8 ? groups : undefined;
  if (groups.length > 7) return undefined;
  groups.splice(gap, 0, ...ZEROS.slice(groups.length));
  return groups;
}

const ZEROS: readonly number[] = [0, 0, 0, 0, 0, 0, 0, 0];

/** -1 for any other character. */
function hexDigit(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const letter = unit | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** RFC 5952 section 4, and section 5 for IPv4-mapped addresses. */
function formatIpv6(groups: readonly number[]): string {
  const zeros = longestZeroRun(groups);
  if (zeros.start === 0 && zeros.length === 5 && groups[5] === 0xffff) {
    const [high = 0, low = 0] = groups.slice(6);
    return `::ffff:${String(high >> 8)}.${String(high & 255)}.${String(low >> 8)}.${String(low & 255)}`;
  }
  let text = "";
  for (let index = 0; index < 8; index += 1) {
    if (zeros.length > 1 && index === zeros.start) {
      text += "::";
      index += zeros.length - 1;
    } else {
      text += (text === "" || text.endsWith(":") ? "" : ":") + (groups[index] ?? 0).toString(16);
    }
  }
  return text;
}

/** The first of the longest runs (RFC 5952 section 4.2.3). */
function longestZeroRun(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let start = 0;
  let longest = 0;
  let length = 0;
  for (const [index, group] of groups.entries()) {
    length = group === 0 ? length + 1 : 0;
    if (length > longest) {
      start = index - length + 1;
      longest = length;
    }
  }
  return { start, length: longest };
}
