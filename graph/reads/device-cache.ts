import type { DesiredDevice } from "../../services/desired-state.ts";

export interface DeviceAtRevision {
  /** Which database file, counted: a damaged one may have told something else. */
  readonly build: number;
  readonly device: string;
  readonly revision: number;
}
/** What is wanted of a device; its name is not part of any revision. */
export type DeviceState = Omit<DesiredDevice, "device" | "name">;

export interface DeviceCache {
  /** Undefined is not kept: a device without an import costs nothing to read. */
  get(
    key: DeviceAtRevision,
    read: (key: DeviceAtRevision) => Promise<DeviceState | undefined>,
  ): Promise<DeviceState | undefined>;
}

/** Some 500 bytes an item. */
const MAX_ITEMS = 200_000;

/**
 * Devices as they were read, the least lately asked for going first. A device at a revision never changes, so what
 * one file told is never wrong; one submission reads its devices several times (targets, rules, plan, basis), and what the rules
 * derive from a device (sorted paths, links by path) hangs on the same objects.
 */
export function createDeviceCache(maxItems = MAX_ITEMS): DeviceCache {
  const states = new Map<string, DeviceState>();
  let items = 0;

  function drop(key: string, state: DeviceState): void {
    states.delete(key);
    items -= sizeOf(state);
  }

  return {
    async get(key, read) {
      const text = `${key.build} ${key.revision} ${key.device}`;
      const known = states.get(text);
      if (known !== undefined) {
        states.delete(text);
        states.set(text, known);
        return known;
      }
      const state = await read(key);
      if (state === undefined || states.has(text)) return state;
      states.set(text, state);
      items += sizeOf(state);
      for (const [oldest, dropped] of states) {
        if (items <= maxItems || oldest === text) break;
        drop(oldest, dropped);
      }
      return state;
    },
  };
}

function sizeOf(state: DeviceState): number {
  return 1 + state.items.size + state.links.length;
}
