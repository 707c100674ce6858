/**
 * Canonical forms that string typedefs of ietf-inet-types and ietf-yang-types define (RFC 6991). They belong to the
 * typedef: the same text in a leaf of plain type `string` stays as it is.
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
  ["ietf-inet-types:domain-name", lowerCase],
  ["ietf-inet-types:host-name", lowerCase],
  ["ietf-yang-types:mac-address", lowerCase],
  ["ietf-yang-types:phys-address", lowerCase],
  ["ietf-yang-types:hex-string", lowerCase],
  ["ietf-yang-types:uuid", lowerCase],
  ["openconfig-inet-types:ipv6-address", ipv6Address],
  ["openconfig-yang-types:mac-address", lowerCase],
]);

/**
 * The canonical form of a text that already matches the restrictions of its type; `typedefs` are those the type passed
 * through, outermost first. The outermost known one decides. A text it cannot read is returned unchanged.
 */
export function canonicalTypedefText(typedefs: readonly string[], text: string): string {
  for (const typedef of typedefs) {
    const canonical = canonicalForms.get(typedef);
    if (canonical !== undefined) return canonical(text);
  }
  return text;
}

/** RFC 5952; the zone (RFC 4007) is kept as written. */
function ipv6Address(text: string): string {
  const percent = text.indexOf("%");
  const address = percent < 0 ? text : text.slice(0, percent);
  const groups = parseIpv6(address);
  return groups === undefined ? text : formatIpv6(groups) + (percent < 0 ? "" : text.slice(percent));
}

function ipv6AddressAndPrefix(text: string): string {
  const slash = text.indexOf("/");
  return slash < 0 ? text : `${ipv6Address(text.slice(0, slash))}${text.slice(slash)}`;
}

function ipv6Prefix(text: string): string {
  const { address, length } = splitPrefix(text);
  const groups = parseIpv6(address);
  if (groups === undefined || !(length <= 128)) return text;
  return `${formatIpv6(clearHostBits(groups, length, 16))}/${String(length)}`;
}

function ipv4Prefix(text: string): string {
  const { address, length } = splitPrefix(text);
  const octets = parseIpv4(address);
  if (octets === undefined || !(length <= 32)) return text;
  return `${clearHostBits(octets, length, 8).join(".")}/${String(length)}`;
}

function splitPrefix(text: string): { readonly address: string; readonly length: number } {
  const [address = "", length = "", rest] = text.split("/");
  return { address, length: rest === undefined && /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN };
}

/** Zeroes what lies behind the first `length` bits of parts of `width` bits each. */
function clearHostBits(parts: readonly number[], length: number, width: number): readonly number[] {
  return parts.map((part, index) => {
    const kept = Math.min(Math.max(length - index * width, 0), width);
    return part - (part % 2 ** (width - kept));
  });
}

function parseIpv4(text: string): readonly number[] | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255)) return undefined;
  return parts.map(Number);
}

/** Eight groups of 16 bits. */
function parseIpv6(text: string): readonly number[] | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map(parseGroups);
  if (head === undefined) return undefined;
  if (halves.length === 1) return head.length === 8 ? head : undefined;
  if (tail === undefined || head.length + tail.length > 7) return undefined;
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}

function parseGroups(text: string): readonly number[] | undefined {
  if (text === "") return [];
  const groups: number[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    if (/^[0-9A-Fa-f]{1,4}$/.test(part)) {
      groups.push(Number.parseInt(part, 16));
      continue;
    }
    const octets = index === parts.length - 1 ? parseIpv4(part) : undefined;
    if (octets === undefined) return undefined;
    const [a = 0, b = 0, c = 0, d = 0] = octets;
    groups.push(a * 256 + b, c * 256 + d);
  }
  return groups;
}

/** RFC 5952 section 4, and section 5 for IPv4-mapped addresses. */
function formatIpv6(groups: readonly number[]): string {
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const [high = 0, low = 0] = groups.slice(6);
    return `::ffff:${String(high >> 8)}.${String(high & 255)}.${String(low >> 8)}.${String(low & 255)}`;
  }
  const zeros = longestZeroRun(groups);
  const format = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(":");
  if (zeros.length < 2) return format(groups);
  return `${format(groups.slice(0, zeros.start))}::${format(groups.slice(zeros.start + zeros.length))}`;
}

/** The first of the longest runs (RFC 5952 section 4.2.3). */
function longestZeroRun(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  let length = 0;
  for (const [index, group] of groups.entries()) {
    length = group === 0 ? length + 1 : 0;
    if (length > best.length) best = { start: index - length + 1, length };
  }
  return best;
}
