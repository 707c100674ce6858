/** Random writes of the crash tests, of every kind that the store knows; each is possible where the store stands. */
import { canonicalJson, digestOf } from "../../graph/canonical-json.ts";
import type { GraphStore } from "../../graph/store.ts";
import type { DeviceWrites, ItemPut, RevisionBody, ServiceLink } from "../../services/desired-state.ts";
import { MODULE_SET, body, importBody, link, mtu, writesOf } from "./graph-bodies.ts";
import { type Op, type OpContent, revisionOp } from "./graph-ops.ts";

export type Random = (below: number) => number;

/** The same numbers for the same seed, whatever runs in between. */
export function randomFrom(seed: number): Random {
  let state = (seed % 2147483646) + 1;
  return (below) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
}

export const DEVICES = ["d1", "d2", "d3"];
const INTERFACES = 80;
const SERVICES = ["gold", "silver", "bronze"];
/** Over what a property may hold: such a text goes to a document of its own. */
const LONG_TEXT = 5000;

/** What it may be: the words of the mix. */
export const OP_KINDS = [
  "small import",
  "medium import",
  "service put",
  "service removal",
  "plan step",
  "decision",
  "condition",
  "device",
  "document",
  "lock",
] as const;
export type OpKind = (typeof OP_KINDS)[number];

export interface Wish {
  readonly op: Op;
  readonly content: OpContent;
}

/** A write of the kind, or undefined where the store has nothing that it could be about. */
export async function randomOp(
  kind: OpKind,
  key: string,
  store: GraphStore,
  random: Random,
): Promise<Wish | undefined> {
  switch (kind) {
    case "small import":
      return revision(key, randomImport(random, 1 + random(10)));
    case "medium import":
      return revision(key, randomImport(random, 200 + random(200)));
    case "service put":
      return revision(key, await servicePut(store, random, key));
    case "service removal": {
      const standing = await store.services();
      const service = standing[random(Math.max(1, standing.length))];
      return service === undefined ? undefined : revision(key, await serviceRemoval(store, service.name));
    }
    case "plan step":
      return plain(await planStep(store, random, key));
    case "decision":
      return plain({ kind: "decide", transaction: `t${key}`, value: random(2) === 0 ? "confirm" : "abort" });
    case "condition":
      return plain({
        kind: "condition",
        subject:
          random(2) === 0
            ? { kind: "device", id: DEVICES[random(DEVICES.length)] ?? "d1" }
            : { kind: "service", name: SERVICES[random(SERVICES.length)] ?? "gold" },
        type: random(2) === 0 ? "InSync" : "Reachable",
        reason: `Reason${key}`,
      });
    case "device":
      return plain({ kind: "device", id: DEVICES[random(DEVICES.length)] ?? "d1", port: 1024 + random(60_000), key });
    case "document": {
      const text = `${key} ${"x".repeat(random(20_000))}`;
      return { op: { kind: "document", digest: digestOf(text) }, content: { text } };
    }
    case "lock":
      return plain(lockStep(store, random, key));
  }
}

function plain(op: Op): Wish {
  return { op, content: {} };
}

function revision(key: string, of: RevisionBody): Wish {
  return { op: revisionOp(key, of), content: { body: of } };
}

/** The first revision of a folder: without an import a device has no desired state. */
export function firstImport(key: string): Wish {
  return revision(
    key,
    body({ devices: DEVICES.map((device) => writesOf(device, { moduleSet: MODULE_SET, put: [mtu("eth0", "1500")] })) }),
  );
}

/** So many items that an empty graph is loaded with them in bulk. */
export function largeImport(key: string, items: number): Wish {
  const values: Record<string, string> = {};
  for (let index = 0; index < items; index += 1) values[`bulk${String(index)}`] = "1500";
  return revision(key, importBody("d1", values));
}

const interfaceName = (random: Random, count: number) => `eth${String(random(count))}`;

/** Puts and removals on one device, now and then with a text too long for a property. */
function randomImport(random: Random, count: number): RevisionBody {
  const pool = count > INTERFACES ? 500 : INTERFACES;
  const put = new Map<string, ItemPut>();
  const remove = new Set<string>();
  for (let index = 0; index < count; index += 1) {
    const one = mtu(interfaceName(random, pool), String(1000 + random(8000)));
    if (random(5) === 0) remove.add(one.item.path);
    else put.set(one.item.path, one);
  }
  if (random(6) === 0) {
    const path = "/test-net:banner";
    const text = `${String(random(1000))} ${"long ".repeat(LONG_TEXT / 5)}`;
    put.set(path, {
      item: { kind: "leaf", path, value: { kind: "plain", type: "string", text }, origin: "set" },
      setBy: { kind: "import" },
      retained: false,
    });
  }
  const device = DEVICES[random(DEVICES.length)] ?? "d1";
  return body({
    devices: [
      writesOf(device, {
        moduleSet: random(4) === 0 ? MODULE_SET : undefined,
        put: [...put.values()],
        remove: [...remove].filter((path) => !put.has(path)),
      }),
    ],
  });
}

