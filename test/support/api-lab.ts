/** A device of our own module `lab` in a store: imported, served by a service, with a plan on it, all documents real. */
import { createHash } from "node:crypto";
import { dataFromJson } from "../../codec/json/data-from-json.ts";
import { parseJson } from "../../codec/json/parse-json.ts";
import { itemsOf } from "../../codec/items.ts";
import type { ModuleSetDocument, ObservationDocument } from "../../contract/documents.ts";
import type { PlanState } from "../../contract/plan-state.ts";
import { canonicalJson } from "../../graph/canonical-json.ts";
import { contentText } from "../../graph/documents/typed-documents.ts";
import type { GraphStore } from "../../graph/store.ts";
import { renderGoal } from "../../goal/device-goal.ts";
import type { Schema } from "../../model/schema.ts";
import type { DataTree } from "../../model/tree.ts";
import { compileYang } from "../../model/yang/compile-yang.ts";
import { compare } from "../../plan/compare.ts";
import { orderOperations } from "../../plan/order.ts";
import { headerDocument, planHeader, planSection, sectionDocument } from "../../plan/plan-document.ts";
import type { ServiceLink } from "../../services/desired-state.ts";
import { body, commit, deviceRecord, planRecord, writesOf } from "./graph-bodies.ts";
import { valueOf } from "./results.ts";

export const LAB_MODULE = `module lab {
  yang-version 1.1;
  namespace "urn:tenure:test:lab";
  prefix lab;
  container system {
    leaf hostname { type string; }
    leaf password { type string; }
  }
  container ports {
    list port {
      key "name";
      leaf name { type string; }
      leaf mtu { type uint16; }
      leaf speed { type uint64; }
    }
  }
  leaf-list dns { type string; ordered-by user; }
}`;

export const labSchema: Schema = valueOf(
  compileYang([{ name: "lab", text: LAB_MODULE }], { implement: "all", features: "all" }),
);

export function labTree(content: object): DataTree {
  const json = valueOf(parseJson(JSON.stringify(content), { source: "test" }));
  return valueOf(
    dataFromJson(labSchema, json, { unknown: "error", nodes: "config", defaultsMode: "explicit", dialect: "tenure" }),
  );
}

export const BEFORE = {
  "lab:system": { hostname: "r1" },
  "lab:ports": {
    port: [
      { name: "a/1", mtu: 1500, speed: "18446744073709551615" },
      { name: "b", mtu: 1500 },
    ],
  },
  "lab:dns": ["192.0.2.53", "192.0.2.1"],
};
export const AFTER = { ...BEFORE, "lab:ports": { port: [{ name: "a/1", mtu: 9000, speed: "18446744073709551615" }] } };
export const MTU_PATH = "/lab:ports/port[name='a/1']/mtu";

export function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

export async function putModuleSet(store: GraphStore, text = LAB_MODULE): Promise<string> {
  const document: ModuleSetDocument = {
    format: "tenure-module-set/1",
    modules: [{ name: "lab", role: "implement", features: [], text: await store.documents.put(text) }],
  };
  return store.documents.put(canonicalJson(document));
}

/** Device `id`, named `name`, with the configuration as its revision. */
export async function importDevice(
  store: GraphStore,
  device: { readonly id: string; readonly name: string },
  content: object = BEFORE,
): Promise<string> {
  const moduleSet = await putModuleSet(store);
  await store.putDevice({
    device: deviceRecord(device.id, { name: device.name, moduleSet }),
    actor: "tester",
    key: `add ${device.id}`,
  });
  const put = itemsOf(labTree(content)).map((item) => ({ item, setBy: { kind: "import" as const }, retained: false }));
  await store.commitRevision(
    commit(body({ devices: [writesOf(device.id, { moduleSet, put })] }), `import ${device.id}`),
  );
  return moduleSet;
}

/** Service `mtu` takes the MTU of port a/1 to 9000: one more revision. */
export async function putMtuService(store: GraphStore, device: string): Promise<void> {
  const document = await store.documents.put(canonicalJson({ kind: "definition", name: "port-mtu", version: "1" }));
  const value = { kind: "plain", type: "uint16", text: "9000" } as const;
  const link: ServiceLink = {
    service: "mtu",
    device,
    path: MTU_PATH,
    relation: "owns",
    value,
    scope: "node",
    onRemove: "delete",
    existedBefore: { since: 1, value: { ...value, text: "1500" } },
    implied: false,
  };
  const definition = { name: "port-mtu", version: "1", document };
  await store.commitRevision({
    body: body({
      devices: [
        writesOf(device, {
          put: [
            {
              item: { kind: "leaf", path: MTU_PATH, value, origin: "set" },
              setBy: { kind: "service", service: "mtu" },
              retained: false,
            },
          ],
          putLinks: [link],
        }),
      ],
      services: [{ kind: "put", name: "mtu", definition, parameters: '{"mtu":9000}', targets: [device] }],
      definitions: [definition],
      statuses: [{ service: "mtu", status: { kind: "consistent" } }],
    }),
    key: "put mtu",
    actor: "alice",
    cause: { kind: "change", plan: "p-aaaaaaaa" },
  });
}

/** A plan that takes the device from BEFORE to AFTER, with header, section and observation as documents. Gives its digest. */
export async function putPlan(
  store: GraphStore,
  plan: {
    readonly id: string;
    readonly device: { readonly id: string; readonly name: string };
    readonly moduleSet: string;
    readonly state: PlanState;
    readonly author?: string;
  },
): Promise<string> {
  const { device, moduleSet } = plan;
  const [before, after] = [labTree(BEFORE), labTree(AFTER)];
  const { documents } = store;
  const content = await documents.put(contentText(before));
  const observation: ObservationDocument = {
    format: "tenure-observation/1",
    device: device.id,
    moduleSet,
    profile: "netconf-generic",
    datastore: "running",
    defaultsMode: "explicit",
    basicMode: "explicit",
    content,
  };
  const operations = orderOperations(
    labSchema,
    compare(after, before, { defaultsMode: "explicit" }).operations,
  ).operations;
  const section = await documents.put(
    sectionDocument(
      planSection({
        device: device.id,
        name: device.name,
        goalBefore: await documents.put(renderGoal(before)),
        goalAfter: await documents.put(renderGoal(after)),
        observation: await documents.put(canonicalJson(observation)),
        expectedState: await documents.put(contentText(after)),
        moduleSet,
        profile: await documents.put("{}"),
        datastore: "running",
        defaultsMode: "explicit",
        completeness: "complete",
        operations,
        services: [],
        findings: [],
      }),
    ),
  );
  const digest = await documents.put(
    headerDocument(
      planHeader({
        direction: "enforce",
        policy: "per-device",
        scope: { kind: "devices", devices: [device.name], paths: [] },
        allowUnrelated: false,
        includeDrift: false,
        approval: { policy: "author-may-approve", approvals: 1, author: "may-approve" },
        sections: { [device.name]: section },
      }),
    ),
  );
  const record = planRecord(plan.id, {
    digest,
    direction: "enforce",
    policy: "per-device",
    operations: operations.length,
    author: plan.author ?? "tester",
  });
  await store.putPlan({ plan: record, state: plan.state });
  return digest;
}
