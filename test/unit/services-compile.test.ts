/** From documents to typed yields: expressions, keys, values, and errors at the line that says it. */
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Result, formatPlace } from "../../model/diagnostic.ts";
import type { DataSchemaNode, Schema } from "../../model/schema.ts";
import { displayValue } from "../../model/value.ts";
import { compileYang } from "../../model/yang/compile-yang.ts";
import { type Yield, compileInstance } from "../../services/compile-instance.ts";
import { readServiceDocuments } from "../../services/documents.ts";
import { checkParameters } from "../../services/parameters.ts";
import { network } from "../support/ownership-network.ts";
import { OwnershipStory } from "../support/ownership-story.ts";
import { valueOf } from "../support/results.ts";

function compile(text: string, schema: Schema = network): Result<readonly Yield[]> {
  const read = readServiceDocuments("t.yaml", text);
  if (read.kind === "error") return read;
  const definition = read.value.find((each) => each.kind === "definition");
  const instance = read.value.find((each) => each.kind === "service");
  if (definition === undefined || instance === undefined) throw new Error("the text has no definition and instance");
  const parameters = checkParameters(definition, instance);
  if (parameters.kind === "error") return parameters;
  const isSecret = (node: DataSchemaNode): boolean => ["password", "community"].includes(node.name);
  return compileInstance(definition, instance, parameters.value, { device: "r1", schema, isSecret });
}

/** Rules from line 5 on, then the instance; its parameters as one JSON text on the last line. */
function text(rules: string, parameters = "{}", schema = "{type: object}"): string {
  return `kind: definition\nname: d\nversion: 1\nrules:\n${rules}\nparameters: ${schema}\n---\nkind: service\nname: s\ndefinition: d\ntargets: [r1]\nparameters: ${parameters}\n`;
}

function told(result: Result<readonly Yield[]>): readonly string[] {
  return valueOf(result).map(
    (each) => `${each.relation} ${each.text}${each.value === undefined ? "" : ` = ${displayValue(each.value)}`}`,
  );
}

/** `code line:column` of every finding; where the instance is written stands behind that in each. */
function places(result: Result<unknown>): readonly string[] {
  if (result.kind === "ok") throw new Error("nothing was refused");
  return result.diagnostics.map((each) =>
    [each.code, ...each.places.slice(0, 1).map(formatPlace)].join(" ").replaceAll("t.yaml:", ""),
  );
}

