import { type XmlElement, xmlElement, xmlTextElement } from "../codec/xml/xml-element.ts";
import { formatInstancePath, isAncestorPath, type InstancePath } from "../model/path.ts";
import { parseCanonicalPath } from "../model/values/canonical-value.ts";
import type { Schema } from "../model/schema.ts";
import { type DataTree, emptyTree } from "../model/tree.ts";
import { applyEdit } from "./apply-edit.ts";
import { checkTree } from "./check-tree.ts";
import {
  type DatastoreName,
  type DatastoreRules,
  type Datastores,
  type EditResult,
  type Quirk,
  type Transition,
  cancelCommit,
  changeDatastore,
  changeRunningOutside,
  commit,
  deleteStartup,
  discardChanges,
  endSession,
  expire,
  initialDatastores,
  lock,
  reboot,
  unlock,
  validateDatastore,
} from "./datastores.ts";
import { type SessionInfo, deviceState } from "./device-state.ts";
import type { EditNode } from "./edit.ts";
import { type Fault, actionsOf } from "./faults.ts";
import { type ModuleLibrary, findModuleText } from "./module-library.ts";
import { baseNamespace, monitoringNamespace, type SessionId } from "./netconf-names.ts";
import { type DeviceOffer, capabilityUris } from "./offer.ts";
import { finishByFaults } from "./device-faults.ts";
import type { ConfigSource, ProtocolRequest } from "./protocol-request.ts";
import { readEdit } from "./read-edit.ts";
import { reportXml } from "./report.ts";
import { type RpcError, applicationError, protocolError } from "./rpc-error.ts";
import { filterSubtree } from "./subtree-filter.ts";
import { deleteWhereWhenFails } from "./when-deletion.ts";
import { kept } from "./with-defaults.ts";

/** The time of the device. `schedule` calls back once after about that many milliseconds (below 2^31), unless what it returns is called. */
export interface Clock {
  readonly now: () => number;
  readonly schedule: (milliseconds: number, callback: () => void) => () => void;
}

/** Timers cannot wait longer; a confirm-timeout can. */
const maxTimerMs = 2 ** 31 - 1;

/** What is left after an operation: the content of its reply, without warnings. */
export type Reply =
  | { readonly kind: "ok" }
  | { readonly kind: "data"; readonly content: readonly XmlElement[] }
  | { readonly kind: "errors"; readonly errors: readonly RpcError[] };

/** A session as the device sees it. `end` closes its transport. */
export interface DeviceSession extends SessionInfo {
  readonly end: () => void;
}

export interface DeviceOptions {
  readonly schema: Schema;
  readonly library: ModuleLibrary;
  readonly offer: DeviceOffer;
  readonly quirks: readonly Quirk[];
  readonly clock: Clock;
}

/**
 * One simulated device: its datastores, its sessions and its clock. Operations are carried out one at a time and at once; whatever takes time
 * on the wire is the sessions' business.
 */
export class Device {
  readonly schema: Schema;
  readonly offer: DeviceOffer;
  readonly capabilities: readonly string[];
  readonly #library: ModuleLibrary;
  readonly #rules: DatastoreRules;
  readonly #clock: Clock;
  readonly #sessions = new Map<SessionId, DeviceSession>();
  #lastSession: SessionId = 0;
  #state: Datastores;
  #cancelTimer: (() => void) | undefined;

  constructor(options: DeviceOptions) {
    this.schema = options.schema;
    this.offer = options.offer;
    this.#library = options.library;
    this.#clock = options.clock;
    this.#rules = { quirks: new Set(options.quirks), check: checkTree };
    this.capabilities = capabilityUris(options.offer, options.library.modules, options.library.setId);
    this.#state = initialDatastores(emptyTree(options.schema), options.offer);
  }

  /** Gives the device its first configuration, in all its datastores. Returns what is wrong with it; then nothing is stored. */
  load(config: readonly XmlElement[]): readonly RpcError[] {
    const { tree, errors } = this.#treeOf(config);
    const all = errors.length > 0 ? errors : checkTree(tree);
    if (all.length === 0) this.#state = initialDatastores(tree, this.offer);
    return all;
  }

  get datastores(): Datastores {
    this.#becomes(expire(this.#state, this.#clock.now()));
    return this.#state;
  }

  open(session: Pick<DeviceSession, "user" | "end">): SessionId {
    this.#lastSession += 1;
    const id = this.#lastSession;
    this.#sessions.set(id, { ...session, id, since: new Date(this.#clock.now()).toISOString() });
    return id;
  }

