/** `unique` (RFC 7950 section 7.8.3). */
import type { VerdictChapter } from "./verdict-case.ts";

const errorAppTag = "data-not-unique";

export const unique: VerdictChapter = {
  name: "unique",
  cases: [
    {
      title: "two entries with the same value",
      rfc: "7.8.3",
      yang: `list s { key k; unique "ip"; leaf k { type string; } leaf ip { type string; } }`,
      data: {
        "v:s": [
          { k: "a", ip: "1" },
          { k: "b", ip: "1" },
        ],
      },
      verdict: "invalid",
      code: "not-unique",
      errorAppTag,
      path: "/v:s[k='b']",
      without: [`unique "ip";`, ""],
    },
    {
      title: "two entries with different values",
      rfc: "7.8.3",
      yang: `list s { key k; unique "ip"; leaf k { type string; } leaf ip { type string; } }`,
      data: {
        "v:s": [
          { k: "a", ip: "1" },
          { k: "b", ip: "2" },
        ],
      },
      verdict: "valid",
    },
    {
      title: "entries without the leaf are not compared",
      rfc: "7.8.3",
      yang: `list s { key k; unique "ip"; leaf k { type string; } leaf ip { type string; } }`,
      data: { "v:s": [{ k: "a" }, { k: "b" }] },
      verdict: "valid",
    },
    {
      title: "two leafs together, of which one is equal",
      rfc: "7.8.3",
      yang: `list s { key k; unique "ip port"; leaf k { type string; } leaf ip { type string; } leaf port { type uint16; } }`,
      data: {
        "v:s": [
          { k: "a", ip: "1", port: 80 },
          { k: "b", ip: "1", port: 81 },
        ],
      },
      verdict: "valid",
    },
    {
      title: "two leafs together, both equal",
      rfc: "7.8.3",
      yang: `list s { key k; unique "ip port"; leaf k { type string; } leaf ip { type string; } leaf port { type uint16; } }`,
      data: {
        "v:s": [
          { k: "a", ip: "1", port: 80 },
          { k: "b", ip: "1", port: 81 },
          { k: "c", ip: "1", port: 80 },
        ],
      },
      verdict: "invalid",
      code: "not-unique",
      errorAppTag,
      path: "/v:s[k='c']",
      without: [`unique "ip port";`, ""],
    },
    {
      title: "two leafs together, of which one is missing in both entries",
      rfc: "7.8.3",
      yang: `list s { key k; unique "ip port"; leaf k { type string; } leaf ip { type string; } leaf port { type uint16; } }`,
      data: {
        "v:s": [
          { k: "a", ip: "1" },
          { k: "b", ip: "1" },
        ],
      },
      verdict: "valid",
    },
    {
      title: "a default in use counts",
      rfc: "7.8.3",
      yang: `list s { key k; unique "port"; leaf k { type string; } leaf port { type uint16; default 80; } }`,
      data: { "v:s": [{ k: "a" }, { k: "b", port: 80 }] },
      verdict: "invalid",
      code: "not-unique",
      errorAppTag,
      path: "/v:s[k='b']",
      without: [`unique "port";`, ""],
    },
    {
      title: "a default of both entries",
      rfc: "7.8.3",
      yang: `list s { key k; unique "ip port"; leaf k { type string; } leaf ip { type string; } leaf port { type uint16; default 80; } }`,
      data: {
        "v:s": [
          { k: "a", ip: "1" },
          { k: "b", ip: "1" },
        ],
      },
      verdict: "invalid",
      code: "not-unique",
      errorAppTag,
      path: "/v:s[k='b']",
      without: [`unique "ip port";`, ""],
    },
    {
      title: "a leaf in a container of the entry",
      rfc: "7.8.3",
      yang: `list s { key k; unique "cfg/ip"; leaf k { type string; } container cfg { leaf ip { type string; } } }`,
      data: {
        "v:s": [
          { k: "a", cfg: { ip: "1" } },
          { k: "b", cfg: { ip: "1" } },
        ],
      },
      verdict: "invalid",
      code: "not-unique",
      errorAppTag,
      path: "/v:s[k='b']",
      without: [`unique "cfg/ip";`, ""],
    },
    {
      title: "a default in a container of the entry that does not stand",
      rfc: "7.8.3",
      yang: `list s { key k; unique "cfg/ip"; leaf k { type string; } container cfg { leaf ip { type string; default "1"; } } }`,
      data: { "v:s": [{ k: "a" }, { k: "b", cfg: { ip: "1" } }] },
      verdict: "invalid",
      code: "not-unique",
      errorAppTag,
      path: "/v:s[k='b']",
      without: [`unique "cfg/ip";`, ""],
    },
    {
      title: "a default in a presence container that does not stand does not count",
      rfc: "7.8.3",
      yang: `list s { key k; unique "cfg/ip"; leaf k { type string; } container cfg { presence "on"; leaf ip { type string; default "1"; } } }`,
      data: { "v:s": [{ k: "a" }, { k: "b", cfg: { ip: "1" } }] },
      verdict: "valid",
      yanglint: {
        verdict: "invalid",
        errorAppTag: "data-not-unique",
        reason: "it takes the default of the schema, whether or not it is in use",
        rfc: "7.6.1: the default value is in use if the ancestor node exists in the data tree",
      },
    },
    {
      title: "the default of a case that is not in use does not count",
      rfc: "7.8.3",
      yang: `list s { key k; unique "ch/one/x"; leaf k { type string; } choice ch { default one; case one { leaf x { type string; default "1"; } } case two { leaf y { type string; } } } }`,
      data: {
        "v:s": [
          { k: "a", y: "p" },
          { k: "b", x: "1" },
        ],
      },
      verdict: "valid",
      yanglint: {
        verdict: "invalid",
        errorAppTag: "data-not-unique",
        reason: "it takes the default of the schema, whether or not it is in use",
        rfc: "7.6.1: the case node is the choice's default case, and no nodes from any other case exist",
      },
    },
    {
      title: "the default of the default case counts",
      rfc: "7.8.3",
      yang: `list s { key k; unique "ch/one/x"; leaf k { type string; } choice ch { default one; case one { leaf x { type string; default "1"; } } case two { leaf y { type string; } } } }`,
      data: { "v:s": [{ k: "a" }, { k: "b", x: "1" }] },
      verdict: "invalid",
      code: "not-unique",
      errorAppTag,
      path: "/v:s[k='b']",
      without: [`unique "ch/one/x";`, ""],
    },
    {
      title: "the second unique of a list",
      rfc: "7.8.3",
      yang: `list s { key k; unique "a"; unique "b"; leaf k { type string; } leaf a { type string; } leaf b { type string; } }`,
      data: {
        "v:s": [
          { k: "1", a: "x", b: "z" },
          { k: "2", a: "y", b: "z" },
        ],
      },
      verdict: "invalid",
      code: "not-unique",
      errorAppTag,
      path: "/v:s[k='2']",
      without: [`unique "b";`, ""],
    },
    {
      title: "each instance of an inner list for itself",
      rfc: "7.8.3",
      yang: `list o { key k; leaf k { type string; } list s { key k; unique "ip"; leaf k { type string; } leaf ip { type string; } } }`,
      data: {
        "v:o": [
          { k: "a", s: [{ k: "1", ip: "x" }] },
          { k: "b", s: [{ k: "1", ip: "x" }] },
        ],
      },
      verdict: "valid",
    },
    {
      title: "an inner list with equal values in one instance",
      rfc: "7.8.3",
      yang: `list o { key k; leaf k { type string; } list s { key k; unique "ip"; leaf k { type string; } leaf ip { type string; } } }`,
      data: {
        "v:o": [
          {
            k: "a",
            s: [
              { k: "1", ip: "x" },
              { k: "2", ip: "x" },
            ],
          },
        ],
      },
      verdict: "invalid",
      code: "not-unique",
      errorAppTag,
      path: "/v:o[k='a']/s[k='2']",
      without: [`unique "ip";`, ""],
    },
    {
      title: "canonical values are compared",
      rfc: "9.1",
      yang: `list s { key k; unique "n"; leaf k { type string; } leaf n { type decimal64 { fraction-digits 2; } } }`,
      data: {
        "v:s": [
          { k: "a", n: "1.5" },
          { k: "b", n: "1.50" },
        ],
      },
      verdict: "invalid",
      code: "not-unique",
      errorAppTag,
      path: "/v:s[k='b']",
      without: [`unique "n";`, ""],
    },
    {
      title: "values that run together are told apart",
      rfc: "7.8.3",
      yang: `list s { key k; unique "a b"; leaf k { type string; } leaf a { type string; } leaf b { type string; } }`,
      data: {
        "v:s": [
          { k: "1", a: "x1", b: "y" },
          { k: "2", a: "x", b: "1y" },
        ],
      },
      verdict: "valid",
    },
    {
      title: "a unique together with the key",
      rfc: "7.8.3",
      yang: `list s { key "k n"; unique "n ip"; leaf k { type string; } leaf n { type uint8; } leaf ip { type string; } }`,
      data: {
        "v:s": [
          { k: "a", n: 1, ip: "x" },
          { k: "b", n: 1, ip: "x" },
        ],
      },
      verdict: "invalid",
      code: "not-unique",
      errorAppTag,
      path: "/v:s[k='b'][n='1']",
      without: [`unique "n ip";`, ""],
    },
  ],
};
