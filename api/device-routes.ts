import type { FastifyInstance } from "fastify";
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { DeviceDetail, DeviceSettings, DeviceView, StartedDevice } from "../contract/api.ts";
import type { DeviceReference } from "../contract/device-reference.ts";
import type { GivenModulesDocument } from "../contract/documents.ts";
import { workflowId } from "../contract/workflows.ts";
import { canonicalJson } from "../graph/canonical-json.ts";
import type { DeviceRecord } from "../graph/journal/record.ts";
import type { GraphStore } from "../graph/store.ts";
import { badRequest, conflict } from "./api-error.ts";
import type { ApiContext } from "./context.ts";
import { findDevice } from "./find-device.ts";
import { isDeviceId, newDeviceId, newRunId } from "./new-id.ts";
import { plansOf } from "./plan-document.ts";
import { actorOf, parameter, readInput } from "./request.ts";
import { conditionLine, deviceViews } from "./views.ts";

const NETCONF_PORT = 830;

const settings = {
  address: z.string().min(1),
  credentials: z.string().regex(/^(env|file|command):./, "env:PREFIX, file:PATH or command:PATH"),
  provider: z.string().min(1).optional(),
  profile: z.string().min(1).optional(),
  hostKey: z
    .discriminatedUnion("kind", [
      z.strictObject({
        kind: z.literal("pinned"),
        sha256: z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}$/, "SHA256: and 43 characters of base64"),
      }),
      z.strictObject({ kind: z.literal("accept-new") }),
      z.strictObject({ kind: z.literal("unknown") }),
    ])
    .optional(),
  modules: z
    .array(z.strictObject({ name: z.string().min(1), text: z.string() }))
    .min(1)
    .optional(),
};
const nameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, "letters, digits, dot, underscore and hyphen, at most 63");
const addSchema = z.strictObject({ name: nameSchema, ...settings });
const renameSchema = z.strictObject({ name: nameSchema });
const setSchema = z.strictObject({
  ...settings,
  address: settings.address.optional(),
  credentials: settings.credentials.optional(),
});

export function addDeviceRoutes(app: FastifyInstance, context: ApiContext): void {
  const { store } = context;

  app.get("/v1/devices", async (): Promise<readonly DeviceView[]> => deviceViews(store, await store.devices()));

  app.get("/v1/devices/:device", async (request): Promise<DeviceDetail> => {
    const device = await findDevice(store, parameter(request, "device"));
    return deviceDetail(store, device);
  });

  app.post("/v1/devices", async (request, reply): Promise<StartedDevice> => {
    const body = readInput(addSchema, request.body, "body");
    refuseIdAsName(body.name);
    const taken = await store.device(body.name);
    if (taken !== undefined && taken.state !== "removed") {
      throw conflict(
        "name-taken",
        `there is a device ${body.name} already`,
        `change it with: tenure device set ${body.name}`,
      );
    }
    const reference: DeviceReference = {
      id: newDeviceId(),
      name: body.name,
      ...parseAddress(body.address),
      provider: body.provider ?? "netconf",
      credentials: body.credentials,
      hostKey: body.hostKey ?? { kind: "unknown" },
      profile: body.profile,
      moduleSet: undefined,
      announcement: undefined,
    };
    reply.code(202);
    return contact(context, reference, { actor: actorOf(request), modules: body.modules });
  });

  // Contacts the device again with what is set: nothing is recorded unless it answers.
  app.post("/v1/devices/:device/settings", async (request, reply): Promise<StartedDevice> => {
    const body = readInput(setSchema, request.body, "body");
    const device = await findDevice(store, parameter(request, "device"));
    const reference: DeviceReference = {
      id: device.id,
      name: device.name,
      ...(body.address === undefined ? { host: device.host, port: device.port } : parseAddress(body.address)),
      provider: body.provider ?? device.provider,
      credentials: body.credentials ?? device.credentials,
      hostKey: body.hostKey ?? device.hostKey,
      profile: body.profile ?? device.profile,
      moduleSet: device.moduleSet,
      announcement: undefined,
    };
    reply.code(202);
    return contact(context, reference, { actor: actorOf(request), modules: body.modules, given: device.givenModules });
  });

  app.post("/v1/devices/:device/name", async (request): Promise<DeviceView | undefined> => {
    const actor = actorOf(request);
    const { name } = readInput(renameSchema, request.body, "body");
    return rename(context, await findDevice(store, parameter(request, "device")), { name, actor });
  });

  app.post("/v1/devices/:device/pause", async (request) =>
    setState(store, parameter(request, "device"), { state: "paused", actor: actorOf(request) }),
  );
  app.post("/v1/devices/:device/resume", async (request) =>
    setState(store, parameter(request, "device"), { state: "managed", actor: actorOf(request) }),
  );

  app.delete("/v1/devices/:device", async (request): Promise<DeviceView | undefined> => {
    const actor = actorOf(request);
    const device = await findDevice(store, parameter(request, "device"));
    await refuseInUse(store, device);
    return setState(store, device.id, { state: "removed", actor });
  });
}

