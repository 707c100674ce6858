import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { formatJson } from "../codec/json/json-value.ts";
import { dataToJson } from "../codec/json/data-to-json.ts";
import { dataToXml } from "../codec/xml/data-to-xml.ts";
import { treeFromItems } from "../codec/items.ts";
import type { BlameLine, DiffView, HistoryLine, RevisionLine } from "../contract/api.ts";
import { must } from "../graph/documents/typed-documents.ts";
import type { ItemVersion, RevisionView } from "../graph/reads.ts";
import type { GraphStore } from "../graph/store.ts";
import { renderGoal } from "../goal/device-goal.ts";
import { compareText } from "../model/compare-text.ts";
import { parseCanonicalPath } from "../model/values/canonical-value.ts";
import { formatInstancePath, isAtOrBelow } from "../model/path.ts";
import type { Result } from "../model/diagnostic.ts";
import type { DataTree } from "../model/tree.ts";
import type { DesiredDevice, Evidence } from "../services/desired-state.ts";
import { ApiError, badRequest, conflict, notFound } from "./api-error.ts";
import type { ApiContext } from "./context.ts";
import { diffRevisions } from "./diff-revisions.ts";
import { findDevice, findDeviceAt } from "./find-device.ts";
import { pruneTree } from "./prune-tree.ts";
import { parameter, readInput } from "./request.ts";
import { revisionOf, revisionQuery } from "./revision-query.ts";
import { deviceNames } from "./views.ts";
import { configXml } from "./xml-text.ts";

const showSchema = revisionQuery.extend({
  path: z.string().optional(),
  as: z.enum(["goal", "xml", "json"]).default("goal"),
});
const blameSchema = revisionQuery.extend({ path: z.string().optional() });
const historySchema = z.object({ path: z.string().min(1) });
const diffSchema = z.object({ from: z.coerce.number().int().min(0), to: z.coerce.number().int().min(0) });
const revisionsSchema = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  to: z.coerce.number().int().optional(),
});

/** Reads of desired state: what it is, what it was, who set it. */
export function addDesiredRoutes(app: FastifyInstance, context: ApiContext): void {
  const { store } = context;

  app.get("/v1/devices/:device/config", async (request, reply) => {
    const query = readInput(showSchema, request.query, "query");
    const desired = await desiredOf(context, parameter(request, "device"), query);
    const whole = await treeOf(context, desired);
    const tree = query.path === undefined ? whole : partOf(whole, query.path);
    return reply
      .type(query.as === "xml" ? "application/xml; charset=utf-8" : "application/json; charset=utf-8")
      .send(render(tree, query.as));
  });

  app.get("/v1/devices/:device/blame", async (request): Promise<readonly BlameLine[]> => {
    const query = readInput(blameSchema, request.query, "query");
    const desired = await desiredOf(context, parameter(request, "device"), query);
    const path = query.path === undefined ? "/" : await canonicalPath(context, desired, query.path);
    return blameLines(desired, path);
  });

  app.get("/v1/devices/:device/history", async (request): Promise<readonly HistoryLine[]> => {
    const { path } = readInput(historySchema, request.query, "query");
    const device = await findDeviceAt(store, parameter(request, "device"), Number.MAX_SAFE_INTEGER);
    const { text, versions } = await versionsOf(context, device.id, path);
    const evidence = await store.evidence(device.id, text);
    return Promise.all(versions.map((version) => historyLine(store, version, evidence)));
  });

  app.get("/v1/diff", async (request): Promise<DiffView> => {
    const { from, to } = readInput(diffSchema, request.query, "query");
    await revisionOf(store, { revision: Math.max(from, to) });
    return diffRevisions(store, { from, to });
  });

  app.get("/v1/revisions", async (request): Promise<readonly RevisionLine[]> => {
    const { limit, to } = readInput(revisionsSchema, request.query, "query");
    const names = await deviceNames(store);
    const views = await store.revisions({ limit, ...(to === undefined ? {} : { to }) });
    return views.map((view) => revisionLine(view, names));
  });

  app.get("/v1/documents/:digest", async (request, reply) => {
    const text = await store.documents.getText(parameter(request, "digest"));
    return reply.type("text/plain; charset=utf-8").send(text);
  });
}

function revisionLine(
  { revision, time, actor, cause, devices }: RevisionView,
  names: ReadonlyMap<string, string>,
): RevisionLine {
  return { revision, time, actor, cause, devices: devices.map((id) => names.get(id) ?? id).sort(compareText) };
}

async function desiredOf(
  { store }: ApiContext,
  idOrName: string,
  query: z.infer<typeof revisionQuery>,
): Promise<DesiredDevice> {
  const revision = await revisionOf(store, query);
  const isNow = query.revision === undefined && query.at === undefined;
  const device = isNow ? await findDevice(store, idOrName) : await findDeviceAt(store, idOrName, revision);
  const desired = await store.desiredDevice(device.id, { revision });
  if (desired !== undefined) return desired;
  throw conflict(
    "NotImported",
    revision === 0
      ? `device ${device.name} has no import: there was no revision yet`
      : `device ${device.name} has no import at revision ${revision}`,
    `import it first: tenure import ${device.name}`,
  );
}

