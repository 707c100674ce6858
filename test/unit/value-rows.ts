/**
 * Lexical values of every built-in type and of the types of ietf-inet-types and ietf-yang-types, with what is right.
 * `value-rows.test.ts` reads them here; `test/peers/value-yanglint.test.ts` asks another implementation.
 */

/** What a value becomes: its canonical text, or the code of the error. */
export type Verdict = { readonly canonical: string } | { readonly code: string };

export interface ValueRow {
  /** A leaf of `VALUES_MODULE`. */
  readonly leaf: string;
  /** As it stands in an element; prefixes: none and `v` the module itself, `o` the other one. */
  readonly lexical: string;
  readonly verdict: Verdict;
}

/** A row that libyang (2.1.30) sees otherwise, and the section that makes ours right. */
export interface OtherwiseInLibyang {
  readonly leaf: string;
  readonly lexical: string;
  readonly libyang: "refuses" | { readonly canonical: string };
  readonly section: string;
}

export const OTHER_MODULE = `module values-other {
  yang-version 1.1; namespace "urn:values-other"; prefix o;
  import values-base { prefix b; }
  identity far { base b:animal; }
  identity both { base b:animal; base b:pet; }
  identity near { base b:animal; }
}`;

/** Holds the bases, and one identity of a module that is never implemented. */
export const BASE_MODULE = `module values-base {
  yang-version 1.1; namespace "urn:values-base"; prefix b;
  identity animal;
  identity pet;
  identity still { base animal; }
}`;

export const VALUES_MODULE = `module values {
  yang-version 1.1; namespace "urn:values"; prefix v;
  import values-base { prefix b; }
  import values-other { prefix o; }
  import ietf-inet-types { prefix inet; }
  import ietf-yang-types { prefix yang; }

  identity near { base b:animal; }
  identity nearer { base near; }
  identity stone;

  leaf int8 { type int8; }
  leaf int16 { type int16; }
  leaf int32 { type int32; }
  leaf int64 { type int64; }
  leaf uint8 { type uint8; }
  leaf uint16 { type uint16; }
  leaf uint32 { type uint32; }
  leaf uint64 { type uint64; }
  typedef percent { type uint8 { range "0..100"; } }
  typedef quarter { type percent { range "0 | 25 | 50..100" { error-app-tag "not-a-quarter"; } } }
  leaf quarter { type quarter { range "min | 25..25 | 50 | 75..max"; } }
  leaf signed-range { type int16 { range "-10..-5 | 5..10"; } }
  leaf big-range { type uint64 { range "9007199254740993..max"; } }

  leaf dec1 { type decimal64 { fraction-digits 1; } }
  leaf dec4 { type decimal64 { fraction-digits 4; } }
  leaf dec18 { type decimal64 { fraction-digits 18; } }
  leaf dec-range { type decimal64 { fraction-digits 2; range "-1.5..1.5 | 3.25"; } }

  leaf string { type string; }
  typedef word { type string { length "1..8"; pattern "[a-z]+"; } }
  typedef short { type word { length "2..4 | 6"; pattern ".*[aeiou].*"; pattern "x.*" { modifier invert-match; } } }
  leaf short { type short; }
  leaf two { type string { length "2"; } }
  leaf digits { type string { pattern "\\\\d+"; } }
  leaf anchors { type string { pattern "^a$"; } }
  leaf subtraction { type string { pattern "[a-z-[aeiou]]+"; } }
  leaf category { type string { pattern "\\\\p{Lu}\\\\p{Ll}*"; } }

  leaf boolean { type boolean; }
  leaf empty { type empty; }
  typedef state { type enumeration { enum up; enum down { value 7; } enum "in between"; enum 50; enum Up; } }
  leaf state { type state; }
  leaf some-states { type state { enum up; enum 50; } }
  typedef flags { type bits { bit high { position 9; } bit low { position 1; } bit next; bit last { position 100; } } }
  leaf flags { type flags; }
  leaf some-flags { type flags { bit high; bit low; } }
  leaf binary { type binary; }
  leaf binary-length { type binary { length "2..4"; } }

  leaf animal { type identityref { base b:animal; } }
  leaf animal-pet { type identityref { base b:animal; base b:pet; } }
  leaf near { type identityref { base near; } }

  container top {
    list entry { key "name number";
      leaf name { type string; } leaf number { type int8; } leaf value { type string; } }
    leaf-list word { type string; }
    leaf-list price { type decimal64 { fraction-digits 2; } }
  }
  leaf instance { type instance-identifier { require-instance false; } }
  leaf price-copy { type leafref { path "/v:top/v:price"; require-instance false; } }
  leaf price-copy-copy { type leafref { path "/v:price-copy"; require-instance false; } }

  leaf union { type union {
    type int8; type enumeration { enum auto; enum odd; } type decimal64 { fraction-digits 2; }
    type boolean; type string { pattern "[a-z].*"; } } }
  leaf union-order { type union { type string { length "1..2"; } type uint8; type identityref { base b:animal; } } }
  leaf union-nested { type union { type union { type uint8; type empty; } type bits { bit a; bit b; } type price; } }
  typedef price { type decimal64 { fraction-digits 1; } }
  leaf union-reference { type union { type leafref { path "/v:top/v:price"; require-instance false; } type inet:ipv6-address; type string; } }

  leaf ipv4-address { type inet:ipv4-address; }
  leaf ipv4-address-no-zone { type inet:ipv4-address-no-zone; }
  leaf ipv6-address { type inet:ipv6-address; }
  leaf ipv6-address-no-zone { type inet:ipv6-address-no-zone; }
  leaf ip-address { type inet:ip-address; }
  leaf ipv4-prefix { type inet:ipv4-prefix; }
  leaf ipv6-prefix { type inet:ipv6-prefix; }
  leaf ip-prefix { type inet:ip-prefix; }
  leaf domain-name { type inet:domain-name; }
  leaf host { type inet:host; }
  leaf uri { type inet:uri; }
  leaf port-number { type inet:port-number; }
  leaf dscp { type inet:dscp; }
  leaf mac-address { type yang:mac-address; }
  leaf phys-address { type yang:phys-address; }
  leaf hex-string { type yang:hex-string; }
  leaf uuid { type yang:uuid; }
  leaf date-and-time { type yang:date-and-time; }
  leaf object-identifier { type yang:object-identifier; }
  leaf counter64 { type yang:counter64; }
  leaf dotted-quad { type yang:dotted-quad; }
  leaf yang-identifier { type yang:yang-identifier; }
}`;

