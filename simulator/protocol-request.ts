import { type XmlElement, attributeValue, childElements, textOf } from "../codec/xml/xml-element.ts";
import type { CommitInput, DatastoreName } from "./datastores.ts";
import { baseNamespace, monitoringNamespace, withDefaultsNamespace } from "./netconf-names.ts";
import type { DeviceOffer } from "./offer.ts";
import { type RpcError, protocolError } from "./rpc-error.ts";
import { type ReportMode, reportModes } from "./with-defaults.ts";

export type ConfigSource =
  | { readonly kind: "datastore"; readonly name: DatastoreName }
  | { readonly kind: "inline"; readonly config: readonly XmlElement[] };

interface ReadRequest {
  /** Children of a subtree filter; undefined: everything. */
  readonly filter: readonly XmlElement[] | undefined;
  readonly report: ReportMode;
}

/** An operation with its parameters read and checked, everything but the data in it. */
export type ProtocolRequest =
  | ({ readonly kind: "get-config"; readonly source: DatastoreName } & ReadRequest)
  | ({ readonly kind: "get" } & ReadRequest)
  | {
      readonly kind: "edit-config";
      readonly target: DatastoreName;
      readonly defaultOperation: "merge" | "replace" | "none";
      readonly testOption: "test-then-set" | "set" | "test-only";
      readonly errorOption: "stop-on-error" | "continue-on-error" | "rollback-on-error";
      readonly config: readonly XmlElement[];
    }
  | { readonly kind: "copy-config"; readonly source: ConfigSource; readonly target: DatastoreName }
  | { readonly kind: "delete-config"; readonly target: DatastoreName }
  | { readonly kind: "validate"; readonly source: ConfigSource }
  | { readonly kind: "commit"; readonly mode: CommitInput["mode"]; readonly persistId: string | undefined }
  | { readonly kind: "cancel-commit"; readonly persistId: string | undefined }
  | { readonly kind: "discard-changes" }
  | { readonly kind: "lock"; readonly target: DatastoreName }
  | { readonly kind: "unlock"; readonly target: DatastoreName }
  | { readonly kind: "close-session" }
  | { readonly kind: "kill-session"; readonly session: number }
  | { readonly kind: "get-schema"; readonly identifier: string; readonly version: string | undefined };

export type ReadRequestResult =
  | { readonly kind: "request"; readonly request: ProtocolRequest }
  | { readonly kind: "refused"; readonly error: RpcError };

/** Reads an operation element. What the device does not offer is refused as if it did not know it (RFC 6241, section 8). */
export function readRequest(operation: XmlElement, offer: DeviceOffer): ReadRequestResult {
  try {
    return { kind: "request", request: new RequestReader(operation, offer).read() };
  } catch (error) {
    if (error instanceof RequestRefused) return { kind: "refused", error: error.error };
    throw error;
  }
}

const defaultConfirmTimeoutSeconds = 600;
const maxUint32 = 4_294_967_295;

class RequestReader {
  readonly #operation: XmlElement;
  readonly #offer: DeviceOffer;

  constructor(operation: XmlElement, offer: DeviceOffer) {
    this.#operation = operation;
    this.#offer = offer;
  }