  sessions(): readonly SessionInfo[] {
    return [...this.#sessions.values()].map(({ id, user, since }) => ({ id, user, since }));
  }

  /** Has to be called for every session that was opened, however it ended; more than once does no harm. */
  close(session: SessionId): void {
    if (this.#sessions.delete(session)) this.#becomes(endSession(this.datastores, this.#rules, session));
  }

  /** Carries out an operation of a session. `faults` are those that change what the datastores do. */
  execute(session: SessionId, request: ProtocolRequest, faults: readonly Fault[] = []): Reply {
    const state = this.datastores;
    switch (request.kind) {
      case "get-config": {
        const tree = state[request.source] ?? emptyTree(this.schema);
        return this.#data(reportXml(tree, request.report), request.filter);
      }
      case "get": {
        const own = deviceState({ ...this.#announced(), datastores: state, sessions: this.sessions() });
        return this.#data([...reportXml(state.running, request.report), ...own], request.filter);
      }
      case "get-schema": {
        const found = findModuleText(this.#library, request.identifier, request.version);
        if (found.kind === "error") return { kind: "errors", errors: [found.error] };
        const data = xmlTextElement({ namespace: monitoringNamespace, name: "data" }, found.text);
        return { kind: "data", content: [data] };
      }
      case "edit-config": {
        const { edits, errors } = readEdit(this.schema, request.config, request.defaultOperation);
        const refused = errors.length > 0 ? errors : this.#refusedEdits(edits, faults);
        if (refused.length > 0) return { kind: "errors", errors: refused };
        const edit = (tree: DataTree): EditResult => this.#applied(tree, edits, request.errorOption);
        return this.#change(session, request.target, request.testOption, edit, faults);
      }
      case "copy-config": {
        const source = this.#sourceTree(request.source);
        if (source.errors.length > 0) return { kind: "errors", errors: source.errors };
        const same = request.source.kind === "datastore" && request.source.name === request.target;
        if (same) return { kind: "errors", errors: [protocolError("invalid-value", "source and target are the same")] };
        return this.#change(session, request.target, "set", () => source, faults);
      }
      case "delete-config":
        return this.#take(deleteStartup(state, { session }));
      case "validate": {
        if (request.source.kind === "datastore") {
          return this.#take(validateDatastore(state, this.#rules, request.source.name));
        }
        const { tree, errors } = this.#treeOf(request.source.config);
        return this.#take({ state, errors: errors.length > 0 ? errors : checkTree(tree) });
      }
      case "commit": {
        const finish = (tree: DataTree): DataTree => this.#finished(tree, faults);
        const { mode, persistId } = request;
        return this.#take(commit(state, this.#rules, { session, now: this.#clock.now(), mode, persistId, finish }));
      }
      case "cancel-commit":
        return this.#take(cancelCommit(state, this.#rules, { session, persistId: request.persistId }));
      case "discard-changes":
        return this.#take(discardChanges(state, { session }));
      case "lock":
        return this.#take(lock(state, this.#rules, { session, target: request.target }));
      case "unlock":
        return this.#take(unlock(state, this.#rules, { session, target: request.target }));
      case "close-session":
        this.close(session);
        return { kind: "ok" };
      case "kill-session":
        return this.#kill(session, request.session);
    }
  }

  /** Somebody changes running without NETCONF, with an edit-config's `<config>` content. */
  editOutside(
    config: readonly XmlElement[],
    options: { readonly locks: "respected" | "ignored" },
  ): readonly RpcError[] {
    const { edits, errors } = readEdit(this.schema, config, "merge");
    if (errors.length > 0) return errors;
    const changed = changeRunningOutside(this.datastores, this.#rules, {
      ...options,
      edit: (tree) => this.#applied(tree, edits, "rollback-on-error"),
    });
    this.#becomes(changed.state);
    return changed.errors;
  }

  /** Restarts: all sessions end, and what was neither confirmed nor saved is gone. */
  reboot(): void {
    this.#endSessions();
    this.#becomes(reboot(this.#state, this.offer));
  }

  /** Ends all sessions and the timer. */
  stop(): void {
    this.#endSessions();
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** The configuration that the children of a `<config>` element describe by themselves. */
  #treeOf(config: readonly XmlElement[]): EditResult {
    const { edits, errors } = readEdit(this.schema, config, "merge");
    if (errors.length > 0) return { tree: emptyTree(this.schema), errors };
    return this.#applied(emptyTree(this.schema), edits, "rollback-on-error");
  }

  #applied(
    tree: DataTree,
    edits: readonly EditNode[],
    errorOption: "stop-on-error" | "continue-on-error" | "rollback-on-error",
  ): EditResult {
    const { basicMode } = this.offer.withDefaults;
    const { tree: edited, errors } = applyEdit(tree, edits, { errorOption, basicMode });
    const settled = errors.length === 0 ? deleteWhereWhenFails(tree, edited, edits) : edited;
    return { errors, tree: kept(settled, basicMode) };
  }

  #finished(tree: DataTree, faults: readonly Fault[]): DataTree {
    return kept(finishByFaults(tree, faults), this.offer.withDefaults.basicMode);
  }

  #refusedEdits(edits: readonly EditNode[], faults: readonly Fault[]): readonly RpcError[] {
    return actionsOf(faults, "refuse-edit").flatMap(({ path, tag, message }) => {
      const resolved = parseCanonicalPath(this.schema, path);
      if (resolved.kind === "error") return [];
      const touched = edits.flatMap(touchedPaths).find((each) => isAtOrBelow(resolved.value.path, each));
      return touched === undefined ? [] : [applicationError(tag, message, { path: resolved.value.path })];
    });
  }

  #change(
    session: SessionId,
    target: DatastoreName,
    test: "test-then-set" | "set" | "test-only",
    edit: (tree: DataTree) => EditResult,
    faults: readonly Fault[],
  ): Reply {
    const finished = (tree: DataTree): EditResult => {
      const edited = edit(tree);
      return target === "running" ? { ...edited, tree: this.#finished(edited.tree, faults) } : edited;
    };
    return this.#take(changeDatastore(this.#state, this.#rules, { session, target, test, edit: finished }));
  }

  #sourceTree(source: ConfigSource): EditResult {
    if (source.kind === "inline") return this.#treeOf(source.config);
    const tree = this.#state[source.name];
    if (tree !== undefined) return { tree, errors: [] };
    const error = protocolError("data-missing", `${source.name} does not exist`);
    return { tree: emptyTree(this.schema), errors: [error] };
  }