/** One leaf's rows: the canonical text by lexical value, or an error code after `!`. */
function rows(leaf: string, verdicts: Readonly<Record<string, string>>): readonly ValueRow[] {
  return Object.entries(verdicts).map(([lexical, verdict]) => ({
    leaf,
    lexical,
    verdict: verdict.startsWith("!") ? { code: `value-${verdict.slice(1)}` } : { canonical: verdict },
  }));
}

function bounds(leaf: string, min: string, max: string, beyond: readonly [string, string]): readonly ValueRow[] {
  return rows(leaf, { [min]: min, [max]: max, [beyond[0]]: "!range", [beyond[1]]: "!range" });
}

/** Leafs whose restrictions are those of published modules, which are not ours to write down. */
export function isIetfLeaf(leaf: string): boolean {
  return VALUES_MODULE.includes(`leaf ${leaf} { type inet:`) || VALUES_MODULE.includes(`leaf ${leaf} { type yang:`);
}

export const VALUE_ROWS: readonly ValueRow[] = [
  ...bounds("int8", "-128", "127", ["-129", "128"]),
  ...bounds("int16", "-32768", "32767", ["-32769", "32768"]),
  ...bounds("int32", "-2147483648", "2147483647", ["-2147483649", "2147483648"]),
  ...bounds("int64", "-9223372036854775808", "9223372036854775807", ["-9223372036854775809", "9223372036854775808"]),
  ...bounds("uint8", "0", "255", ["-1", "256"]),
  ...bounds("uint16", "0", "65535", ["-1", "65536"]),
  ...bounds("uint32", "0", "4294967295", ["-1", "4294967296"]),
  ...bounds("uint64", "0", "18446744073709551615", ["-1", "18446744073709551616"]),
  ...rows("int32", {
    "+5": "5",
    "-0": "0",
    "+0": "0",
    " 12\n": "12",
    "": "!syntax",
    "+": "!syntax",
    "-": "!syntax",
    "--1": "!syntax",
    "1.0": "!syntax",
    "1e3": "!syntax",
    "1 2": "!syntax",
    "1,000": "!syntax",
    "0b1": "!syntax",
    five: "!syntax",
    "\u0663": "!syntax",
    "\u00a07": "!syntax",
  }),
  ...rows("int32", { "007": "7", "-0100": "-100", "08": "8", "0x1F": "!syntax", "0": "0" }),
  ...rows("int64", { "0009007199254740993": "9007199254740993", "-00": "0", "99999999999999999999999999": "!range" }),
  ...rows("uint64", {
    "+18446744073709551615": "18446744073709551615",
    "-0": "0",
    "9007199254740993": "9007199254740993",
  }),
  ...rows("quarter", { "0": "0", "25": "25", "50": "50", "75": "75", "100": "100" }),
  ...rows("quarter", { "1": "!range", "51": "!range", "60": "!range", "101": "!range" }),
  ...rows("signed-range", { "-10": "-10", "-5": "-5", "5": "5", "0": "!range", "-4": "!range", "11": "!range" }),
  ...rows("big-range", { "9007199254740992": "!range", "9007199254740993": "9007199254740993" }),

  ...rows("dec1", {
    "922337203685477580.7": "922337203685477580.7",
    "922337203685477580.8": "!range",
    "1.25": "!range",
  }),
  ...rows("dec4", {
    "0": "0.0",
    "-0": "0.0",
    "-0.0": "0.0",
    "+1.5": "1.5",
    "13": "13.0",
    "13.0000": "13.0",
    "007.50": "7.5",
    "-0.0500": "-0.05",
    " 1.5 ": "1.5",
    "1.23456": "!range",
    "1.": "!syntax",
    ".5": "!syntax",
    "": "!syntax",
    "1e2": "!syntax",
    "1,5": "!syntax",
    "1.5.1": "!syntax",
    "922337203685477.5807": "922337203685477.5807",
    "922337203685477.5808": "!range",
    "-922337203685477.5808": "-922337203685477.5808",
    "-922337203685477.5809": "!range",
    "1.50000000": "1.5",
  }),
  ...rows("dec18", {
    "9.223372036854775807": "9.223372036854775807",
    "9.223372036854775808": "!range",
    "-9.223372036854775808": "-9.223372036854775808",
    "0.000000000000000001": "0.000000000000000001",
    "0.0000000000000000001": "!range",
    "10": "!range",
  }),
  ...rows("dec-range", {
    "1.5": "1.5",
    "-1.50": "-1.5",
    "1.51": "!range",
    "3.25": "3.25",
    "3.26": "!range",
    "3": "!range",
  }),

  ...rows("string", {
    "": "",
    "  two blanks  ": "  two blanks  ",
    "\n": "\n",
    "a\tb": "a\tb",
    "0x1F": "0x1F",
    "1.50": "1.50",
    "\u{1F600}": "\u{1F600}",
    "\u007f\u0085": "\u007f\u0085",
    "\ue000": "\ue000",
    "\ufdd0": "!character",
    "\u{1fffe}": "!character",
    "\u{10ffff}": "!character",
  }),
  ...rows("short", { ab: "ab", able: "able", abacus: "abacus", a: "!length", abide: "!length", abacuses: "!length" }),
  ...rows("short", { AB: "!pattern", bcd: "!pattern", xa: "!pattern", "a b": "!pattern", abecedarian: "!length" }),
  ...rows("two", {
    "\u{1F600}\u{1F600}": "\u{1F600}\u{1F600}",
    "\u{1F600}": "!length",
    "e\u0301": "e\u0301",
    "": "!length",
  }),
  ...rows("digits", { "123": "123", "12a": "!pattern", "": "!pattern", "\u0661\u0662": "\u0661\u0662" }),
  ...rows("anchors", { "^a$": "^a$", a: "!pattern", "^a": "!pattern" }),
  ...rows("subtraction", { bcd: "bcd", abc: "!pattern", "-": "!pattern" }),
  ...rows("category", { Abc: "Abc", "\u00c9t\u00e9": "\u00c9t\u00e9", abc: "!pattern", ABc: "!pattern" }),

  ...rows("boolean", {
    true: "true",
    false: "false",
    " true\n": "true",
    True: "!syntax",
    "1": "!syntax",
    "": "!syntax",
  }),
  ...rows("empty", { "": "", " \n": "", x: "!syntax" }),
  ...rows("state", {
    up: "up",
    Up: "Up",
    "in between": "in between",
    "50": "50",
    "7": "!enum",
    UP: "!enum",
    "": "!enum",
  }),
  ...rows("state", { " up ": "up", "in  between": "!enum" }),
  ...rows("some-states", { up: "up", "50": "50", down: "!enum", Up: "!enum" }),
  ...rows("flags", {
    "low high": "low high",
    "high low": "low high",
    " last\n next  low ": "low next last",
    "": "",
    "low low": "!bits",
    Low: "!bits",
    "1": "!bits",
    "low,high": "!bits",
  }),
  ...rows("flags", { next: "next", "high next": "high next" }),
  ...rows("some-flags", { "high low": "low high", next: "!bits" }),
  ...rows("binary", {
    "aGVsbG8=": "aGVsbG8=",
    "": "",
    " aGVs ": "aGVs",
    "aGVs\nbG8=": "aGVsbG8=",
    "aGVs bG8=": "aGVsbG8=",
    "aGVsbG9=": "aGVsbG8=",
    aGVsbG8: "!syntax",
    "a===": "!syntax",
    "aG=s": "!syntax",
    "aGVsbG8=aGVs": "!syntax",
    "****": "!syntax",
    "aGVs-_==": "!syntax",
  }),
  ...rows("binary-length", {
    "aGU=": "aGU=",
    "aGVsbA==": "aGVsbA==",
    "aA==": "!length",
    "aGVsbG8=": "!length",
    "": "!length",
  }),

  ...rows("animal", {
    near: "values:near",
    "v:near": "values:near",
    nearer: "values:nearer",
    "o:far": "values-other:far",
    "o:near": "values-other:near",
    " o:far\n": "values-other:far",
    far: "!identity",
    stone: "!identity",
    "v:nothing": "!identity",
    "x:far": "!identity",
    "values-other:far": "!identity",
    "": "!syntax",
    ":near": "!syntax",
    "o:": "!syntax",
    "o:far:": "!syntax",
    "o: far": "!syntax",
  }),
  ...rows("animal", { "b:animal": "!identity", "b:still": "values-base:still" }),
  ...rows("animal-pet", { "o:both": "values-other:both", "o:far": "!identity", near: "!identity" }),
  ...rows("near", { nearer: "values:nearer", near: "!identity", "o:near": "!identity" }),

  ...rows("instance", {
    "/v:top": "/values:top",
    "/v:top/v:entry[v:name='a'][v:number='1']/v:value": "/values:top/entry[name='a'][number='1']/value",
    "/v:top/v:entry[v:number='+1'][v:name=\"a\"]": "/values:top/entry[name='a'][number='1']",
    "/v:top/v:entry[ v:name = \"it's\" ][v:number='1']": "/values:top/entry[name=\"it's\"][number='1']",
    "/v:top/v:word[.='x y']": "/values:top/word[.='x y']",
    "/v:top/v:price[.='2.50']": "/values:top/price[.='2.5']",
    "/v:int8": "/values:int8",
    "": "!instance",
    "/": "!instance",
    "/v:nothing": "!instance",
    "/x:top": "!instance",
    "v:top": "!instance",
    "/v:top/": "!instance",
    "//v:top": "!instance",
    "/v:top/v:entry[v:name='a']": "!instance",
    "/v:top/v:entry[v:name='a'][v:name='b']": "!instance",
    "/v:top/v:entry[v:name='a'][v:number='300']": "!instance",
    "/v:top/v:entry[v:name='a'][v:number='1'": "!instance",
    "/v:top[v:name='a']": "!instance",
    "/v:top/v:entry": "!instance",
    "/v:top/v:word": "!instance",
    "/v:top/v:entry[1]": "!instance",
    "/top": "!instance",
    "/v:top/entry[v:name='a'][v:number='1']": "!instance",
    "/v:top/v:entry[name='a'][number='1']": "!instance",
    "/v:top/v:*": "!instance",
    "../v:top": "!instance",
    "/v:top/v:price[.='x']": "!instance",
  }),
  ...rows("price-copy", { "2.50": "2.5", "2.555": "!range", x: "!syntax" }),
  ...rows("price-copy-copy", { " 2.50 ": "2.5", "": "!syntax" }),

  ...rows("union", {
    "5": "5",
    "+05": "5",
    "200": "200.0",
    "1.50": "1.5",
    auto: "auto",
    " odd ": "odd",
    true: "true",
    "a string": "a string",
    truth: "truth",
    "": "!union",
    "1.555": "!union",
    Auto: "!union",
  }),
  ...rows("union-order", {
    "5": "5",
    "05": "05",
    "205": "205",
    "256": "!union",
    "o:far": "values-other:far",
    near: "values:near",
  }),
  ...rows("union-nested", { "5": "5", "b a": "a b", "": "", "256": "256.0", "2.0": "2.0", c: "!union" }),
  ...rows("union-reference", { "2.50": "2.5", "2.555": "2.555", "FE80::1": "fe80::1", other: "other" }),

  ...rows("ipv4-address", {
    "10.0.0.1": "10.0.0.1",
    "10.0.0.1%eth0": "10.0.0.1%eth0",
    "256.0.0.1": "!pattern",
    "1.2.3": "!pattern",
  }),
  ...rows("ipv4-address", { "01.2.3.4": "!pattern", "": "!pattern", " 1.2.3.4": "!pattern" }),
  ...rows("ipv4-address-no-zone", { "10.0.0.1": "10.0.0.1", "10.0.0.1%1": "!pattern" }),
  ...rows("ipv6-address", {
    "2001:DB8:0:0:0:0:0:1": "2001:db8::1",
    "2001:db8::0001": "2001:db8::1",
    "::": "::",
    "0:0:0:0:0:0:0:0": "::",
    "::1": "::1",
    "1::": "1::",
    "1:0:0:2:0:0:0:3": "1:0:0:2::3",
    "1:0:0:2:3:0:0:4": "1::2:3:0:0:4",
    "1:0:2:3:4:5:6:7": "1:0:2:3:4:5:6:7",
    "::FFFF:1.2.3.4": "::ffff:1.2.3.4",
    "::ffff:0102:0304": "::ffff:1.2.3.4",
    "FE80::1%Eth0": "fe80::1%Eth0",
    "fe80:0:0:0:0:0:0:1%1": "fe80::1%1",
    "1:2:3": "!pattern",
    "12345::": "!pattern",
    "g::": "!pattern",
    "1::2::3": "!pattern",
  }),
  ...rows("ipv6-address", {
    "1::2:3:4:5:6:7": "1:0:2:3:4:5:6:7",
    "64:ff9b::192.0.2.33": "64:ff9b::c000:221",
    "::1.2.3.4": "::102:304",
  }),
  ...rows("ipv6-address-no-zone", { "FE80::1": "fe80::1", "fe80::1%1": "!pattern" }),
  ...rows("ip-address", { "1.2.3.4": "1.2.3.4", "2001:DB8::1": "2001:db8::1", "1.2.3": "!union", host: "!union" }),
  ...rows("ipv4-prefix", {
    "10.1.2.3/24": "10.1.2.0/24",
    "10.1.2.255/25": "10.1.2.128/25",
    "10.1.2.3/32": "10.1.2.3/32",
    "10.1.2.3/0": "0.0.0.0/0",
    "10.1.2.3/33": "!pattern",
    "10.1.2.3": "!pattern",
    "10.1.2/24": "!pattern",
  }),
  ...rows("ipv6-prefix", {
    "2001:DB8:1::/33": "2001:db8::/33",
    "2001:db8:ffff::1/128": "2001:db8:ffff::1/128",
    "ff::1/0": "::/0",
    "::ffff:10.0.0.1/120": "::ffff:10.0.0.0/120",
    "::/129": "!pattern",
    "::": "!pattern",
  }),
  ...rows("ip-prefix", { "10.1.2.3/8": "10.0.0.0/8", "2001:DB8::1/32": "2001:db8::/32", "10.0.0.0/40": "!union" }),
  ...rows("domain-name", {
    "Router1.Example.COM": "router1.example.com",
    "a_b.example.": "a_b.example.",
    "-a": "!pattern",
    "": "!length",
  }),
  ...rows("host", {
    "2001:DB8::1": "2001:db8::1",
    "Example.COM": "example.com",
    "10.0.0.1": "10.0.0.1",
    "a b": "!union",
  }),
  ...rows("uri", { "http://Example.COM/%7ea": "http://Example.COM/%7ea", "": "" }),
  ...rows("port-number", { "443": "443", "65536": "!range" }),
  ...rows("dscp", { "63": "63", "64": "!range" }),
  ...rows("mac-address", {
    "AA:bb:CC:00:11:22": "aa:bb:cc:00:11:22",
    "aa-bb-cc-00-11-22": "!pattern",
    "aa:bb:cc:00:11": "!pattern",
  }),
  ...rows("phys-address", { "AA:BB": "aa:bb", "": "", "A:B": "!pattern" }),
  ...rows("hex-string", { "0A:FF": "0a:ff", "0AFF": "!pattern" }),
  ...rows("uuid", {
    "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6": "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    f81d4fae7dec11d0a76500a0c91e6bf6: "!pattern",
  }),
  ...rows("date-and-time", {
    "2026-01-02T03:04:05Z": "2026-01-02T03:04:05Z",
    "2026-01-02T03:04:05.500+01:00": "2026-01-02T03:04:05.500+01:00",
    "2026-01-02T03:04:05-00:00": "2026-01-02T03:04:05-00:00",
    "2026-01-02 03:04:05Z": "!pattern",
    "2026-01-02T03:04:05": "!pattern",
  }),
  ...rows("object-identifier", { "1.3.6.1": "1.3.6.1", "1.03": "!pattern", "3.1": "!pattern" }),
  ...rows("counter64", { "18446744073709551615": "18446744073709551615", "-1": "!range" }),
  ...rows("dotted-quad", { "1.2.3.4": "1.2.3.4", "1.2.3.256": "!pattern" }),
  ...rows("yang-identifier", { "a-b": "a-b", "1a": "!pattern", xMl1: "!pattern", "": "!length" }),
];

