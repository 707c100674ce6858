/** The offline verbs as a person runs them: through the launcher, in a folder of models and data. */
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type OfflineRun, offlineLab } from "../support/offline-lab.ts";

const lab = offlineLab();
const GOOD_XML = `<net xmlns="urn:t:lab-net">
  <hostname>r1</hostname>
  <port>
    <name>eth0/1</name>
    <speed xmlns:lt="urn:t:lab-types">lt:gigabit</speed>
    <mtu>9000</mtu>
  </port>
  <uplink>eth0/1</uplink>
  <note>
    <any xmlns="urn:t:any"> kept  as it is </any>
  </note>
</net>
`;
const PLAIN_XML = GOOD_XML.replace(/ {2}<note>[^]*<\/note>\n/, "");
const PLAIN_JSON = `{
  "lab-net:net": {
    "hostname": "r1",
    "port": [
      {
        "name": "eth0/1",
        "speed": "lab-types:gigabit",
        "mtu": 9000
      }
    ],
    "uplink": "eth0/1"
  }
}
`;
const GOAL =
  '{"lab-net:net":{"hostname":"r1","port":[{"mtu":9000,"name":"eth0/1","speed":"lab-types:gigabit"}],"uplink":"eth0/1"}}';

lab.write("good.xml", GOOD_XML);
lab.write("plain.xml", PLAIN_XML);
lab.write("plain.json", PLAIN_JSON);
lab.write(
  "broken.xml",
  '<net xmlns="urn:t:lab-net"><port><name>a</name><mtu>1000</mtu></port><uplink>b</uplink></net>\n',
);
const yang = ["--yang", "models"];

/** The same for a text: `-` among the arguments becomes a file that holds it. */
async function onText(argv: readonly string[], text: string): Promise<OfflineRun> {
  lab.write("input", text);
  return lab.run(argv.map((each) => (each === "-" ? "input" : each)));
}

const speed = (identity: string): string => `{"lab-net:net":{"port":[{"name":"a","speed":"${identity}"}]}}`;

/** The one JSON object on standard error. */
async function errorOf(
  argv: readonly string[],
  text = "",
): Promise<{ readonly code: number | null; readonly body: unknown }> {
  const { code, out, err } = await onText([...argv, "--json"], text);
  expect(out).toBe("");
  return { code, body: JSON.parse(err) as unknown };
}

describe("the launcher", () => {
  test("reads standard input, writes the result to standard output, and ends with the verb's code", () => {
    const argv = ["convert", ...yang, "--from", "json", "--to", "goal", "-"];
    expect(lab.launch(argv, PLAIN_JSON)).toEqual({ code: 0, out: GOAL, err: "" });
    const wrong = lab.launch(argv, '{"lab-net:net":{"hostname":5}}');
    expect(wrong).toMatchObject({ code: 1, out: "" });
    expect(wrong.err).toContain("standard input:1:28: ");
    expect(lab.launch(["validate", ...yang, "-"], PLAIN_XML)).toEqual({
      code: 0,
      out: "standard input: valid\n",
      err: "",
    });
    expect(lab.launch(["validate", ...yang, "broken.xml"])).toMatchObject({ code: 1, err: "" });
    expect(lab.launch(["path", ...yang, "--from", "gnmi", "--to", "restconf", "/net/port[name=]"])).toEqual({
      code: 0,
      out: "/restconf/data/lab-net:net/port=\n",
      err: "",
    });
    expect(lab.launch(["yang", "tree", "models"])).toMatchObject({ code: 2, out: "" });
  });
});

