/**
 * An item keeps its identity for good: two nodes are one item only when device, module and name of every step, and keys
 * are the same; and what vanished and comes back is the item that it was.
 */
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { itemsOf, treeFromItems } from "../../codec/items.ts";
import { dataFromJsonText } from "../../codec/json/data-from-json.ts";
import { dataFromXmlText } from "../../codec/xml/data-from-xml-text.ts";
import { contentText } from "../../graph/documents/typed-documents.ts";
import { realFiles } from "../../graph/files.ts";
import { openLadybug } from "../../graph/ladybug.ts";
import { type GraphStore, openStore } from "../../graph/store.ts";
import type { Schema } from "../../model/schema.ts";
import type { DataTree } from "../../model/tree.ts";
import { compileYang } from "../../model/yang/compile-yang.ts";
import type { DesiredState, RevisionBody } from "../../services/desired-state.ts";
import { observeChange } from "../../services/observe-change.ts";
import {
  MODULE_SET,
  body,
  commit,
  deviceRecord,
  link,
  mtuPath,
  testFolder,
  writesOf,
} from "../support/graph-bodies.ts";
import { valueOf } from "../support/results.ts";

async function storeWithDevice(dataFolder = testFolder()): Promise<GraphStore> {
  const store = await openStore({ dataFolder });
  onTestFinished(() => store.close());
  await store.putDevice({ device: deviceRecord("d1"), actor: "t", key: "add" });
  return store;
}

/** What an import of this tree commits, computed as an import computes it. */
async function importOf(store: GraphStore, schema: Schema, tree: DataTree): Promise<RevisionBody> {
  const state = await store.desiredState({ devices: ["d1"], services: "all" });
  const device = state.devices.get("d1") ?? { device: "d1", name: "d1", moduleSet: "", items: new Map(), links: [] };
  const known: DesiredState = { ...state, devices: new Map([["d1", device]]) };
  const observed = [{ device: "d1", items: itemsOf(tree), observation: MODULE_SET, moduleSet: MODULE_SET }];
  return observeChange(known, new Map([["d1", schema]]), observed, { setBy: { kind: "import" }, paths: [] });
}

async function importTree(store: GraphStore, schema: Schema, tree: DataTree, key: string): Promise<RevisionBody> {
  const change = await importOf(store, schema, tree);
  await store.commitRevision(commit(change, key));
  return change;
}

async function pathsOf(store: GraphStore, revision?: number): Promise<readonly string[]> {
  return [...((await store.desiredDevice("d1", { revision }))?.items.keys() ?? [])];
}

/** Desired state in the form in which it is hashed. */
async function contentOf(store: GraphStore, schema: Schema): Promise<string> {
  const items = (await store.desiredDevice("d1"))?.items.values() ?? [];
  return contentText(
    valueOf(
      treeFromItems(
        schema,
        [...items].map((each) => each.item),
      ),
    ),
  );
}

