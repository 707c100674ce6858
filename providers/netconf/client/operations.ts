import {
  findChild,
  textOf,
  type XmlElement,
  type XmlNode,
  xmlElement,
  xmlTextElement,
} from "../../../codec/xml/xml-element.ts";
import type { XmlHandler } from "../../../codec/xml/read-xml.ts";
import { type DeviceReport, ProviderError, ProviderErrorCode } from "../../error.ts";
import { type NetconfCapabilities, supportsWithDefaults, type WithDefaultsMode } from "./capabilities.ts";
import { monitoringNamespace, netconfBaseNamespace as base, withDefaultsNamespace } from "./namespaces.ts";
import type { NetconfSession } from "./netconf-session.ts";
import { RpcEffect } from "./rejection.ts";

/*
 * The operations of RFC 6241 and RFC 6022, each for one session. What a capability guards is checked first and
 * throws CapabilityMissing before anything is sent; everything else that can go wrong is described at
 * `NetconfSession.request`.
 */

export type Datastore = "running" | "candidate" | "startup";

/** Every operation takes its own time-out, in ms; without one the session's holds. */
export interface OperationOptions {
  readonly timeoutMs?: number;
}

/** What an operation without data answers: warnings are no failure, and are shown (RFC 6241, 4.3). */
export interface Acknowledged {
  readonly warnings: readonly DeviceReport[];
}

export interface DataReply extends Acknowledged {
  /** The `data` element; its children are the top-level data nodes. */
  readonly data: XmlElement;
}

export interface ReadOptions extends OperationOptions {
  /** The children of a subtree filter (RFC 6241, 6). Left out: everything. An empty list selects nothing. */
  readonly filter?: readonly XmlElement[];
  /** Left out: the server's basic mode. */
  readonly withDefaults?: WithDefaultsMode;
  /** Reads the data while it arrives: `data` of the reply is empty then. */
  readonly dataReader?: XmlHandler;
}

/** get-config (RFC 6241, 7.1). */
export async function getConfig(
  session: NetconfSession,
  options: ReadOptions & { readonly source: Datastore },
): Promise<DataReply> {
  requireDatastore(session, options.source, "get-config");
  return readData(
    session,
    operation("get-config", [named("source", options.source), ...readParameters(session, options)]),
    options,
  );
}

/** get (RFC 6241, 7.7): running configuration and state together. */
export async function getState(session: NetconfSession, options: ReadOptions = {}): Promise<DataReply> {
  return readData(session, operation("get", readParameters(session, options)), options);
}

export interface GetSchemaOptions extends OperationOptions {
  readonly identifier: string;
  /** Left out: the server must have exactly one. */
  readonly version?: string;
  readonly format?: "yang" | "yin";
}

/** get-schema (RFC 6022, 3.1): the text of one module or submodule, exactly as sent. */
export async function getSchema(session: NetconfSession, options: GetSchemaOptions): Promise<string> {
  const announced = session.capabilities.modules.some(({ namespace }) => namespace === monitoringNamespace);
  requireCapability(session, { isOffered: announced, capability: "ietf-netconf-monitoring", usedBy: "get-schema" });
  const parameter = (name: string, value: string): XmlElement =>
    xmlTextElement({ namespace: monitoringNamespace, name }, value);
  const body = xmlElement({
    namespace: monitoringNamespace,
    name: "get-schema",
    children: [
      parameter("identifier", options.identifier),
      ...(options.version === undefined ? [] : [parameter("version", options.version)]),
      // The default is yang (RFC 6022, 3.1); some servers refuse the identity without a prefix, so it is not spelled out.
      ...(options.format === undefined || options.format === "yang" ? [] : [parameter("format", options.format)]),
    ],
  });
  const { reply } = await session.request({ body, effect: RpcEffect.None, expects: "data", ...timeoutOf(options) });
  const data = findChild(reply, monitoringNamespace, "data");
  if (data === undefined) {
    throw noData(session, "get-schema");
  }
  return textOf(data);
}

export interface EditConfigOptions extends OperationOptions {
  readonly target: "running" | "candidate";
  /**
   * Top-level data nodes, with `nc:operation` where an operation is meant; the prefix `nc` is declared for all of
   * them.
   */
  readonly config: readonly XmlElement[];
  readonly defaultOperation?: "merge" | "replace" | "none";
  readonly testOption?: "test-then-set" | "set" | "test-only";
  readonly errorOption?: "stop-on-error" | "continue-on-error" | "rollback-on-error";
}