  read(): ProtocolRequest {
    const { namespace, name } = this.#operation;
    if (namespace === monitoringNamespace && name === "get-schema" && this.#offer.monitoring === "offered") {
      return this.#getSchema();
    }
    if (namespace !== baseNamespace) throw this.#notSupported();
    switch (name) {
      case "get-config":
        this.#knows("source", "filter", "with-defaults");
        return { kind: "get-config", source: this.#datastore("source"), ...this.#readParameters() };
      case "get":
        this.#knows("filter", "with-defaults");
        return { kind: "get", ...this.#readParameters() };
      case "edit-config":
        return this.#editConfig();
      case "copy-config": {
        this.#knows("target", "source");
        const target = this.#datastore("target");
        this.#mustBeWritable(target);
        return { kind: "copy-config", target, source: this.#source() };
      }
      case "delete-config": {
        this.#knows("target");
        const target = this.#datastore("target");
        if (target !== "startup") throw refuse(protocolError("operation-not-supported", `${target} cannot be deleted`));
        return { kind: "delete-config", target };
      }
      case "lock":
      case "unlock":
        this.#knows("target");
        return { kind: name, target: this.#datastore("target") };
      case "validate":
        if (this.#offer.validate === "none") throw this.#notSupported();
        this.#knows("source");
        return { kind: "validate", source: this.#source() };
      case "commit":
        return this.#commit();
      case "cancel-commit":
        if (this.#offer.candidate === "none" || this.#offer.confirmedCommit !== "1.1") throw this.#notSupported();
        this.#knows("persist-id");
        return { kind: "cancel-commit", persistId: this.#text("persist-id") };
      case "discard-changes":
        if (this.#offer.candidate === "none") throw this.#notSupported();
        this.#knows();
        return { kind: "discard-changes" };
      case "close-session":
        this.#knows();
        return { kind: "close-session" };
      case "kill-session":
        this.#knows("session-id");
        return { kind: "kill-session", session: this.#number("session-id") };
      default:
        throw this.#notSupported();
    }
  }

  #editConfig(): ProtocolRequest {
    this.#knows("target", "default-operation", "test-option", "error-option", "config");
    const target = this.#datastore("target");
    if (target === "startup") throw refuse(invalid("target", "startup is written by copy-config only"));
    this.#mustBeWritable(target);
    const tests = { none: [], "1.0": ["test-then-set", "set"], "1.1": ["test-then-set", "set", "test-only"] } as const;
    const options = ["stop-on-error", "continue-on-error", "rollback-on-error"] as const;
    const withoutRollback = options.filter((each) => each !== "rollback-on-error");
    const errorOptions = this.#offer.rollbackOnError === "offered" ? options : withoutRollback;
    if (this.#offer.validate === "none") this.#knowsNot("test-option");
    return {
      kind: "edit-config",
      target,
      defaultOperation: this.#word("default-operation", ["merge", "replace", "none"] as const) ?? "merge",
      testOption:
        this.#word("test-option", tests[this.#offer.validate]) ??
        (this.#offer.validate === "none" ? "set" : "test-then-set"),
      errorOption: this.#word("error-option", errorOptions) ?? "stop-on-error",
      config: childElements(this.#needed("config")),
    };
  }

  #commit(): ProtocolRequest {
    if (this.#offer.candidate === "none") throw this.#notSupported();
    const confirmed = { none: [], "1.0": ["confirmed", "confirm-timeout"] } as const;
    const all = ["confirmed", "confirm-timeout", "persist", "persist-id"];
    this.#knows(...(this.#offer.confirmedCommit === "1.1" ? all : confirmed[this.#offer.confirmedCommit]));
    const persistId = this.#text("persist-id");
    if (this.#parameter("confirmed") === undefined) {
      for (const name of ["confirm-timeout", "persist"]) {
        if (this.#parameter(name) !== undefined) throw refuse(missing("confirmed", `${name} needs confirmed`));
      }
      return { kind: "commit", mode: { kind: "final" }, persistId };
    }
    const seconds =
      this.#parameter("confirm-timeout") === undefined ? defaultConfirmTimeoutSeconds : this.#number("confirm-timeout");
    const mode = { kind: "confirmed", timeoutMs: seconds * 1000, persist: this.#text("persist") } as const;
    return { kind: "commit", mode, persistId };
  }

  #getSchema(): ProtocolRequest {
    this.#knows("identifier", "version", "format");
    const identifier = textOf(this.#needed("identifier")).trim();
    const format = this.#text("format")?.replace(/^.*:/u, "") ?? "yang";
    if (format !== "yang") throw refuse(invalid("format", "only the format yang is served"));
    return { kind: "get-schema", identifier, version: this.#text("version") };
  }

  #readParameters(): ReadRequest {
    const filter = this.#parameter("filter");
    const { basicMode, alsoSupported, capability } = this.#offer.withDefaults;
    if (capability === "none") this.#knowsNot("with-defaults");
    const type =
      filter === undefined
        ? undefined
        : (attributeValue(filter, "", "type") ?? attributeValue(filter, baseNamespace, "type"));
    if (type !== undefined && type !== "subtree") {
      throw refuse(
        protocolError("bad-attribute", "only subtree filters are known", {
          info: [
            { name: "bad-attribute", text: "type" },
            { name: "bad-element", text: "filter" },
          ],
        }),
      );
    }
    const report = this.#word("with-defaults", reportModes);
    if (report !== undefined && report !== basicMode && !alsoSupported.includes(report)) {
      throw refuse(invalid("with-defaults", `the mode ${report} is not supported`));
    }
    return { filter: filter === undefined ? undefined : childElements(filter), report: report ?? basicMode };
  }

  #source(): ConfigSource {
    const [choice, ...others] = childElements(this.#needed("source"));
    if (choice !== undefined && others.length === 0 && choice.namespace === baseNamespace && choice.name === "config") {
      return { kind: "inline", config: childElements(choice) };
    }
    return { kind: "datastore", name: this.#datastore("source") };
  }

  #datastore(parameter: "source" | "target"): DatastoreName {
    const element = this.#needed(parameter);
    const [choice, ...others] = childElements(element);
    if (choice === undefined) throw refuse(missing("running", `${parameter} names no datastore`));
    const name = (["running", "candidate", "startup"] as const).find((each) => each === choice.name);
    const offered = name === "running" || (name !== undefined && this.#offer[name] === "offered");
    if (choice.namespace !== baseNamespace || name === undefined || !offered) throw refuse(unknown(choice.name));
    if (others.length > 0) throw refuse(bad(others[0]?.name ?? "", `${parameter} names two datastores`));
    return name;
  }

  #mustBeWritable(target: DatastoreName): void {
    if (target === "running" && this.#offer.writableRunning === "none") {
      throw refuse(protocolError("operation-not-supported", "running is written by commit only"));
    }
  }

  /** Refuses parameters that the operation does not have. */
  #knows(...names: readonly string[]): void {
    const seen = new Set<string>();
    for (const child of childElements(this.#operation)) {
      const own = child.name === "with-defaults" ? withDefaultsNamespace : this.#operation.namespace;
      if (!names.includes(child.name) || child.namespace !== own) throw refuse(unknown(child.name));
      if (seen.has(child.name)) throw refuse(bad(child.name, `${child.name} occurs twice`));
      seen.add(child.name);
    }
  }

  #knowsNot(name: string): void {
    if (this.#parameter(name) !== undefined) throw refuse(unknown(name));
  }

  #parameter(name: string): XmlElement | undefined {
    return childElements(this.#operation).find((child) => child.name === name);
  }

  #needed(name: string): XmlElement {
    const parameter = this.#parameter(name);
    if (parameter === undefined) throw refuse(missing(name, `${name} is missing`));
    return parameter;
  }

  #text(name: string): string | undefined {
    const parameter = this.#parameter(name);
    return parameter === undefined ? undefined : textOf(parameter);
  }

  #word<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const text = this.#text(name)?.trim();
    if (text === undefined) return undefined;
    const word = words.find((each) => each === text);
    if (word === undefined) throw refuse(invalid(name, `${name} is one of ${words.join(", ")}`));
    return word;
  }

  /** An unsigned 32-bit integer from 1. */
  #number(name: string): number {
    const text = textOf(this.#needed(name)).trim();
    const number = /^\d{1,10}$/u.test(text) ? Number(text) : 0;
    if (number < 1 || number > maxUint32) throw refuse(invalid(name, `${name} is an integer from 1`));
    return number;
  }

  #notSupported(): RequestRefused {
    const { name } = this.#operation;
    return refuse(protocolError("operation-not-supported", `the operation ${name} is not supported`));
  }
}

/** Leaves the reader at the first error; never leaves this file. */
class RequestRefused extends Error {
  readonly error: RpcError;

  constructor(error: RpcError) {
    super(error.message);
    this.error = error;
  }
}

function refuse(error: RpcError): RequestRefused {
  return new RequestRefused(error);
}

function missing(element: string, message: string): RpcError {
  return protocolError("missing-element", message, { info: [{ name: "bad-element", text: element }] });
}

function unknown(element: string): RpcError {
  return protocolError("unknown-element", `${element} is not known here`, {
    info: [{ name: "bad-element", text: element }],
  });
}

function invalid(element: string, message: string): RpcError {
  return protocolError("invalid-value", message, { info: [{ name: "bad-element", text: element }] });
}

function bad(element: string, message: string): RpcError {
  return protocolError("bad-element", message, { info: [{ name: "bad-element", text: element }] });
}
