import { describe, expect, it } from "vitest";
import { applyOperations } from "../../plan/apply-operations.ts";
import { type ServerDefaultsMode, compare } from "../../plan/compare.ts";
import { net, shorten } from "./plan-model.ts";
import { operationToLine } from "../../plan/operation-json.ts";

/**
 * Case 58: leaf enabled, default true; three modes of the server, three intents, and for each what a device of that mode can show.
 * `->` is the one operation: value before, value after; `default` where the leaf is absent.
 */
interface Row {
  readonly intent: "unset" | "true" | "false";
  readonly shown: "absent" | "true" | "false";
  readonly plan: string;
  /** Under `pin`, where it differs. */
  readonly pinned?: string;
  readonly finding?: string;
}

const rows: Readonly<Record<ServerDefaultsMode, readonly Row[]>> = {
  explicit: [
    { intent: "unset", shown: "absent", plan: "none" },
    { intent: "unset", shown: "true", plan: "none", pinned: "delete true, default true", finding: "unset/set" },
    { intent: "unset", shown: "false", plan: "delete false, default true" },
    { intent: "true", shown: "absent", plan: "none", pinned: "create true, default true", finding: "set/unset" },
    { intent: "true", shown: "true", plan: "none" },
    { intent: "true", shown: "false", plan: "replace false true" },
    { intent: "false", shown: "absent", plan: "create false, default true" },
    { intent: "false", shown: "true", plan: "replace true false" },
    { intent: "false", shown: "false", plan: "none" },
  ],
  trim: [
    { intent: "unset", shown: "absent", plan: "none" },
    { intent: "unset", shown: "false", plan: "delete false, default true" },
    { intent: "true", shown: "absent", plan: "none" },
    { intent: "true", shown: "false", plan: "replace false true" },
    { intent: "false", shown: "absent", plan: "create false, default true" },
    { intent: "false", shown: "false", plan: "none" },
  ],
  "report-all": [
    { intent: "unset", shown: "true", plan: "none" },
    { intent: "unset", shown: "false", plan: "delete false, default true" },
    { intent: "true", shown: "true", plan: "none" },
    { intent: "true", shown: "false", plan: "replace false true" },
    { intent: "false", shown: "true", plan: "replace true false" },
    { intent: "false", shown: "false", plan: "none" },
  ],
};

function content(word: Row["intent"] | Row["shown"]): object {
  return word === "unset" || word === "absent" ? {} : { enabled: word === "true" };
}

function planOf(
  row: Row,
  defaultsMode: ServerDefaultsMode,
  explicitness: "finding" | "pin",
): { plan: string; findings: string } {
  const desired = net(content(row.intent));
  const observed = net(content(row.shown), defaultsMode);
  const { operations, findings } = compare(desired, observed, { defaultsMode, explicitness });
  const plan = operations
    .map((operation) => shorten(operationToLine(operation)))
    .map(({ op, before, after, default: inUse }) =>
      [
        op,
        ...(before === undefined ? [] : [JSON.stringify(before)]),
        ...(after === undefined ? [] : [JSON.stringify(after)]),
      ]
        .join(" ")
        .concat(inUse === undefined ? "" : `, default ${JSON.stringify(inUse)}`),
    )
    .join("; ");
  const shown = findings.map((finding) =>
    finding.kind === "explicitness" ? `${finding.desired}/${finding.observed}` : finding.kind,
  );
  return { plan: plan === "" ? "none" : plan, findings: shown.join("; ") };
}

for (const mode of ["explicit", "trim", "report-all"] as const) {
  describe(`case 58: defaults on a server of mode ${mode}`, () => {
    for (const row of rows[mode]) {
      it(`intent ${row.intent}, device shows ${row.shown}: ${row.plan}`, () => {
        expect(planOf(row, mode, "finding")).toEqual({ plan: row.plan, findings: row.finding ?? "" });
      });
      it(`intent ${row.intent}, device shows ${row.shown}, pinned: ${row.pinned ?? row.plan}`, () => {
        expect(planOf(row, mode, "pin")).toEqual({ plan: row.pinned ?? row.plan, findings: row.finding ?? "" });
      });
    }
  });
}