/**
 * edit-config (RFC 6241, 7.2). A rejected edit of running without rollback-on-error is OutcomeUnknown: a part of it
 * may be in effect.
 */
export async function editConfig(session: NetconfSession, options: EditConfigOptions): Promise<Acknowledged> {
  const { capabilities } = session;
  requireDatastore(session, options.target, "edit-config");
  if (options.target === "running") {
    requireCapability(session, {
      isOffered: capabilities.writableRunning,
      capability: ":writable-running",
      usedBy: "edit-config of running",
    });
  }
  if (options.testOption !== undefined) {
    const needsNewer = options.testOption === "test-only";
    const has = needsNewer ? capabilities.validate === "1.1" : capabilities.validate !== undefined;
    requireCapability(session, {
      isOffered: has,
      capability: needsNewer ? ":validate:1.1" : ":validate",
      usedBy: `test-option ${options.testOption}`,
    });
  }
  if (options.errorOption === "rollback-on-error") {
    requireCapability(session, {
      isOffered: capabilities.rollbackOnError,
      capability: ":rollback-on-error",
      usedBy: "error-option rollback-on-error",
    });
  }
  const body = operation("edit-config", [
    named("target", options.target),
    ...optional("default-operation", options.defaultOperation),
    ...optional("test-option", options.testOption),
    ...optional("error-option", options.errorOption),
    configElement(options.config),
  ]);
  return acknowledge(session, body, editEffect(options), options);
}

function editEffect(options: EditConfigOptions): RpcEffect {
  if (options.target === "candidate" || options.testOption === "test-only") {
    return RpcEffect.None;
  }
  return options.errorOption === "rollback-on-error" ? RpcEffect.MayChange : RpcEffect.MayChangeInPart;
}

/**
 * copy-config (RFC 6241, 7.3), from a datastore or from a whole configuration. The target is replaced, not merged.
 */
export async function copyConfig(
  session: NetconfSession,
  options: OperationOptions & { readonly source: Datastore | readonly XmlElement[]; readonly target: Datastore },
): Promise<Acknowledged> {
  requireDatastore(session, options.target, "copy-config");
  const { capabilities } = session;
  if (options.target === "running") {
    requireCapability(session, {
      isOffered: capabilities.writableRunning,
      capability: ":writable-running",
      usedBy: "copy-config to running",
    });
  }
  const body = operation("copy-config", [
    named("target", options.target),
    sourceElement(session, options.source, "copy-config"),
  ]);
  return acknowledge(session, body, options.target === "candidate" ? RpcEffect.None : RpcEffect.MayChange, options);
}

/**
 * validate (RFC 6241, 8.6.4.1) of a datastore or of a whole configuration. Not every server survives it before a
 * commit: see its profile.
 */
export async function validate(
  session: NetconfSession,
  options: OperationOptions & { readonly source: Datastore | readonly XmlElement[] },
): Promise<Acknowledged> {
  requireCapability(session, {
    isOffered: session.capabilities.validate !== undefined,
    capability: ":validate",
    usedBy: "validate",
  });
  return acknowledge(
    session,
    operation("validate", [sourceElement(session, options.source, "validate")]),
    RpcEffect.None,
    options,
  );
}

/** lock (RFC 6241, 7.5). LockDenied names the owner: `lockOwner(error)`. */
export async function lock(
  session: NetconfSession,
  options: OperationOptions & { readonly target: Datastore },
): Promise<Acknowledged> {
  requireDatastore(session, options.target, "lock");
  return acknowledge(session, operation("lock", [named("target", options.target)]), RpcEffect.None, options);
}

/**
 * unlock (RFC 6241, 7.6), only of a lock that this session was granted. Unlocking candidate discards what it holds.
 */
export async function unlock(
  session: NetconfSession,
  options: OperationOptions & { readonly target: Datastore },
): Promise<Acknowledged> {
  requireDatastore(session, options.target, "unlock");
  return acknowledge(session, operation("unlock", [named("target", options.target)]), RpcEffect.None, options);
}

