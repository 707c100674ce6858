/**
 * A plan as documents: a header and one section a device, each canonical JSON (RFC 8785). What a person approves is the digest of the header,
 * which names the digests of everything else; so two plans with the same inputs have the same bytes, and nothing that differs from run to run
 * (plan id, times, people, revision numbers) stands in them. Hashing is done by activities, never here.
 */
import serialize from "canonicalize";
import { type Diagnostic, type Result, failure } from "../model/diagnostic.ts";
import type { ServerDefaultsMode } from "./compare.ts";
import {
  type Shape,
  anyJson,
  arrayOf,
  count,
  digest,
  flag,
  objectOf,
  oneOf,
  readShape,
  recordOf,
  text,
  unionOf,
} from "./document-shape.ts";
import { type Finding, sortFindings } from "./finding.ts";
import { countImpact } from "./impact.ts";
import { IMPACT_CLASSES, type ImpactClass, type Operation } from "./operation.ts";
import { type OperationDocument, operationToDocument } from "./operation-json.ts";
import type { PlainJson } from "./plain-json.ts";

export const headerFormat = "tenure-plan/1";
export const sectionFormat = "tenure-plan-section/1";

/** SHA-256 in lower-case hex. */
export type Digest = string;

/** `change`: what a proposal needs. `enforce`: graph to device. `accept`: device to graph. */
export type PlanDirection = "change" | "enforce" | "accept";
export type TransactionPolicy = "all-or-nothing" | "per-device";

export type PlanScope =
  /** The devices and paths of the proposal. */
  | { readonly kind: "proposal" }
  /** Whole devices, or the paths below which the plan looks (closed over ancestors, user order and leafref targets). Sorted. */
  | { readonly kind: "devices"; readonly devices: readonly string[]; readonly paths: readonly string[] };

/** What the approval policy asks for at this plan. */
export interface ApprovalRequirement {
  /** Name of the policy that decided. */
  readonly policy: string;
  readonly approvals: number;
  readonly author: "may-approve" | "may-not-approve";
}

/** A service whose status is another one once desired state is what an accepting plan makes of it. */
export interface AffectedService {
  readonly service: string;
  readonly status: "consistent" | "inconsistent";
  /** All that it requires and would not find, by device and path; the first of them. */
  readonly because: readonly UnmetRequirement[];
  /** How many more there are. */
  readonly more?: number;
}

export interface UnmetRequirement {
  /** Name of the device. */
  readonly device: string;
  readonly path: string;
  readonly reason: "overridden" | "missing" | "contradicted";
  /** Absent where the item only has to be there. */
  readonly required?: PlainJson;
  /** Absent where there is no value. */
  readonly found?: PlainJson;
}

export interface PlanHeader {
  readonly format: typeof headerFormat;
  readonly direction: PlanDirection;
  readonly policy: TransactionPolicy;
  readonly scope: PlanScope;
  readonly allowUnrelated: boolean;
  readonly includeDrift: boolean;
  /** Change plans: the compiled proposal. */
  readonly proposal?: Digest;
  /** The revision that desired state takes; absent where it does not change. */
  readonly revisionBody?: Digest;
  readonly approval: ApprovalRequirement;
  /** Plans that accept: the services that become (in)consistent by it, by name. Absent: none. */
  readonly affected?: readonly AffectedService[];
  /** Section digests by device name. */
  readonly sections: Readonly<Record<string, Digest>>;
}

/** Why an item goes or stays, as a reviewer reads it. */
export type ServiceLine =
  | {
      readonly kind: "removed";
      readonly path: string;
      /** Nobody owns it; it goes with the entry above it. */
      readonly unowned?: true;
      /** It existed before any service took it. */
      readonly existedSince?: number;
      readonly existedValue?: PlainJson;
    }
  | {
      readonly kind: "kept";
      readonly path: string;
      /** Surviving edges that keep it; `path` where one leads to something below it. None where a leafref keeps it. */
      readonly keptBy: readonly {
        readonly service: string;
        readonly relation: "owns" | "depends";
        readonly path?: string;
      }[];
      /** Items that keep it: leafrefs that point at it, or what stays in it, the first few of them. Absent where edges do. */
      readonly heldBy?: readonly string[];
      /** `holds-others`: something below it stays. `holds-unowned`: it has children that nobody owns (scope node). */
      readonly reason: "owned" | "depended-on" | "referenced" | "on-remove-keep" | "holds-others" | "holds-unowned";
      readonly setBy: string;
      readonly value?: PlainJson;
    }
  /** The value of another service that owned or required it is replaced; that service becomes inconsistent (rule 2). */
  | {
      readonly kind: "overrides";
      readonly path: string;
      readonly overridden: string;
      readonly before?: PlainJson;
      readonly after?: PlainJson;
    }
  /** The service depends on an item that is not there, or has another value (`found`) than it requires (rule 7). */
  | { readonly kind: "missing"; readonly path: string; readonly required?: PlainJson; readonly found?: PlainJson };