  #kill(session: SessionId, victim: SessionId): Reply {
    const target = this.#sessions.get(victim);
    if (target === undefined || victim === session) {
      const info = [{ name: "bad-element", text: "session-id" }];
      return {
        kind: "errors",
        errors: [protocolError("invalid-value", `there is no other session ${String(victim)}`, { info })],
      };
    }
    this.close(victim);
    target.end();
    return { kind: "ok" };
  }

  #data(content: readonly XmlElement[], filter: readonly XmlElement[] | undefined): Reply {
    const children = filter === undefined ? content : filterSubtree(this.schema, content, filter);
    return { kind: "data", content: [xmlElement({ namespace: baseNamespace, name: "data", children })] };
  }

  #announced(): {
    readonly offer: DeviceOffer;
    readonly capabilities: readonly string[];
    readonly library: ModuleLibrary;
  } {
    return { offer: this.offer, capabilities: this.capabilities, library: this.#library };
  }

  #take({ state, errors }: Transition): Reply {
    this.#becomes(state);
    return errors.length === 0 ? { kind: "ok" } : { kind: "errors", errors };
  }

  /** Takes the next state and sets the timer of what is pending in it. */
  #becomes(state: Datastores): void {
    const before = this.#state.pending;
    this.#state = state;
    if (state.pending?.deadline !== before?.deadline) this.#setTimer();
  }

  #setTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const { pending } = this.#state;
    if (pending === undefined) return;
    const wait = Math.min(maxTimerMs, Math.max(0, pending.deadline - this.#clock.now()));
    this.#cancelTimer = this.#clock.schedule(wait, () => {
      this.#becomes(expire(this.#state, this.#clock.now()));
      // A timer may end a little early, or at its longest before the time is over.
      this.#setTimer();
    });
  }

  #endSessions(): void {
    for (const { id, end } of [...this.#sessions.values()]) {
      this.close(id);
      end();
    }
  }
}

function touchedPaths(edit: EditNode): readonly InstancePath[] {
  const below = "children" in edit ? edit.children.flatMap(touchedPaths) : [];
  return edit.operation === "none" || (below.length > 0 && edit.operation === "merge") ? below : [edit.path, ...below];
}

function isAtOrBelow(path: InstancePath, touched: InstancePath): boolean {
  return formatInstancePath(path) === formatInstancePath(touched) || isAncestorPath(path, touched);
}
