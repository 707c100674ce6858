/** Back to an earlier revision, as stories: what returns, what goes, what is refused, and what is left alone. */
import { describe, expect, test } from "vitest";
import type { Schema } from "../../model/schema.ts";
import { compileYang } from "../../model/yang/compile-yang.ts";
import type { DesiredItem, DesiredState } from "../../services/desired-state.ts";
import { rollback } from "../../services/rollback.ts";
import { at, network } from "../support/ownership-network.ts";
import type { StoryRule } from "../support/ownership-story.ts";
import { diagnosticsOf, valueOf } from "../support/results.ts";
import { RollbackStory, picture } from "../support/rollback-story.ts";

const e1 = at.interface("e1");
const mtu = at.mtu("e1");
const description = at.description("e1");
const mtuIs = (value: string): StoryRule => ({ path: mtu, value });

/** Revision 1: e1 with a description was imported. */
const imported = (...devices: readonly string[]): RollbackStory => {
  const names = devices.length === 0 ? ["r1"] : devices;
  const story = new RollbackStory({ devices: names });
  return names.reduce(
    (told, name) =>
      told.then((each) =>
        each.import(name, {
          set: [[e1], [mtu, "1500"], [description, name]],
        }),
      ),
    story,
  );
};

describe("configuration", () => {
  test("what was changed returns, what came goes, what went comes back; each says why", () => {
    const story = imported().then((each) =>
      each.import("r1", {
        set: [[mtu, "9000"], [at.vlan("7")]],
        remove: [description],
      }),
    );
    story.rollback(1);
    expect(picture(story.story.state)).toEqual(picture(story.at(1)));
    expect(story.story.item(mtu)).toBe("1500, set by rollback, since 3");
    expect(story.story.item(e1)).toBe("entry, set by import, since 1");
    expect(story.story.explanations()).toEqual([
      `rollback restored ${description} added: nothing -> r1 set by import`,
      `rollback restored ${mtu} changed: 9000 -> 1500 set by import`,
      `rollback undone ${at.vlan("7")}: nothing set by import`,
    ]);
  });

  test("the order of entries returns", () => {
    const story = new RollbackStory()
      .then((each) => each.import("r1", { set: [[at.dns("a")], [at.dns("b")]] }))
      .then((each) => each.import("r1", { remove: [at.dns("a")] }))
      .then((each) => each.import("r1", { set: [[at.dns("a")]] }));
    expect(story.story.order("/net:system/dns")).toEqual(["net:dns[.='b']", "net:dns[.='a']"]);
    story.rollback(1);
    expect(story.story.order("/net:system/dns")).toEqual(["net:dns[.='a']", "net:dns[.='b']"]);
  });

  test("a wish names what is written, with the entry that it stands in, and what goes", () => {
    const story = imported().then((each) => each.import("r1", { set: [[mtu, "9000"], [at.vlan("7")]] }));
    expect(valueOf(story.propose(1)).wishes).toMatchObject([
      { device: "id-r1", put: [{ path: e1 }, { path: mtu }], remove: [at.vlan("7")] },
    ]);
  });

  test("to the present revision: nothing at all", () => {
    const story = imported().then((each) => each.putOne("a", mtuIs("9000")));
    const { body, devices, explanations } = valueOf(story.propose(2));
    expect([devices, explanations, body.devices, body.services, body.definitions, body.statuses]).toEqual(
      Array.from({ length: 6 }, () => []),
    );
  });

  test("a secret is carried as it is", () => {
    const password = "/net:system/password";
    const story = imported();
    const sealed = (hmac: string): DesiredItem => ({
      item: {
        kind: "leaf",
        path: password,
        value: { kind: "sealed", type: "string", keyId: "k", hmac },
        origin: "set",
      },
      setBy: { kind: "import" },
      since: 1,
      retained: false,
    });
    const having = (hmac: string): DesiredState => withItems(story.at(1), (items) => items.set(password, sealed(hmac)));
    const { body } = valueOf(
      rollback({ now: having("bb"), then: having("aa"), schemas: schemasOf(story), devices: "all" }),
    );
    expect(body.devices).toMatchObject([{ put: [{ item: { value: { hmac: "aa" } }, setBy: { kind: "rollback" } }] }]);
  });
});

