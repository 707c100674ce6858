/** `tenure service compile`: a submission judged without a server, as the pipeline would judge it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CompiledServices } from "../../client/cli/offline/compile-offline.ts";
import { offlineLab } from "../support/offline-lab.ts";

const lab = offlineLab();
const COMPILE = ["service", "compile", "--yang", "models"];

lab.write(
  "uplink.yaml",
  `kind: definition
name: uplink
version: 1
parameters: {type: object, required: [port], properties: {port: {type: string}, mtu: {type: integer, default: 9000}}}
rules:
  - path: /lab-net:net/port[name='\${params.port}']
  - path: /lab-net:net/port[name='\${params.port}']/mtu
    value: \${params.mtu}
  - path: /lab-net:net/uplink
    value: \${params.port}
    onRemove: keep
  - path: /lab-net:net/hostname
    relation: depends
---
kind: service
name: core
definition: uplink
targets: [r1, r2]
parameters: {port: e0}
`,
);
lab.write(
  "base.xml",
  `<net xmlns="urn:t:lab-net"><hostname>h</hostname><port><name>e0</name><mtu>1500</mtu><state><up>true</up></state></port></net>`,
);
lab.write("thousand.yaml", readFileSync("uplink.yaml", "utf8").replace("{port: e0}", "{port: e0, mtu: 1000}"));
lab.write("base.json", `{"lab-net:net": {"hostname": "h", "port": [{"name": "e0", "mtu": 1500}]}}`);
lab.write(
  "plain.yaml",
  "kind: definition\nname: plain\nversion: 1\nrules:\n  - {path: /lab-net:net/nickname, value: x}\n",
);

async function compiled(...argv: readonly string[]): Promise<CompiledServices> {
  const { code, out, err } = await lab.run([...COMPILE, ...argv, "--json"]);
  expect([code, err]).toEqual([0, ""]);
  return JSON.parse(out) as CompiledServices;
}

async function errors(...argv: readonly string[]): Promise<readonly string[]> {
  const { code, out, err } = await lab.run([...COMPILE, ...argv]);
  expect([code, out]).toEqual([1, ""]);
  return err.split("\n").filter((line) => line !== "");
}

describe("what the instances yield", () => {
  test("a table for each target: item, scope, and the line of the rule; then what it changes of the base", async () => {
    const { code, out } = await lab.run([...COMPILE, "--base", "base.xml", "uplink.yaml"]);
    expect(code).toBe(0);
    const [head, , device, , ...rows] = out.split("\n").map((line) => line.replaceAll(/ {2,}/g, "  "));
    expect([head, device]).toEqual(["service core, definition uplink 1: consistent", "device r1"]);
    expect([...rows.slice(0, 5), ...rows.slice(5, 8).sort()]).toEqual([
      "  owns  /lab-net:net/port[name='e0']  node  delete  core  uplink.yaml:6:5",
      "  owns  /lab-net:net/port[name='e0']/mtu = 9000  node  delete  core  uplink.yaml:8:12",
      "  owns  /lab-net:net/uplink = e0  node  keep  core  uplink.yaml:10:12",
      "  depends  /lab-net:net/hostname  node  delete  core  uplink.yaml:12:5",
      "  changes",
      "",
      "  + /lab-net:net/uplink: e0 (core)",
      "  ~ /lab-net:net/port[name='e0']/mtu: 1500 -> 9000 (core)",
    ]);
    expect(out).toContain("device r2\n");
  });

  test("the same for a base in XML, in JSON and as a goal file", async () => {
    const goal = await lab.run(["convert", "--yang", "models", "--from", "json", "--to", "goal", "base.json"]);
    lab.write("base.goal", goal.out);
    const all = await Promise.all([
      compiled("--base", "base.xml", "uplink.yaml"),
      compiled("--base", "base.json", "uplink.yaml"),
      compiled("--base", "base.goal", "--from", "goal", "uplink.yaml"),
    ]);
    expect(all[1]).toEqual(all[0]);
    expect(all[2]).toEqual(all[0]);
    expect(all[0].devices.map(({ explanations }) => explanations.map(({ kind }) => kind))).toEqual([
      ["set", "set"],
      ["set", "set"],
    ]);
  });

  test("without a base a device has nothing: what is depended on is missing", async () => {
    const { devices, services } = await compiled("uplink.yaml");
    expect(services).toEqual([{ name: "core", definition: "uplink", version: "1", status: "inconsistent" }]);
    expect(devices[0]?.explanations.map(({ kind }) => kind)).toContain("missing");
    expect(devices[0]?.items.map(({ scope }) => scope)).toEqual(["subtree", "node", "node", "node"]);
    // The empty configuration lacks its mandatory host name already.
    expect(devices[0]?.findings).toEqual([]);
  });

  test("what the result breaks and the base keeps is said", async () => {
    const { devices } = await compiled("--base", "base.xml", "thousand.yaml");
    expect(devices[0]?.findings).toMatchObject([{ code: "must-false", severity: "warning" }]);
  });

  test("a definition alone is checked as far as that goes, and a text of several lines stays on one", async () => {
    const alone = await lab.run([...COMPILE, "plain.yaml"]);
    expect([alone.code, alone.out]).toEqual([0, expect.stringMatching(/^no instances/) as string]);
    lab.write(
      "lines.yaml",
      'kind: definition\nname: lines\nversion: 1\nrules:\n  - {path: /lab-net:net/nickname, value: "a\\nb"}\n---\nkind: service\nname: lines\ndefinition: lines\ntargets: [r1]\n',
    );
    expect((await lab.run([...COMPILE, "lines.yaml"])).out).toContain('/lab-net:net/nickname = "a\\nb"');
  });
});

describe("what would be refused", () => {
  test("errors of texts, of definitions and parameters, and of rules: each stage all of its own", async () => {
    lab.write("text.yaml", "kind: definition\nname: d\nversion: 1\nrules:\n  - {path: /x, valeu: 1}\n");
    lab.write("more.yaml", "kind: definition\nname: e\nname: f\nversion: 1\nrules: []\n");
    expect(await errors("text.yaml", "more.yaml")).toEqual([
      "error: the submission is refused: 2 errors",
      expect.stringMatching(/^text\.yaml:5:16: .*\[document-field\]$/),
      expect.stringMatching(/^more\.yaml:3:1: .*\[yaml-duplicate-key\]$/),
    ]);
    lab.write(
      "stage.yaml",
      `kind: definition
name: d
version: 1
parameters: {type: object, properties: {a: {type: integer}}}
rules:
  - {path: "/lab-net:net/nickname", value: "\${params.b}"}
---
kind: service
name: one
definition: d
targets: [r1]
parameters: {a: x}
---
kind: service
name: two
definition: nope
targets: [r1]
---
kind: service
name: three
definition: d
version: 2
targets: [r1]
`,
    );
    const lines = (await errors("stage.yaml")).filter((line) => line.startsWith("stage.yaml"));
    expect(lines.map((line) => line.replace(/^stage\.yaml:([0-9:]+): .*\[([a-z-]+)\]$/, "$1 $2"))).toEqual([
      "6:44 expression-name",
      "16:13 unknown-definition",
      "22:10 unknown-definition",
      "12:17 parameter",
    ]);
  });

  test("errors of rules name the devices once, the rule and the instance", async () => {
    lab.write(
      "wrong.yaml",
      "kind: definition\nname: w\nversion: 1\nrules:\n  - {path: /lab-net:net/hostnam, value: x}\n---\nkind: service\nname: w\ndefinition: w\ntargets: [r1, r2, r3, r4, r5]\n",
    );
    expect(await errors("wrong.yaml")).toEqual([
      "error: the submission is refused: 1 error",
      expect.stringMatching(/^wrong\.yaml:5:12, wrong\.yaml:7:1: on r1, r2, r3 and 2 more: .*\[rule-path\]$/),
      expect.stringMatching(/^ {2}expected: .*hostname/),
    ]);
  });

  test("two writers of one item, with both places and values", async () => {
    const service = (name: string, value: string): string =>
      `kind: definition\nname: ${name}\nversion: 1\nrules:\n  - {path: /lab-net:net/nickname, value: ${value}}\n---\nkind: service\nname: ${name}\ndefinition: ${name}\ntargets: [r1]\n`;
    lab.write("a.yaml", service("a", "x"));
    lab.write("b.yaml", service("b", "y"));
    const [, line] = await errors("a.yaml", "b.yaml");
    expect(line).toMatch(/a\.yaml:5:\d+.*b\.yaml:5:\d+.*a writes x.*b writes y.*\[conflict\]$/);
  });

  test("a secret as a literal, and a policy's errors", async () => {
    lab.write(
      "models/tenure-extensions.yang",
      'module tenure-extensions { namespace "urn:t:tenure-extensions"; prefix te; extension tenure-secret; }',
    );
    lab.write(
      "models/lab-secret.yang",
      'module lab-secret { namespace "urn:t:lab-secret"; prefix ls; import tenure-extensions { prefix te; } leaf key { type string; te:tenure-secret; } }',
    );
    lab.write(
      "secret.yaml",
      "kind: definition\nname: s\nversion: 1\nrules:\n  - {path: /lab-secret:key, value: wanderer}\n---\nkind: service\nname: s\ndefinition: s\ntargets: [r1]\n",
    );
    const told = await errors("secret.yaml");
    expect(told[1]).toContain("[rule-secret-literal]");
    expect(told.join()).not.toContain("wanderer");

    lab.write(
      "policy.yaml",
      "kind: validation-policy\nname: site\nrules:\n  - {codes: [must-false], severity: error}\n",
    );
    const refused = await lab.run([...COMPILE, "--policy", "policy.yaml", "thousand.yaml"]);
    expect([refused.code, refused.out]).toEqual([
      1,
      expect.stringContaining("refused by validation policy site") as string,
    ]);
    expect((await lab.run([...COMPILE, "--policy", "policy.yaml", "--base", "base.xml", "uplink.yaml"])).code).toBe(0);
  });

  test("under --json one object on standard error; a wrong base and a wrong command line", async () => {
    const { code, out, err } = await lab.run([...COMPILE, "wrong.yaml", "--json"]);
    expect([code, out]).toEqual([1, ""]);
    expect(JSON.parse(err)).toMatchObject({ code: "refused", diagnostics: [{ code: "rule-path" }] });
    lab.write("bad.json", '{"lab-net:net": {"hostnam": "h"}}');
    expect((await errors("--base", "bad.json", "uplink.yaml")).join("\n")).toMatch(/bad\.json.*\n.*bad\.json:1:\d+/);
    expect((await lab.run([...COMPILE])).code).toBe(2);
    expect((await lab.run(["service", "compile", "uplink.yaml"])).code).toBe(2);
    expect((await errors("nowhere.yaml"))[0]).toContain("nowhere.yaml");
  });
});

test("the examples compile, from the launcher and without any data folder", () => {
  const examples = join(import.meta.dirname, "..", "..", "examples");
  const base = join(examples, "base", "two-ports.xml");
  for (const name of ["jumbo.yaml", "legacy-peer.yaml", "trunks.yaml"]) {
    const files = ["--yang", join(examples, "yang"), "--base", base, join(examples, "services", name)];
    const run = lab.launch(["service", "compile", ...files]);
    expect([run.code, run.err]).toEqual([0, ""]);
    expect(run.out).toContain("consistent");
    expect(run.out).not.toMatch(/inconsistent|breaks/);
  }
});