describe("expressions", () => {
  test("loops, conditions, variables and defaults", () => {
    const rules = `  - path: /net:interfaces/interface[name='\${each.name}']/mtu
    value: \${each.mtu}
    for: each in params.interfaces
    when: each.mtu > 1500 && device == 'r1'
  - path: /net:system/hostname
    value: \${params.site}-\${device}-$$1`;
    const parameters = '{"interfaces": [{"name": "e1", "mtu": 9000}, {"name": "e2", "mtu": 1400}]}';
    const schema = "{type: object, properties: {site: {type: string, default: lab}, interfaces: {type: array}}}";
    expect(told(compile(text(rules, parameters, schema)))).toEqual([
      "owns /net:interfaces/interface[name='e1']/mtu = 9000",
      "owns /net:system/hostname = lab-r1-$1",
    ]);
  });

  test.each(["x']/mtu", `a"b'c`, "e1/2", "[name='y']", "${params.other}", "", " "])(
    "a parameter fills one key value and nothing else: %j",
    (name) => {
      const rules = "  - path: /net:interfaces/interface[name='${params.name}']";
      const [only, ...rest] = valueOf(compile(text(rules, JSON.stringify({ name }))));
      expect(rest).toEqual([]);
      expect(only?.path).toEqual([
        { kind: "node", module: "net", name: "interfaces" },
        { kind: "entry", module: "net", name: "interface", keys: [{ name: "name", value: name }] },
      ]);
    },
  );

  test("a key with every awkward character lives through put and removal", () => {
    const path = "/net:interfaces/interface[name='${params.name}']/mtu";
    const story = new OwnershipStory();
    const proposal = valueOf(
      story.proposeText(
        "t.yaml",
        text(`  - path: ${path}\n    value: 9000`, JSON.stringify({ name: `a'b"c]/mtu[x='` })),
      ),
    );
    expect(story.commit(proposal)).toEqual([]);
    expect(story.paths()).toHaveLength(2);
    expect(story.remove("s").paths()).toEqual([]);
  });

  test("an expression cannot be part of a path's structure", () => {
    for (const path of [
      "/net:${params.x}/hostname",
      "/net:interfaces/interface[name=${params.x}]",
      "/net:interfaces/interface${params.x}",
    ])
      expect(places(compile(text(`  - path: ${path}`)))).toEqual(["rule-path-structure 5:11"]);
  });

  test("a 64-bit integer keeps its digits from the parameter to the value", () => {
    const schema = "{type: object, properties: {quota: {type: integer, minimum: 0}}}";
    const rules = "  - path: /net:system/quota\n    value: ${params.quota}";
    expect(told(compile(text(rules, "{quota: 18446744073709551615}", schema)))).toEqual([
      "owns /net:system/quota = 18446744073709551615",
    ]);
    expect(places(compile(text(rules, "{quota: 18446744073709551616}", schema)))).toEqual(["rule-value 6:12"]);
    expect(told(compile(text("  - path: /net:system/quota\n    value: ${7u}")))).toEqual([
      "owns /net:system/quota = 7",
    ]);
  });

  test.each([
    ["value: ${params.nope}", "expression-value 6:12"],
    ["value: ${parms.x}", "expression-name 6:12"],
    ["value: ${size(device, 1).nope()}", "expression-name 6:12"],
    ["value: ${timestamp('2030-01-01T00:00:00Z')}", "expression-name 6:12"],
    ["value: ${[1].map(device, 2)[0]}", "expression-name 6:12"],
    ["value: ${params.}", "expression-syntax 6:12"],
    ["value: ${params", "template-syntax 6:12"],
    ["value: ${params}", "expression-value 6:12"],
    ["value: ${params.constructor}", "expression-value 6:12"],
    ["value: x\n    when: '1'", "rule-when 7:11"],
    ["value: x\n    for: x in params", "rule-for 7:10"],
    ["value: x\n    for: [x in params.a, x in params.b]", "rule-for 7:26"],
    ["value: x\n    for: [x in y.list, y in params.b]", "expression-name 7:11"],
  ])("%s is refused at its place", (lines, place) => {
    expect(places(compile(text(`  - path: /net:system/hostname\n    ${lines}`)))).toEqual([place]);
  });
});

describe("rules that go through lists", () => {
  const interfaces = `{"ports": [
    {"name": "e1", "vlans": [10, 20], "mode": {"trunk": true}},
    {"name": "e2", "vlans": [], "mode": {"trunk": true}},
    {"name": "e3", "vlans": [30], "mode": {"trunk": false}}]}`.replaceAll("\n", " ");
  const rules = `  - path: /net:interfaces/interface[name='\${port.name}']/trunk-vlan
    for: [port in params.ports, vlan in port.vlans]
    when: port.mode.trunk
    value: \${vlan}`;

  test("lists of maps, and lists in them", () => {
    expect(told(compile(text(rules, interfaces)))).toEqual([
      "owns /net:interfaces/interface[name='e1']/trunk-vlan[.='10'] = 10",
      "owns /net:interfaces/interface[name='e1']/trunk-vlan[.='20'] = 20",
    ]);
  });

  test("an error of a rule stands once for a list of a thousand, with the instance it came from", () => {
    const names = JSON.stringify({ names: Array.from({ length: 1000 }, (_, nth) => `e${String(nth)}`) });
    const result = compile(
      text("  - path: /net:interfaces/interfaces[name='${n}']\n    for: n in params.names", names),
    );
    if (result.kind === "ok") throw new Error("nothing was refused");
    expect(result.diagnostics.map((each) => each.places.map(formatPlace))).toEqual([["t.yaml:5:11", "t.yaml:9:1"]]);
  });

  test("a path that a condition keeps from a device is not looked up there", () => {
    const rule = "  - {path: /other:thing, value: x, when: \"device == 'r2'\"}";
    expect(told(compile(text(rule)))).toEqual([]);
    expect(places(compile(text(rule.replace("r2", "r1"))))).toEqual(["rule-path 5:12"]);
  });
});

