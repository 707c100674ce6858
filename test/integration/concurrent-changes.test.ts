/** What is read for a change while something else is committed: it is judged again, or stale. */
import { MockActivityEnvironment } from "@temporalio/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { compilePut } from "../../activities/compile-submission.ts";
import { createGraphActivities } from "../../activities/graph-activities.ts";
import type { GraphActivities } from "../../contract/activities.ts";
import type { ObservationDocument } from "../../contract/documents.ts";
import { canonicalJson } from "../../graph/canonical-json.ts";
import { contentText } from "../../graph/documents/typed-documents.ts";
import { type GraphStore, openStore } from "../../graph/store.ts";
import { ProviderRegistry } from "../../providers/registry.ts";
import { checkBasis } from "../../services/basis.ts";
import type { ServiceLink } from "../../services/desired-state.ts";
import { importDevice, labSchema, labTree } from "../support/api-lab.ts";
import { body, commit, planRecord, testFolder, writesOf } from "../support/graph-bodies.ts";

const HOSTNAME = "/lab:system/hostname";
const shows = (hostname: string) => ({ "lab:system": { hostname } });
const STANDS = shows("core");

let store: GraphStore;
let moduleSet = "";

beforeEach(async () => {
  store = await openStore({ dataFolder: testFolder(), reserveBytes: 0, checkBasis });
  for (const name of ["r1", "r2"]) moduleSet = await importDevice(store, { id: `d-${name}`, name }, STANDS);
  await putSpan();
});

afterEach(() => store.close());

/** Service `span` owns the host name of both devices. */
async function putSpan(): Promise<void> {
  const definition = { name: "span", version: "1", document: await store.documents.put('{"kind":"definition"}') };
  const targets = ["d-r1", "d-r2"];
  const link = (device: string): ServiceLink => ({
    ...{ service: "span", device, path: HOSTNAME, relation: "owns", scope: "node", onRemove: "delete" },
    value: { kind: "plain", type: "string", text: "core" },
    existedBefore: undefined,
    implied: false,
  });
  const devices = targets.map((device) => writesOf(device, { putLinks: [link(device)] }));
  const services = [{ kind: "put" as const, name: "span", definition, parameters: "{}", targets }];
  await store.commitRevision(commit(body({ devices, services, definitions: [definition] }), "put span"));
}

function run<T>(on: GraphStore, work: (activities: GraphActivities) => Promise<T>): Promise<T> {
  const activities = createGraphActivities({
    store: on,
    registry: new ProviderRegistry(),
    approval: { author: "may-approve" },
  });
  return new MockActivityEnvironment().run(() => work(activities));
}

async function importOf(name: string, content: object, on: GraphStore = store) {
  const document: ObservationDocument = {
    format: "tenure-observation/1",
    device: `d-${name}`,
    moduleSet,
    profile: "generic",
    datastore: "running",
    defaultsMode: "explicit",
    basicMode: "explicit",
    content: await store.documents.put(contentText(labTree(content))),
  };
  const observation = await store.documents.put(canonicalJson(document));
  const request = {
    submission: `import-${name}-${JSON.stringify(content)}`,
    device: `d-${name}`,
    observation,
    actor: "ada",
    mode: "record" as const,
    empty: "refuse" as const,
  };
  return run(on, (graph) => graph.importObservation(request));
}

/** The store, with something that happens between what the first import read and its commit. */
function meanwhile(happens: () => Promise<unknown>): GraphStore {
  let left = 1;
  return {
    ...store,
    commitRevision: async (request) => {
      left -= 1;
      if (left === 0) await happens();
      return store.commitRevision(request);
    },
  };
}

async function wrongOn(): Promise<readonly string[]> {
  const status = (await store.service("span"))?.status;
  return status?.kind === "inconsistent" ? status.because.map((each) => each.device).sort() : [];
}

test("each import of two at once finds what the other found", async () => {
  const outcome = await importOf(
    "r1",
    shows("one"),
    meanwhile(() => importOf("r2", shows("two"))),
  );
  expect(outcome).toMatchObject({ kind: "imported", affectedServices: ["span"] });
  expect(await wrongOn()).toEqual(["d-r1", "d-r2"]);
});

test("an import that mends its device does not call the service consistent while another device is found wrong", async () => {
  await importOf("r1", shows("one"));
  expect(await wrongOn()).toEqual(["d-r1"]);
  await importOf(
    "r1",
    STANDS,
    meanwhile(() => importOf("r2", shows("two"))),
  );
  expect(await wrongOn()).toEqual(["d-r2"]);
});

const definitionOf = (hostname: string) => ({
  kind: "definition",
  name: "name",
  version: "1",
  rules: [{ path: HOSTNAME, value: hostname }],
});

test("a put that reads a definition while a newer one is committed is stale, and never silently the older", async () => {
  const define = async (hostname: string): Promise<unknown> => {
    const document = await store.documents.put(canonicalJson(definitionOf(hostname)));
    const definitions = [{ name: "name", version: "1", document }];
    return store.commitRevision(commit(body({ definitions }), `define ${hostname}`));
  };
  await define("one");
  let left = 1;
  const busy: GraphStore = {
    ...store,
    definitions: async (at) => {
      const definitions = await store.definitions(at);
      left -= 1;
      if (left === 0) await define("two");
      return definitions;
    },
  };
  const instance = { kind: "service", name: "n", definition: "name", targets: ["r1"] };
  const { proposal } = await compilePut(
    { store: busy, schemaOf: () => Promise.resolve(labSchema), isSecret: () => false },
    { format: "tenure-submission/1", files: [{ name: "n.yaml", text: JSON.stringify(instance) }] },
  );
  await expect(store.commitRevision(commit(proposal.body, "put n"))).rejects.toMatchObject({
    code: "stale-basis",
    details: { reasons: ["definition name was changed since the proposal"] },
  });
});

test("a put of what desired state has already is stale too when that is another one by the time it is approved", async () => {
  const service = { kind: "service", name: "n", definition: "name", targets: ["r1"] };
  const text = [definitionOf("core"), service].map((each) => JSON.stringify(each)).join("\n---\n");
  const { proposal } = await compilePut(
    { store, schemaOf: () => Promise.resolve(labSchema), isSecret: () => false },
    { format: "tenure-submission/1", files: [{ name: "n.yaml", text }] },
  );
  const asserted = await store.documents.put(canonicalJson(proposal.body));
  const document = { format: "tenure-proposal/1", kind: "put", body: asserted };
  const record = planRecord("p-1", { proposal: await store.documents.put(canonicalJson(document)), body: undefined });
  await store.putPlan({ plan: record, state: "waiting" });
  const request = { plan: "p-1", digest: record.digest, body: undefined, devices: [], writes: [] };
  const base = () => run(store, (graph) => graph.checkBase(request));
  expect(await base()).toEqual({ kind: "valid" });
  await importOf("r1", shows("other"));
  expect(await base()).toMatchObject({ kind: "stale" });
});
