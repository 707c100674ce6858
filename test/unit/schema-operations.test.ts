/** Operations and notifications of a schema (RFC 7950 sections 7.14 to 7.17). */
import { describe, expect, it } from "vitest";
import type { MessageBody, NotificationSchema, OperationSchema, Schema } from "../../model/schema.ts";
import type { YangSource } from "../../model/yang/compile-yang.ts";
import { compiled, everyNode, findings, listAt, yangModule } from "./yang-fixture.ts";

function rpcOf(schema: Schema, id: string): OperationSchema {
  const operation = schema.operations.get(id);
  if (operation === undefined) throw new Error(`no ${id} among ${[...schema.operations.keys()].join(", ")}`);
  return operation;
}

function notificationOf(schema: Schema, id: string): NotificationSchema {
  const notification = schema.notifications.get(id);
  if (notification === undefined) throw new Error(`no notification ${id}`);
  return notification;
}

/** Schema paths of all nodes of a body. */
function pathsOf(body: MessageBody): readonly string[] {
  const found: string[] = [];
  const walk = (nodes: MessageBody["children"]): void => {
    for (const node of nodes.values()) {
      found.push(node.schemaPath);
      if (node.kind === "container" || node.kind === "list") walk(node.children);
    }
  };
  walk(body.children);
  return found;
}

const machines = yangModule(
  "m",
  `container top {
     list machine {
       key name; leaf name { type string; }
       action restart {
         description "again";
         input { leaf delay { type uint8; default 5; } leaf who { type leafref { path "../../name"; } } }
         output { leaf pid { type uint32; } }
       }
       notification hot { leaf degrees { type int16; mandatory true; } }
     }
   }
   rpc stop { if-feature brakes; input { must "force or delay"; leaf force { type empty; } leaf delay { type int8; } } }
   rpc noop;
   notification ready { must "since"; leaf since { type string; } }
   feature brakes;`,
);

describe("rpcs (RFC 7950 section 7.14)", () => {
  it("have their parameters below input and output, which are there even when not written", () => {
    const schema = compiled([machines]);
    expect([...schema.operations.keys()]).toEqual(["m:stop", "m:noop"]);
    const stop = rpcOf(schema, "m:stop");
    expect(stop).toMatchObject({ kind: "rpc", schemaPath: "/m:stop", parent: undefined });
    expect(pathsOf(stop.input)).toEqual(["/m:stop/m:input/m:force", "/m:stop/m:input/m:delay"]);
    expect(stop.input.musts.map((must) => must.expression.text)).toEqual(["force or delay"]);
    expect(rpcOf(schema, "m:noop").input).toMatchObject({ schemaPath: "/m:noop/m:input", children: new Map() });
    expect(rpcOf(schema, "m:noop").output).toMatchObject({ schemaPath: "/m:noop/m:output", children: new Map() });
  });

  it("are no data, and neither is what is in them", () => {
    const schema = compiled([machines]);
    expect(everyNode(schema).map((node) => node.schemaPath)).toEqual([
      "/m:top",
      "/m:top/m:machine",
      "/m:top/m:machine/m:name",
    ]);
  });

  it("are not there without their feature", () => {
    const schema = compiled([machines], { implement: "all", features: new Map() });
    expect([...schema.operations.keys()]).toEqual(["m:noop"]);
  });

  it("ignore config, and ordered-by in output only (sections 7.7.7, 7.21.1)", () => {
    const list = "list l { config true; key k; ordered-by user; leaf k { type string; config true; } }";
    const keyless = "list free { leaf a { type string; } }";
    const schema = compiled([yangModule("m", `rpc r { input { ${list} ${keyless} } output { ${list} } }`)]);
    const { input, output } = rpcOf(schema, "m:r");
    expect(input.children.get("m:l")).toMatchObject({ config: false, orderedBy: "user" });
    expect(input.children.get("m:free")).toMatchObject({ kind: "list", keys: [] });
    expect(output.children.get("m:l")).toMatchObject({ config: false, orderedBy: "system", keys: [{ id: "m:k" }] });
  });

  it("have choices and canonical defaults in their bodies as data has", () => {
    const choice = "choice how { leaf soft { type int8; default +5; } case hard { leaf force { type empty; } } }";
    const { input } = rpcOf(compiled([yangModule("m", `rpc r { input { ${choice} } }`)]), "m:r");
    expect([...input.choices.keys()]).toEqual(["m:how"]);
    expect(input.children.get("m:soft")).toMatchObject({
      defaultText: "5",
      parent: undefined,
      cases: [{ choice: "m:how", case: "m:soft" }],
    });
  });
});

