import { describe, expect, it } from "vitest";
import { formatXml } from "../../codec/xml/format-xml.ts";
import { findNode } from "../../model/tree.ts";
import type { Operation } from "../../plan/operation.ts";
import { orderOperations } from "../../plan/order.ts";
import { type RenderEditConfigOptions, renderEditConfig } from "../../plan/render-edit-config.ts";
import { problemsOf, valueOf } from "../support/results.ts";
import { net, operationsFor, schema } from "./plan-model.ts";

/** Each edit-config as text, without the declarations that every one of them has. */
function render(operations: readonly Operation[], options: RenderEditConfigOptions = {}): readonly string[] {
  return valueOf(renderEditConfig(schema, operations, options)).map((elements) =>
    elements
      .map((element) => {
        const text = formatXml(element);
        if (text.kind === "failed") throw new Error(text.error.message);
        return text.value
          .replaceAll(/ xmlns(:nc)?="urn:(tenure:test:plan-net|ietf:params:xml:ns:netconf:base:1.0)"/gu, "")
          .replaceAll(' xmlns:yang="urn:ietf:params:xml:ns:yang:1"', "")
          .replace(/^<net>/u, "")
          .replace(/<\/net>$/u, "");
      })
      .join(""),
  );
}

function renderPlan(desired: object, observed: object, options: RenderEditConfigOptions = {}): string {
  const [only, ...others] = render(orderOperations(schema, operationsFor(desired, observed)).operations, options);
  expect(others).toEqual([]);
  return only ?? "";
}

