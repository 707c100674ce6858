/** Why each item changes, goes or stays: the lines a person reads before approving. */
import type { Value } from "../model/value.ts";
import type { DeviceId, ExistedBefore, LinkRelation, Setter } from "./desired-state.ts";

/** An edge that keeps an item. */
export interface Keeper {
  readonly service: string;
  readonly relation: LinkRelation;
  readonly path: string;
}

export type Explanation =
  | {
      readonly kind: "set";
      readonly device: DeviceId;
      readonly path: string;
      readonly service: string;
      readonly before: Value | undefined;
      readonly after: Value | undefined;
    }
  | { readonly kind: "created"; readonly device: DeviceId; readonly path: string; readonly service: string }
  /** An update took the value from somebody who owned or required another one. */
  | {
      readonly kind: "overrides";
      readonly device: DeviceId;
      readonly path: string;
      readonly service: string;
      readonly overridden: string;
      readonly before: Value | undefined;
      readonly after: Value | undefined;
    }
  | {
      readonly kind: "removed";
      readonly device: DeviceId;
      readonly path: string;
      readonly service: string;
      readonly existedBefore: ExistedBefore | undefined;
    }
  /** Unowned, goes with the entry it stands in. */
  | {
      readonly kind: "swept";
      readonly device: DeviceId;
      readonly path: string;
      readonly service: string;
      readonly with: string;
    }
  /** The other case of a choice, ended by setting this one (RFC 7950 section 7.9). */
  | {
      readonly kind: "case-ended";
      readonly device: DeviceId;
      readonly path: string;
      readonly service: string;
      readonly by: string;
    }
  | {
      readonly kind: "kept";
      readonly device: DeviceId;
      readonly path: string;
      readonly service: string;
      readonly reason: "linked" | "referenced" | "on-remove-keep" | "holds-others" | "holds-unowned";
      readonly keepers: readonly Keeper[];
      readonly referrers: readonly string[];
      readonly value: Value | undefined;
      readonly setBy: Setter | undefined;
    }
  /** A `depends` that is not met: the item is absent, or `found` is not what is required. */
  | {
      readonly kind: "missing";
      readonly device: DeviceId;
      readonly path: string;
      readonly service: string;
      readonly required: Value | undefined;
      readonly found: Value | undefined;
    }
  | RollbackExplanation;

/** What a return to an earlier revision does, and what it leaves alone. */
export type RollbackExplanation =
  /** As it was at `revision`, where `setBy` had set it. `flag`: the value stands; only whether it is retained differs. */
  | {
      readonly kind: "restored";
      readonly device: DeviceId;
      readonly path: string;
      readonly revision: number;
      readonly change: "added" | "changed" | "flag";
      readonly before: Value | undefined;
      readonly after: Value | undefined;
      readonly setBy: Setter;
    }
  /** Was not there at `revision`; `setBy` set what goes. */
  | {
      readonly kind: "undone";
      readonly device: DeviceId;
      readonly path: string;
      readonly revision: number;
      readonly before: Value | undefined;
      readonly setBy: Setter;
    }
  | {
      readonly kind: "relinked";
      readonly device: DeviceId;
      readonly path: string;
      readonly service: string;
      readonly relation: LinkRelation;
      readonly change: "added" | "changed" | "ended";
    }
  /** The device has no configuration of that revision to return to, or is managed no more. */
  | {
      readonly kind: "left-alone";
      readonly device: DeviceId;
      readonly path: string;
      readonly name: string;
      readonly reason: "imported-later" | "removed";
    };
