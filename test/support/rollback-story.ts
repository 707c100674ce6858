/** Ownership stories that remember every revision and can go back to one. */
import { canonicalJson } from "../../graph/canonical-json.ts";
import type { Result } from "../../model/diagnostic.ts";
import type { Schema } from "../../model/schema.ts";
import type { DesiredState } from "../../services/desired-state.ts";
import type { Proposal } from "../../services/propose.ts";
import { rollback } from "../../services/rollback.ts";
import { network } from "./ownership-network.ts";
import { OwnershipStory } from "./ownership-story.ts";
import { valueOf } from "./results.ts";

export interface RollbackOptions {
  readonly devices?: readonly string[];
  /** Names of devices that had no import then. */
  readonly importedLater?: readonly string[];
  /** Names of devices that are removed by now. */
  readonly removed?: readonly string[];
}

export class RollbackStory {
  readonly story: OwnershipStory;
  readonly #states = new Map<number, DesiredState>();

  constructor(options: ConstructorParameters<typeof OwnershipStory>[0] = {}) {
    this.story = new OwnershipStory(options);
    this.#remember();
  }

  /** Does something, and remembers the state that it leads to. */
  then(act: (story: OwnershipStory) => void): this {
    act(this.story);
    this.#remember();
    return this;
  }

  at(revision: number): DesiredState {
    const state = this.#states.get(revision);
    if (state === undefined) throw new RangeError(`the story has no revision ${String(revision)}`);
    return state;
  }

  get revisions(): readonly number[] {
    return [...this.#states.keys()];
  }

  propose(to: number, options: RollbackOptions = {}): Result<Proposal> {
    const now = without(this.story.state, options.removed ?? []);
    return rollback({
      now,
      then: without(this.at(to), options.importedLater ?? []),
      schemas: new Map<string, Schema>([...now.devices.keys()].map((id) => [id, network])),
      devices: options.devices?.map((name) => `id-${name}`) ?? "all",
    });
  }

  rollback(to: number, options: RollbackOptions = {}): this {
    const reasons = this.story.commit(valueOf(this.propose(to, options)));
    if (reasons.length > 0) throw new Error(`the rollback is stale: ${reasons.join("; ")}`);
    this.#remember();
    return this;
  }

  #remember(): void {
    this.#states.set(this.story.revision, this.story.state);
  }
}

function without({ devices, ...state }: DesiredState, names: readonly string[]): DesiredState {
  return { ...state, devices: new Map([...devices].filter(([, device]) => !names.includes(device.name))) };
}

/**
 * All that a return to a revision brings back, in comparable form: items with their values and flags, links, instances
 * with their statuses, definitions. Not who set an item, nor since when: that is the rollback.
 */
export function picture(state: DesiredState): unknown {
  const plain = (value: object): unknown => JSON.parse(canonicalJson(value));
  const texts = (values: readonly object[]): readonly string[] => values.map((each) => canonicalJson(each)).sort();
  return plain({
    devices: [...state.devices.values()].map(({ name, items, links }) => ({
      name,
      items: texts([...items.values()].map(({ item, retained }) => ({ item, retained }))),
      links: texts(links),
    })),
    services: texts(
      [...state.services.values()].map(({ name, definition, parameters, targets, status }) => ({
        name,
        definition,
        parameters,
        targets,
        status,
      })),
    ),
    definitions: texts(
      [...state.definitions.values()].map(({ name, version, document }) => ({ name, version, document })),
    ),
  });
}
