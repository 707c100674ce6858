/**
 * Conversations with a NETCONF server: what each step asks, and which answer the RFCs call for.
 *
 * A scenario names no server. Where a known server answers otherwise, the step says what that server does; such a
 * deviation is measured too, so it cannot go stale unseen.
 */
import type { Request } from "./step.ts";
import type { Datastore, WithDefaultsMode } from "./step.ts";

/** Servers of which deviations are known; every other target is held to the right answers. */
export type KnownServer = "netconfd";

export type Expectation =
  | { readonly kind: "ok" }
  | { readonly kind: "closed" }
  /** The hello announces at least these capabilities; parameters after `?` are not compared. */
  | { readonly kind: "hello"; readonly capabilities: readonly string[] }
  /** The children of `lab` (module tenure-test) in the reply; the empty text stands for no `lab` at all. */
  | { readonly kind: "lab"; readonly xml: string }
  /** The children of `interfaces` (module ietf-interfaces). */
  | { readonly kind: "interfaces"; readonly xml: string }
  /** The YANG text of a module in this repository, or the beginning of one. */
  | { readonly kind: "schema"; readonly module: string }
  /** One error has one of these tags, and what else is given here. */
  | {
      readonly kind: "error";
      readonly tags: readonly string[];
      readonly appTag?: string;
      /** The session that error-info names. */
      readonly owner?: string;
    };

export interface Deviation {
  readonly server: KnownServer;
  readonly answers: Expectation;
  readonly note: string;
}

export interface Step {
  readonly session: string;
  readonly request: Request;
  /** The answer by the RFCs. */
  readonly right: Expectation;
  readonly deviation?: Deviation;
}

export interface Scenario {
  readonly name: string;
  /** Where the right answers come from. */
  readonly rule: string;
  /** The basic mode of RFC 6243 the server has to be started with. */
  readonly serverDefaults: "explicit" | "trim" | "report-all";
  /** Public modules the server needs besides those of this repository. */
  readonly publicModules?: readonly string[];
  /** The sessions "a" and "b" are open, candidate and running hold nothing of ours. */
  readonly steps: readonly Step[];
}

const NETCONF = "urn:ietf:params:xml:ns:netconf:base:1.0";
const LAB_FILTER = '<lab xmlns="urn:tenure:test"/>';
const INTERFACES_FILTER = '<interfaces xmlns="urn:ietf:params:xml:ns:yang:ietf-interfaces"/>';

export const OK: Expectation = { kind: "ok" };

/** A `config` element around the children of `lab`; `nc`, `yang`, `tt` and `tti` are bound to the
 * namespaces of NETCONF, of the attributes of RFC 7950, of the module itself and of its identities. */
export function labConfig(children: string): string {
  const bindings = [
    'xmlns="urn:tenure:test"',
    'xmlns:tt="urn:tenure:test"',
    'xmlns:tti="urn:tenure:test:identities"',
    'xmlns:yang="urn:ietf:params:xml:ns:yang:1"',
  ].join(" ");
  return `<nc:config xmlns:nc="${NETCONF}"><lab ${bindings}>${children}</lab></nc:config>`;
}

/** A `config` element around the children of `interfaces`. */
export function interfacesConfig(children: string): string {
  const bindings = [
    'xmlns="urn:ietf:params:xml:ns:yang:ietf-interfaces"',
    'xmlns:ianaift="urn:ietf:params:xml:ns:yang:iana-if-type"',
    'xmlns:ttif="urn:tenure:test:interfaces"',
  ].join(" ");
  return `<nc:config xmlns:nc="${NETCONF}"><interfaces ${bindings}>${children}</interfaces></nc:config>`;
}

type EditOptions = Omit<Extract<Request, { readonly op: "edit-config" }>, "op" | "target" | "config">;
type StepOptions = { readonly right?: Expectation; readonly deviation?: Deviation };

/** Edits `lab` in candidate. */
export function edit(session: string, children: string, options: StepOptions & EditOptions = {}): Step {
  const { right = OK, deviation, ...rest } = options;
  const request: Request = { op: "edit-config", target: "candidate", config: labConfig(children), ...rest };
  return { session, request, right, ...(deviation === undefined ? {} : { deviation }) };
}

/** Edits `interfaces` in candidate. */
export function editInterfaces(session: string, children: string, options: StepOptions = {}): Step {
  const request: Request = { op: "edit-config", target: "candidate", config: interfacesConfig(children) };
  return { session, request, right: OK, ...options };
}

/** Any request, expected to be answered with ok unless `right` says otherwise. */
export function ask(session: string, request: Request, options: StepOptions = {}): Step {
  return { session, request, right: OK, ...options };
}

type ReadOptions = { readonly withDefaults?: WithDefaultsMode; readonly deviation?: Deviation };

/** Reads `lab` and expects these children. */
export function readLab(session: string, source: Datastore, xml: string, options: ReadOptions = {}): Step {
  return read({ session, source, filter: LAB_FILTER, right: { kind: "lab", xml }, options });
}

/** Reads `interfaces` and expects these children. */
export function readInterfaces(session: string, source: Datastore, xml: string, options: ReadOptions = {}): Step {
  return read({ session, source, filter: INTERFACES_FILTER, right: { kind: "interfaces", xml }, options });
}

/**
 * Reads `lab` of running until `marker` is there, or gone; then expects these children.
 * More than a second passes between two reads: netconfd looks at its timers only after a second without a request.
 */
export function pollLab(
  session: string,
  { marker, until, xml }: { readonly marker: string; readonly until: "present" | "absent"; readonly xml: string },
): Step {
  const limits = { everySeconds: 1.1, limitSeconds: 10 };
  const request: Request = { op: "poll-config", source: "running", filter: LAB_FILTER, marker, until, ...limits };
  return { session, request, right: { kind: "lab", xml } };
}

interface Read {
  readonly session: string;
  readonly source: Datastore;
  readonly filter: string;
  readonly right: Expectation;
  readonly options: ReadOptions;
}

function read({ session, source, filter, right, options: { withDefaults, deviation } }: Read): Step {
  const request: Request = {
    op: "get-config",
    source,
    filter,
    ...(withDefaults === undefined ? {} : { withDefaults }),
  };
  return { session, request, right, ...(deviation === undefined ? {} : { deviation }) };
}