export interface SectionService {
  readonly service: string;
  /** `put` and `removed` by the proposal itself; `affected` by it, drift or acceptance. */
  readonly effect: "put" | "removed" | "affected";
  readonly lines: readonly ServiceLine[];
}

export interface PlanSection {
  readonly format: typeof sectionFormat;
  /** Immutable id and present name of the device. */
  readonly device: string;
  readonly name: string;
  readonly goalBefore: Digest;
  readonly goalAfter: Digest;
  /** Of the normalised observation. */
  readonly observation: Digest;
  /** Of observation + operations: what verification compares with. */
  readonly expectedState: Digest;
  readonly moduleSet: Digest;
  readonly profile: Digest;
  /** The validation policy that the findings were judged by; absent where none is configured. */
  readonly validationPolicy?: Digest;
  readonly datastore: "running" | "candidate" | "startup";
  readonly defaultsMode: ServerDefaultsMode;
  readonly completeness: "complete" | "incomplete";
  readonly operations: readonly OperationDocument[];
  readonly services: readonly SectionService[];
  /** How many operations of each class; classes that do not occur are absent. */
  readonly impact: Readonly<Partial<Record<ImpactClass, number>>>;
  readonly findings: readonly Finding[];
}

export interface SectionInput extends Omit<PlanSection, "format" | "operations" | "impact"> {
  /** Ordered, attributed, classified. */
  readonly operations: readonly Operation[];
}

/** The section with everything derivable derived and everything unordered sorted, so that equal inputs give equal bytes. */
export function planSection(input: SectionInput): PlanSection {
  const impact = Object.fromEntries(countImpact(input.operations).map((each) => [each.impact, each.count]));
  return {
    ...input,
    format: sectionFormat,
    operations: input.operations.map(operationToDocument),
    services: sortBy(input.services, ({ service }) => service).map((each) => ({
      ...each,
      lines: sortBy(each.lines, ({ path, kind }) => `${path} ${kind}`),
    })),
    impact,
    findings: sortFindings(input.findings),
  };
}

/** The header with devices and paths of its scope sorted. */
export function planHeader(input: Omit<PlanHeader, "format">): PlanHeader {
  const { scope } = input;
  return {
    ...input,
    format: headerFormat,
    scope:
      scope.kind === "devices"
        ? { kind: "devices", devices: sortBy(scope.devices), paths: sortBy(scope.paths) }
        : scope,
  };
}

/** The bytes of a section: canonical JSON text, no trailing newline. */
export function sectionDocument(section: PlanSection): string {
  return canonicalText(section);
}

/** The bytes whose SHA-256 is the plan's digest. */
export function headerDocument(header: PlanHeader): string {
  return canonicalText(header);
}

/** The digest that was promised and the one that the bytes have, computed by the caller. */
export interface DigestCheck {
  readonly expected: Digest;
  readonly actual: Digest;
}

export type PlanDocumentCode = "document-digest" | "document-syntax" | "document-format" | "document-form";

/**
 * Reads a header's bytes. Refused, with a code: other bytes than promised (`document-digest`), no canonical JSON (`document-syntax`), a format
 * this version does not know (`document-format`), members missing, unknown or of another form (`document-form`, each with its place).
 */
export function parseHeaderDocument(bytes: string, check: DigestCheck): Result<PlanHeader> {
  return parseDocument<PlanHeader>(bytes, check, headerFormat, headerShape);
}

/** The same for a section. Operations are read against a schema by `operationsFromDocuments`. */
export function parseSectionDocument(bytes: string, check: DigestCheck): Result<PlanSection> {
  return parseDocument<PlanSection>(bytes, check, sectionFormat, sectionShape);
}

/**
 * Does the plan have to be approved? One without operations and without a change of desired state asks nobody; one that changes only
 * ownership still asks.
 */
export function needsApproval(header: PlanHeader, sections: readonly PlanSection[]): boolean {
  return header.revisionBody !== undefined || sections.some((section) => section.operations.length > 0);
}

function canonicalText(document: PlanHeader | PlanSection): string {
  const canonical = serialize(document);
  if (canonical === undefined) throw new RangeError("a plan document has a JSON form");
  return canonical;
}

function parseDocument<T>(bytes: string, check: DigestCheck, format: string, shape: Shape): Result<T> {
  if (check.actual !== check.expected) {
    return refused("document-digest", "the document has other bytes than the digest says", check.expected);
  }
  let value: unknown;
  try {
    value = JSON.parse(bytes);
  } catch {
    return refused("document-syntax", "the document is no JSON", "canonical JSON (RFC 8785)");
  }
  const found = typeof value === "object" && value !== null && "format" in value ? value.format : undefined;
  if (found !== format) {
    const named = typeof found === "string" ? `format ${JSON.stringify(found)}` : "no format";
    return refused("document-format", `the document has ${named}, which this version cannot read`, format);
  }
  if (serialize(value) !== bytes) {
    return refused("document-syntax", "the document is not in canonical form", "canonical JSON (RFC 8785)");
  }
  return readShape<T>(shape, value);
}