describe("case 29: two modules put a node of the same name at the same place", () => {
  const schema = valueOf(
    compileYang(
      [
        {
          name: "first.yang",
          text: `module first { yang-version 1.1; namespace "urn:test:first"; prefix a;
          container interfaces { list interface { key name; leaf name { type string; } leaf note { type string; } } } }`,
        },
        {
          name: "second.yang",
          text: `module second { yang-version 1.1; namespace "urn:test:second"; prefix b; import first { prefix a; }
          container interfaces { list interface { key name; leaf name { type string; } leaf note { type string; } } }
          augment /a:interfaces/a:interface { leaf note { type string; } } }`,
        },
      ],
      { implement: "all", features: "all" },
    ),
  );
  const xml = `<data xmlns="urn:ietf:params:xml:ns:netconf:base:1.0">
    <interfaces xmlns="urn:test:first">
      <interface><name>e1</name><note>one</note><note xmlns="urn:test:second">two</note></interface>
    </interfaces>
    <interfaces xmlns="urn:test:second"><interface><name>e1</name><note>three</note></interface></interfaces>
  </data>`;
  const tree = valueOf(
    dataFromXmlText(schema, xml, { source: "case", nodes: "config", unknown: "error", defaultsMode: "explicit" }),
  );
  const note = ["/first:interfaces/interface[name='e1']/note", "/first:interfaces/interface[name='e1']/second:note"];
  const third = "/second:interfaces/interface[name='e1']/note";

  test("they are two subtrees and three leaves, each an item with a history and owners of its own", async () => {
    const dataFolder = testFolder();
    const store = await openStore({ dataFolder });
    await store.putDevice({ device: deviceRecord("d1"), actor: "t", key: "add" });
    await importTree(store, schema, tree, "r1");
    expect(await pathsOf(store)).toEqual([
      "/first:interfaces/interface[name='e1']",
      ...note,
      "/second:interfaces/interface[name='e1']",
      third,
    ]);
    expect(await contentOf(store, schema)).toBe(contentText(tree));
    // A change, an owner, a removal of one are not those of its namesakes.
    const definition = { name: "note", version: "1", document: MODULE_SET };
    const changed = body({
      devices: [
        writesOf("d1", {
          put: [
            {
              item: {
                kind: "leaf",
                path: note[1] ?? "",
                value: { kind: "plain", type: "string", text: "changed" },
                origin: "set",
              },
              setBy: { kind: "service", service: "s" },
              retained: false,
            },
          ],
          remove: [third],
          putLinks: [{ ...link("s", "d1", "e1", "1"), path: note[1] ?? "" }],
        }),
      ],
      services: [{ kind: "put", name: "s", definition, parameters: "{}", targets: ["d1"] }],
    });
    await store.commitRevision(commit(changed, "r2"));
    const versions = async (path: string) => (await store.history("d1", path)).map(({ kind }) => kind);
    expect(await Promise.all([...note, third].map(versions))).toEqual([
      ["present"],
      ["present", "present"],
      ["deleted", "present"],
    ]);
    const owners = async (path: string) => (await store.blame("d1", path)).owners.map(({ service }) => service);
    expect(await Promise.all([...note, third].map(owners))).toEqual([[], ["s"], []]);
    await store.close();

    const graph = await openLadybug(join(store.paths.graph, "graph.lbug"), realFiles);
    onTestFinished(() => graph.close());
    const named = await graph.read("MATCH (i:Item) WHERE i.path ENDS WITH 'note' RETURN i.id AS id ORDER BY i.path");
    expect(new Set(named.map((row) => row["id"])).size).toBe(3);
  });

  test("JSON that names the module of each says the same", async () => {
    const store = await storeWithDevice();
    const json = JSON.stringify({
      "first:interfaces": { interface: [{ name: "e1", note: "one", "second:note": "two" }] },
      "second:interfaces": { interface: [{ name: "e1", note: "three" }] },
    });
    const options = {
      dialect: "tenure",
      source: "case",
      nodes: "config",
      unknown: "error",
      defaultsMode: "explicit",
    } as const;
    await importTree(store, schema, tree, "xml");
    const again = await importOf(store, schema, valueOf(dataFromJsonText(schema, json, options)));
    expect(again.devices).toEqual([]);
  });
});

describe("case 44: lists without keys", () => {
  const schema = valueOf(
    compileYang(
      [
        {
          name: "routes.yang",
          text: `module routes { yang-version 1.1; namespace "urn:test:routes"; prefix r;
          container policy { leaf name { type string; } }
          container as-path { config false;
            list segment { leaf kind { type string; } leaf-list member { type uint32; } } } }`,
        },
      ],
      { implement: "all", features: "all" },
    ),
  );
  const observed = JSON.stringify({
    "routes:policy": { name: "p" },
    "routes:as-path": {
      segment: [
        { kind: "SEQ", member: [65001, 65001] },
        { kind: "SEQ", member: [65001, 65001] },
      ],
    },
  });
  const read = (nodes: "config" | "all") =>
    valueOf(
      dataFromJsonText(schema, observed, {
        dialect: "tenure",
        source: "case",
        nodes,
        unknown: "error",
        defaultsMode: "explicit",
      }),
    );

  test("keep position and duplicates where state is read, and never become items: only configuration is wanted", async () => {
    // Two entries, two equal members each: told apart by position, merged by nothing.
    const kept = JSON.parse(contentText(read("all"))) as Record<string, { readonly segment: readonly unknown[] }>;
    expect(kept["routes:as-path"]?.segment).toEqual([
      { kind: "SEQ", member: [65001, 65001] },
      { kind: "SEQ", member: [65001, 65001] },
    ]);
    const store = await storeWithDevice();
    await importTree(store, schema, read("config"), "r1");
    expect(await pathsOf(store)).toEqual(["/routes:policy/name"]);
    // What the device shows as state differs from one read to the next: that is no change of desired state.
    expect((await importOf(store, schema, read("config"))).devices).toEqual([]);
  });
});

