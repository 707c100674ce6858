import { describe, expect, it } from "vitest";
import { attributeOperations } from "../../plan/attribute.ts";
import { compare } from "../../plan/compare.ts";
import { classifyOperations, noImpactRules } from "../../plan/impact.ts";
import { operationToDocument, operationsFromDocuments } from "../../plan/operation-json.ts";
import { orderOperations } from "../../plan/order.ts";
import {
  type PlanHeader,
  type PlanSection,
  type SectionInput,
  headerDocument,
  needsApproval,
  parseHeaderDocument,
  parseSectionDocument,
  planHeader,
  planSection,
  sectionDocument,
} from "../../plan/plan-document.ts";
import { summarisePlan } from "../../plan/summarise-plan.ts";
import { problemsOf, valueOf } from "../support/results.ts";
import { explicit, net, operationsFor, schema } from "./plan-model.ts";

const digestOf = (letter: string): string => letter.repeat(64);
const same = { expected: digestOf("a"), actual: digestOf("a") };

const observed = { interface: [{ name: "e0", mtu: 1400 }], vrf: [{ name: "old" }], banner: "one\ntwo\n", seconds: 60 };
const desired = {
  interface: [{ name: "e0", mtu: 9000 }],
  rule: [{ name: "ssh", action: "accept" }],
  banner: "one\n2\n",
  password: { keyId: "k1", hmac: "0123456789abcdef" },
  size: 5,
  enabled: true,
};

function section(change: Partial<SectionInput> = {}): PlanSection {
  const compared = compare(net(desired), net(observed), explicit);
  const { operations, findings } = orderOperations(schema, compared.operations);
  const web = { kind: "service-put", service: "web" } as const;
  const path =
    operations.find((operation) => operation.op === "replace" && operation.path.at(-1)?.name === "mtu")?.path ?? [];
  const attributed = attributeOperations(operations, [{ path, cause: web }], { kind: "drift" });
  return planSection({
    device: "d-1",
    name: "r1",
    goalBefore: digestOf("1"),
    goalAfter: digestOf("2"),
    observation: digestOf("3"),
    expectedState: digestOf("4"),
    moduleSet: digestOf("5"),
    profile: digestOf("6"),
    datastore: "running",
    defaultsMode: "explicit",
    completeness: "complete",
    operations: classifyOperations(attributed, noImpactRules),
    services: [
      {
        service: "web",
        effect: "put",
        lines: [
          {
            kind: "kept",
            path: "/plan-net:net/vrf[name='x']",
            keptBy: [
              { service: "b", relation: "depends" },
              { service: "c", relation: "owns", path: "/plan-net:net/vrf[name='x']/y" },
            ],
            heldBy: ["/plan-net:net/z"],
            reason: "depended-on",
            setBy: "service b",
          },
          { kind: "removed", path: "/plan-net:net/vrf[name='old']", existedSince: 3 },
        ],
      },
    ],
    findings: [...findings, ...compared.findings],
    ...change,
  });
}

const header: PlanHeader = planHeader({
  direction: "change",
  policy: "all-or-nothing",
  scope: { kind: "devices", devices: ["r2", "r1"], paths: [] },
  allowUnrelated: false,
  includeDrift: false,
  proposal: digestOf("7"),
  revisionBody: digestOf("8"),
  approval: { policy: "default", approvals: 1, author: "may-not-approve" },
  sections: { r2: digestOf("9"), r1: digestOf("a") },
});

