/** What an activity needs to reach a device. Credentials travel as a reference; the worker resolves it. */
export type HostKeyPolicy =
  | { readonly kind: "pinned"; readonly sha256: string }
  | { readonly kind: "accept-new" }
  | { readonly kind: "unknown" };

export interface DeviceReference {
  /** Immutable id. */
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly host: string;
  readonly port: number;
  /** `env:PREFIX`, `file:PATH` or `command:PATH`. */
  readonly credentials: string;
  readonly hostKey: HostKeyPolicy;
  /** Name of a profile, or undefined: chosen by what the device announces. */
  readonly profile: string | undefined;
  /** Digest of the module set document; undefined before the first contact. */
  readonly moduleSet: string | undefined;
  /** Digest of what the device announced when the module set was fetched. */
  readonly announcement: string | undefined;
}