describe("edit-config", () => {
  it("declares the namespaces of the module and of the operation", () => {
    const [document] = valueOf(renderEditConfig(schema, operationsFor({ hostname: "r1" }, {})));
    const text = formatXml(document![0]!);
    expect(text).toEqual({
      kind: "ok",
      value:
        '<net xmlns="urn:tenure:test:plan-net" xmlns:nc="urn:ietf:params:xml:ns:netconf:base:1.0">' +
        '<hostname nc:operation="merge">r1</hostname></net>',
    });
  });

  it("sends nothing for nothing", () => {
    expect(render([])).toEqual([]);
  });

  it("case 59: a create is a merge, since a default in use may count as existing data", () => {
    const edit = renderPlan({ interface: [{ name: "e0", mtu: 9000 }] }, { interface: [{ name: "e0" }] });
    expect(edit).toBe('<interface><name>e0</name><mtu nc:operation="merge">9000</mtu></interface>');
    expect(renderPlan({ options: { first: "a" } }, {})).toBe(
      '<options><first nc:operation="merge">a</first></options>',
    );
  });

  it("case 52: a delete is a remove, which does not fail where the node is gone", () => {
    expect(renderPlan({}, { hostname: "r1" })).toBe('<hostname nc:operation="remove"/>');
    expect(renderPlan({}, { interface: [{ name: "e0", mtu: 9000 }] })).toBe(
      '<interface nc:operation="remove"><name>e0</name></interface>',
    );
  });

  it("case 57: all removals of one list survive in one edit", () => {
    const ace = [10, 20, 30].map((sequence) => ({ sequence }));
    expect(renderPlan({}, { ace })).toBe(
      [10, 20, 30].map((key) => `<ace nc:operation="remove"><sequence>${String(key)}</sequence></ace>`).join(""),
    );
    expect(renderPlan({ dns: ["9.9.9.9"] }, { dns: ["1.1.1.1", "8.8.8.8", "9.9.9.9"] })).toBe(
      '<dns nc:operation="remove">1.1.1.1</dns><dns nc:operation="remove">8.8.8.8</dns>',
    );
    expect(renderPlan({}, { vrf: [{ name: "2001:db8::1" }] })).toBe(
      '<vrf nc:operation="remove"><name>2001:db8::1</name></vrf>',
    );
  });

  it("case 56: one value of a leaf-list goes and one comes", () => {
    expect(renderPlan({ dns: ["18", "25", "34"] }, { dns: ["1", "18", "25"] })).toBe(
      '<dns nc:operation="remove">1</dns><dns nc:operation="merge">34</dns>',
    );
  });

  it("case 53: an edit without a key never leaves, and the empty key is a key", () => {
    const [operation] = operationsFor({}, { vrf: [{ name: "" }] });
    expect(render([operation!])).toEqual(['<vrf nc:operation="remove"><name/></vrf>']);
    const entry = findNode(net({ vrf: [{ name: "a" }] }), operation!.path.slice(0, 1));
    expect(entry?.kind).toBe("container");
    const broken = { ...operation!, path: [...operation!.path.slice(0, 1), { ...operation!.path[1]!, keys: [] }] };
    expect(() => renderEditConfig(schema, [broken as Operation])).toThrow(/lacks key name/u);
    const keyless = {
      ...operation!,
      path: [...operation!.path.slice(0, 1), { kind: "node", module: "plan-net", name: "vrf" }],
    };
    expect(() => renderEditConfig(schema, [keyless as Operation])).toThrow(/needs the keys/u);
  });

  it("case 68: one removal for a list with its entries", () => {
    const group = { "object-group": [{ name: "L", member: [{ address: "e1" }, { address: "e2" }] }] };
    expect(renderPlan({}, group)).toBe('<object-group nc:operation="remove"><name>L</name></object-group>');
  });

  it("case 14: an identity declares the prefix of its value where it stands", () => {
    expect(renderPlan({ interface: [{ name: "e0", kind: "plan-kinds:ethernet" }] }, {})).toBe(
      '<interface nc:operation="merge"><name>e0</name>' +
        '<kind xmlns:pk="urn:tenure:test:plan-kinds">pk:ethernet</kind></interface>',
    );
  });

  it("gathers edits below one entry and inserts entries in the order in which anchors need it", () => {
    const desired = { rule: [{ name: "c", action: "drop" }, { name: "a" }, { name: "b" }, { name: "n" }] };
    const observed = { rule: [{ name: "a" }, { name: "b" }, { name: "c", action: "accept" }] };
    expect(renderPlan(desired, observed)).toBe(
      '<rule nc:operation="merge" yang:insert="first"><name>c</name><action nc:operation="merge">drop</action></rule>' +
        `<rule xmlns:pn="urn:tenure:test:plan-net" nc:operation="merge" yang:insert="after" yang:key="[pn:name='b']">` +
        "<name>n</name></rule>",
    );
  });

  it("inserts an entry after its anchor is in place, even where an edit of its content comes first in the plan", () => {
    const rules = (action: string, ...names: readonly string[]): object => ({
      rule: names.map((name) => (name === "a" ? { name, action } : { name })),
    });
    const edit = renderPlan(rules("drop", "k", "l", "m", "z", "a"), rules("accept", "a", "z", "k", "l", "m"));
    expect(
      [...edit.matchAll(/yang:key="\[pn:name='(.)'\]"><name>(.)</gu)].map(([, anchor, name]) => [name, anchor]),
    ).toEqual([
      ["z", "m"],
      ["a", "z"],
    ]);
  });

  it("names anchors by value in leaf-lists, by qualified identity in keys, by the quotes that fit", () => {
    expect(renderPlan({ search: ["a", "b"] }, { search: ["a"] })).toBe(
      '<search nc:operation="merge" yang:insert="after" yang:value="a">b</search>',
    );
    const roles = { role: [{ kind: "plan-kinds:loopback" }, { kind: "plan-kinds:ethernet" }] };
    expect(renderPlan(roles, { role: [{ kind: "plan-kinds:loopback" }] })).toContain(
      `yang:key="[pn:kind='pk:loopback']"`,
    );
    const quoted = { rule: [{ name: "it's" }, { name: "b" }] };
    expect(renderPlan(quoted, { rule: [{ name: "it's" }] })).toContain('yang:key="[pn:name=&quot;it\'s&quot;]"');
    const both = { rule: [{ name: `it's "x"` }, { name: "b" }] };
    const result = renderEditConfig(schema, operationsFor(both, { rule: [{ name: `it's "x"` }] }));
    expect(problemsOf(result)).toEqual([`anchor-not-expressible /plan-net:net/rule[name='it''s "x"']`]);
  });

  it("does not send implied deletes", () => {
    expect(renderPlan({ size: 5 }, { seconds: 60 })).toBe('<size nc:operation="merge">5</size>');
  });

  it("replaces opaque content instead of merging into it", () => {
    const opaque = (text: string): object => ({
      extra: {
        encoding: "xml",
        content: `<extra xmlns="urn:tenure:test:plan-net"><x xmlns="urn:x">${text}</x></extra>`,
      },
    });
    expect(renderPlan(opaque("1"), opaque("2"))).toBe('<extra nc:operation="replace"><x xmlns="urn:x">1</x></extra>');
  });

  it("shows secrets in clear only through the callback", () => {
    const secret = { password: { keyId: "k1", hmac: "aa" } };
    expect(problemsOf(renderEditConfig(schema, operationsFor(secret, {})))[0]).toMatch(/^sealed-value/u);
    const asked: string[] = [];
    const reveal: RenderEditConfigOptions["reveal"] = (sealed, path) => {
      asked.push(`${sealed.keyId}:${sealed.hmac} ${path.map(({ name }) => name).join("/")}`);
      return "clear";
    };
    expect(renderPlan(secret, {}, { reveal })).toBe('<password nc:operation="merge">clear</password>');
    expect(asked).toEqual(["k1:aa net/password"]);
    // What goes is not revealed.
    expect(renderPlan({}, secret)).toBe('<password nc:operation="remove"/>');
  });

  it("begins another edit where an operation meets a node that the first one owns whole", () => {
    const [gone] = operationsFor({}, { vrf: [{ name: "a", description: "old" }] });
    const [comes] = operationsFor({ vrf: [{ name: "a", description: "new" }] }, {});
    const [below] = operationsFor({ vrf: [{ name: "a", description: "x" }] }, { vrf: [{ name: "a" }] });
    expect(render([gone!, comes!, below!])).toEqual([
      '<vrf nc:operation="remove"><name>a</name></vrf>',
      '<vrf nc:operation="merge"><name>a</name><description>new</description></vrf>',
      '<vrf><name>a</name><description nc:operation="merge">x</description></vrf>',
    ]);
  });
});