describe("leafrefs of parameters (RFC 7950 sections 6.4.1, 9.9)", () => {
  const target = (path: string): string => {
    const source = yangModule(
      "m",
      `container top { leaf name { type string; } }
       rpc r {
         input { leaf x { type leafref { path "${path}"; } } leaf name { type int8; } container c { leaf y { type int8; } } }
         output { leaf name { type string; } leaf only { type string; } }
       }`,
    );
    const leaf = rpcOf(compiled([source]), "m:r").input.children.get("m:x");
    if (leaf?.kind !== "leaf" || leaf.type.kind !== "leafref") throw new Error("x is no leafref");
    return leaf.type.target().schemaPath;
  };

  it("find parameters of the same message as children of the operation", () => {
    expect(target("../name")).toBe("/m:r/m:input/m:name");
    expect(target("../c/y")).toBe("/m:r/m:input/m:c/m:y");
    expect(target("/r/name")).toBe("/m:r/m:input/m:name");
  });

  it("find data, upwards too", () => {
    expect(target("/top/name")).toBe("/m:top/m:name");
    expect(target("../../top/name")).toBe("/m:top/m:name");
  });

  it("do not find what only the other message has", () => {
    expect(() => target("../only")).toThrow("leafref-target-not-found");
  });

  it("lead from an action to the list it is in", () => {
    const action = listAt(compiled([machines]), "/m:top/m:machine").actions.get("m:restart");
    const who = action?.input.children.get("m:who");
    if (who?.kind !== "leaf" || who.type.kind !== "leafref") throw new Error("who is no leafref");
    expect(who.type.target().schemaPath).toBe("/m:top/m:machine/m:name");
  });
});

describe("actions and notifications of data nodes (RFC 7950 sections 7.15, 7.16)", () => {
  it("hang at their list or container", () => {
    const schema = compiled([machines]);
    const list = listAt(schema, "/m:top/m:machine");
    const action = list.actions.get("m:restart");
    expect(action).toMatchObject({ kind: "action", schemaPath: "/m:top/m:machine/m:restart", description: "again" });
    expect(action?.parent).toBe(list);
    expect(action && pathsOf(action.output)).toEqual(["/m:top/m:machine/m:restart/m:output/m:pid"]);
    const hot = list.notifications.get("m:hot");
    expect(hot && pathsOf(hot)).toEqual(["/m:top/m:machine/m:hot/m:degrees"]);
    expect([...list.children.keys()]).toEqual(["m:name"]);
  });

  it("come from groupings, in the module that uses them", () => {
    const grouping = yangModule(
      "g",
      "grouping acts { action go { input { leaf n { type int8; } } } notification gone; }",
    );
    const using = yangModule("u", "import g { prefix g; } container c { uses g:acts; }");
    const container = compiled([grouping, using]).roots.get("u:c");
    if (container?.kind !== "container") throw new Error("no container");
    expect([...container.actions.keys()]).toEqual(["u:go"]);
    expect([...container.notifications.keys()]).toEqual(["u:gone"]);
  });

  it("have the top-level ones beside the rpcs", () => {
    const ready = notificationOf(compiled([machines]), "m:ready");
    expect(ready).toMatchObject({ kind: "notification", schemaPath: "/m:ready", parent: undefined });
    expect(ready.musts).toHaveLength(1);
    expect(pathsOf(ready)).toEqual(["/m:ready/m:since"]);
  });
});

