/**
 * A real store that lives through a random history: every submission is compiled by the code that the product runs, the
 * clock is the test's, and after each step all that can be shown is remembered, to be asked for again later.
 */
import { rmSync } from "node:fs";
import { removeAt, setItem } from "../../codec/edit-tree.ts";
import { itemsOf, treeFromItems } from "../../codec/items.ts";
import { compileRollback } from "../../activities/compile-rollback.ts";
import { type CompileContext, compilePut, compileRemove, stateFor } from "../../activities/compile-submission.ts";
import { RefusedError } from "../../activities/to-application-failure.ts";
import { renderGoal } from "../../goal/device-goal.ts";
import { canonicalJson, digestOf } from "../../graph/canonical-json.ts";
import { type GraphStore, openStore } from "../../graph/store.ts";
import { parseCanonicalPath, parseValue } from "../../model/values/canonical-value.ts";
import type { DataTree } from "../../model/tree.ts";
import { checkBasis } from "../../services/basis.ts";
import type { DesiredDevice, DesiredState, RevisionBody } from "../../services/desired-state.ts";
import { observeChange } from "../../services/observe-change.ts";
import { deviceRecord } from "./graph-bodies.ts";
import { network } from "./ownership-network.ts";
import { type HistoryStep, refuseOthers } from "./random-histories.ts";
import { valueOf } from "./results.ts";

const MODULES = digestOf("modules of the network of the stories");
const HOUR = 3_600_000;

/** What could be shown of one revision: digests of goals, and texts. */
export interface Shown {
  readonly goals: Readonly<Record<string, string>>;
  readonly items: readonly string[];
  readonly links: readonly string[];
  readonly services: readonly string[];
  readonly definitions: readonly string[];
}

/** The part that a return to a revision brings back: all but who set items, and in which revision things were put. */
export function timeless({ goals, links, services, definitions }: Shown): unknown {
  const withoutRevision = (texts: readonly string[]): readonly unknown[] =>
    texts.map((text) => ({ ...(JSON.parse(text) as object), revision: undefined }));
  return { goals, links, services: withoutRevision(services), definitions: withoutRevision(definitions) };
}

export type Outcome =
  | "put"
  | "override"
  | "circle"
  | "remove"
  | "import"
  | "rollback"
  | "refused"
  | "prune"
  | "nothing";

export class GraphHistory {
  readonly shown = new Map<number, Shown>();
  readonly devices: readonly string[];
  readonly #folder: string;
  #store: GraphStore;
  #now = Date.UTC(2030, 0, 1);
  #step = 0;

  private constructor(folder: string, devices: readonly string[], open: (clock: () => Date) => GraphStore) {
    this.#folder = folder;
    this.devices = devices;
    this.#store = open(() => new Date(this.#now));
  }

  /** A new store with these devices, each with an empty first import. */
  static async open(folder: string, devices: readonly string[]): Promise<GraphHistory> {
    let clock = (): Date => new Date(0);
    const store = await openStore(optionsOf(folder, () => clock()));
    const history = new GraphHistory(folder, devices, (given) => {
      clock = given;
      return store;
    });
    await history.#addDevices();
    return history;
  }

