/** Documents that pass between the graph's owner and device workers by digest. All are canonical JSON (RFC 8785). */
import type { DiagnosticSeverity } from "../model/diagnostic.ts";
import type { Item } from "../model/item.ts";
import type { Explanation } from "../services/explanation.ts";
import type { DeviceWish } from "../services/propose.ts";

export interface ModuleSetDocument {
  readonly format: "tenure-module-set/1";
  readonly modules: readonly {
    readonly name: string;
    readonly revision?: string | undefined;
    readonly role: "implement" | "import" | "submodule";
    readonly features: readonly string[];
    /** Digest of the module's text. */
    readonly text: string;
  }[];
}

/** One read of a device's configuration. Only a complete one becomes a document. */
export interface ObservationDocument {
  readonly format: "tenure-observation/1";
  readonly device: string;
  readonly moduleSet: string;
  readonly profile: string;
  readonly datastore: string;
  readonly defaultsMode: "explicit" | "trim" | "report-all" | "report-all-tagged";
  readonly basicMode: "explicit" | "trim" | "report-all";
  /** Digest of the content: the data tree in Tenure's JSON, sorted, secrets sealed. */
  readonly content: string;
}

/** Files of one submission, as the client sent them. */
export interface SubmissionDocument {
  readonly format: "tenure-submission/1";
  readonly files: readonly { readonly name: string; readonly text: string }[];
}

/** What a person reads of a proposal before any plan: what changes, goes and stays, and why. */
export interface ProposalDocument {
  readonly format: "tenure-proposal/1";
  readonly kind: "put" | "remove" | "rollback";
  /** Revision that a rollback returns to. */
  readonly to?: number | undefined;
  readonly services: readonly { readonly name: string; readonly effect: "put" | "removed" }[];
  readonly definitions: readonly {
    readonly name: string;
    readonly version: string;
    readonly effect: "put" | "removed";
  }[];
  readonly explanations: readonly Explanation[];
  /** Digest of the wish of each device, by device id. */
  readonly wishes: readonly { readonly device: string; readonly name: string; readonly wish: string }[];
  /** Services that become (in)consistent by it. */
  readonly statuses: readonly { readonly service: string; readonly status: "consistent" | "inconsistent" }[];
  /**
   * Rules of the devices' modules (RFC 7950 section 8) that desired state keeps and would break; the first
   * `SHOWN_FINDINGS` of them, by device and path. Absent: none, or none that the validation policy lets be seen.
   */
  readonly findings?: readonly ProposalFinding[] | undefined;
  /** How many more there are. Absent: none. */
  readonly moreFindings?: number | undefined;
  readonly body: string;
}

export interface ProposalFinding {
  /** Id of the device, and its name when this was compiled. */
  readonly device: string;
  readonly name: string;
  readonly path: string;
  /** The validator's word for the rule. */
  readonly code: string;
  readonly message: string;
  /** As the validation policy gives it; what it calls an error refuses the proposal. */
  readonly severity: DiagnosticSeverity;
  readonly errorAppTag?: string | undefined;
}

export interface WishDocument extends DeviceWish {
  readonly format: "tenure-wish/1";
}

/** Module texts that a person gave for a device which cannot serve its own. */
export interface GivenModulesDocument {
  readonly format: "tenure-given-modules/1";
  readonly modules: readonly { readonly name: string; readonly text: string }[];
}

/** Nodes that a device made itself below what a plan created: they join desired state unowned. */
export interface AdoptedDocument {
  readonly format: "tenure-adopted/1";
  readonly device: string;
  readonly items: readonly Item[];
}
