/**
 * A small language for ownership stories: services are put and removed, devices are changed behind our back and
 * imported, and then items, owners, values, statuses and explanations are told in short texts. Documents are real ones
 * (JSON, a subset of YAML), so that a story passes through reading, typing and the rules.
 */
import { createHash } from "node:crypto";
import { expect } from "vitest";
import { removeAt, setItem } from "../../codec/edit-tree.ts";
import { itemsOf, treeFromItems } from "../../codec/items.ts";
import { canonicalJson } from "../../graph/canonical-json.ts";
import { checkBody } from "../../graph/check-body.ts";
import { parseCanonicalPath, parseValue } from "../../model/values/canonical-value.ts";
import { type Diagnostic, type Result, ok } from "../../model/diagnostic.ts";
import type { DataSchemaNode, Schema } from "../../model/schema.ts";
import type { DataTree } from "../../model/tree.ts";
import { type Value, displayValue } from "../../model/value.ts";
import { checkBasis } from "../../services/basis.ts";
import { type Yield, compileInstance } from "../../services/compile-instance.ts";
import type { DesiredState, RevisionBody, ServiceLink, Setter } from "../../services/desired-state.ts";
import { type DefinitionDocument, type ServiceDocument, readServiceDocuments } from "../../services/documents.ts";
import type { Explanation } from "../../services/explanation.ts";
import { observeChange } from "../../services/observe-change.ts";
import { checkParameters } from "../../services/parameters.ts";
import { type Proposal, type PutInstance, propose } from "../../services/propose.ts";
import { network } from "./ownership-network.ts";
import { acceptBody } from "./ownership-state.ts";
import { valueOf } from "./results.ts";

/** A rule as the documents have it. */
export interface StoryRule {
  readonly path: string;
  readonly value?: string;
  readonly relation?: "owns" | "depends";
  readonly scope?: "node" | "subtree";
  readonly onRemove?: "delete" | "keep";
}

export interface StoryService {
  readonly name: string;
  readonly rules: readonly StoryRule[];
  /** `r1` where left out. */
  readonly targets?: readonly string[];
}

/** What somebody does on a device itself. */
export interface DeviceEdit {
  /** Path and value; the value undefined for entries, containers and empty leafs. */
  readonly set?: readonly (readonly [path: string, value?: string])[];
  readonly remove?: readonly string[];
  /** Where left out, everything was seen. */
  readonly seen?: number;
  /** The device speaks other modules now, and shows what is set and nothing else. */
  readonly moduleSet?: { readonly name: string; readonly schema: Schema };
}

export class OwnershipStory {
  readonly #schema: Schema;
  /** By module set. */
  readonly #known: Map<string, Schema>;
  #state: DesiredState;
  #last: { readonly explanations: readonly Explanation[]; readonly body: RevisionBody } | undefined;