/** An instance on some devices: owned and depended-on items, links that go, evidence, the status of another instance. */
async function servicePut(store: GraphStore, random: Random, key: string): Promise<RevisionBody> {
  const name = SERVICES[random(SERVICES.length)] ?? "gold";
  const targets = DEVICES.filter((_, index) => index === 0 || random(2) === 0);
  const before = await store.linksOf(name);
  const devices: DeviceWrites[] = DEVICES.map((device) => {
    const put = new Map<string, ItemPut>();
    const links = new Map<string, ServiceLink>();
    for (let index = 0; targets.includes(device) && index <= random(5); index += 1) {
      const on = interfaceName(random, INTERFACES);
      const value = String(1000 + random(8000));
      const one = link(name, device, on, value, { relation: random(3) === 0 ? "depends" : "owns" });
      if ([...links.values()].some((other) => other.path === one.path)) continue;
      links.set(linkKey(one), one);
      if (one.relation === "owns") put.set(one.path, mtu(on, value, { kind: "service", service: name }));
    }
    const gone = before.filter((one) => one.device === device && !links.has(linkKey(one)));
    return writesOf(device, { put: [...put.values()], putLinks: [...links.values()], removeLinks: gone.map(keyOf) });
  });
  const document = digestOf(`definition ${String(random(5))}`);
  const standing = await store.services();
  const other = standing.find((one) => one.name !== name);
  return body({
    devices: devices.filter((one) => one.put.length + one.putLinks.length + one.removeLinks.length > 0),
    services: [{ kind: "put", name, definition: { name: "vpn", version: "1", document }, parameters: "{}", targets }],
    definitions: random(4) === 0 ? [{ name: "vpn", version: "1", document }] : [],
    statuses:
      other === undefined || random(2) === 0
        ? []
        : [{ service: other.name, status: { kind: "inconsistent", because: [overridden(name)] } }],
    evidence:
      random(4) === 0
        ? [
            {
              device: "d1",
              path: mtu("eth0", "1").item.path,
              kind: "disappeared",
              expected: undefined,
              found: undefined,
              observation: digestOf(key),
              services: [name],
            },
          ]
        : [],
  });
}

function overridden(by: string) {
  return {
    reason: "overridden",
    device: "d1",
    path: mtu("eth0", "1").item.path,
    required: undefined,
    found: undefined,
    by,
    revision: 0,
  } as const;
}

async function serviceRemoval(store: GraphStore, name: string): Promise<RevisionBody> {
  const links = await store.linksOf(name);
  return body({
    devices: DEVICES.map((device) =>
      writesOf(device, { removeLinks: links.filter((one) => one.device === device).map(keyOf) }),
    ).filter((one) => one.removeLinks.length > 0),
    services: [{ kind: "remove", name }],
  });
}

function keyOf(one: ServiceLink): Pick<ServiceLink, "service" | "path" | "relation"> {
  return { service: one.service, path: one.path, relation: one.relation };
}

function linkKey(one: ServiceLink): string {
  return canonicalJson(keyOf(one));
}

/** The next step of some open plan, or a new plan. */
async function planStep(store: GraphStore, random: Random, key: string): Promise<Op> {
  const open = (await store.plans()).filter(({ state }) => state === "waiting" || state === "applying");
  const chosen = open[random(open.length + 1)];
  if (chosen === undefined) return { kind: "plan", plan: `p${key}` };
  const { plan } = chosen.plan;
  if (chosen.state === "waiting") {
    return random(3) === 0 ? { kind: "plan-state", plan, state: "withdrawn" } : { kind: "approve", plan, key };
  }
  switch (random(3)) {
    case 0:
      return { kind: "outcome", plan, device: DEVICES[random(DEVICES.length)] ?? "d1", key };
    case 1:
      return { kind: "decide", transaction: plan, value: "confirm" };
    default:
      return { kind: "plan-state", plan, state: "applied" };
  }
}

/** Never more than two places in the queue. */
function lockStep(store: GraphStore, random: Random, key: string): Op {
  const { holders, waiters } = store.locks.list();
  const all = [...holders, ...waiters];
  const first = all[0];
  if (first !== undefined && (all.length > 1 || random(2) === 0))
    return { kind: "unlock", request: first.request.request };
  return { kind: "lock", request: `r${key}`, keys: [`device/${DEVICES[random(2)] ?? "d1"}`] };
}