describe("yang check", () => {
  test("lists what was compiled: the newest revision of each module, folders and all", async () => {
    expect(await lab.run(["yang", "check", "models"])).toEqual({
      code: 0,
      out: [
        "MODULE     REVISION    ROLE         FEATURES",
        "lab-net    2030-02-02  implemented  names tunnels",
        "lab-types  2030-01-01  implemented",
        "",
        "2 modules, 13 data nodes, no error",
        "",
      ].join("\n"),
      err: "",
    });
  });

  test("with --module only these are implemented, in the revision that is named", async () => {
    const { code, out } = await lab.run(["yang", "check", "models", "--module", "lab-net@2029-01-01", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      modules: [
        { name: "lab-net", revision: "2029-01-01", namespace: "urn:t:lab-net", role: "implemented", features: [] },
      ],
      nodes: 2,
      warnings: [],
    });
    const imported = await lab.run(["yang", "check", "models", "--module", "lab-net", "--json"]);
    expect(JSON.parse(imported.out)).toMatchObject({ modules: [{ role: "implemented" }, { role: "imported" }] });
  });

  test("with --features a module has these alone, the others all of theirs", async () => {
    const features = async (list: string): Promise<unknown> => {
      const { out } = await lab.run(["yang", "check", "models", "--features", list, "--json"]);
      return (JSON.parse(out) as { readonly modules: readonly unknown[] }).modules[0];
    };
    expect(await features("lab-net:names")).toMatchObject({ features: ["names"] });
    expect(await features("lab-net:")).toMatchObject({ features: [] });
    expect(await features("lab-types:")).toMatchObject({ features: ["names", "tunnels"] });
  });

  test("says everything that is wrong, each with file, line and column, and exits 1", async () => {
    lab.write("wrong/a.yang", 'module a { namespace "urn:a"; prefix a;\n  leaf x { type strnig; }\n  leaf y { }\n}\n');
    lab.write("wrong/b.yang", 'module b { namespace "urn:b"; prefix b; import gone { prefix g; } }\n');
    const { code, out, err } = await lab.run(["yang", "check", "wrong"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^error: the modules in wrong do not compile: \d errors?\n/);
    expect(err).toMatch(/^wrong\/a\.yang:3:3: .*\[statement-missing\]/m);
    expect(err).toMatch(/^wrong\/b\.yang:1:\d+: .*gone.*\[missing-module\]/m);
    expect(await errorOf(["yang", "check", "wrong"])).toMatchObject({
      code: 1,
      body: { code: "invalid-yang", diagnostics: [{ severity: "error" }, { severity: "error" }] },
    });
  });

  test("a file that is not UTF-8 is an error with the place of the octet", async () => {
    lab.write(
      "latin/a.yang",
      Buffer.from('module a { namespace "urn:a"; prefix a;\n description "caf\xe9"; }\n', "latin1"),
    );
    const { code, err } = await lab.run(["yang", "check", "latin"]);
    expect(code).toBe(1);
    expect(err).toContain("latin/a.yang:2:18: the octet 0xE9 is no UTF-8 here [not-utf8]");
    lab.write("cut/a.yang", Buffer.from([...Buffer.from("module é"), 0xc3]));
    expect((await lab.run(["yang", "check", "cut"])).err).toContain("cut/a.yang:1:9: the octet 0xC3");
  });

  test("links to files count as files; links to folders are not followed, so that a circle ends", async () => {
    lab.write("elsewhere/linked.yang", 'module linked { namespace "urn:l"; prefix l; }\n');
    lab.write("links/.hidden/bad.yang", "no module");
    symlinkSync(join(lab.folder, "elsewhere/linked.yang"), join(lab.folder, "links/linked.yang"));
    symlinkSync(join(lab.folder, "links"), join(lab.folder, "links/again"));
    const { code, out } = await lab.run(["yang", "check", "links", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ modules: [{ name: "linked" }] });
    symlinkSync(join(lab.folder, "nowhere.yang"), join(lab.folder, "links/dead.yang"));
    expect(await lab.run(["yang", "check", "links"])).toMatchObject({ code: 1, out: "" });
  });
});

describe("yang tree", () => {
  test("draws modules as RFC 8340 has it", async () => {
    const drawn = [
      "module: lab-net",
      "  +--rw net",
      "  |  +--rw hostname    string",
      "  |  +--rw nickname?   string {names}?",
      "  |  +--rw port* [name]",
      "  |  |  +--rw name     lt:port-name",
      "  |  |  +--rw speed?   identityref",
      "  |  |  +--rw mtu?     uint16",
      "  |  |  +--ro state",
      "  |  |     +--ro up?   boolean",
      "  |  +--rw uplink?     -> ../port/name",
      "  |  +--rw tag*        string",
      "  |  +--rw note?       <anydata>",
      "  +--rw site?   string",
      "",
    ].join("\n");
    expect(await lab.run(["yang", "tree", "models", "lab-net"])).toEqual({ code: 0, out: drawn, err: "" });
    expect(JSON.parse((await lab.run(["yang", "tree", "models", "lab-net", "--json"])).out)).toEqual({
      modules: ["lab-net"],
      tree: drawn,
      warnings: [],
    });
    expect((await lab.run(["yang", "tree", "models", "lab-net@2029-01-01"])).out).not.toContain("site");
    expect((await lab.run(["yang", "tree", "models", "lab-net", "--features", "lab-net:"])).out).not.toContain(
      "nickname",
    );
  });
  test("refuses a module that is not there", async () => {
    expect(await errorOf(["yang", "tree", "models", "lab-nothing"])).toMatchObject({
      code: 1,
      body: { code: "invalid-yang", diagnostics: [{ code: "missing-module" }] },
    });
  });
});

describe("convert", () => {
  test("between XML and JSON, both ways, to the same bytes again", async () => {
    expect(await lab.run(["convert", ...yang, "--from", "xml", "--to", "json", "plain.xml"])).toEqual({
      code: 0,
      out: PLAIN_JSON,
      err: "",
    });
    const xml = await lab.run(["convert", ...yang, "--from", "json", "--to", "xml", "plain.json"]);
    expect(xml).toMatchObject({ code: 0, err: "" });
    expect((await onText(["convert", ...yang, "--to", "json", "-"], xml.out)).out).toBe(PLAIN_JSON);
    expect((await onText(["convert", ...yang, "--to", "xml", "-"], xml.out)).out).toBe(xml.out);
  });

  test("indents XML without touching values and opaque content", async () => {
    const { out } = await lab.run(["convert", ...yang, "--to", "xml", "good.xml"]);
    expect(out).toContain("\n  <port>\n    <name>eth0/1</name>\n");
    expect(out).toContain('<note>\n    <any xmlns="urn:t:any"> kept  as it is </any>\n  </note>');
    expect((await onText(["convert", ...yang, "--to", "xml", "-"], out)).out).toBe(out);
  });

  test("to the canonical goal, byte by byte, from every shape of the same data", async () => {
    const inside = PLAIN_XML.trim();
    const base = 'xmlns="urn:ietf:params:xml:ns:netconf:base:1.0"';
    for (const text of [
      PLAIN_XML,
      PLAIN_JSON,
      `<?xml version="1.0" encoding="UTF-8"?>\n<data ${base}>${inside}</data>`,
      `<config ${base}>${inside}</config>`,
      `<rpc-reply ${base} message-id="1"><data>${inside}</data></rpc-reply>`,
      `\ufeff${PLAIN_JSON}`,
      `{"ietf-restconf:data": ${PLAIN_JSON}}`,
    ])
      expect(await onText(["convert", ...yang, "--to", "goal", "-"], text)).toEqual({ code: 0, out: GOAL, err: "" });
  });

  test("several top-level nodes get one element around them, and are read without one", async () => {
    const two = `<?xml version="1.0"?>\n${PLAIN_XML}<site xmlns="urn:t:lab-net">here</site>\n`;
    const { code, out } = await onText(["convert", ...yang, "--to", "xml", "-"], two);
    expect(code).toBe(0);
    expect(out).toMatch(/^<data xmlns="urn:ietf:params:xml:ns:netconf:base:1.0">\n {2}<net /);
    expect(out.trimEnd()).toMatch(/<\/data>$/);
    expect((await onText(["convert", ...yang, "--to", "xml", "--envelope", "none", "-"], two)).out).toMatch(
      /^<net [^]*\n<site /,
    );
    expect((await onText(["convert", ...yang, "--to", "xml", "--envelope", "config", "-"], two)).out).toMatch(
      /^<config /,
    );
    // A place in such a text is the place in the file.
    const wrong = `<site xmlns="urn:t:lab-net">a</site><nothing xmlns="urn:t:lab-net"/>`;
    expect(await errorOf(["convert", ...yang, "--to", "xml", "-"], wrong)).toMatchObject({
      body: { diagnostics: [{ places: [{}, { position: { line: 1, column: 37 } }] }] },
    });
  });

  test("keeps state but in a goal", async () => {
    const state = '{"lab-net:net":{"port":[{"name":"a","state":{"up":true}}]}}';
    expect((await onText(["convert", ...yang, "--to", "xml", "-"], state)).out).toContain("<up>true</up>");
    expect((await onText(["convert", ...yang, "--to", "goal", "-"], state)).out).toBe(
      '{"lab-net:net":{"port":[{"name":"a"}]}}',
    );
  });

  test("under --json the document is part of one object", async () => {
    const { out } = await lab.run(["convert", ...yang, "--to", "json", "--json", "plain.xml"]);
    expect(JSON.parse(out)).toEqual({ form: "json", content: JSON.parse(PLAIN_JSON) as unknown });
    const xml = JSON.parse((await lab.run(["convert", ...yang, "--to", "xml", "--json", "plain.xml"])).out) as {
      content: string;
    };
    expect(xml.content).toContain("<hostname>r1</hostname>");
  });

  test("what does not fit the modules is refused whole, each finding with its place", async () => {
    lab.write("unfit.json", '{\n  "lab-net:net": {"hostnam": "r1", "port": [{"mtu": 9}]}\n}\n');
    const { code, out, err } = await lab.run(["convert", ...yang, "--to", "xml", "unfit.json"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^error: unfit\.json does not fit the modules\n/);
    expect(err).toMatch(/unfit\.json:2:19: .*\[unknown-node\]/);
    expect(err).toMatch(/unfit\.json:2:\d+: .*\[value-range\]/);
    expect(err).toMatch(/\[missing-key\]/);
  });

  test.each([
    ["a slip of the keyboard", '{"lab-net:net":{"hostnme":"r1"}}', "unknown-node", "hostname"],
    ["a prefix for a module", '{"ln:net":{}}', "unknown-node", "net of module lab-net (namespace urn:t:lab-net)"],
    ["no module at all", '{"net":{}}', "unqualified-node", "write lab-net:net"],
    ["no namespace", "<net/>", "unknown-node", "net of module lab-net (namespace urn:t:lab-net)"],
    [
      "a strange namespace",
      '<gate xmlns="urn:gone"/>',
      "unknown-node",
      "implement the module with the namespace urn:gone",
    ],
    [
      "an identity without module",
      speed("gigabit"),
      "value-identity",
      "gigabit of module lab-types (namespace urn:t:lab-types)",
    ],
    ["a misspelt identity", speed("lab-types:gigabyt"), "value-identity", "gigabit"],
  ])("%s gets a remedy", async (_name, text, code, remedy) => {
    expect(await errorOf(["convert", ...yang, "--to", "json", "-"], text)).toMatchObject({
      body: { diagnostics: [{ code, remedy }] },
    });
  });

  test("what stands twice is told with both places, and an end tag with the one that is needed", async () => {
    lab.write("twice.xml", '<net xmlns="urn:t:lab-net">\n  <hostname>a</hostname>\n  <hostname>b</hostname>\n</net>\n');
    expect((await lab.run(["validate", ...yang, "twice.xml"])).out).toContain(
      "twice.xml:3:3, twice.xml:2:3, /lab-net:net/hostname: error: leaf hostname is there already [duplicate-node]\n",
    );
    lab.write("crossed.xml", '<net xmlns="urn:t:lab-net"><port></net>');
    expect((await lab.run(["validate", ...yang, "crossed.xml"])).out).toContain(
      "where </port> has to stand. [xml-syntax]",
    );
  });

  test("an empty file is no empty configuration", async () => {
    for (const text of ["", " \n", '<?xml version="1.0"?>\n', "<!-- nothing -->\n"]) {
      lab.write("empty.xml", text);
      expect(await lab.run(["validate", ...yang, "empty.xml"])).toMatchObject({ code: 1 });
      expect(await lab.run(["convert", ...yang, "--to", "goal", "empty.xml"])).toMatchObject({ code: 1, out: "" });
    }
    lab.write("empty.xml", '<data xmlns="urn:ietf:params:xml:ns:netconf:base:1.0"/>');
    expect(await lab.run(["convert", ...yang, "--to", "goal", "empty.xml"])).toMatchObject({ code: 0, out: "{}" });
  });

  test.each([
    ["truncated XML", '<net xmlns="urn:t:lab-net"><hostname>'],
    ["a document type", '<!DOCTYPE net [<!ENTITY a "b">]><net xmlns="urn:t:lab-net"/>'],
    ["truncated JSON", '{"lab-net:net": {'],
    ["10,000 levels", "[".repeat(10_000)],
    [
      "an edit",
      '<net xmlns="urn:t:lab-net" xmlns:nc="urn:ietf:params:xml:ns:netconf:base:1.0" nc:operation="delete"/>',
    ],
    ["an answer without data", '<rpc-reply xmlns="urn:ietf:params:xml:ns:netconf:base:1.0"><ok/></rpc-reply>'],
  ])("%s is an error with a place", async (_name, text) => {
    const { code, body } = await errorOf(["convert", ...yang, "--to", "json", "-"], text);
    expect(code).toBe(1);
    expect(body).toMatchObject({
      code: "invalid-data",
      diagnostics: expect.arrayContaining([
        expect.objectContaining({ places: expect.arrayContaining([expect.anything()]) as unknown }),
      ]) as unknown,
    });
  });
});

describe("validate", () => {
  test("says that a configuration is valid", async () => {
    expect(await lab.run(["validate", ...yang, "good.xml"])).toEqual({ code: 0, out: "good.xml: valid\n", err: "" });
    expect(JSON.parse((await lab.run(["validate", ...yang, "plain.json", "--json"])).out)).toEqual({
      file: "plain.json",
      errors: 0,
      warnings: 0,
      policy: "default",
      findings: [],
      exempted: [],
      ignored: 0,
      unused: [],
      constraints: "checked",
    });
  });

  test("prints each finding on a line: place, severity, message, code, error-app-tag, rule; and exits 1", async () => {
    const { code, out, err } = await lab.run(["validate", ...yang, "broken.xml"]);
    expect({ code, err }).toEqual({ code: 1, err: "" });
    const lines = out.trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^\/lab-net:net\/port\[name='a'\]\/mtu: warning: 1000 is no MTU here \[must-false, error-app-tag lab-mtu\]; rule: models\/current\/lab-net\.yang:19:\d+/,
      ),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^\/lab-net:net\/uplink: warning: .* \[reference-missing, error-app-tag instance-required\]/,
      ),
    );
    expect(lines).toContainEqual(expect.stringMatching(/^\/lab-net:net\/hostname: warning: .* \[mandatory-missing\]/));
    expect(lines.at(-1)).toBe("broken.xml: 0 errors, 3 warnings");
  });

  test("under --json findings are data, and the exit code is the same", async () => {
    const { code, out, err } = await lab.run(["validate", ...yang, "--json", "broken.xml"]);
    expect({ code, err }).toEqual({ code: 1, err: "" });
    const { findings } = JSON.parse(out) as { readonly findings: readonly { readonly code: string }[] };
    expect(findings.find((each) => each.code === "must-false")).toMatchObject({
      severity: "warning",
      path: "/lab-net:net/port[name='a']/mtu",
      schemaPath: "/lab-net:net/lab-net:port/lab-net:mtu",
      errorAppTag: "lab-mtu",
    });
  });

  test("what cannot be read as data is found too, with its place in the file", async () => {
    lab.write("unread.xml", '<net xmlns="urn:t:lab-net">\n  <hostname>r1</hostname><mtu>5</mtu></net>');
    const { code, out } = await lab.run(["validate", ...yang, "unread.xml"]);
    expect(code).toBe(1);
    expect(out).toMatch(/^unread\.xml:2:\d+, \/lab-net:net\/lab-net:mtu: error: .*\[unknown-node\]/m);
    expect(out).toMatch(/unread\.xml: 1 error, 0 warnings, constraints not checked\n$/);
  });

  test("no policy calls data valid that could not be read", async () => {
    lab.write("unread.xml", '<net xmlns="urn:t:lab-net"><mtu>5</mtu></net>');
    lab.write(
      "blind.yaml",
      "kind: validation-policy\nname: blind\nrules: [{ codes: [unknown-node], severity: ignore }]\n" +
        "exemptions: [{ codes: [unknown-node], reason: hidden }, { codes: [not-unique], reason: known }]\n",
    );
    const { code, out } = await lab.run(["validate", ...yang, "--policy", "blind.yaml", "--json", "unread.xml"]);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      errors: 1,
      findings: [{ code: "unknown-node", severity: "error" }],
      exempted: [],
      unused: [],
      constraints: "unread",
    });
  });

  test("--fail-on error lets broken constraints pass", async () => {
    expect((await lab.run(["validate", ...yang, "--fail-on", "error", "broken.xml"])).code).toBe(0);
    expect((await lab.run(["validate", ...yang, "--fail-on", "error", "unread.xml"])).code).toBe(1);
  });

  test("a policy gives other severities and exempts what is known", async () => {
    lab.write(
      "policy.yaml",
      [
        "kind: validation-policy",
        "name: lab",
        "rules:",
        "  - { codes: [mandatory-missing], severity: ignore }",
        "  - { codes: [must-false], severity: error }",
        "exemptions:",
        "  - { codes: [reference-missing], reason: built next week }",
        "  - { codes: [not-unique], reason: long gone }",
        "",
      ].join("\n"),
    );
    const { code, out } = await lab.run(["validate", ...yang, "--policy", "policy.yaml", "broken.xml"]);
    expect(code).toBe(1);
    expect(out).toMatch(/mtu: error: 1000 is no MTU here/);
    expect(out).toMatch(/^exempted \(built next week\): \/lab-net:net\/uplink: /m);
    expect(out).toContain("no finding needs this exemption any more: long gone\n");
    expect(out).toMatch(/broken\.xml: 1 error, 0 warnings, 1 exempted, 1 ignored\n$/);
  });

  test("a policy that is none is refused with the line", async () => {
    lab.write("bad-policy.yaml", "kind: validation-policy\nname: lab\nrules:\n  - { severity: fatal }\n");
    expect(await errorOf(["validate", ...yang, "--policy", "bad-policy.yaml", "good.xml"])).toMatchObject({
      code: 1,
      body: {
        code: "invalid-policy",
        diagnostics: [{ places: [{ kind: "source", position: { source: "bad-policy.yaml", line: 4 } }, {}] }],
      },
    });
  });
});