  /** `state`: where another story stands; it goes on from there. */
  constructor(
    options: { readonly devices?: readonly string[]; readonly schema?: Schema; readonly state?: DesiredState } = {},
  ) {
    this.#schema = options.schema ?? network;
    this.#known = new Map([["modules", this.#schema]]);
    const devices = (options.devices ?? ["r1"]).map((name) => {
      const device = { device: `id-${name}`, name, moduleSet: "modules", items: new Map(), links: [] };
      return [device.device, device] as const;
    });
    this.#state = options.state ?? {
      revision: 0,
      devices: new Map(devices),
      services: new Map(),
      definitions: new Map(),
    };
  }

  get state(): DesiredState {
    return this.#state;
  }
  get revision(): number {
    return this.#state.revision;
  }
  get body(): RevisionBody {
    if (this.#last === undefined) throw new Error("nothing happened yet");
    return this.#last.body;
  }

  /** One submission of these services; it has to be accepted. */
  put(...services: readonly StoryService[]): this {
    this.#accept(valueOf(this.propose(...services)));
    return this;
  }

  /** One service with these rules, on `r1`. */
  putOne(name: string, ...rules: readonly StoryRule[]): this {
    return this.put({ name, rules });
  }

  /** The proposal of one submission, which changes nothing. */
  propose(...services: readonly StoryService[]): Result<Proposal> {
    return this.proposeText(
      "story.yaml",
      services
        .flatMap(documentsOf)
        .map((each) => JSON.stringify(each))
        .join("\n---\n"),
    );
  }

  proposeText(source: string, text: string): Result<Proposal> {
    const read = readServiceDocuments(source, text);
    if (read.kind === "error") return read;
    const definitions = read.value.filter((each) => each.kind === "definition");
    const changes = this.#compile(read.value, definitions);
    if (changes.kind === "error") return changes;
    const writes = definitions.map((each) => ({
      name: each.name,
      version: each.version,
      document: documentDigest(each),
    }));
    return propose(this.#state, this.#schemas(), changes.value, writes);
  }

  /** Commits a proposal that was made before, as long as what it was made from still holds. */
  commit(proposal: Proposal): readonly string[] {
    const reasons = this.staleness(proposal);
    if (reasons.length === 0) this.#accept(proposal);
    return reasons;
  }

  /** Why a proposal that was made before does not hold any more. */
  staleness(proposal: Proposal): readonly string[] {
    return checkBasis(this.#state, proposal.body.basis);
  }

  proposeRemoval(name: string): Result<Proposal> {
    return propose(this.#state, this.#schemas(), [{ kind: "remove", name }], []);
  }

  remove(name: string): this {
    this.#accept(valueOf(this.proposeRemoval(name)));
    return this;
  }

  /** Somebody changes the device, starting from desired state, and it is imported. */
  import(device: string, edit: DeviceEdit = {}): this {
    return this.#observe(device, edit, { setBy: { kind: "import" }, paths: [] });
  }

  /** The same as a drift that is accepted, whole or in part. */
  accept(device: string, edit: DeviceEdit, paths: readonly string[] = []): this {
    return this.#observe(device, edit, { setBy: { kind: "accept", plan: "p1" }, paths });
  }

  /** `1500, set by B, since 3, owned by A B, needed by C, retained`; `absent` where no item stands. */
  item(path: string, device = "r1"): string {
    const { items, links } = this.#device(device);
    const item = items.get(path);
    const linked = (relation: ServiceLink["relation"], word: string): string[] => {
      const names = links
        .filter((link) => link.path === path && link.relation === relation)
        .map((link) => link.service);
      return names.length === 0 ? [] : [`${word} ${names.sort().join(" ")}`];
    };
    const what =
      item === undefined
        ? ["absent"]
        : [
            "value" in item.item ? text(item.item.value) : item.item.kind,
            `set by ${setter(item.setBy)}`,
            `since ${String(item.since)}`,
          ];
    const kept = item?.retained === true ? ["retained"] : [];
    return [...what, ...linked("owns", "owned by"), ...linked("depends", "needed by"), ...kept].join(", ");
  }

  link(service: string, path: string, device = "r1"): ServiceLink | undefined {
    return this.#device(device).links.find((link) => link.service === service && link.path === path);
  }

  /** Segment keys of a user-ordered list's entries, in order. */
  order(path: string, device = "r1"): readonly string[] {
    const item = this.#device(device).items.get(path)?.item;
    return item?.kind === "order" ? item.order : [];
  }

  /** Every path that stands on the device, orders apart. */
  paths(device = "r1"): readonly string[] {
    return [...this.#device(device).items.values()]
      .flatMap(({ item }) => (item.kind === "order" ? [] : [item.path]))
      .sort();
  }

  /** `consistent`, or a line a reason: `overridden PATH needs 9000 found 1500 by B in 3`. */
  status(service: string): string | readonly string[] {
    const status = this.#state.services.get(service)?.status;
    if (status?.kind !== "inconsistent") return status?.kind ?? "no service";
    return status.because.map((each) => {
      const by = each.by === undefined ? "" : ` by ${each.by}`;
      return `${each.reason} ${each.path} needs ${text(each.required)} found ${text(each.found)}${by} in ${String(each.revision)}`;
    });
  }

  /** Of the last submission. */
  get lastExplanations(): readonly Explanation[] {
    return this.#last?.explanations ?? [];
  }

  /** The explanations of the last submission, one a line. */
  explanations(kind?: Explanation["kind"]): readonly string[] {
    return this.lastExplanations.filter((each) => kind === undefined || each.kind === kind).map(line);
  }

  #compile(
    documents: readonly ServiceDocument[],
    definitions: readonly DefinitionDocument[],
  ): Result<readonly PutInstance[]> {
    const errors: Diagnostic[] = [];
    const changes: PutInstance[] = [];
    for (const instance of documents) {
      if (instance.kind !== "service") continue;
      const definition = definitions.find((each) => each.name === instance.definition.name);
      if (definition === undefined) throw new Error(`the story has no definition ${instance.definition.name}`);
      // Most stories have no parameters; to compile an empty schema for each of them takes most of a random history.
      const hasParameters = "parameters" in (definition.json as object);
      const parameters: Result<unknown> = hasParameters ? checkParameters(definition, instance) : ok({});
      if (parameters.kind === "error") {
        errors.push(...parameters.diagnostics);
        continue;
      }
      const yields = new Map<string, readonly Yield[]>();
      for (const target of instance.targets) {
        const compiled = compileInstance(definition, instance, parameters.value, {
          device: target.name,
          schema: this.#schemaOf(target.name),
          isSecret: (node: DataSchemaNode) => ["password", "community"].includes(node.name),
        });
        if (compiled.kind === "error") errors.push(...compiled.diagnostics);
        else yields.set(`id-${target.name}`, compiled.value);
      }
      changes.push({
        kind: "put",
        name: instance.name,
        definition: { name: definition.name, version: definition.version, document: documentDigest(definition) },
        parameters: canonicalJson(instance.parametersJson as object),
        yields,
        position: instance.position,
      });
    }
    return errors.length > 0 ? { kind: "error", diagnostics: errors } : ok(changes);
  }

  #observe(
    device: string,
    edit: DeviceEdit,
    options: { readonly setBy: Setter; readonly paths: readonly string[] },
  ): this {
    const { moduleSet } = edit;
    if (moduleSet !== undefined) this.#known.set(moduleSet.name, moduleSet.schema);
    const schema = moduleSet?.schema ?? this.#schemaOf(device);
    const shown = moduleSet === undefined ? this.#tree(device) : valueOf(treeFromItems(schema, []));
    const items = itemsOf(edited(schema, shown, edit));
    const observed = {
      device: `id-${device}`,
      items,
      observation: `observation ${String(this.revision + 1)}`,
      moduleSet: moduleSet?.name,
      ...(edit.seen === undefined ? {} : { seen: edit.seen }),
    };
    const schemas = new Map([...this.#schemas(), [`id-${device}`, schema]]);
    const body = observeChange(this.#state, schemas, [observed], options);
    if (body.devices.length + body.statuses.length + body.evidence.length > 0) this.#accept({ body, explanations: [] });
    else this.#last = { body, explanations: [] };
    return this;
  }

  #accept(change: { readonly body: RevisionBody; readonly explanations: readonly Explanation[] }): void {
    const { body } = change;
    expect(checkBasis(this.#state, body.basis)).toEqual([]);
    expect(checkBody(body, new Set(this.#state.devices.keys()), this.#state)).toEqual([]);
    this.#last = change;
    this.#state = acceptBody(this.#state, body);
    for (const device of this.#state.devices.values()) this.#tree(device.name);
  }

  /** Desired state has to be a tree: no orphan, no order that names what is not there. */
  #tree(device: string): DataTree {
    return valueOf(
      treeFromItems(
        this.#schemaOf(device),
        [...this.#device(device).items.values()].map((each) => each.item),
      ),
    );
  }

  #schemas(): ReadonlyMap<string, Schema> {
    return new Map([...this.#state.devices.values()].map(({ device, name }) => [device, this.#schemaOf(name)]));
  }

  #schemaOf(device: string): Schema {
    const schema = this.#known.get(this.#device(device).moduleSet);
    if (schema === undefined) throw new RangeError(`no schema of ${device}`);
    return schema;
  }

  #device(name: string) {
    const device = this.#state.devices.get(`id-${name}`);
    if (device === undefined) throw new RangeError(`no device ${name}`);
    return device;
  }
}

function edited(schema: Schema, tree: DataTree, { set = [], remove = [] }: DeviceEdit): DataTree {
  let result = tree;
  for (const path of remove) result = removeAt(result, valueOf(parseCanonicalPath(schema, path)).path);
  for (const [path, value] of set) {
    const parsed = valueOf(parseCanonicalPath(schema, path));
    const typed =
      parsed.schema?.kind !== "leaf"
        ? {}
        : { value: valueOf(parseValue(parsed.schema.type, value ?? "", { schema, form: { kind: "canonical" } })) };
    result = valueOf(setItem(result, parsed.path, typed));
  }
  return result;
}

function documentsOf({ name, rules, targets = ["r1"] }: StoryService): readonly object[] {
  return [
    { kind: "definition", name: `def-${name}`, version: "1", rules },
    { kind: "service", name, definition: `def-${name}`, targets },
  ];
}

function documentDigest(definition: DefinitionDocument): string {
  return createHash("sha256")
    .update(canonicalJson(definition.json as object))
    .digest("hex");
}

function text(value: Value | undefined): string {
  return value === undefined ? "nothing" : displayValue(value);
}

function setter(by: Setter): string {
  return by.kind === "service" ? by.service : by.kind;
}

function line(each: Explanation): string {
  const head = `${"service" in each ? each.service : "rollback"} ${each.kind} ${each.path}`;
  switch (each.kind) {
    case "restored":
      return `${head} ${each.change}: ${text(each.before)} -> ${text(each.after)} set by ${setter(each.setBy)}`;
    case "undone":
      return `${head}: ${text(each.before)} set by ${setter(each.setBy)}`;
    case "relinked":
      return `${head} ${each.relation} ${each.change}`;
    case "left-alone":
      return `${head} ${each.name} ${each.reason}`;
    case "set":
      return `${head}: ${text(each.before)} -> ${text(each.after)}`;
    case "overrides":
      return `${head} of ${each.overridden}: ${text(each.before)} -> ${text(each.after)}`;
    case "created":
      return head;
    case "removed":
      return each.existedBefore === undefined
        ? head
        : `${head}, existed since ${String(each.existedBefore.since)} as ${text(each.existedBefore.value)}`;
    case "swept":
      return `${head} with ${each.with}`;
    case "case-ended":
      return `${head} by ${each.by}`;
    case "missing":
      return `${head} needs ${text(each.required)} found ${text(each.found)}`;
    case "kept": {
      const keepers = each.keepers.map((keeper) => `${keeper.service} ${keeper.relation} ${keeper.path}`);
      const why = [...keepers, ...each.referrers].join(", ");
      return `${head} (${each.reason}${why === "" ? "" : `: ${why}`}), ${text(each.value)} set by ${each.setBy === undefined ? "nobody" : setter(each.setBy)}`;
    }
  }
}