const refuses = "refuses";
const XML_BLANKS =
  "leniency, never written: RFC 7950 section 9.4 keeps blanks in strings alone, and libyang drops those around numbers";
const LOWER_CASE = "RFC 6991 sections 3 and 4: the canonical form is in lower case";
const NO_CLOCK = "RFC 6991 section 3: the canonical offset is that of the device, which a reader does not know";
const CHARACTERS = "RFC 7950 section 14, yang-char: no noncharacters";

/** Differences by name; the comparison fails for one that is not here, and for one here that is none. */
export const OTHERWISE_IN_LIBYANG: readonly OtherwiseInLibyang[] = [
  ["string", "\ufdd0", "\ufdd0", CHARACTERS],
  ["string", "\u{1fffe}", "\u{1fffe}", CHARACTERS],
  ["string", "\u{10ffff}", "\u{10ffff}", CHARACTERS],
  ["subtraction", "bcd", refuses, "XML Schema part 2, appendix F.1: class subtraction (RFC 7950 section 9.4.5)"],
  ["boolean", " true\n", refuses, XML_BLANKS],
  ["empty", " \n", refuses, XML_BLANKS],
  ["state", " up ", refuses, XML_BLANKS],
  ["animal", " o:far\n", refuses, XML_BLANKS],
  ["union", " odd ", refuses, XML_BLANKS],
  ["binary", " aGVs ", refuses, XML_BLANKS],
  [
    "binary",
    "aGVs\nbG8=",
    refuses,
    "RFC 4648 section 3.3 on characters to ignore: encoders fold lines, and RFC 7950 section 9.8.2 writes none",
  ],
  ["binary", "aGVs bG8=", refuses, "the same, since XML may fold a line break into a blank"],
  ["binary", "aGVsbG9=", "aGVsbG9=", "RFC 4648 section 3.5: pad bits are zero in the canonical encoding"],
  ["animal", ":near", "values:near", "RFC 7950 section 9.10.3: a prefix stands before a colon"],
  [
    "animal",
    "b:still",
    refuses,
    "RFC 7950 section 9.10.2: derived from the base; nothing says that its module is implemented",
  ],
  ["animal-pet", "o:far", "values-other:far", "RFC 7950 section 9.10.2: derived from all bases"],
  ["animal-pet", "near", "values:near", "RFC 7950 section 9.10.2: derived from all bases"],
  [
    "instance",
    "/v:top/v:entry[v:number='+1'][v:name=\"a\"]",
    "/values:top/entry[number='1'][name='a']",
    "RFC 7950 section 9.13: predicates select by name; one order makes one text of one instance",
  ],
  [
    "ipv6-address",
    "::1.2.3.4",
    "::1.2.3.4",
    "RFC 5952 section 5: mixed notation for known prefixes; that of RFC 4291 2.5.5.1 is deprecated",
  ],
  ["domain-name", "Router1.Example.COM", "Router1.Example.COM", LOWER_CASE],
  ["host", "Example.COM", "Example.COM", LOWER_CASE],
  ["mac-address", "AA:bb:CC:00:11:22", "AA:bb:CC:00:11:22", LOWER_CASE],
  ["phys-address", "AA:BB", "AA:BB", LOWER_CASE],
  ["hex-string", "0A:FF", "0A:FF", LOWER_CASE],
  ["uuid", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6", LOWER_CASE],
  ["date-and-time", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05+00:00", NO_CLOCK],
  ["date-and-time", "2026-01-02T03:04:05.500+01:00", "2026-01-02T02:04:05.500+00:00", NO_CLOCK],
].map(([leaf = "", lexical = "", does = "", section = ""]) => ({
  leaf,
  lexical,
  libyang: does === refuses ? refuses : { canonical: does },
  section,
}));