function refused(code: PlanDocumentCode, message: string, expected: string): Result<never> {
  const diagnostic: Diagnostic<PlanDocumentCode> = { code, severity: "error", message, places: [], expected };
  return failure([diagnostic]);
}

function sortBy<T>(values: readonly T[], key: (value: T) => string = String): readonly T[] {
  return values
    .map((value) => ({ value, key: key(value) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ value }) => value);
}

const headerShape = objectOf(
  {
    format: text,
    direction: oneOf(["change", "enforce", "accept"]),
    policy: oneOf(["all-or-nothing", "per-device"]),
    scope: unionOf("kind", {
      proposal: objectOf({ kind: text }),
      devices: objectOf({ kind: text, devices: arrayOf(text), paths: arrayOf(text) }),
    }),
    allowUnrelated: flag,
    includeDrift: flag,
    approval: objectOf({ policy: text, approvals: count, author: oneOf(["may-approve", "may-not-approve"]) }),
    sections: recordOf(digest),
  },
  {
    proposal: digest,
    revisionBody: digest,
    affected: arrayOf(
      objectOf(
        {
          service: text,
          status: oneOf(["consistent", "inconsistent"]),
          because: arrayOf(
            objectOf(
              { device: text, path: text, reason: oneOf(["overridden", "missing", "contradicted"]) },
              { required: anyJson, found: anyJson },
            ),
          ),
        },
        { more: count },
      ),
    ),
  },
);

const insertShape = unionOf("where", {
  first: objectOf({ where: text }),
  last: objectOf({ where: text }),
  before: objectOf({ where: text, anchor: text }),
  after: objectOf({ where: text, anchor: text }),
});

const causeShape = unionOf("kind", {
  "service-put": objectOf({ kind: text, service: text }),
  "service-remove": objectOf({ kind: text, service: text }),
  rollback: objectOf({ kind: text, revision: count }),
  drift: objectOf({ kind: text }),
});

const operationCommon = { op: text, path: text, causes: arrayOf(causeShape), impact: oneOf(IMPACT_CLASSES) };
const operationShape = unionOf("op", {
  create: objectOf(
    { ...operationCommon, after: anyJson },
    { insert: insertShape, default: anyJson, implied: arrayOf(objectOf({ path: text, before: anyJson })) },
  ),
  replace: objectOf({ ...operationCommon, before: anyJson, after: anyJson }),
  delete: objectOf({ ...operationCommon, before: anyJson }, { default: anyJson }),
  move: objectOf({ ...operationCommon, insert: insertShape }),
});

const sides = oneOf(["set", "unset"]);
const findingShape = unionOf("kind", {
  explicitness: objectOf({ kind: text, path: text, value: anyJson, desired: sides, observed: sides }),
  "server-default": objectOf({ kind: text, path: text, schemaDefault: anyJson, found: anyJson }),
  unverifiable: objectOf({ kind: text, path: text, reason: oneOf(["secret-key", "opaque-encoding"]) }),
  "reference-cycle": objectOf({ kind: text, paths: arrayOf(text) }),
  drift: objectOf(
    {
      kind: text,
      scope: oneOf(["touched", "unrelated"]),
      op: oneOf(["create", "replace", "delete", "move"]),
      path: text,
    },
    { expected: anyJson, found: anyJson },
  ),
  validation: objectOf(
    { kind: text, code: text, path: text, message: text },
    { errorAppTag: text, severity: oneOf(["error"]) },
  ),
  "validation-standing": objectOf({ kind: text, path: text, count }),
});

const lineShape = unionOf("kind", {
  removed: objectOf({ kind: text, path: text }, { unowned: flag, existedSince: count, existedValue: anyJson }),
  kept: objectOf(
    {
      kind: text,
      path: text,
      keptBy: arrayOf(objectOf({ service: text, relation: oneOf(["owns", "depends"]) }, { path: text })),
      reason: oneOf(["owned", "depended-on", "referenced", "on-remove-keep", "holds-others", "holds-unowned"]),
      setBy: text,
    },
    { heldBy: arrayOf(text), value: anyJson },
  ),
  overrides: objectOf({ kind: text, path: text, overridden: text }, { before: anyJson, after: anyJson }),
  missing: objectOf({ kind: text, path: text }, { required: anyJson, found: anyJson }),
});

const sectionShape = objectOf(
  {
    format: text,
    device: text,
    name: text,
    goalBefore: digest,
    goalAfter: digest,
    observation: digest,
    expectedState: digest,
    moduleSet: digest,
    profile: digest,
    datastore: oneOf(["running", "candidate", "startup"]),
    defaultsMode: oneOf(["explicit", "trim", "report-all"]),
    completeness: oneOf(["complete", "incomplete"]),
    operations: arrayOf(operationShape),
    services: arrayOf(
      objectOf({ service: text, effect: oneOf(["put", "removed", "affected"]), lines: arrayOf(lineShape) }),
    ),
    impact: objectOf({}, Object.fromEntries(IMPACT_CLASSES.map((impact) => [impact, count]))),
    findings: arrayOf(findingShape),
  },
  { validationPolicy: digest },
);
