import { describe, expect, it } from "vitest";
import { formatXml } from "../../codec/xml/format-xml.ts";
import { parseXml } from "../../codec/xml/read-xml.ts";
import type { XmlElement } from "../../codec/xml/xml-element.ts";
import { parseCapabilities, supportsWithDefaults } from "../../providers/netconf/client/capabilities.ts";
import { formatHello, type Hello, negotiateFraming, parseHello } from "../../providers/netconf/client/hello.ts";
import { readFetchableSchemas, readModuleLibrary } from "../../providers/netconf/client/module-list.ts";

const base = "urn:ietf:params:xml:ns:netconf:base:1.0";
const v10 = "urn:ietf:params:netconf:base:1.0";
const v11 = "urn:ietf:params:netconf:base:1.1";
const capability = (rest: string): string => `urn:ietf:params:netconf:capability:${rest}`;

function parsed(text: string): XmlElement {
  const result = parseXml(text);
  if (result.kind === "failed") {
    throw new Error(result.error.message);
  }
  return result.value;
}

describe("hello", () => {
  it("case 08: white space around capabilities and session id is not part of them", () => {
    const hello = parseHello(
      parsed(`<hello xmlns="${base}"><capabilities><capability>
        ${v11}
      </capability><capability>\t</capability></capabilities><session-id> 4 </session-id></hello>`),
    );
    expect(hello).toEqual({ kind: "ok", hello: { kind: "server", capabilities: [v11], sessionId: 4 } });
  });

  it("reads with any prefix, and a client's hello as such", () => {
    const hello = parsed(
      `<n:hello xmlns:n="${base}"><n:capabilities><n:capability>${v10}</n:capability></n:capabilities></n:hello>`,
    );
    expect(parseHello(hello)).toEqual({ kind: "ok", hello: { kind: "client", capabilities: [v10] } });
  });

  it.each([
    ["another element", `<rpc-reply xmlns="${base}"/>`],
    ["no namespace", `<hello><capabilities/><session-id>1</session-id></hello>`],
    ["no capabilities", `<hello xmlns="${base}"><session-id>1</session-id></hello>`],
    ["session id 0", `<hello xmlns="${base}"><capabilities/><session-id>0</session-id></hello>`],
    ["a session id that is no number", `<hello xmlns="${base}"><capabilities/><session-id>0x1</session-id></hello>`],
    [
      "a session id that is too large",
      `<hello xmlns="${base}"><capabilities/><session-id>4294967296</session-id></hello>`,
    ],
    [
      "two session ids",
      `<hello xmlns="${base}"><capabilities/><session-id>1</session-id><session-id>2</session-id></hello>`,
    ],
  ])("refuses %s", (_title, text) => {
    expect(parseHello(parsed(text)).kind).toBe("malformed");
  });

  it.each<Hello>([
    { kind: "client", capabilities: [v10, v11] },
    { kind: "server", capabilities: [v11, "urn:x?a=1&b=<2>"], sessionId: 4294967295 },
  ])("what is written reads back: %j", (hello) => {
    const text = formatXml(formatHello(hello));
    expect(text.kind === "ok" && parseHello(parsed(text.value))).toEqual({ kind: "ok", hello });
  });

  it.each([
    [[v10, v11], [v10, v11], "chunked"],
    [[v10, v11], [v11], "chunked"],
    [[v10, v11], [v10], "end-of-message"],
    [[v10], [v10, v11], "end-of-message"],
    [[v10], [v11], undefined],
    [[v11], [v10], undefined],
    [[v10, v11], [], undefined],
  ])("case 01: ours %j and theirs %j give %s", (ours, theirs, framing) => {
    expect(negotiateFraming(ours, theirs)).toBe(framing);
  });
});