describe("path", () => {
  const path = (from: string, to: string, text: string): Promise<OfflineRun> =>
    lab.run(["path", ...yang, "--from", from, "--to", to, text]);

  test("writes one path in the words of every protocol", async () => {
    const texts = {
      instance: "/lab-net:net/port[name='eth0/1']/mtu",
      xpath: "/ln:net/ln:port[ln:name='eth0/1']/ln:mtu",
      restconf: "/restconf/data/lab-net:net/port=eth0%2F1/mtu",
      gnmi: "/net/port[name=eth0/1]/mtu",
    };
    for (const [from, text] of Object.entries(texts)) {
      for (const [to, expected] of Object.entries(texts)) {
        const { code, out, err } = await path(from, to, text);
        expect({ from, to, code, out }).toEqual({ from, to, code: 0, out: `${expected}\n` });
        // The prefixes go to people on standard error, so that a pipe gets the path alone.
        expect(err).toBe(to === "xpath" ? 'xmlns:ln="urn:t:lab-net"\n' : "");
      }
    }
  });

  test("under --json tells what the path names", async () => {
    const argv = ["path", ...yang, "--from", "gnmi", "--to", "xpath", "--json", "/net/port[name=]"];
    expect(JSON.parse((await lab.run(argv)).out)).toEqual({
      path: "/ln:net/ln:port[ln:name='']",
      instance: "/lab-net:net/port[name='']",
      schemaPath: "/lab-net:net/lab-net:port",
      kind: "list",
      config: true,
      namespaces: { ln: "urn:t:lab-net" },
    });
  });

  test.each([
    ["a missing key", "instance", "/lab-net:net/port/mtu", "path-missing-key", 13],
    ["a whole list in gNMI", "gnmi", "/net/port", "path-missing-key", 5],
    ["a wildcard", "gnmi", "/net/port[name=*]", "path-wildcard", 5],
    ["list without key in RESTCONF", "restconf", "/restconf/data/lab-net:net/port", "path-missing-key", 27],
    ["an unknown node", "xpath", "/ln:net/ln:gate", "path-unknown-node", 8],
    ["a value outside of its type", "restconf", `/lab-net:net/port=${"x".repeat(21)}`, "path-key-value", 18],
  ])("%s is refused with the place in the path", async (_name, from, text, code, offset) => {
    const refused = await errorOf(["path", ...yang, "--from", from, "--to", "instance", text]);
    expect(refused).toMatchObject({
      code: 1,
      body: {
        code: "invalid-path",
        diagnostics: [{ code, offset, places: [{ position: { source: "PATH", line: 1, column: offset + 1 } }] }],
      },
    });
    expect((await path(from, "instance", text)).err).toContain(`\nPATH:1:${String(offset + 1)}: `);
  });

  test("what the other protocol has no words for is refused (case 36)", async () => {
    const both = "/lab-net:net/tag[.='it''s \"x\"']";
    expect(await path("instance", "restconf", both)).toMatchObject({ code: 0 });
    expect(await path("instance", "xpath", both)).toMatchObject({ code: 1, out: "" });
    expect((await path("instance", "gnmi", both)).err).toContain("gNMI has no path to one entry of leaf-list tag");
  });
});

