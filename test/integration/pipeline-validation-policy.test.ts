/** The validation policy on the pipeline: it refuses proposals that break what was kept, and no import ever. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatPlace } from "../../model/diagnostic.ts";
import {
  type Site,
  TWO_PORTS,
  exampleModules,
  failureOf,
  mtuService,
  startSite,
  writesTo,
} from "../support/pipeline-site.ts";
import { runInProcess } from "../support/run-cli.ts";

const POLICY = `kind: validation-policy
name: site
rules:
  - {codes: [reference-missing, must-false], severity: error}
  - codes: [mandatory-missing]
    paths: ["/tenure-demo-interfaces:interfaces/interface[name='eth8']"]
    severity: ignore
exemptions:
  - paths: ["/tenure-demo-interfaces:interfaces/interface[name='eth1']"]
    codes: [reference-missing]
    reason: the VLANs of this port are made by hand
`;
const GUARD = `module guard {
  namespace "urn:tenure:test:guard"; prefix g;
  container guard {
    leaf first { type uint16; must ". < 10"; }
    leaf second { type uint16; must ". < 10"; }
  }
}`;
const guardService = (leaf: string): string => `kind: definition
name: guard-${leaf}
version: 1
rules:
  - {path: /guard:guard/${leaf}, value: 98}
---
kind: service
name: guard-${leaf}
definition: guard-${leaf}
targets: [broken]
`;
const access = (port: string): string =>
  `/tenure-demo-interfaces:interfaces/interface[name='${port}']/tenure-demo-vlans:access-vlan`;

/** Puts a port into a VLAN, which nothing makes unless the second rule does. */
function accessService(
  name: string,
  target: string,
  rules: { readonly port: string; readonly vlan: "made" | "missing" },
): string {
  return `kind: definition
name: ${name}
version: 1
rules:
  - path: ${access(rules.port)}
    value: 42
${rules.vlan === "made" ? "  - path: /tenure-demo-vlans:vlans/vlan[id='42']\n" : ""}---
kind: service
name: ${name}
definition: ${name}
targets: [${target}]
`;
}

/** Makes a port without its mandatory type. */
const typeless = (name: string, port: string): string => `kind: definition
name: ${name}
version: 1
rules:
  - path: /tenure-demo-interfaces:interfaces/interface[name='${port}']
---
kind: service
name: ${name}
definition: ${name}
targets: [typeless]
`;

let site: Site;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tenure-policy-"));
  await writeFile(join(folder, "policy.yaml"), POLICY);
  site = await startSite({ config: { validation: { policy: join(folder, "policy.yaml") } } });
}, 60_000);
afterAll(async () => {
  await site.stop();
  await rm(folder, { recursive: true, force: true });
});

