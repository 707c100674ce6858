/** Hello, schemas, and edits with every operation. */
import {
  ask,
  edit,
  editInterfaces,
  labConfig,
  readInterfaces,
  readLab,
  type Deviation,
  type Expectation,
  type Scenario,
} from "./scenario.ts";

const SERVER = "<server><name>s1</name><address>192.0.2.1</address></server>";
const EVERY_TYPE = [
  "<label>a &lt; b &amp; c</label><mode>10</mode><active>false</active>",
  "<octet-limit>18446744073709551615</octet-limit><offset>9007199254740993</offset><load>7.25</load>",
  "<flags>alpha gamma</flags><frozen/><level>unlimited</level><blob>AAEC</blob><passphrase>sesame</passphrase>",
].join("");

const RULES = ["r1", "r2", "r3"].map((name) => `<rule><name>${name}</name><action>drop</action></rule>`);
const INVALID: Expectation = { kind: "error", tags: ["invalid-value"] };
const ETHERNET = "<name>eth0</name><type>ianaift:ethernetCsmacd</type>";
const ADDRESS =
  '<ipv4 xmlns="urn:ietf:params:xml:ns:yang:ietf-ip"><address><ip>192.0.2.1</ip><prefix-length>24</prefix-length></address></ipv4>';

function netconfd(answers: Expectation, note: string): Deviation {
  return { server: "netconfd", answers, note };
}

const NO_SUCH_SCHEMA = netconfd(
  { kind: "error", tags: ["operation-failed"], appTag: "no-matches" },
  "another error-tag",
);