  get store(): GraphStore {
    return this.#store;
  }
  get now(): Date {
    return new Date(this.#now);
  }

  pass(hours: number): void {
    this.#now += hours * HOUR;
  }

  async take(step: HistoryStep): Promise<Outcome> {
    const before = await this.#store.currentRevision();
    const outcome = await this.#take(step);
    await this.#remember();
    return outcome !== "circle" && (await this.#store.currentRevision()) === before ? "nothing" : outcome;
  }

  async #take(step: HistoryStep): Promise<Outcome> {
    switch (step.kind) {
      case "put": {
        const text = [
          { kind: "definition", name: `def-${step.service}`, version: String(this.#step), rules: step.rules },
          { kind: "service", name: step.service, definition: `def-${step.service}`, targets: step.targets },
        ]
          .map((each) => JSON.stringify(each))
          .join("\n---\n");
        const files = [{ name: "history.yaml", text }];
        const compiled = await compilePut(this.#context(), { format: "tenure-submission/1", files }).catch(refusal);
        if (compiled instanceof RefusedError) {
          refuseOthers(compiled.diagnostics);
          return "circle";
        }
        const { proposal } = compiled;
        await this.#commit(proposal.body);
        return proposal.explanations.some(({ kind }) => kind === "overrides") ? "override" : "put";
      }
      case "remove": {
        if ((await this.#store.service(step.service)) === undefined) return "nothing";
        await this.#commit((await compileRemove(this.#context(), step.service)).proposal.body);
        return "remove";
      }
      case "import":
        await this.#import(step);
        return "import";
    }
  }

  /** Back to a revision, the whole or one device; refused where an instance reaches further, or history was pruned. */
  async rollback(to: number, devices: readonly string[] | "all"): Promise<Outcome> {
    const ids = devices === "all" ? devices : devices.map(idOf);
    const compiled = await compileRollback(this.#context(), { to, devices: ids }).catch(refusal);
    if (compiled instanceof RefusedError) {
      if (compiled.diagnostics.some(({ code }) => code !== "rollback-outside")) throw compiled;
      return "refused";
    }
    const { body } = compiled.proposal;
    if (body.devices.length + body.services.length + body.definitions.length + body.statuses.length === 0)
      return "nothing";
    await this.#commit(body);
    await this.#remember();
    return "rollback";
  }

  async prune(before: Date): Promise<Outcome> {
    const pruned = await this.#store.prunedAt();
    this.#step += 1;
    await this.#store.prune({ before, actor: "tester", key: `prune ${String(this.#step)}` });
    return (await this.#store.prunedAt())?.revision === pruned?.revision ? "nothing" : "prune";
  }

  async restart(): Promise<void> {
    await this.#store.close();
    this.#store = await openStore(optionsOf(this.#folder, () => new Date(this.#now)));
  }

  async end(): Promise<void> {
    await this.#store.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** All that can be shown of a revision, now. */
  async show(revision: number): Promise<Shown> {
    const state = await this.#store.desiredState({ devices: this.devices.map(idOf), services: "all" }, { revision });
    const devices = [...state.devices.values()];
    const texts = (values: readonly object[]): readonly string[] => values.map((each) => canonicalJson(each)).sort();
    return {
      goals: Object.fromEntries(devices.map((device) => [device.name, digestOf(renderGoal(treeOf(device)))])),
      items: texts(devices.flatMap(({ device, items }) => [...items.values()].map((item) => ({ device, ...item })))),
      links: texts(devices.flatMap(({ links }) => links)),
      services: texts([...state.services.values()]),
      definitions: texts([...state.definitions.values()]),
    };
  }

  async #remember(): Promise<void> {
    const revision = await this.#store.currentRevision();
    if (!this.shown.has(revision)) this.shown.set(revision, await this.show(revision));
  }

  async #addDevices(): Promise<void> {
    for (const name of this.devices) {
      const device = deviceRecord(idOf(name), { name, moduleSet: MODULES });
      await this.#store.putDevice({ device, actor: "tester", key: `add ${name}` });
    }
    for (const device of this.devices.map(idOf)) {
      const writes = { device, moduleSet: MODULES, put: [], remove: [], putLinks: [], removeLinks: [] };
      await this.#commit({ ...EMPTY, devices: [writes] });
      await this.#remember();
    }
  }

  async #import({ device, edit }: Extract<HistoryStep, { readonly kind: "import" }>): Promise<void> {
    const state = await stateFor(this.#store, [idOf(device)], []);
    const desired = state.devices.get(idOf(device));
    if (desired === undefined) throw new Error(`no device ${device}`);
    const observed = {
      device: desired.device,
      items: itemsOf(edited(treeOf(desired), edit)),
      observation: digestOf(`observation ${String(this.#step)}`),
      moduleSet: undefined,
    };
    const body = observeChange(state, schemasOf(state), [observed], { setBy: { kind: "import" }, paths: [] });
    if (body.devices.length + body.statuses.length + body.evidence.length > 0) await this.#commit(body);
  }

  async #commit(body: RevisionBody): Promise<void> {
    this.#step += 1;
    this.#now += HOUR;
    const submission = `step ${String(this.#step)}`;
    await this.#store.commitRevision({ body, key: submission, actor: "tester", cause: { kind: "record", submission } });
  }

  #context(): CompileContext {
    return { store: this.#store, schemaOf: () => Promise.resolve(network), isSecret: () => false };
  }
}

const EMPTY: RevisionBody = {
  format: "tenure-revision/1",
  devices: [],
  services: [],
  definitions: [],
  statuses: [],
  evidence: [],
  basis: { devices: [], services: [], definitions: [] },
};

function optionsOf(dataFolder: string, clock: () => Date) {
  return { dataFolder, clock, checkBasis, reserveBytes: 0 };
}

function refusal(error: unknown): RefusedError {
  if (error instanceof RefusedError) return error;
  throw error;
}

function idOf(name: string): string {
  return `d-${name}`;
}

function schemasOf(state: DesiredState) {
  return new Map([...state.devices.keys()].map((id) => [id, network]));
}

function treeOf({ items }: DesiredDevice): DataTree {
  return valueOf(
    treeFromItems(
      network,
      [...items.values()].map((each) => each.item),
    ),
  );
}

function edited(tree: DataTree, { set = [], remove = [] }: Extract<HistoryStep, { readonly kind: "import" }>["edit"]) {
  let after = tree;
  for (const path of remove) after = removeAt(after, valueOf(parseCanonicalPath(network, path)).path);
  for (const [path, value] of set) {
    const { path: at, schema } = valueOf(parseCanonicalPath(network, path));
    const context = { schema: network, form: { kind: "canonical" } } as const;
    const typed = schema?.kind === "leaf" ? { value: valueOf(parseValue(schema.type, value ?? "", context)) } : {};
    after = valueOf(setItem(after, at, typed));
  }
  return after;
}