test.each([
  ["no folder", ["validate", "good.xml"]],
  ["a folder without modules", ["yang", "check", "elsewhere/none"]],
  ["an unknown form", ["path", ...yang, "--from", "cli", "--to", "xpath", "/"]],
  ["no form", ["path", ...yang, "--from", "gnmi", "/"]],
  ["no target format", ["convert", ...yang, "good.xml"]],
  ["an envelope for JSON", ["convert", ...yang, "--to", "json", "--envelope", "data", "good.xml"]],
  ["a feature that no module has", ["yang", "check", "models", "--features", "lab-net:flying"]],
  ["a feature without module", ["yang", "check", "models", "--features", "names"]],
  ["features of no module", ["yang", "check", "models", "--features", "lab-nothing:x"]],
  ["an empty revision", ["yang", "check", "models", "--module", "lab-net@"]],
  ["a file that is neither XML nor JSON", ["validate", ...yang, "neither.txt"]],
])("%s is a usage error: exit code 2", async (_name, argv) => {
  lab.write("neither.txt", "hello");
  lab.write("elsewhere/none/readme.txt", "no module here");
  expect(await errorOf(argv)).toMatchObject({ code: 2, body: { code: "usage" } });
});

test.each([
  ["a file", ["validate", ...yang, "missing.xml"]],
  ["a folder", ["yang", "check", "missing"]],
  ["a policy", ["validate", ...yang, "--policy", "missing.yaml", "good.xml"]],
])("%s that is not there: exit code 1, and its name", async (_name, argv) => {
  expect(await errorOf(argv)).toMatchObject({
    code: 1,
    body: {
      code: "unreadable",
      message: expect.stringMatching(/missing.*: there is no such file or folder$/) as unknown,
    },
  });
});

test("a folder for a file, and a file for a folder, are told as such", async () => {
  expect((await lab.run(["validate", ...yang, "models"])).err).toContain("it is a folder, and a file is needed");
  expect((await lab.run(["yang", "check", "good.xml"])).err).toContain("it is no folder, and a folder is needed");
});

test("nothing of a server is needed or made", () => {
  expect(existsSync(join(lab.folder, "no-home"))).toBe(false);
});