describe("augments and deviations of operations (RFC 7950 sections 7.17, 7.20.3)", () => {
  const augmenting = yangModule(
    "a",
    `import m { prefix m; }
     augment "/m:stop/m:input" { when "force"; leaf grace { type int8; } }
     augment "/m:noop/m:output" { container result { leaf code { type int8; } } }
     augment "/m:top/m:machine/m:restart/m:input" { leaf why { type string; } }
     augment "/m:ready" { leaf from { type string; } }
     augment "/m:top/m:machine" { action ping; notification cold; }`,
  );

  it("add parameters, and operations to data", () => {
    const schema = compiled([machines, augmenting]);
    expect(pathsOf(rpcOf(schema, "m:stop").input).at(-1)).toBe("/m:stop/m:input/a:grace");
    expect(rpcOf(schema, "m:stop").input.children.get("a:grace")?.whens).toMatchObject([{ context: "parent" }]);
    expect(pathsOf(rpcOf(schema, "m:noop").output)).toEqual([
      "/m:noop/m:output/a:result",
      "/m:noop/m:output/a:result/a:code",
    ]);
    expect([...notificationOf(schema, "m:ready").children.keys()]).toEqual(["m:since", "a:from"]);
    const list = listAt(schema, "/m:top/m:machine");
    expect([...list.actions.keys()]).toEqual(["m:restart", "a:ping"]);
    expect([...list.notifications.keys()]).toEqual(["m:hot", "a:cold"]);
    expect([...(list.actions.get("m:restart")?.input.children.keys() ?? [])]).toEqual(["m:delay", "m:who", "a:why"]);
  });

  it("take operations away", () => {
    const deviating = yangModule(
      "d",
      `import m { prefix m; }
       deviation "/m:stop" { deviate not-supported; }
       deviation "/m:top/m:machine/m:hot" { deviate not-supported; }`,
    );
    const schema = compiled([machines, deviating]);
    expect([...schema.operations.keys()]).toEqual(["m:noop"]);
    expect(listAt(schema, "/m:top/m:machine").notifications.size).toBe(0);
  });
});

describe("places where operations and notifications must not stand", () => {
  const group = "grouping acts { action go; } grouping tells { notification gone; }";
  const refused = (body: string, ...more: readonly YangSource[]): string =>
    findings([yangModule("m", `${group}\n${body}`), ...more])
      .map((each) => each.replace(/(\d+):\d+/g, "$1"))
      .join("; ");

  it.each([
    ["an rpc (section 7.15)", "rpc r { input { container c { uses acts; } } }"],
    ["a notification (section 7.16)", "notification n { container c { uses tells; } }"],
    ["an action (section 7.15)", "container c { action a { input { container d { uses acts; } } } }"],
    ["a list without a key (section 7.15)", "list l { config false; leaf x { type string; } uses acts; }"],
    ["what is in a list without a key", "list l { config false; container c { uses tells; } }"],
    ["the top of a module (section 7.15)", "uses acts;"],
    ["a case (section 7.15)", "container c { choice x { case y { uses acts; } } }"],
  ])("%s is an error that names both places", (_, body) => {
    expect(refused(body)).toMatch(/^operation-not-allowed m.yang:2 m.yang:[13]$/);
  });

  it("includes a body that another module adds them to", () => {
    const other = yangModule("o", 'import m { prefix m; } augment "/m:r/m:input" { container c { action go; } }');
    expect(refused("rpc r;", other)).toMatch(/^operation-not-allowed o.yang:2 /);
  });

  it("share one name space with data (section 6.2.1)", () => {
    expect(refused("container c { leaf go { type string; } uses acts; }")).toMatch(/^duplicate-node /);
  });
});
