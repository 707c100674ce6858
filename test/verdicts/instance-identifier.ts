/** `instance-identifier` (RFC 7950 section 9.13). */
import type { VerdictChapter } from "./verdict-case.ts";

const missing = { verdict: "invalid", code: "instance-missing", errorAppTag: "instance-required" } as const;
const module = `list if { key name; leaf name { type string; } leaf mtu { type uint16; default 1500; } container u { leaf x { type string; } } leaf-list tag { type string; } } leaf to { type instance-identifier; }`;

export const instanceIdentifier: VerdictChapter = {
  name: "instance-identifier",
  cases: [
    {
      title: "an entry that exists",
      rfc: "9.13",
      yang: module,
      data: { "v:if": [{ name: "a" }], "v:to": "/v:if[name='a']" },
      verdict: "valid",
    },
    {
      title: "an entry that does not exist",
      rfc: "9.13.1",
      yang: module,
      data: { "v:if": [{ name: "a" }], "v:to": "/v:if[name='b']" },
      ...missing,
      path: "/v:to",
      without: [`type instance-identifier;`, `type instance-identifier { require-instance false; }`],
    },
    {
      title: "require-instance false asks for nothing",
      rfc: "9.13.1",
      yang: `list if { key name; leaf name { type string; } } leaf to { type instance-identifier { require-instance false; } }`,
      data: { "v:to": "/v:if[name='b']" },
      verdict: "valid",
    },
    {
      title: "a leaf that stands",
      rfc: "9.13",
      yang: module,
      data: { "v:if": [{ name: "a", u: { x: "1" } }], "v:to": "/v:if[name='a']/u/x" },
      verdict: "valid",
    },
    {
      title: "a leaf that does not stand",
      rfc: "9.13.1",
      yang: module,
      data: { "v:if": [{ name: "a" }], "v:to": "/v:if[name='a']/u/x" },
      ...missing,
      path: "/v:to",
      without: [`type instance-identifier;`, `type instance-identifier { require-instance false; }`],
    },
    {
      title: "a leaf with its default in use",
      rfc: "9.13",
      yang: module,
      data: { "v:if": [{ name: "a" }], "v:to": "/v:if[name='a']/mtu" },
      verdict: "valid",
    },
    {
      title: "a key leaf",
      rfc: "9.13",
      yang: module,
      data: { "v:if": [{ name: "a" }], "v:to": "/v:if[name='a']/name" },
      verdict: "valid",
    },
    {
      title: "an entry of a leaf-list",
      rfc: "9.13",
      yang: module,
      data: { "v:if": [{ name: "a", tag: ["x"] }], "v:to": "/v:if[name='a']/tag[.='x']" },
      verdict: "valid",
    },
    {
      title: "an entry that a leaf-list does not have",
      rfc: "9.13.1",
      yang: module,
      data: { "v:if": [{ name: "a", tag: ["x"] }], "v:to": "/v:if[name='a']/tag[.='y']" },
      ...missing,
      path: "/v:to",
      without: [`type instance-identifier;`, `type instance-identifier { require-instance false; }`],
    },
    {
      title: "in XML with prefixes of the element",
      rfc: "9.13.2",
      yang: `container c { list if { key name; leaf name { type string; } } leaf to { type instance-identifier; } }`,
      data: `<c xmlns="urn:v" xmlns:x="urn:v"><if><name>a</name></if><to>/x:c/x:if[x:name='b']</to></c>`,
      ...missing,
      path: "/v:c/to",
      without: [`type instance-identifier;`, `type instance-identifier { require-instance false; }`],
    },
    {
      title: "a leaf-list of instance-identifiers",
      rfc: "9.13.1",
      yang: `list if { key name; leaf name { type string; } } leaf-list to { type instance-identifier; }`,
      data: { "v:if": [{ name: "a" }], "v:to": ["/v:if[name='a']", "/v:if[name='c']"] },
      ...missing,
      path: `/v:to[.="/v:if[name='c']"]`,
      without: [`type instance-identifier;`, `type instance-identifier { require-instance false; }`],
    },
    {
      title: "a default of a leaf-list that has entries is no instance",
      rfc: "7.7.2",
      yang: `container c { leaf-list d { type string; default "x"; } leaf to { type instance-identifier; } }`,
      data: { "v:c": { d: ["z"], to: "/v:c/d[.='x']" } },
      ...missing,
      path: "/v:c/to",
      without: [`type instance-identifier;`, `type instance-identifier { require-instance false; }`],
    },
    {
      title: "a default of a leaf-list in use is an instance",
      rfc: "7.7.2",
      yang: `container c { leaf-list d { type string; default "x"; } leaf to { type instance-identifier; } }`,
      data: { "v:c": { to: "/v:c/d[.='x']" } },
      verdict: "valid",
    },
  ],
};