describe("typing", () => {
  test.each([
    ["unknown node", "path: /net:system/hostnam\n    value: x", "rule-path 5:11"],
    ["unknown module", "path: /nett:system/hostname\n    value: x", "rule-path 5:11"],
    ["wrong type", "path: /net:interfaces/interface[name='e1']/mtu\n    value: big", "rule-value 6:12"],
    ["out of range", "path: /net:interfaces/interface[name='e1']/mtu\n    value: 67", "rule-value 6:12"],
    ["no such identity", "path: /net:interfaces/interface[name='e1']/type\n    value: token-ring", "rule-value 6:12"],
    ["missing key", "path: /net:system/user[name='x']/role\n    value: y", "rule-path 5:11"],
    ["no key at all", "path: /net:interfaces/interface", "rule-key 5:11"],
    ["wrong key value", "path: /net:vlans/vlan[id='x']", "rule-key 5:11"],
    ["state", "path: /net:interfaces/interface[name='e1']/octets\n    value: 1", "rule-not-writable 5:11"],
    ["key leaf", "path: /net:vlans/vlan[id='7']/id\n    value: 7", "rule-key-leaf 5:11"],
    ["value missing", "path: /net:system/hostname", "rule-value-missing 5:5"],
    ["value not taken", "path: /net:vlans/vlan[id='7']\n    value: 7", "rule-value-not-taken 6:12"],
    ["plain container", "path: /net:system", "rule-path 5:11"],
    ["whole device", "path: /", "rule-path 5:11"],
    ["secret literal", "path: /net:system/password\n    value: hunter2", "rule-secret-literal 6:12"],
    ["secret entry", "path: /net:system/community\n    value: public", "rule-secret-literal 6:12"],
  ])("%s", (_, rule, place) => {
    expect(places(compile(text(`  - ${rule}`)))).toEqual([place]);
  });

  test("a refused secret is not told", () => {
    const result = compile(text("  - path: /net:system/password\n    value: hunter2"));
    expect(JSON.stringify(result)).not.toContain("hunter2");
  });

  test("errors of all rules come at once", () => {
    const rules = "  - path: /net:nope\n  - path: /net:system/hostname\n  - path: /net:vlans/vlan[id='0']";
    expect(places(compile(text(rules)))).toEqual(["rule-path 5:11", "rule-value-missing 6:5", "rule-key 7:11"]);
  });

  test("keys in any order, identities without module, type empty, leaf-lists by value or by name", () => {
    const rules = `  - path: /net:system/user[site='s'][name='n']
  - {path: "/net:interfaces/interface[name='e1']/type", value: ethernet}
  - path: /net:interfaces/interface[name='e1']/fast
  - {path: /net:system/dns, value: one}
  - path: /net:system/dns[.='two']
  - {path: /net:system/hostname, relation: depends}
  - {path: /net:system/ratio, value: "1.50"}`;
    expect(told(compile(text(rules)))).toEqual([
      "owns /net:system/user[name='n'][site='s']",
      "owns /net:interfaces/interface[name='e1']/type = net:ethernet",
      "owns /net:interfaces/interface[name='e1']/fast = ",
      "owns /net:system/dns[.='one'] = one",
      "owns /net:system/dns[.='two'] = two",
      "depends /net:system/hostname",
      "owns /net:system/ratio = 1.5",
    ]);
  });
});