describe("instances and definitions", () => {
  test("one that did not exist goes with its definition, links and status", () => {
    const story = imported().then((each) => each.putOne("a", mtuIs("9000")));
    story.rollback(1);
    expect(picture(story.story.state)).toEqual(picture(story.at(1)));
    expect(story.story.status("a")).toBe("no service");
    expect(story.story.body).toMatchObject({
      services: [{ kind: "remove", name: "a" }],
      removedDefinitions: ["def-a"],
    });
    expect(story.story.explanations("relinked")).toEqual([`a relinked ${mtu} owns ended`]);
  });

  test("one that was removed since comes back: document, parameters, targets, links, and what was there before it", () => {
    const story = imported()
      .then((each) => each.putOne("a", mtuIs("9000"), { path: at.vlan("7") }))
      .then((each) => each.remove("a"));
    expect(story.story.paths()).toEqual([e1, description]);
    story.rollback(2);
    expect(picture(story.story.state)).toEqual(picture(story.at(2)));
    expect(story.story.link("a", mtu)?.existedBefore).toMatchObject({ since: 1, value: { text: "1500" } });
    expect(story.story.item(mtu)).toBe("9000, set by rollback, since 4, owned by a");
    expect(story.story.status("a")).toBe("consistent");
    // It is a service as before: its removal takes what it owns.
    story.then((each) => each.remove("a"));
    expect(story.story.paths()).toEqual([e1, description]);
  });

  test("an older form of the definition comes back with the instance", () => {
    const story = imported()
      .then((each) => each.putOne("a", mtuIs("9000")))
      .then((each) => each.putOne("a", mtuIs("4000"), { path: at.vlan("7") }));
    const document = story.at(2).definitions.get("def-a")?.document;
    expect(story.story.state.definitions.get("def-a")?.document).not.toBe(document);
    story.rollback(2);
    expect(story.story.state.definitions.get("def-a")?.document).toBe(document);
    expect(story.story.state.services.get("a")?.definition.document).toBe(document);
  });

  test("a status returns in the words of then", () => {
    const story = imported()
      .then((each) => each.putOne("a", mtuIs("9000")))
      .then((each) => each.putOne("b", mtuIs("4000")))
      .then((each) => each.putOne("a", mtuIs("9000")))
      .then((each) => each.remove("b"));
    const overridden = [`overridden ${mtu} needs 9000 found 4000 by b in 3`];
    expect(story.story.status("a")).toBe("consistent");
    story.rollback(3);
    expect([story.story.status("a"), story.story.status("b")]).toEqual([overridden, "consistent"]);
    story.rollback(5);
    expect([story.story.status("a"), story.story.status("b")]).toEqual(["consistent", "no service"]);
  });

  test("a retained item is retained again, and still goes with its last dependant", () => {
    const story = new RollbackStory()
      .then((each) => each.putOne("a", { path: e1 }))
      .then((each) => each.putOne("b", { path: e1, relation: "depends" }))
      .then((each) => each.remove("a"))
      .then((each) => each.remove("b"));
    expect(story.story.paths()).toEqual([]);
    story.rollback(3);
    expect(story.story.item(e1)).toBe("entry, set by rollback, since 5, needed by b, retained");
    story.then((each) => each.remove("b"));
    expect(story.story.paths()).toEqual([]);
  });

  test("only the flag differs: the value keeps its setter", () => {
    const story = new RollbackStory()
      .then((each) => each.putOne("a", { path: e1 }))
      .then((each) => each.putOne("b", { path: e1, relation: "depends" }))
      .then((each) => each.remove("a"));
    story.rollback(2);
    expect(story.story.item(e1)).toBe("entry, set by a, since 1, owned by a, needed by b");
    expect(story.story.explanations("restored")).toEqual([`rollback restored ${e1} flag: nothing -> nothing set by a`]);
  });
});

describe("some devices only", () => {
  const both = (value: string) => ({ name: "a", rules: [mtuIs(value)], targets: ["r1", "r2"] });

  test("configuration and links of those; the others, and definitions, stay", () => {
    const story = imported("r1", "r2")
      .then((each) => each.put({ name: "a", rules: [mtuIs("9000")], targets: ["r1"] }))
      .then((each) => each.import("r2", { set: [[mtu, "4000"]] }));
    story.rollback(2, { devices: ["r1"] });
    expect(story.story.item(mtu)).toBe("1500, set by rollback, since 5");
    expect(story.story.item(mtu, "r2")).toBe("4000, set by import, since 4");
    expect(story.story.status("a")).toBe("no service");
    expect(story.story.state.definitions.has("def-a")).toBe(true);
  });

  test("an instance that differs and reaches another device is refused, with what to add", () => {
    const story = imported("r1", "r2").then((each) => each.put(both("9000")));
    expect(diagnosticsOf(story.propose(2, { devices: ["r1"] }))).toMatchObject([
      { code: "rollback-outside", places: [{ path: "a" }], remedy: "add --device r2" },
    ]);
    expect(story.propose(2, { devices: ["r1", "r2"] }).kind).toBe("ok");
  });

  test("an instance that is as it was may reach further: its links on the device return", () => {
    const story = imported("r1", "r2")
      .then((each) => each.put(both("9000")))
      .then((each) => each.import("r1", { set: [[mtu, "1400"]] }))
      .then((each) => each.import("r2", { set: [[mtu, "1300"]] }));
    const found = (revision: number, value: string) =>
      `contradicted ${mtu} needs 9000 found ${value} in ${String(revision)}`;
    expect(story.story.status("a")).toEqual([found(4, "1400"), found(5, "1300")]);
    story.rollback(3, { devices: ["r1"] });
    expect(story.story.status("a")).toEqual([found(5, "1300")]);
  });

  test("a definition that is gone and that an instance needs comes back, and no other", () => {
    const story = imported("r1", "r2")
      .then((each) => each.put({ name: "a", rules: [mtuIs("9000")], targets: ["r1"] }))
      .then((each) => each.put({ name: "b", rules: [mtuIs("9000")], targets: ["r2"] }));
    story.rollback(2);
    expect([...story.story.state.definitions.keys()]).toEqual([]);
    story.rollback(4, { devices: ["r1"] });
    expect([...story.story.state.definitions.keys()]).toEqual(["def-a"]);
    expect([...story.story.state.services.keys()]).toEqual(["a"]);
  });
});