describe("capabilities", () => {
  it("reads the standard ones, their parameters and modules", () => {
    const capabilities = parseCapabilities([
      v10,
      ` ${v11}\n`,
      capability("candidate:1.0"),
      capability("confirmed-commit:1.0"),
      capability("confirmed-commit:1.1"),
      capability("validate:1.0"),
      capability("rollback-on-error:1.0"),
      capability("with-defaults:1.0?basic-mode=explicit&also-supported=trim,report-all"),
      capability("yang-library:1.0?revision=2016-06-21&module-set-id=17+b%20c"),
      "urn:ex:if?module=ex-if&revision=2024-01-02&features=a,b&deviations=ex-dev",
      "urn:ex:bare?module=ex-bare",
      "urn:ex:other-parameters?x=1",
    ]);
    expect(capabilities).toMatchObject({
      bases: ["1.0", "1.1"],
      candidate: true,
      writableRunning: false,
      startup: false,
      rollbackOnError: true,
      xpath: false,
      validate: "1.0",
      confirmedCommit: "1.1",
      withDefaults: { basicMode: "explicit", alsoSupported: ["trim", "report-all"] },
      yangLibrary: { version: "1.0", revision: "2016-06-21", contentId: "17+b c" },
      modules: [
        { namespace: "urn:ex:if", name: "ex-if", revision: "2024-01-02", features: ["a", "b"], deviations: ["ex-dev"] },
        { namespace: "urn:ex:bare", name: "ex-bare", features: [], deviations: [] },
      ],
    });
    expect(supportsWithDefaults(capabilities, "explicit")).toBe(true);
    expect(supportsWithDefaults(capabilities, "report-all")).toBe(true);
    expect(supportsWithDefaults(capabilities, "report-all-tagged")).toBe(false);
  });

  it("takes nothing for granted from an empty hello or from names that only look alike", () => {
    const capabilities = parseCapabilities([
      `${capability("candidate:1.0")}x`,
      "urn:ex:capability:startup:1.0",
      "",
      "?",
    ]);
    expect(capabilities).toEqual({
      uris: [`${capability("candidate:1.0")}x`, "urn:ex:capability:startup:1.0", "", "?"],
      bases: [],
      candidate: false,
      writableRunning: false,
      startup: false,
      rollbackOnError: false,
      xpath: false,
      modules: [],
    });
    expect(supportsWithDefaults(capabilities, "explicit")).toBe(false);
  });
});

describe("module lists", () => {
  it("reads the schemas that can be fetched", () => {
    const data =
      parsed(`<data xmlns="${base}"><netconf-state xmlns="urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring"
        xmlns:m="urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring"><schemas>
      <schema><identifier>ex-a</identifier><version>2024-01-02</version><format>m:yang</format>
        <namespace>urn:ex:a</namespace><location>NETCONF</location></schema>
      <schema><identifier>ex-b</identifier><version/><format>yin</format><namespace>urn:ex:b</namespace></schema>
    </schemas></netconf-state></data>`);
    expect(readFetchableSchemas(data)).toEqual([
      { identifier: "ex-a", version: "2024-01-02", format: "yang", namespace: "urn:ex:a", locations: ["NETCONF"] },
      { identifier: "ex-b", version: "", format: "yin", namespace: "urn:ex:b", locations: [] },
    ]);
    expect(readFetchableSchemas(parsed("<data/>"))).toEqual([]);
  });

  const library = 'xmlns="urn:ietf:params:xml:ns:yang:ietf-yang-library"';

  it("reads modules-state of 2016", () => {
    const data = parsed(`<data><modules-state ${library}><module-set-id>s1</module-set-id>
      <module><name>ex-a</name><revision>2024-01-02</revision><namespace>urn:ex:a</namespace><feature>f</feature>
        <deviation><name>ex-dev</name><revision/></deviation><conformance-type>implement</conformance-type>
        <submodule><name>ex-a-sub</name><revision/></submodule></module>
      <module><name>ex-types</name><revision/><namespace>urn:ex:t</namespace><conformance-type>import</conformance-type></module>
    </modules-state></data>`);
    expect(readModuleLibrary(data)).toEqual({
      contentId: "s1",
      modules: [
        {
          name: "ex-a",
          revision: "2024-01-02",
          namespace: "urn:ex:a",
          conformance: "implement",
          features: ["f"],
          deviations: ["ex-dev"],
          submodules: [{ name: "ex-a-sub" }],
        },
        {
          name: "ex-types",
          namespace: "urn:ex:t",
          conformance: "import",
          features: [],
          deviations: [],
          submodules: [],
        },
      ],
    });
  });

  it("reads yang-library of 2019, only what makes up the schema of running", () => {
    const data = parsed(`<data><modules-state ${library}><module-set-id>old</module-set-id></modules-state>
      <yang-library ${library} xmlns:ds="urn:ietf:params:xml:ns:yang:ietf-datastores"><content-id>c2</content-id>
      <module-set><name>config</name>
        <module><name>ex-a</name><namespace>urn:ex:a</namespace><deviation>ex-dev</deviation></module>
        <import-only-module><name>ex-t</name><revision>2020-01-01</revision><namespace>urn:ex:t</namespace></import-only-module>
      </module-set>
      <module-set><name>state</name><module><name>ex-s</name><namespace>urn:ex:s</namespace></module></module-set>
      <schema><name>c</name><module-set>config</module-set></schema>
      <schema><name>o</name><module-set>config</module-set><module-set>state</module-set></schema>
      <datastore><name>ds:running</name><schema>c</schema></datastore>
      <datastore><name>ds:operational</name><schema>o</schema></datastore></yang-library></data>`);
    const modules = readModuleLibrary(data);
    expect(modules?.contentId).toBe("c2");
    expect(modules?.modules.map(({ name, conformance, deviations }) => [name, conformance, deviations])).toEqual([
      ["ex-a", "implement", ["ex-dev"]],
      ["ex-t", "import", []],
    ]);
    expect(readModuleLibrary(parsed("<data/>"))).toBeUndefined();
  });
});