describe.concurrent("a validation policy", () => {
  test.each(["plan", "record", "preview"] as const)(
    "refuses a proposal that breaks a rule which it calls an error: %s",
    async (mode) => {
      const name = `refused-${mode}`;
      const [device] = await site.imported([name]);
      const goal = await site.goal(name);
      const text = accessService(name, name, { port: "eth0", vlan: "missing" });
      const error = failureOf(await site.submit(text, { mode }));
      expect(error).toMatchObject({ code: "Refused", message: expect.stringContaining("policy site") as string });
      expect(error.diagnostics).toMatchObject([{ code: "reference-missing", severity: "error" }]);
      expect(error.diagnostics?.[0]?.message).toContain(`on ${name}: `);
      expect(error.diagnostics?.[0]?.places.map(formatPlace)[0]).toBe(access("eth0"));
      expect(await site.goal(name)).toBe(goal);
      expect(await site.refusal(site.service(name))).toMatchObject({ code: "unknown-service" });
      expect(writesTo(device)).toEqual([]);
    },
  );

  test("lets pass what keeps the rules, and the plan names the policy", async () => {
    await site.imported(["kept"]);
    const plan = await site.put(accessService("kept", "kept", { port: "eth0", vlan: "made" }));
    const { validationPolicy, findings } = await site.section(plan, "kept");
    expect(findings).toEqual([]);
    expect(await site.api.get(`/documents/${validationPolicy ?? "none"}`)).toMatchObject({ name: "site" });
    expect((await site.apply(plan)).state).toBe("applied");
  });

  test("lets pass what an exemption names, without a word in the plan", async () => {
    await site.imported(["exempted"]);
    const plan = await site.put(accessService("exempted", "exempted", { port: "eth1", vlan: "missing" }));
    expect((await site.section(plan, "exempted")).findings).toEqual([]);
  });

  test("warns before anything is recorded, and then records; of what it ignores it says nothing", async () => {
    await site.imported(["typeless"]);
    const tenure = async (name: string, port: string, ...flags: readonly string[]) => {
      const file = join(folder, `${name}.yaml`);
      await writeFile(file, typeless(name, port));
      const environment = { TENURE_HOME: site.folder, TENURE_ACTOR: "alice" };
      return runInProcess(["service", "put", file, ...flags], environment);
    };
    const path = "/tenure-demo-interfaces:interfaces/interface[name='eth7']/type";
    const warning = `\nwarning: device typeless ${path}: `;
    const goal = await site.goal("typeless");

    const preview = await tenure("typeless", "eth7", "--preview");
    expect(preview).toMatchObject({ code: 0, out: expect.stringContaining(warning) as string });
    const json = await tenure("typeless", "eth7", "--preview", "--json");
    expect(JSON.parse(json.out)).toMatchObject({
      content: { findings: [{ name: "typeless", path, code: "mandatory-missing", severity: "warning" }] },
    });
    expect(await site.goal("typeless")).toBe(goal);
    expect(await site.refusal(site.service("typeless"))).toMatchObject({ code: "unknown-service" });

    const recorded = await tenure("typeless", "eth7", "--record");
    expect(recorded).toMatchObject({ code: 0, out: expect.stringContaining(warning) as string });
    expect(recorded.out).toContain("recorded as revision");
    expect(await site.goal("typeless")).not.toBe(goal);
    // The rule is broken already: this put does not break it.
    expect((await tenure("typeless", "eth7", "--preview")).out).not.toContain("warning");

    const ignored = await tenure("ignored", "eth8", "--record", "--json");
    expect(ignored.code).toBe(0);
    expect(ignored.out).not.toContain("findings");
  });

  test("refuses no import, and nothing for what was broken before", async () => {
    const guard = `${TWO_PORTS}<guard xmlns="urn:tenure:test:guard"><first>99</first></guard>`;
    // A device that does not look at its constraints, as many do not: here its modules have none.
    const lax = GUARD.replaceAll('must ". < 10";', "");
    const modules = [...exampleModules(), { name: "guard.yang", text: GUARD }];
    const device = await site.start("broken", {
      initialConfigXml: guard,
      modules: [...exampleModules(), { name: "guard.yang", text: lax }],
    });
    const added = await site.add({ name: "broken", address: `127.0.0.1:${String(device.port)}`, modules });
    expect(added.kind).toBe("completed");
    expect(await site.importOf("broken")).toMatchObject([{ kind: "imported" }]);
    const findings = async (text: string) =>
      (await site.section(await site.put(text), "broken")).findings.map(({ kind, ...rest }) =>
        "count" in rest ? `${kind} ${String(rest.count)}` : kind,
      );
    const mtu = mtuService({ name: "over", definition: "over", mtu: 9000, targets: ["broken"] });
    expect(await findings(mtu)).toEqual(["validation-standing 1"]);
    // The same rule at the same node, whatever its value.
    expect(await findings(guardService("first"))).toEqual(["validation-standing 1"]);
    expect(failureOf(await site.submit(guardService("second"))).diagnostics).toMatchObject([{ code: "must-false" }]);
  });
});