/**
 * Every version of the item that a path named at some time. It is read by the schema of the day, then by older ones:
 * what an item was is told although its module went. Error 400 for a path that none of them can read and nobody stored.
 */
async function versionsOf(
  { store, schemas }: ApiContext,
  device: string,
  path: string,
): Promise<{ readonly text: string; readonly versions: readonly ItemVersion[] }> {
  const texts = new Set<string>();
  let refused: Result<never> | undefined;
  for (const { moduleSet } of await store.moduleSets(device)) {
    const parsed = parseCanonicalPath(await schemas.get(moduleSet), path);
    if (parsed.kind === "ok") texts.add(formatInstancePath(parsed.value.path));
    else refused ??= parsed;
  }
  const isUnread = texts.size === 0;
  texts.add(path);
  let pruned: readonly ItemVersion[] = [];
  for (const text of texts) {
    const versions = await store.history(device, text);
    if (versions.some(({ kind }) => kind !== "pruned")) return { text, versions };
    if (!isUnread) pruned = versions;
  }
  return isUnread && refused !== undefined ? read(refused) : { text: path, versions: pruned };
}

async function historyLine(
  store: GraphStore,
  version: ItemVersion,
  evidence: Awaited<ReturnType<GraphStore["evidence"]>>,
): Promise<HistoryLine> {
  if (version.kind === "pruned") return version;
  const { kind, from, until } = version;
  const revision = await store.revision(from);
  const present = kind === "present" ? version : undefined;
  const { time, actor, cause } = revision ?? {};
  const seen = evidence.find((each) => each.revision === from);
  return {
    ...{ kind, from, until, item: present?.item, setBy: present?.setBy, time, actor, cause },
    evidence: seen === undefined ? undefined : evidenceOf(seen),
  };
}

function evidenceOf({ kind, expected, found, observation, services }: Evidence) {
  return { kind, expected, found, observation, services };
}

async function treeOf({ schemas }: ApiContext, desired: DesiredDevice): Promise<DataTree> {
  const schema = await schemas.get(desired.moduleSet);
  return must(
    "desired state",
    treeFromItems(
      schema,
      [...desired.items.values()].map((each) => each.item),
    ),
  );
}

function partOf(tree: DataTree, path: string): DataTree {
  const resolved = read(parseCanonicalPath(tree.schema, path));
  const part = pruneTree(tree, resolved.path);
  if (part !== undefined) return part;
  throw notFound("not-set", `desired state has nothing at ${path}`);
}

/** The path in the form in which items carry it. */
async function canonicalPath({ schemas }: ApiContext, desired: DesiredDevice, path: string): Promise<string> {
  const schema = await schemas.get(desired.moduleSet);
  return formatInstancePath(read(parseCanonicalPath(schema, path)).path);
}

function read<T>(result: Result<T>): T {
  if (result.kind === "ok") return result.value;
  throw badRequest(result.diagnostics[0]?.message ?? "the path cannot be read", result.diagnostics);
}

function render(tree: DataTree, form: "goal" | "xml" | "json"): string {
  switch (form) {
    case "goal":
      return renderGoal(tree);
    case "json":
      return formatJson(carried(dataToJson(tree, { defaults: "omit", order: "canonical" })), { layout: "indented" });
    case "xml":
      return configXml(carried(dataToXml(tree)));
  }
}

/** Secrets and opaque content of the other encoding have no place in RFC 7951 JSON and XML. */
function carried<T>(result: Result<T>): T {
  if (result.kind === "ok") return result.value;
  const { diagnostics } = result;
  throw new ApiError(409, {
    code: "not-expressible",
    message: "this form cannot carry everything that is set",
    diagnostics,
    remedy: "show it with --as goal, or a part of it by PATH",
  });
}

/** Items at or below a path, and those that are not there though a service owns them or depends on them. */
function blameLines(desired: DesiredDevice, path: string): readonly BlameLine[] {
  const linksAt = new Map<string, DesiredDevice["links"][number][]>();
  for (const link of desired.links) {
    const at = linksAt.get(link.path);
    if (at === undefined) linksAt.set(link.path, [link]);
    else at.push(link);
  }
  const absent = [...linksAt.keys()].filter((each) => !desired.items.has(each));
  return [...desired.items.keys(), ...absent]
    .filter((each) => isAtOrBelow(each, path))
    .sort(compareText)
    .map((each) => {
      const { item, setBy, since, retained = false } = desired.items.get(each) ?? {};
      const links = linksAt.get(each) ?? [];
      return {
        path: each,
        item,
        setBy,
        since,
        retained,
        owners: links.filter((link) => link.relation === "owns").map((link) => link.service),
        dependants: links
          .filter((link) => link.relation === "depends")
          .map(({ service, value }) => ({ service, value })),
      };
    });
}