describe("case 92: nothing is looked up by an assumed order", () => {
  const schema = valueOf(
    compileYang(
      [
        {
          name: "order.yang",
          text: `module order { yang-version 1.1; namespace "urn:test:order"; prefix o;
          container top {
            list ace { key sequence; leaf sequence { type uint32; } leaf action { type string; } }
            list vrf { key name; leaf name { type string; } leaf note { type string; } }
            list rule { key name; ordered-by user; leaf name { type string; } leaf action { type string; } }
            leaf-list dns { type string; ordered-by user; } } }`,
        },
      ],
      { implement: "all", features: "all" },
    ),
  );
  const aces = ["10", "9", "1", "100", "2"];
  const vrfs = ["b", "a", "B", "10", "9"];
  const rules = ["z", "m", "a"];
  const parse = (json: object) =>
    valueOf(
      dataFromJsonText(schema, JSON.stringify({ "order:top": json }), {
        dialect: "tenure",
        source: "case",
        nodes: "config",
        unknown: "error",
        defaultsMode: "explicit",
      }),
    );
  const tree = parse({
    ace: aces.map((sequence) => ({ sequence: Number(sequence), action: `act ${sequence}` })),
    vrf: vrfs.map((name) => ({ name, note: `of ${name}` })),
    rule: rules.map((name) => ({ name, action: `act ${name}` })),
    dns: ["9.9.9.9", "1.1.1.1"],
  });

  test("every key is found, whatever its type and wherever it stood", async () => {
    const store = await storeWithDevice();
    await importTree(store, schema, tree, "r1");
    const textAt = async (path: string) => {
      const { item } = await store.blame("d1", path);
      return item?.item.kind === "leaf" && item.item.value.kind === "plain" ? item.item.value.text : undefined;
    };
    for (const sequence of aces)
      expect(await textAt(`/order:top/ace[sequence='${sequence}']/action`)).toBe(`act ${sequence}`);
    for (const name of vrfs) expect(await textAt(`/order:top/vrf[name='${name}']/note`)).toBe(`of ${name}`);
    for (const name of rules) expect(await textAt(`/order:top/rule[name='${name}']/action`)).toBe(`act ${name}`);
    expect(await textAt("/order:top/ace[sequence='3']/action")).toBeUndefined();
  });

  test("sets sort by the type of their keys, what the user ordered stays as it was, in either order of reading", async () => {
    const store = await storeWithDevice();
    await importTree(store, schema, tree, "r1");
    const told = JSON.parse(await contentOf(store, schema)) as Record<
      string,
      Record<string, readonly Record<string, unknown>[]>
    >;
    const top = told["order:top"];
    expect(top?.["ace"]?.map((each) => each["sequence"])).toEqual([1, 2, 9, 10, 100]);
    expect(top?.["vrf"]?.map((each) => each["name"])).toEqual(["10", "9", "B", "a", "b"]);
    expect(top?.["rule"]?.map((each) => each["name"])).toEqual(rules);
    expect(top?.["dns"]).toEqual(["9.9.9.9", "1.1.1.1"]);

    const turned = parse({
      dns: ["9.9.9.9", "1.1.1.1"],
      rule: rules.map((name) => ({ name, action: `act ${name}` })),
      vrf: [...vrfs].sort().map((name) => ({ name, note: `of ${name}` })),
      ace: [...aces].reverse().map((sequence) => ({ sequence: Number(sequence), action: `act ${sequence}` })),
    });
    expect((await importOf(store, schema, turned)).devices).toEqual([]);
    // The order of a user-ordered list is a value: turning it round is a change of that one item.
    const reordered = parse({
      ace: aces.map((sequence) => ({ sequence: Number(sequence), action: `act ${sequence}` })),
      vrf: vrfs.map((name) => ({ name, note: `of ${name}` })),
      rule: [...rules].reverse().map((name) => ({ name, action: `act ${name}` })),
      dns: ["9.9.9.9", "1.1.1.1"],
    });
    const change = await importOf(store, schema, reordered);
    expect(change.devices[0]?.put.map(({ item }) => item)).toEqual([
      expect.objectContaining({ kind: "order", path: "/order:top/rule" }),
    ]);
  });
});