async function deviceDetail(store: GraphStore, device: DeviceRecord): Promise<DeviceDetail> {
  const [view] = await deviceViews(store, [device]);
  if (view === undefined) throw new RangeError("one device gives one view");
  return {
    ...view,
    conditions: (await store.conditions({ kind: "device", id: device.id })).map(conditionLine),
    services: await servicesOf(store, device.id),
    openPlans: await plansOf(store, device),
  };
}

async function servicesOf(store: GraphStore, device: string): Promise<readonly string[]> {
  return (await store.services()).filter((service) => service.targets.includes(device)).map((service) => service.name);
}

/** Removal writes nothing to the device and keeps its history; it waits until nobody builds on the device. */
async function refuseInUse(store: GraphStore, device: DeviceRecord): Promise<void> {
  const services = await servicesOf(store, device.id);
  const plans = await plansOf(store, device);
  const reasons = [
    ...(services.length === 0 ? [] : [`targeted by ${services.join(", ")}`]),
    ...(plans.length === 0 ? [] : [`in open plan ${plans.join(", ")}`]),
  ];
  if (reasons.length === 0) return;
  throw conflict(
    "device-in-use",
    `device ${device.name} is ${reasons.join(" and ")}`,
    "remove these services and end these plans first",
  );
}

function refuseIdAsName(name: string): void {
  if (isDeviceId(name)) throw badRequest(`${name} has the form of a device id; choose another name`);
}

/** Plans and contacts that run carry the name along; they end under the one with which they began. */
async function rename(
  { store, temporal }: ApiContext,
  device: DeviceRecord,
  { name, actor }: { readonly name: string; readonly actor: string },
): Promise<DeviceView | undefined> {
  refuseIdAsName(name);
  const plans = await plansOf(store, device);
  if (plans.length > 0) {
    throw conflict(
      "device-in-use",
      `device ${device.name} is in open plan ${plans.join(", ")}`,
      "end these plans first",
    );
  }
  if ((await temporal.state(workflowId.addDevice(device.id)))?.kind === "running")
    throw conflict("busy", `device ${device.name} is being contacted`, "try again when that has ended");
  if (device.name !== name) {
    await store.updateDevice({ id: device.id, set: { name }, actor, key: `${device.id}/name/${randomUUID()}` });
  }
  const after = await store.device(device.id);
  return after === undefined ? undefined : (await deviceViews(store, [after]))[0];
}

async function setState(
  store: GraphStore,
  idOrName: string,
  to: { readonly state: DeviceRecord["state"]; readonly actor: string },
): Promise<DeviceView | undefined> {
  const device = await findDevice(store, idOrName);
  // A key of its own for each request: pausing again after a resume is a new fact.
  if (device.state !== to.state) {
    await store.updateDevice({
      id: device.id,
      set: { state: to.state },
      actor: to.actor,
      key: `${device.id}/${to.state}/${randomUUID()}`,
    });
  }
  const after = await store.device(device.id);
  return after === undefined ? undefined : (await deviceViews(store, [after]))[0];
}

async function contact(
  { store, temporal }: ApiContext,
  device: DeviceReference,
  request: { readonly actor: string; readonly modules: DeviceSettings["modules"]; readonly given?: string | undefined },
): Promise<StartedDevice> {
  const modules = request.modules === undefined ? request.given : await storeModules(store, request.modules);
  const id = workflowId.addDevice(device.id);
  const answer = await temporal.start({
    workflow: "addDevice",
    id,
    input: { submission: newRunId("contact"), device, actor: request.actor, modules },
    reuse: "after-close",
  });
  if (answer.kind === "already-started") {
    throw conflict("busy", `device ${device.name} is being contacted already`, "try again when that has ended");
  }
  return { run: id, device: device.id, name: device.name };
}

async function storeModules(store: GraphStore, modules: NonNullable<DeviceSettings["modules"]>): Promise<string> {
  const document: GivenModulesDocument = { format: "tenure-given-modules/1", modules };
  return store.documents.put(canonicalJson(document));
}

const ADDRESS = /^(?:\[([0-9A-Fa-f:.%A-Za-z]+)\]|([^:[\]\s/@]+))(?::([0-9]{1,5}))?$/;

function parseAddress(address: string): { readonly host: string; readonly port: number } {
  const match = ADDRESS.exec(address);
  const host = match?.[1] ?? match?.[2];
  const port = match?.[3] === undefined ? NETCONF_PORT : Number(match[3]);
  if (host === undefined || port < 1 || port > 65_535) {
    throw badRequest(`address ${address} is not HOST:PORT`, [
      {
        code: "address",
        severity: "error",
        message: "not HOST:PORT",
        places: [{ kind: "field", path: "address" }],
        expected: "HOST:PORT, an IPv6 host in brackets",
      },
    ]);
  }
  return { host, port };
}