describe("plan documents", () => {
  it("are canonical: members sorted, no white space, the same bytes for the same plan", () => {
    expect(headerDocument(header)).toBe(
      '{"allowUnrelated":false,"approval":{"approvals":1,"author":"may-not-approve","policy":"default"},' +
        `"direction":"change","format":"tenure-plan/1","includeDrift":false,"policy":"all-or-nothing","proposal":"${digestOf("7")}",` +
        `"revisionBody":"${digestOf("8")}","scope":{"devices":["r1","r2"],"kind":"devices","paths":[]},` +
        `"sections":{"r1":"${digestOf("a")}","r2":"${digestOf("9")}"}}`,
    );
    expect(sectionDocument(section())).toBe(sectionDocument(section()));
  });

  it("do not depend on the order in which a device was read or services were found", () => {
    const base = section();
    const shuffled = section({
      services: base.services.map((service) => ({ ...service, lines: [...service.lines].reverse() })),
      findings: [...base.findings].reverse(),
    });
    expect(sectionDocument(shuffled)).toBe(sectionDocument(base));
  });

  it("a section names the validation policy it was judged by; without one its bytes say nothing of it", () => {
    const finding = { kind: "validation", code: "must-false", path: "/plan-net:net", message: "no" } as const;
    const judged = section({
      validationPolicy: digestOf("7"),
      findings: [{ ...finding, severity: "error" }],
    });
    expect(valueOf(parseSectionDocument(sectionDocument(judged), same))).toEqual(judged);
    expect(sectionDocument(section({ findings: [finding] }))).not.toMatch(/validationPolicy|severity/);
  });

  it("a header names the services that it makes another status; without any its bytes say nothing of them", () => {
    const because = [
      { device: "r1", path: "/plan-net:net", reason: "missing" },
      { device: "r1", path: "/plan-net:net/mtu", reason: "contradicted", required: 9000, found: 1300 },
    ] as const;
    const affecting: PlanHeader = {
      ...header,
      direction: "accept",
      affected: [
        { service: "east", status: "consistent", because: [] },
        { service: "west", status: "inconsistent", because, more: 3 },
      ],
    };
    expect(valueOf(parseHeaderDocument(headerDocument(affecting), same))).toEqual(affecting);
    expect(headerDocument(header)).not.toContain("affected");
    expect(summarisePlan(affecting, [])).toBe(`drift: desired state takes what the device has, all-or-nothing

services
  east becomes consistent
  west becomes inconsistent
    missing: r1 /plan-net:net: required to be there, found nothing
    contradicted: r1 /plan-net:net/mtu: required 9000, found 1300
    and 3 more
`);
  });

  it("read back to what was written, operations included", () => {
    const written = section();
    const read = valueOf(parseSectionDocument(sectionDocument(written), same));
    expect(read).toEqual(JSON.parse(JSON.stringify(written)));
    expect(valueOf(operationsFromDocuments(schema, read.operations)).map(operationToDocument)).toEqual(read.operations);
    expect(valueOf(parseHeaderDocument(headerDocument(header), same))).toEqual(header);
  });

  it("hold no clear text of a secret and nothing of the moment", () => {
    const text = sectionDocument(section());
    expect(text).toContain('{"hmac":"0123456789abcdef","keyId":"k1"}');
    expect(text).not.toMatch(/\d{4}-\d\d-\d\dT/u);
  });

  it("are refused with other bytes than promised, in another format or form", () => {
    const bytes = headerDocument(header);
    const changed = { expected: digestOf("a"), actual: digestOf("b") };
    expect(problemsOf(parseHeaderDocument(bytes, changed))).toEqual(["document-digest"]);
    expect(problemsOf(parseHeaderDocument(bytes.slice(1), same))).toEqual(["document-syntax"]);
    expect(problemsOf(parseHeaderDocument(` ${bytes}`, same))).toEqual(["document-syntax"]);
    expect(problemsOf(parseHeaderDocument(bytes.replace("tenure-plan/1", "tenure-plan/2"), same))).toEqual([
      "document-format",
    ]);
    expect(problemsOf(parseHeaderDocument(sectionDocument(section()), same))).toEqual(["document-format"]);
    expect(problemsOf(parseHeaderDocument("[]", same))).toEqual(["document-format"]);
    const wrong = bytes
      .replace('"approvals":1', '"approvals":-1')
      .replace('"policy":"all-or-nothing"', '"policy":"both"');
    const result = parseHeaderDocument(wrong, same);
    expect(result.kind === "error" ? result.diagnostics.map(({ places }) => places) : []).toEqual([
      [{ kind: "field", path: "/approval/approvals" }],
      [{ kind: "field", path: "/policy" }],
    ]);
    const unknown = bytes.replace('"allowUnrelated":false', '"allowUnrelated":false,"another":1');
    expect(problemsOf(parseHeaderDocument(unknown, same))).toEqual(["document-form"]);
  });

  it("refuse operations that do not fit the schema, each with its path", () => {
    const common = { op: "create", causes: [], impact: "ordinary" } as const;
    const broken = [
      { ...common, path: "/plan-net:net/nothing", after: 1 },
      { ...common, path: "/plan-net:net/interface[name='e0']/mtu", after: 70_000 },
      { ...common, path: "/plan-net:net/vrf[name='a']", after: { name: "b" } },
      { ...common, op: "move" as const, path: "/plan-net:net/rule[name='a']" },
    ];
    expect(problemsOf(operationsFromDocuments(schema, broken))).toEqual([
      "operation-path /plan-net:net/nothing",
      "value-range /plan-net:net/interface[name='e0']/mtu",
      "operation-form /plan-net:net/vrf[name='a']",
      "operation-form /plan-net:net/rule[name='a']",
    ]);
  });
});

describe("who is asked", () => {
  it("case 76 d: nobody, when nothing would change", () => {
    const { revisionBody: _none, ...empty } = header;
    const quiet = section({ operations: [] });
    expect(needsApproval(empty, [quiet])).toBe(false);
    expect(needsApproval(header, [quiet])).toBe(true);
    expect(needsApproval(empty, [section()])).toBe(true);
  });
});

describe("the text form", () => {
  it("shows devices, causes, values before and after, what stays and why, and findings", () => {
    expect(summarisePlan(header, [section()])).toBe(
      [
        "change of desired state, all-or-nothing",
        "",
        "device r1: 2 delete, 4 ordinary",
        "  because of drift",
        '    - /plan-net:net/vrf[name=\'old\']: {"name":"old"}',
        "    ~ /plan-net:net/banner",
        "        one",
        "      - two",
        "      + 2",
        "    + /plan-net:net/password: secret k1:0123456789ab",
        '    + /plan-net:net/rule[name=\'ssh\']: {"name":"ssh","action":"accept"}, first',
        "    + /plan-net:net/size: 5",
        "      - /plan-net:net/seconds: 60 (goes by itself)",
        "  because of service web",
        "    ~ /plan-net:net/interface[name='e0']/mtu: 1400 -> 9000",
        "  service web is put",
        "    goes: /plan-net:net/vrf[name='old'], existed before the service since revision 3",
        "    stays: /plan-net:net/vrf[name='x'], depended-on; b depends on it; c owns /plan-net:net/vrf[name='x']/y; /plan-net:net/z; set by service b",
        "  findings",
        "    /plan-net:net/enabled: true is in effect on both sides, written only in desired state",
        "",
      ].join("\n"),
    );
  });

  it("shows a missing final newline and CR", () => {
    const banner = (value: string): object => ({ banner: value });
    const operations = operationsFor(banner("a\nb\r\n"), banner("a\nb"));
    const text = summarisePlan(header, [section({ operations, services: [], findings: [] })]);
    expect(text).toContain("- b (no newline at the end)");
    expect(text).toContain("+ b\\r");
  });
});