describe("defaults", () => {
  it("does not loop under trim: the written default reads back absent and nothing is left to do", () => {
    const desired = net({ enabled: true });
    const { operations } = compare(desired, net({ enabled: false }, "trim"), {
      defaultsMode: "trim",
      explicitness: "pin",
    });
    expect(operations).toHaveLength(1);
    const afterwards = net({}, "trim");
    expect(compare(desired, afterwards, { defaultsMode: "trim", explicitness: "pin" }).operations).toEqual([]);
    // What was expected and what is read back agree as well.
    const expected = applyOperations(net({ enabled: false }, "trim"), operations);
    expect(compare(expected, afterwards, { defaultsMode: "trim" }).operations).toEqual([]);
  });

  it("takes a leaf tagged as default for absent", () => {
    const tagged = net(
      { enabled: true, "@enabled": { "ietf-netconf-with-defaults:default": true } },
      "report-all-tagged",
    );
    expect(compare(net({}), tagged, { defaultsMode: "explicit" })).toEqual({ operations: [], findings: [] });
    const { operations } = compare(net({ enabled: false }), tagged, { defaultsMode: "explicit" });
    expect(operations.map((operation) => shorten(operationToLine(operation)))).toEqual([
      { op: "create", path: "enabled", after: false, default: true },
    ]);
  });

  it("reports a server whose default is another than the schema's", () => {
    const tagged = net({ enabled: false, "@enabled": { "tenure:origin": "default" } });
    expect(compare(net({}), tagged, { defaultsMode: "explicit" })).toEqual({
      operations: [],
      findings: [{ kind: "server-default", path: "/plan-net:net/enabled", schemaDefault: true, found: false }],
    });
  });

  it("takes a leaf-list with exactly its defaults for one without values", () => {
    const all = net({ ports: [80, 22] }, "report-all");
    expect(compare(net({}), all, { defaultsMode: "report-all" })).toEqual({ operations: [], findings: [] });
    expect(compare(all, net({}, "trim"), { defaultsMode: "trim" })).toEqual({ operations: [], findings: [] });
    const pinned = compare(net({ ports: [80, 22] }), net({}), { defaultsMode: "explicit", explicitness: "pin" });
    expect(pinned.operations).toHaveLength(2);
    expect(compare(net({ ports: [22] }), net({}), { defaultsMode: "explicit" }).operations).toHaveLength(1);
  });

  it("does not take the default of a case that is not selected for a value in use", () => {
    const { operations } = compare(net({ wait: 100 }), net({}), { defaultsMode: "explicit" });
    expect(operations.map(({ op }) => op)).toEqual(["create"]);
    const beside = compare(net({ size: 5, wait: 100 }), net({ size: 5 }), { defaultsMode: "explicit" });
    expect(beside.operations).toEqual([]);
    expect(beside.findings.map(({ kind }) => kind)).toEqual(["explicitness"]);
  });

  it("deletes a default that is the last node of a case which is not the default case", () => {
    const { operations } = compare(net({}), net({ wait: 100 }), { defaultsMode: "explicit" });
    expect(operations.map(({ op }) => op)).toEqual(["delete"]);
  });

  it("knows no default below a container of a case that is not selected", () => {
    const { operations } = compare(net({ queue: { limit: 8 } }), net({}), { defaultsMode: "explicit" });
    expect(operations.map(({ op }) => op)).toEqual(["create"]);
    const selected = compare(net({ size: 5, queue: { limit: 8 } }), net({ size: 5 }), { defaultsMode: "explicit" });
    expect(selected.operations).toEqual([]);
    expect(compare(net({}), net({ queue: { limit: 8 } }), { defaultsMode: "explicit" }).operations).toHaveLength(1);
  });

  it("says nothing about the defaults of state", () => {
    const counters = { errors: "5", "@errors": { "tenure:origin": "default" } };
    const observed = net({ interface: [{ name: "e0", counters }] });
    expect(compare(net({ interface: [{ name: "e0" }] }), observed, { defaultsMode: "explicit" }).findings).toEqual([]);
  });
});
