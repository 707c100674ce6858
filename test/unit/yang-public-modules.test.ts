/**
 * Public modules, where the machine has them: nothing of them is in the tree, so the test looks in the folders where
 * packages of netconfd and libyang put them; where there are none it is skipped, visibly, and fails with `CI=true`.
 */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type YangSource, missingModules } from "../../model/yang/compile-yang.ts";
import { describePeer } from "../support/peer-suite.ts";
import { compiled, leafAt, leafListAt, listAt, nodeAt, paths } from "./yang-fixture.ts";

const FOLDERS = [
  "/usr/share/yuma/modules/ietf",
  "/usr/share/yuma/nmda-modules/ietf",
  "/usr/share/yang/modules/libyang",
];
const WANTED = ["ietf-interfaces", "ietf-ip", "iana-if-type", "ietf-inet-types", "ietf-yang-types"];

function load(folder: string, name: string): YangSource | undefined {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const file = files
    .filter((each) => each.replace(/(@.*)?\.yang$/, "") === name && each.endsWith(".yang"))
    .sort()
    .at(-1);
  return file === undefined ? undefined : { name: file, text: readFileSync(join(folder, file), "utf8") };
}

const found = WANTED.map((name) => FOLDERS.map((folder) => load(folder, name)).find((source) => source !== undefined));
const sources = found.filter((source) => source !== undefined);
const lacking = WANTED.filter((_, index) => found[index] === undefined);
const missing = lacking.length === 0 ? undefined : `not on this machine: ${lacking.join(", ")}`;

describePeer("the public interface modules", missing, () => {
  it("need nothing else and compile without a warning", () => {
    expect(missingModules(sources)).toEqual([]);
    expect(paths(compiled(sources)).length).toBeGreaterThanOrEqual(87);
  });

  it("have the nodes that interface configuration is made of", () => {
    const schema = compiled(sources);
    const list = "/ietf-interfaces:interfaces/ietf-interfaces:interface";
    expect(listAt(schema, list).keys.map((key) => key.name)).toEqual(["name"]);
    expect(leafAt(schema, `${list}/ietf-interfaces:enabled`)).toMatchObject({
      defaultText: "true",
      type: { kind: "boolean" },
    });
    expect(leafAt(schema, `${list}/ietf-interfaces:type`)).toMatchObject({
      mandatory: true,
      type: { kind: "identityref", bases: ["ietf-interfaces:interface-type"] },
    });
    expect(schema.identities.get("ietf-interfaces:interface-type")?.derived.has("iana-if-type:ethernetCsmacd")).toBe(
      true,
    );
    expect(nodeAt(schema, `${list}/ietf-ip:ipv4`)).toMatchObject({ kind: "container", presence: true });
    const address = listAt(schema, `${list}/ietf-ip:ipv4/ietf-ip:address`);
    expect(address.keys.map((key) => key.name)).toEqual(["ip"]);
    expect(leafAt(schema, `${address.schemaPath}/ietf-ip:ip`).type).toMatchObject({
      kind: "string",
      typedefs: ["ietf-inet-types:ipv4-address-no-zone", "ietf-inet-types:ipv4-address"],
    });
    expect(nodeAt(schema, `${address.schemaPath}/ietf-ip:prefix-length`).cases).toEqual([
      { choice: "ietf-ip:subnet", case: "ietf-ip:prefix-length" },
    ]);
    const lower = leafListAt(
      schema,
      schema.roots.has("ietf-interfaces:interfaces-state")
        ? "/ietf-interfaces:interfaces-state/ietf-interfaces:interface/ietf-interfaces:lower-layer-if"
        : `${list}/ietf-interfaces:lower-layer-if`,
    );
    expect(lower).toMatchObject({ config: false, type: { kind: "leafref" } });
    expect(lower.type.kind === "leafref" && lower.type.target().name).toBe("name");
  });
});