describe("parameters", () => {
  const schema =
    "{type: object, additionalProperties: false, required: [vlan], properties: {vlan: {type: integer, maximum: 4094}, name: {type: string}}}";
  const rules = "  - path: /net:vlans/vlan[id='${params.vlan}']";

  test("every finding of the JSON Schema at its place", () => {
    expect(places(compile(text(rules, "{vlan: 5000, name: 7, colour: red}", schema)))).toEqual([
      "parameter 12:35",
      "parameter 12:20",
      "parameter 12:32",
    ]);
    expect(places(compile(text(rules, "{}", schema)))).toEqual(["parameter 12:13"]);
  });

  test("a definition that lists its parameters takes no others, unless it says so", () => {
    const open = "{type: object, properties: {vlan: {type: integer}}}";
    expect(places(compile(text(rules, "{vlan: 7, vlam: 8}", open)))).toEqual(["parameter 12:23"]);
    expect(
      told(compile(text(rules, "{vlan: 7, vlam: 8}", open.replace("}}}", "}}, additionalProperties: true}")))),
    ).toEqual(["owns /net:vlans/vlan[id='7']"]);
  });

  test("a parameter that the definition does not have is an error of the definition, whatever the instance gives", () => {
    const wrong = "  - path: /net:vlans/vlan[id='${params.vlam}']\n  - path: /net:vlans/vlan[id='${params[\"vlna\"]}']";
    const result = compile(text(wrong, "{vlan: 7}", schema));
    expect(places(result)).toEqual(["expression-name 5:11", "expression-name 6:11"]);
    expect(result).toMatchObject({ diagnostics: [{ expected: "name, vlan" }, { expected: "name, vlan" }] });
  });

  test("parameters called like numbers, and numbers in lists, are found where they stand", () => {
    const odd =
      "{type: object, properties: {'7': {type: object, properties: {a/b: {type: integer}}}, list: {items: {type: string}}}}";
    expect(places(compile(text("  - path: /net:vlans/vlan[id='1']", "{'7': {a/b: x}, list: [y, 1]}", odd)))).toEqual([
      "parameter 12:25",
      "parameter 12:39",
    ]);
  });

  test("a keyword that is misspelled is no JSON Schema", () => {
    expect(places(compile(text(rules, "{}", "{type: object, requird: [vlan]}")))).toEqual(["definition-schema 6:1"]);
  });

  test("a parameter schema that is none points at it", () => {
    expect(places(compile(text(rules, "{}", "{type: thing}")))).toEqual(["definition-schema 6:1"]);
  });
});

describe("examples", () => {
  const yang = new URL("../../examples/yang/", import.meta.url);
  const modules = readdirSync(yang).map((name) => ({ name, text: readFileSync(new URL(name, yang), "utf8") }));
  const demo = valueOf(compileYang(modules, { implement: "all", features: "all" }));
  const example = (name: string): string =>
    readFileSync(new URL(`../../examples/services/${name}`, import.meta.url), "utf8");
  const eth0 = "/tenure-demo-interfaces:interfaces/interface[name='eth0']";
  const mtu = `${eth0}/mtu`;

  test("they compile against the modules of the demonstration", () => {
    expect(told(compile(example("jumbo.yaml"), demo))).toEqual([`depends ${eth0}`, `owns ${mtu} = 9000`]);
    expect(told(compile(example("legacy-peer.yaml"), demo))).toEqual([
      "owns /tenure-demo-vlans:vlans/vlan[id='42']",
      "owns /tenure-demo-vlans:vlans/vlan[id='42']/name = old-router",
      `depends ${eth0}`,
      `owns ${mtu} = 1500`,
    ]);
    const trunk = (name: string, vlan: string): string =>
      `owns /tenure-demo-interfaces:interfaces/interface[name='${name}']/tenure-demo-vlans:trunk-vlan[.='${vlan}'] = ${vlan}`;
    expect(told(compile(example("trunks.yaml"), demo)).slice(-3)).toEqual([
      trunk("eth0", "10"),
      trunk("eth0", "20"),
      trunk("eth1", "20"),
    ]);
  });

  test("they tell the story of two owners of one MTU", () => {
    const story = new OwnershipStory({ devices: ["r1", "r2"], schema: demo });
    const identity = [`${eth0}/type`, "tenure-demo-interfaces:ethernet"] as const;
    story.import("r1", { set: [identity] }).import("r2", { set: [identity] });
    const put = (name: string): readonly string[] => story.commit(valueOf(story.proposeText(name, example(name))));
    expect(put("jumbo.yaml")).toEqual([]);
    expect(put("legacy-peer.yaml")).toEqual([]);
    expect(story.item(mtu)).toBe("1500, set by old-router, since 4, owned by core-jumbo old-router");
    story.remove("old-router");
    expect(story.item(mtu)).toBe("1500, set by old-router, since 4, owned by core-jumbo");
    expect(story.item("/tenure-demo-vlans:vlans/vlan[id='42']")).toBe("absent");
    expect(put("jumbo.yaml")).toEqual([]);
    expect([story.item(mtu, "r1"), story.item(mtu, "r2")]).toEqual([
      "9000, set by core-jumbo, since 6, owned by core-jumbo",
      "9000, set by core-jumbo, since 3, owned by core-jumbo",
    ]);
    expect(story.status("core-jumbo")).toBe("consistent");
  });
});
