import type { DesiredState, DeviceWrites, RevisionBody } from "../services/desired-state.ts";

/**
 * What is wrong with a revision body before it becomes a record; afterwards nothing can refuse it. Reasons name the
 * place; none: it can be applied. `state` holds the services that the body names, as they stand; `devices` all ids.
 */
export function checkBody(
  body: RevisionBody,
  devices: ReadonlySet<string>,
  state: Pick<DesiredState, "services">,
): readonly string[] {
  const reasons: string[] = [];
  const targets = targetsAfter(body, state);

  const unknownDevice = (id: string, where: string) => {
    if (!devices.has(id)) reasons.push(`${where} names device ${id}, which does not exist`);
  };
  reportTwice(
    body.devices.map((writes) => writes.device),
    "device",
    reasons,
  );
  reportTwice(
    body.services.map((write) => write.name),
    "service",
    reasons,
  );
  reportTwice(
    body.statuses.map((write) => write.service),
    "status of service",
    reasons,
  );
  reportTwice(
    [...body.definitions.map((write) => write.name), ...(body.removedDefinitions ?? [])],
    "definition",
    reasons,
  );
  for (const writes of body.devices) {
    unknownDevice(writes.device, "the body");
    checkItems(writes, reasons);
    checkLinks(writes, targets, reasons);
  }
  for (const service of body.services) {
    if (service.kind === "put") for (const target of service.targets) unknownDevice(target, `service ${service.name}`);
  }
  for (const evidence of body.evidence) unknownDevice(evidence.device, "evidence");
  return reasons;
}

function checkItems(writes: DeviceWrites, reasons: string[]): void {
  const paths = [...writes.put.map((put) => put.item.path), ...writes.remove];
  reportTwice(paths, `path on ${writes.device}`, reasons);
  for (const path of paths) {
    if (!path.startsWith("/") || path === "/") reasons.push(`${path} on ${writes.device} is not the path of an item`);
  }
}

function checkLinks(writes: DeviceWrites, targets: ReadonlyMap<string, ReadonlySet<string>>, reasons: string[]): void {
  const keys = writes.putLinks.map((link) => `${link.relation} ${link.service} ${link.path}`);
  reportTwice(keys, `link on ${writes.device}`, reasons);
  for (const link of writes.putLinks) {
    if (link.device !== writes.device)
      reasons.push(`a link of ${writes.device} to ${link.path} names device ${link.device}`);
    if (targets.get(link.service)?.has(writes.device) !== true) {
      reasons.push(
        `service ${link.service} has a link to ${link.path} on ${writes.device}, but does not target that device`,
      );
    }
  }
}

/** Targets of every service that the body names, once it is applied. */
function targetsAfter(
  body: RevisionBody,
  state: Pick<DesiredState, "services">,
): ReadonlyMap<string, ReadonlySet<string>> {
  const targets = new Map<string, ReadonlySet<string>>();
  for (const [name, service] of state.services) targets.set(name, new Set(service.targets));
  for (const write of body.services) {
    if (write.kind === "remove") targets.delete(write.name);
    else targets.set(write.name, new Set(write.targets));
  }
  return targets;
}

function reportTwice(names: readonly string[], what: string, reasons: string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) reasons.push(`${what} ${name} is written twice`);
    seen.add(name);
  }
}

/** Names of the services whose present state the body is checked against. */
export function servicesOf(body: RevisionBody): readonly string[] {
  const links = body.devices.flatMap((writes) =>
    [...writes.putLinks, ...writes.removeLinks].map((link) => link.service),
  );
  return [
    ...new Set([...body.services.map((write) => write.name), ...body.statuses.map((write) => write.service), ...links]),
  ];
}