describe("devices that came and went", () => {
  test("one that was imported later is left alone, and says so", () => {
    const story = imported("r1", "r2").then((each) => each.import("r2", { set: [[mtu, "9000"]] }));
    story.rollback(1, { importedLater: ["r2"] });
    expect(story.story.item(mtu, "r2")).toBe("9000, set by import, since 3");
    expect(story.story.explanations()).toEqual(["rollback left-alone / r2 imported-later"]);
  });

  test("but an instance that goes takes along what it owns there, by the rules of removal", () => {
    const story = imported("r1", "r2").then((each) =>
      each.put({ name: "a", rules: [{ path: at.vlan("7") }, mtuIs("9000")], targets: ["r1", "r2"] }),
    );
    story.rollback(1, { importedLater: ["r2"] });
    expect(story.story.item(mtu)).toBe("1500, set by rollback, since 4");
    expect(story.story.paths("r2")).toEqual([e1, description]);
    expect(story.story.explanations("removed")).toEqual(
      [`a removed ${mtu}, existed since 2 as 1500`, `a removed ${at.vlan("7")}`].sort(),
    );
  });

  test("an instance that targets a device which was removed since is refused", () => {
    const story = imported("r1", "r2")
      .then((each) => each.put({ name: "a", rules: [mtuIs("9000")], targets: ["r1", "r2"] }))
      .then((each) => each.remove("a"));
    expect(diagnosticsOf(story.propose(3, { removed: ["r2"] }))).toMatchObject([
      { code: "rollback-removed-device", places: [{ path: "a" }], message: expect.stringContaining("r2") as string },
    ]);
    const { explanations, devices } = valueOf(story.propose(2, { removed: ["r2"] }));
    expect(devices).toEqual(["id-r1"]);
    expect(explanations.at(-1)).toMatchObject({ kind: "left-alone", name: "r2", reason: "removed" });
  });
});

describe("another module set than then", () => {
  const module = (mtuType: string, more: string): Schema =>
    valueOf(
      compileYang(
        [
          {
            name: "net.yang",
            text: `module net { yang-version 1.1; namespace "urn:tenure:test:net"; prefix n;
              container interfaces { list interface { key name;
                leaf name { type string; } leaf mtu { type ${mtuType}; } ${more}
              } } }`,
          },
        ],
        { implement: "all", features: "all" },
      ),
    );

  /** Revision 1 under `modules`; now the device has others, and mtu 9000. */
  function moved(schema: Schema) {
    const story = imported().then((each) => each.putOne("a", mtuIs("1400")));
    const now = withItems(story.at(1), (items) => {
      for (const path of [...items.keys()]) if (!path.startsWith(e1)) items.delete(path);
    });
    const device = now.devices.get("id-r1");
    if (device === undefined) throw new Error("no device");
    return rollback({
      now: { ...now, devices: new Map([["id-r1", { ...device, moduleSet: "other modules" }]]) },
      then: story.at(2),
      schemas: new Map([["id-r1", schema]]),
      devices: "all",
    });
  }

  test("values are typed again, in items, links and what was there before", () => {
    const { body } = valueOf(moved(module("uint32", "leaf description { type string; }")));
    const value = (text: string) => ({ kind: "plain", type: "uint32", text });
    expect(body.devices).toMatchObject([
      {
        moduleSet: undefined,
        put: [{ item: { path: mtu, value: value("1400") } }],
        putLinks: [{ service: "a", path: mtu, value: value("1400"), existedBefore: { value: value("1500") } }],
      },
    ]);
    expect(body.statuses).toEqual([{ service: "a", status: { kind: "consistent" } }]);
  });

  test("what does not fit is refused, each with path and reason", () => {
    expect(diagnosticsOf(moved(module("uint8", "leaf description { config false; type string; }")))).toMatchObject([
      { code: "item-value", places: [{ path: mtu }], message: expect.stringContaining("r1: ") as string },
      { code: "retype-state", places: [{ path: description }] },
    ]);
    expect(diagnosticsOf(moved(module("uint16", "")))).toMatchObject([
      { code: "item-path", places: [{ path: description }] },
    ]);
    expect(diagnosticsOf(moved(module("uint16", "container description { presence yes; }")))).toMatchObject([
      { code: "item-kind", places: [{ path: description }] },
    ]);
  });
});

function withItems(state: DesiredState, edit: (items: Map<string, DesiredItem>) => void): DesiredState {
  const device = state.devices.get("id-r1");
  if (device === undefined) throw new Error("no device r1");
  const items = new Map(device.items);
  edit(items);
  return { ...state, devices: new Map([["id-r1", { ...device, items }]]) };
}

function schemasOf(story: RollbackStory): ReadonlyMap<string, Schema> {
  return new Map([...story.story.state.devices.keys()].map((id) => [id, network]));
}