/** discard-changes (RFC 6241, 8.3.4.2): candidate becomes running again, whoever made the changes in it. */
export async function discardChanges(session: NetconfSession, options: OperationOptions = {}): Promise<Acknowledged> {
  requireCapability(session, {
    isOffered: session.capabilities.candidate,
    capability: ":candidate",
    usedBy: "discard-changes",
  });
  return acknowledge(session, operation("discard-changes"), RpcEffect.None, options);
}

/**
 * commit (RFC 6241, 8.3.4.1) of the whole candidate. It also confirms a confirmed commit that this same session
 * began without persist.
 */
export async function commit(session: NetconfSession, options: OperationOptions = {}): Promise<Acknowledged> {
  requireCapability(session, { isOffered: session.capabilities.candidate, capability: ":candidate", usedBy: "commit" });
  return acknowledge(session, operation("commit"), RpcEffect.MayChange, options);
}

export interface ConfirmedCommitOptions extends OperationOptions {
  /** Whole seconds, at least 1; the server reverts by itself after them. */
  readonly timeoutSeconds: number;
  /**
   * Keeps the pending commit beyond this session, to be confirmed or cancelled under this id. Without it the end of
   * the session reverts.
   */
  readonly persist?: string;
  /** Prolongs the pending commit of this id instead of beginning one. */
  readonly persistId?: string;
}

/**
 * Confirmed commit (RFC 6241, 8.4). A failed one may still have armed its timer on some servers: cancel it by its
 * id.
 */
export async function confirmedCommit(session: NetconfSession, options: ConfirmedCommitOptions): Promise<Acknowledged> {
  const { timeoutSeconds, persist, persistId } = options;
  requireConfirmedCommit(session, persist ?? persistId, "confirmed commit");
  if (!Number.isInteger(timeoutSeconds) || timeoutSeconds < 1 || timeoutSeconds > 4_294_967_295) {
    throw new ProviderError({
      code: ProviderErrorCode.InvalidArgument,
      message: `a confirmed commit on ${session.target} needs a time-out of whole seconds, not ${String(timeoutSeconds)}`,
      details: [{ fieldPath: "timeoutSeconds", description: "an integer from 1 to 4294967295" }],
    });
  }
  const body = operation("commit", [
    xmlElement({ namespace: base, name: "confirmed" }),
    leaf("confirm-timeout", String(timeoutSeconds)),
    ...optional("persist", persist),
    ...optional("persist-id", persistId),
  ]);
  return acknowledge(session, body, RpcEffect.MayChange, options);
}

/**
 * Confirms the pending commit of this id, from any session. The server also commits whatever else candidate holds.
 */
export async function confirmCommit(
  session: NetconfSession,
  options: OperationOptions & { readonly persistId: string },
): Promise<Acknowledged> {
  requireConfirmedCommit(session, options.persistId, "confirming commit");
  return acknowledge(
    session,
    operation("commit", [leaf("persist-id", options.persistId)]),
    RpcEffect.MayChange,
    options,
  );
}

/** cancel-commit (RFC 6241, 8.4.4.1): reverts the pending commit of this id, or of this session without one. */
export async function cancelCommit(
  session: NetconfSession,
  options: OperationOptions & { readonly persistId?: string } = {},
): Promise<Acknowledged> {
  requireCapability(session, {
    isOffered: session.capabilities.confirmedCommit === "1.1",
    capability: ":confirmed-commit:1.1",
    usedBy: "cancel-commit",
  });
  return acknowledge(
    session,
    operation("cancel-commit", optional("persist-id", options.persistId)),
    RpcEffect.MayChange,
    options,
  );
}

/**
 * kill-session (RFC 6241, 7.9) ends somebody else's work. Only a person decides that; no automatic path may call
 * it.
 */
export async function killSession(
  session: NetconfSession,
  options: OperationOptions & { readonly sessionId: number },
): Promise<Acknowledged> {
  if (options.sessionId === 0 || options.sessionId === session.sessionId) {
    throw new ProviderError({
      code: ProviderErrorCode.InvalidArgument,
      message:
        options.sessionId === 0
          ? `session 0 of ${session.target} is not a NETCONF session and cannot be ended by one`
          : `session ${String(options.sessionId)} of ${session.target} is this session itself`,
      details: [{ fieldPath: "sessionId", description: "the id of another NETCONF session" }],
    });
  }
  return acknowledge(
    session,
    operation("kill-session", [leaf("session-id", String(options.sessionId))]),
    RpcEffect.MayChange,
    options,
  );
}

