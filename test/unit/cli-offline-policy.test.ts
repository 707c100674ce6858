/** The policy that the examples show, on small modules of the shape that makes real configurations fail. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readPolicyFile } from "../../client/cli/offline/policy-file.ts";
import { offlineLab } from "../support/offline-lab.ts";

const example = join(import.meta.dirname, "..", "..", "examples", "policies", "openconfig.yaml");
const lab = offlineLab();

/** As OpenConfig has it: `set-med != 'igp'` is meant to hold where no MED is set, and does not. */
lab.write(
  "openconfig/routing-policy.yang",
  `module lab-routing-policy {
  namespace "urn:t:lab-routing-policy"; prefix rp;
  container routing-policy { container policy-definitions { list policy-definition {
    key name;
    leaf name { type string; }
    container statements { list statement {
      key name;
      leaf name { type string; }
      container actions { leaf result { type string; } }
    } }
  } } }
}
`,
);
lab.write(
  "openconfig/bgp-policy.yang",
  `module lab-bgp-policy {
  namespace "urn:t:lab-bgp-policy"; prefix bp;
  import lab-routing-policy { prefix rp; }
  augment /rp:routing-policy/rp:policy-definitions/rp:policy-definition/rp:statements/rp:statement/rp:actions {
    container bgp-actions {
      must "set-med != 'igp' or set-med-action = 'set'";
      leaf set-local-pref { type uint32; }
      leaf set-med { type string; }
      leaf set-med-action { type string; }
    }
  }
}
`,
);
/** `when` by the local name of an identity, and mandatory nodes at the top of a module that nobody configures. */
lab.write(
  "openconfig/network-instance.yang",
  `module lab-network-instance {
  yang-version 1.1;
  namespace "urn:t:lab-network-instance"; prefix ni;
  import lab-policy-types { prefix pt; }
  container network-instances { list network-instance {
    key name;
    leaf name { type string; }
    container protocols { list protocol {
      key identifier;
      leaf identifier { type identityref { base pt:protocol; } }
      container bgp { when "../identifier = 'BGP'"; leaf as { type uint32; } }
    } }
  } }
}
`,
);
lab.write(
  "openconfig/policy-types.yang",
  `module lab-policy-types {
  namespace "urn:t:lab-policy-types"; prefix pt;
  identity protocol;
  identity BGP { base protocol; }
}
`,
);
lab.write(
  "openconfig/bgp.yang",
  `module lab-bgp {
  namespace "urn:t:lab-bgp"; prefix b;
  container bgp { container global { leaf as { type uint32; mandatory true; } } }
}
`,
);
lab.write("policy.yaml", readFileSync(example, "utf8").replaceAll("openconfig-", "lab-"));

const ACTIONS =
  "/lab-routing-policy:routing-policy/policy-definitions/policy-definition[name='EXPORT']/statements/statement[name='10']/actions/lab-bgp-policy:bgp-actions";

function configuration(actions: string): string {
  const statement = `{"name":"10","actions":{"lab-bgp-policy:bgp-actions":${actions}}}`;
  const policies = `{"policy-definition":[{"name":"EXPORT","statements":{"statement":[${statement}]}}]}`;
  const protocol = '{"identifier":"lab-policy-types:BGP","bgp":{"as":65001}}';
  const instances = `{"network-instance":[{"name":"default","protocols":{"protocol":[${protocol}]}}]}`;
  return `{"lab-routing-policy:routing-policy":{"policy-definitions":${policies}},"lab-network-instance:network-instances":${instances}}`;
}

interface Report {
  readonly errors: number;
  readonly warnings: number;
  readonly findings: readonly { readonly code: string; readonly path: string }[];
  readonly exempted: readonly { readonly reason: string; readonly finding: { readonly path: string } }[];
  readonly unused: readonly { readonly reason: string }[];
}

async function judged(
  actions: string,
  ...options: readonly string[]
): Promise<Report & { readonly code: number | null }> {
  lab.write("running.json", configuration(actions));
  const { code, out } = await lab.run(["validate", "--yang", "openconfig", ...options, "--json", "running.json"]);
  return { code, ...(JSON.parse(out) as Report) };
}

describe("constraints of public models that working configurations fail", () => {
  test("warn, and do not stop anybody who asks for errors alone", async () => {
    const report = await judged('{"set-local-pref":200}');
    expect(report).toMatchObject({ code: 1, errors: 0, warnings: 3 });
    expect(report.findings.map((each) => each.code).sort()).toEqual(["mandatory-missing", "must-false", "when-false"]);
    expect(report.findings.find((each) => each.code === "must-false")?.path).toBe(ACTIONS);
    expect(await judged('{"set-local-pref":200}', "--fail-on", "error")).toMatchObject({ code: 0 });
  });

  test("are exempted by the example, each with its reason; what is not exempted is an error there", async () => {
    const report = await judged('{"set-local-pref":200}', "--policy", "policy.yaml");
    expect(report).toMatchObject({ code: 0, findings: [], unused: [] });
    expect(report.exempted.map((each) => each.reason)).toContain(
      "the must of the BGP actions fails wherever set-med is absent",
    );
    expect(report.exempted).toHaveLength(3);
  });

  test("no longer need an exemption where the leaf is there, which is said", async () => {
    const report = await judged('{"set-med":"50"}', "--policy", "policy.yaml");
    expect(report).toMatchObject({ code: 0, findings: [] });
    expect(report.unused.map((each) => each.reason)).toEqual([
      "the must of the BGP actions fails wherever set-med is absent",
    ]);
  });
});

test("the example is a policy", async () => {
  expect(await readPolicyFile(example)).toMatchObject({ name: "openconfig" });
});