describe("what vanishes and comes back", () => {
  const schema = valueOf(
    compileYang(
      [
        {
          name: "test-net.yang",
          text: `module test-net { yang-version 1.1; namespace "urn:test:net"; prefix n;
          container interfaces { list interface { key name; leaf name { type string; } leaf mtu { type uint16; } } } }`,
        },
      ],
      { implement: "all", features: "all" },
    ),
  );
  const seen = (values: Readonly<Record<string, number>>) =>
    valueOf(
      dataFromJsonText(
        schema,
        JSON.stringify({
          "test-net:interfaces": { interface: Object.entries(values).map(([name, mtu]) => ({ name, mtu })) },
        }),
        { dialect: "tenure", source: "case", nodes: "config", unknown: "error", defaultsMode: "explicit" },
      ),
    );

  test("is the same item: its links stood all the time, its evidence stays, its history shows all of it", async () => {
    const dataFolder = testFolder();
    const store = await openStore({ dataFolder });
    await store.putDevice({ device: deviceRecord("d1"), actor: "t", key: "add" });
    await importTree(store, schema, seen({ eth0: 1500, eth1: 1500 }), "r1");
    const definition = { name: "mtu", version: "1", document: MODULE_SET };
    const owned = link("a", "d1", "eth1", "1500");
    await store.commitRevision(
      commit(
        body({
          devices: [writesOf("d1", { putLinks: [owned] })],
          services: [{ kind: "put", name: "a", definition, parameters: "{}", targets: ["d1"] }],
        }),
        "r2",
      ),
    );
    await importTree(store, schema, seen({ eth0: 1500 }), "r3");
    expect(await pathsOf(store)).not.toContain(mtuPath("eth1"));
    expect((await store.desiredDevice("d1"))?.links).toEqual([owned]);
    expect(await store.evidence("d1", mtuPath("eth1"))).toMatchObject([
      { kind: "disappeared", revision: 3, observation: MODULE_SET, services: ["a"] },
    ]);
    expect((await store.service("a"))?.status.kind).toBe("inconsistent");

    await importTree(store, schema, seen({ eth0: 1500, eth1: 1500 }), "r4");
    expect((await store.history("d1", mtuPath("eth1"))).map(({ kind, until }) => [kind, until])).toEqual([
      ["present", undefined],
      ["deleted", 4],
      ["present", 3],
    ]);
    const blame = await store.blame("d1", mtuPath("eth1"));
    expect(blame.item).toMatchObject({ since: 4, setBy: { kind: "import" } });
    expect(blame.owners).toEqual([owned]);
    expect(await store.evidence("d1", mtuPath("eth1"))).toHaveLength(1);
    expect((await store.service("a"))?.status).toEqual({ kind: "consistent" });
    expect(await pathsOf(store, 3)).not.toContain(mtuPath("eth1"));
    expect(await pathsOf(store, 2)).toContain(mtuPath("eth1"));
    expect(await store.check()).toEqual([]);
    await store.rebuild();
    expect(await store.blame("d1", mtuPath("eth1"))).toEqual(blame);
    await store.close();

    const graph = await openLadybug(join(store.paths.graph, "graph.lbug"), realFiles);
    onTestFinished(() => graph.close());
    expect(
      await graph.read("MATCH (i:Item) WHERE i.path = $path RETURN i.current AS current", { path: mtuPath("eth1") }),
    ).toEqual([{ current: 4 }]);
  });

  test("an import that shows what is known is no revision: nothing is put, and the item's version is the one it was", async () => {
    const store = await storeWithDevice();
    await importTree(store, schema, seen({ eth0: 1500, eth1: 9000 }), "r1");
    const again = await importOf(store, schema, seen({ eth1: 9000, eth0: 1500 }));
    expect([again.devices, again.statuses, again.evidence]).toEqual([[], [], []]);
    await importTree(store, schema, seen({ eth0: 1500, eth1: 1400 }), "r2");
    expect(await store.changesOf(2)).toMatchObject([{ path: mtuPath("eth1") }]);
    expect((await store.blame("d1", mtuPath("eth0"))).item?.since).toBe(1);
  });
});