async function readData(session: NetconfSession, body: XmlElement, options: ReadOptions): Promise<DataReply> {
  const { reply, warnings } = await session.request({
    body,
    effect: RpcEffect.None,
    expects: "data",
    dataReader: options.dataReader,
    ...timeoutOf(options),
  });
  const data = findChild(reply, base, "data");
  if (data === undefined) {
    throw noData(session, body.name);
  }
  return { data, warnings };
}

async function acknowledge(
  session: NetconfSession,
  body: XmlElement,
  effect: RpcEffect,
  options: OperationOptions,
): Promise<Acknowledged> {
  const { warnings } = await session.request({ body, effect, expects: "ok", ...timeoutOf(options) });
  return { warnings };
}

function readParameters(session: NetconfSession, options: ReadOptions): readonly XmlElement[] {
  const { filter, withDefaults } = options;
  if (withDefaults !== undefined) {
    const supported = supportsWithDefaults(session.capabilities, withDefaults);
    requireCapability(session, {
      isOffered: supported,
      capability: `:with-defaults with ${withDefaults}`,
      usedBy: "with-defaults",
    });
  }
  const type = { namespace: "", name: "type", prefix: "", value: "subtree" };
  return [
    ...(filter === undefined
      ? []
      : [xmlElement({ namespace: base, name: "filter", attributes: [type], children: filter })]),
    ...(withDefaults === undefined
      ? []
      : [xmlTextElement({ namespace: withDefaultsNamespace, name: "with-defaults" }, withDefaults)]),
  ];
}

function sourceElement(session: NetconfSession, source: Datastore | readonly XmlElement[], what: string): XmlElement {
  if (typeof source !== "string") {
    return xmlElement({ namespace: base, name: "source", children: [configElement(source)] });
  }
  requireDatastore(session, source, what);
  return named("source", source);
}

function configElement(children: readonly XmlElement[]): XmlElement {
  return xmlElement({ namespace: base, name: "config", children, scope: new Map([["nc", base]]) });
}

function operation(name: string, children: readonly XmlNode[] = []): XmlElement {
  return xmlElement({ namespace: base, name, children });
}

function named(parameter: "source" | "target", datastore: Datastore): XmlElement {
  return operation(parameter, [operation(datastore)]);
}

function leaf(name: string, value: string): XmlElement {
  return xmlTextElement({ namespace: base, name }, value);
}

function optional(name: string, value: string | undefined): readonly XmlElement[] {
  return value === undefined ? [] : [leaf(name, value)];
}

function timeoutOf({ timeoutMs }: OperationOptions): { readonly timeoutMs?: number } {
  return timeoutMs === undefined ? {} : { timeoutMs };
}

function requireDatastore(session: NetconfSession, datastore: Datastore, what: string): void {
  if (datastore !== "running") {
    requireCapability(session, {
      isOffered: session.capabilities[datastore],
      capability: `:${datastore}`,
      usedBy: `${what} of ${datastore}`,
    });
  }
}

function requireConfirmedCommit(session: NetconfSession, persistId: string | undefined, what: string): void {
  const { confirmedCommit: version }: NetconfCapabilities = session.capabilities;
  const needs = persistId === undefined ? ":confirmed-commit" : ":confirmed-commit:1.1";
  requireCapability(session, {
    isOffered: persistId === undefined ? version !== undefined : version === "1.1",
    capability: needs,
    usedBy: what,
  });
}

interface CapabilityNeed {
  readonly isOffered: boolean;
  readonly capability: string;
  readonly usedBy: string;
}

function requireCapability(session: NetconfSession, { isOffered, capability, usedBy }: CapabilityNeed): void {
  if (!isOffered) {
    throw new ProviderError({
      code: ProviderErrorCode.CapabilityMissing,
      message: `${session.target} does not offer ${capability}, which ${usedBy} needs`,
      details: [{ fieldPath: "capability", description: capability }],
    });
  }
}

function noData(session: NetconfSession, what: string): ProviderError {
  return new ProviderError({
    code: ProviderErrorCode.ProtocolError,
    message: `the reply of ${session.target} to ${what} has neither data nor an error`,
  });
}