export const EDIT_SCENARIOS: readonly Scenario[] = [
  {
    name: "the hello announces what the other scenarios use",
    rule: "RFC 6241 section 8.1",
    serverDefaults: "explicit",
    steps: [
      ask(
        "c",
        { op: "open" },
        {
          right: {
            kind: "hello",
            capabilities: [
              "urn:ietf:params:netconf:base:1.0",
              "urn:ietf:params:netconf:base:1.1",
              "urn:ietf:params:netconf:capability:candidate:1.0",
              "urn:ietf:params:netconf:capability:confirmed-commit:1.1",
              "urn:ietf:params:netconf:capability:rollback-on-error:1.0",
              "urn:ietf:params:netconf:capability:validate:1.1",
              "urn:ietf:params:netconf:capability:with-defaults:1.0",
            ],
          },
        },
      ),
      ask("c", { op: "close" }, { right: { kind: "closed" } }),
    ],
  },
  {
    name: "get-schema gives modules, imported ones too, and refuses unknown ones",
    rule: "RFC 6022 section 3.1",
    serverDefaults: "explicit",
    steps: [
      ask("a", { op: "get-schema", identifier: "tenure-test" }, { right: { kind: "schema", module: "tenure-test" } }),
      ask(
        "a",
        { op: "get-schema", identifier: "tenure-test-identities", version: "2026-01-01" },
        { right: { kind: "schema", module: "tenure-test-identities" } },
      ),
      ask(
        "a",
        { op: "get-schema", identifier: "tenure-test", version: "1999-01-01" },
        { right: INVALID, deviation: NO_SUCH_SCHEMA },
      ),
      ask("a", { op: "get-schema", identifier: "no-such" }, { right: INVALID, deviation: NO_SUCH_SCHEMA }),
    ],
  },
  {
    name: "values of every type come back as they were written",
    rule: "RFC 7950 section 9",
    serverDefaults: "explicit",
    steps: [
      edit("a", EVERY_TYPE),
      readLab("a", "candidate", EVERY_TYPE),
      readLab("a", "running", ""),
      ask("a", { op: "commit" }),
      readLab("b", "running", EVERY_TYPE),
    ],
  },
  {
    name: "values come back in canonical form",
    rule: "RFC 7950 sections 9.3.2, 9.7.2, 9.10.3",
    serverDefaults: "explicit",
    steps: [
      edit(
        "a",
        "<load>7.5</load><flags>gamma alpha</flags><server><name>s1</name><role>tti:secure-log</role></server>",
      ),
      ask("a", { op: "commit" }),
      readLab(
        "a",
        "running",
        "<load>7.5</load><flags>alpha gamma</flags><server><name>s1</name><role>tti:secure-log</role></server>",
        {
          deviation: netconfd(
            {
              kind: "lab",
              xml: "<load>7.50</load><flags>alpha gamma</flags><server><name>s1</name><role>tti:secure-log</role></server>",
            },
            "a decimal64 has all its fraction digits",
          ),
        },
      ),
    ],
  },
  {
    name: "the prefix of an identity is the sender's choice, also where another prefix has the same namespace",
    rule: "RFC 7950 section 9.10.3",
    serverDefaults: "explicit",
    steps: [
      edit("a", '<server><name>s1</name><role xmlns:x="urn:tenure:test:identities">x:secure-log</role></server>', {
        deviation: netconfd(INVALID, "one prefix for a namespace in scope, no more"),
      }),
      ask("a", { op: "discard-changes" }),
      edit("a", '<server><name>s1</name><role xmlns:tti="urn:tenure:test:identities">tti:secure-log</role></server>'),
      edit("a", "<server><name>s2</name><role>experimental</role></server>"),
      readLab(
        "a",
        "candidate",
        "<server><name>s1</name><role>tti:secure-log</role></server><server><name>s2</name><role>experimental</role></server>",
      ),
    ],
  },
  {
    name: "blanks at either end of a string and the empty string are data",
    rule: "RFC 7950 section 9.4; RFC 6241 section 6.2.5",
    serverDefaults: "explicit",
    steps: [
      edit("a", "<label>  two before, one after </label><tag></tag>"),
      ask("a", { op: "commit" }),
      readLab("a", "running", "<label>  two before, one after </label><tag></tag>", {
        deviation: netconfd(
          { kind: "lab", xml: "<label>two before, one after</label><tag></tag>" },
          "blanks at either end of a string are lost",
        ),
      }),
    ],
  },
  {
    name: "create fails on what exists, delete on what does not, merge, replace and remove never",
    rule: "RFC 6241 section 7.2",
    serverDefaults: "explicit",
    steps: [
      edit("a", `<label nc:operation="create">one</label>${SERVER}`),
      edit("a", '<label nc:operation="create">two</label>', { right: { kind: "error", tags: ["data-exists"] } }),
      edit("a", '<label nc:operation="merge">two</label>'),
      edit("a", '<server nc:operation="replace"><name>s1</name><port>6514</port></server>'),
      readLab("a", "candidate", "<label>two</label><server><name>s1</name><port>6514</port></server>"),
      edit("a", '<server nc:operation="delete"><name>s2</name></server>', {
        right: { kind: "error", tags: ["data-missing"] },
      }),
      edit("a", '<server nc:operation="remove"><name>s2</name></server>'),
      edit("a", '<server nc:operation="delete"><name>s1</name></server>'),
      edit("a", '<frozen nc:operation="remove"/>'),
      readLab("a", "candidate", "<label>two</label>"),
      ask("a", { op: "commit" }),
      readLab("b", "running", "<label>two</label>"),
    ],
  },
  {
    name: "with default-operation none only marked nodes change",
    rule: "RFC 6241 section 7.2",
    serverDefaults: "explicit",
    steps: [
      edit("a", SERVER),
      edit("a", '<server><name>s1</name><port nc:operation="merge">6514</port></server>', { defaultOperation: "none" }),
      readLab("a", "candidate", "<server><name>s1</name><address>192.0.2.1</address><port>6514</port></server>"),
      edit("a", '<server><name>s9</name><port nc:operation="merge">6514</port></server>', {
        defaultOperation: "none",
        right: { kind: "error", tags: ["data-missing"] },
      }),
    ],
  },
  {
    name: "an error anywhere leaves nothing of an edit behind under rollback-on-error",
    rule: "RFC 6241 section 8.5",
    serverDefaults: "explicit",
    steps: [
      edit("a", '<label>lost</label><server nc:operation="delete"><name>absent</name></server>', {
        errorOption: "rollback-on-error",
        right: { kind: "error", tags: ["data-missing"] },
      }),
      readLab("a", "candidate", ""),
    ],
  },
  {
    name: "wrong input is refused: unknown node, wrong type, missing key, unknown identity",
    rule: "RFC 7950 sections 8.3.1 and 7.8.5; RFC 6241 appendix A",
    serverDefaults: "explicit",
    steps: [
      edit("a", "<no-such>1</no-such>", { right: { kind: "error", tags: ["unknown-element"] } }),
      edit("a", "<mode>sometimes</mode>", { right: INVALID }),
      edit("a", "<load>100.01</load>", { right: INVALID }),
      edit("a", "<link><from>x</from></link>", { right: { kind: "error", tags: ["missing-element"] } }),
      edit("a", "<server><name>s1</name><role>tti:no-such</role></server>", { right: INVALID }),
      readLab("a", "candidate", ""),
    ],
  },
  {
    name: "a number beyond its type is refused",
    rule: "RFC 7950 section 9.2.4",
    serverDefaults: "explicit",
    steps: [
      edit("a", "<limits><lower>4294967299</lower></limits>", {
        right: INVALID,
        deviation: netconfd({ kind: "ok" }, "a uint32 beyond its range is accepted"),
      }),
      edit("a", "<octet-limit>18446744073709551616</octet-limit>", {
        right: INVALID,
        deviation: netconfd({ kind: "ok" }, "a uint64 beyond its range is accepted"),
      }),
      readLab("a", "candidate", "", {
        deviation: netconfd(
          { kind: "lab", xml: "<octet-limit>18446744073709551615</octet-limit><limits><lower>3</lower></limits>" },
          "the uint64 becomes the largest one, the uint32 wraps around",
        ),
      }),
    ],
  },
  {
    name: "lists and leaf-lists of the user keep their order, and a new entry can go first or last",
    rule: "RFC 7950 sections 7.7.9 and 7.8.6",
    serverDefaults: "explicit",
    steps: [
      edit(
        "a",
        `<search-domain>z.example</search-domain><search-domain>a.example</search-domain>${RULES[1]}${RULES[0]}`,
      ),
      edit(
        "a",
        '<rule nc:operation="create" yang:insert="first"><name>r3</name><action>drop</action></rule>' +
          '<search-domain nc:operation="create" yang:insert="after" yang:value="z.example">m.example</search-domain>',
      ),
      edit(
        "a",
        '<search-domain nc:operation="merge" yang:insert="after" yang:value="a.example">z.example</search-domain>',
      ),
      ask("a", { op: "commit" }),
      readLab(
        "a",
        "running",
        "<search-domain>m.example</search-domain><search-domain>a.example</search-domain>" +
          `<search-domain>z.example</search-domain>${RULES[2]}${RULES[1]}${RULES[0]}`,
      ),
    ],
  },
  {
    name: "replacing the container gives the order of the edit",
    rule: "RFC 7950 section 7.8.6; RFC 6241 section 7.2",
    serverDefaults: "explicit",
    steps: [
      edit("a", `${RULES[0]}${RULES[1]}${RULES[2]}`),
      ask("a", { op: "commit" }),
      ask("a", {
        op: "edit-config",
        target: "candidate",
        config: labConfig(`${RULES[2]}${RULES[0]}${RULES[1]}`).replace("<lab ", '<lab nc:operation="replace" '),
      }),
      ask("a", { op: "commit" }),
      readLab("a", "running", `${RULES[2]}${RULES[0]}${RULES[1]}`),
    ],
  },
  {
    name: "an entry that exists can be moved to the front",
    rule: "RFC 7950 section 7.8.6",
    serverDefaults: "explicit",
    steps: [
      edit("a", RULES.join("")),
      edit("a", '<rule nc:operation="merge" yang:insert="first"><name>r3</name></rule>'),
      readLab("a", "candidate", `${RULES[2]}${RULES[0]}${RULES[1]}`, {
        deviation: netconfd({ kind: "lab", xml: RULES.join("") }, "answers ok and moves nothing"),
      }),
    ],
  },
  {
    name: "a value that exists can be moved to the front",
    rule: "RFC 7950 section 7.7.9",
    serverDefaults: "explicit",
    steps: [
      edit("a", "<search-domain>a</search-domain><search-domain>b</search-domain>"),
      edit("a", '<search-domain nc:operation="merge" yang:insert="first">b</search-domain>', {
        deviation: netconfd(
          { kind: "error", tags: ["data-exists"], appTag: "duplicate-error" },
          "takes a move for a second entry",
        ),
      }),
      readLab("a", "candidate", "<search-domain>b</search-domain><search-domain>a</search-domain>", {
        deviation: netconfd(
          { kind: "lab", xml: "<search-domain>a</search-domain><search-domain>b</search-domain>" },
          "nothing moved",
        ),
      }),
    ],
  },
  {
    name: "an entry can be put before another, named by its key",
    rule: "RFC 7950 section 7.8.6",
    serverDefaults: "explicit",
    steps: [
      edit("a", `${RULES[0]}${RULES[1]}`),
      edit(
        "a",
        `<rule nc:operation="create" yang:insert="before" yang:key="[tt:name='r2']"><name>r3</name><action>drop</action></rule>`,
        {
          deviation: netconfd(
            { kind: "error", tags: ["bad-attribute"], appTag: "missing-instance" },
            "finds no entry by key",
          ),
        },
      ),
      readLab("a", "candidate", `${RULES[0]}${RULES[2]}${RULES[1]}`, {
        deviation: netconfd({ kind: "lab", xml: `${RULES[0]}${RULES[1]}` }, "nothing was created"),
      }),
    ],
  },
  {
    name: "keys may hold slashes, quotes and blanks, and two keys make one entry",
    rule: "RFC 7950 section 7.8.2",
    serverDefaults: "explicit",
    steps: [
      edit(
        "a",
        "<link><from>a/b</from><to>c'd\"e]</to></link><link><from>a/b</from><to>other</to><metric>7</metric></link>",
      ),
      edit("a", '<link nc:operation="delete"><from>a/b</from><to>c\'d"e]</to></link>'),
      readLab("a", "candidate", "<link><from>a/b</from><to>other</to><metric>7</metric></link>"),
    ],
  },
  {
    name: "another case of a choice replaces the first, an empty presence container exists",
    rule: "RFC 7950 sections 7.9 and 7.5.1",
    serverDefaults: "explicit",
    steps: [
      edit("a", "<server><name>s1</name><seconds>5</seconds><protection/></server>"),
      edit("a", "<server><name>s1</name><size>100</size></server>"),
      ask("a", { op: "commit" }),
      readLab("a", "running", "<server><name>s1</name><size>100</size><protection/></server>"),
    ],
  },
  {
    name: "an interface keeps its foreign identity and a leaf of another module",
    rule: "RFC 7950 sections 7.17 and 9.10",
    serverDefaults: "explicit",
    publicModules: ["iana-if-type", "ietf-interfaces", "ietf-ip"],
    steps: [
      editInterfaces("a", `<interface>${ETHERNET}<ttif:mtu>9000</ttif:mtu>${ADDRESS}</interface>`),
      ask("a", { op: "commit" }),
      readInterfaces("b", "running", `<interface>${ETHERNET}<ttif:mtu>9000</ttif:mtu>${ADDRESS}</interface>`),
      editInterfaces("a", '<interface><name>eth0</name><ttif:mtu nc:operation="delete"/></interface>'),
      ask("a", { op: "commit" }),
      readInterfaces("b", "running", `<interface>${ETHERNET}${ADDRESS}</interface>`),
    ],
  },
];
