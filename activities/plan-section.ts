/**
 * One device's section of a plan: what is wanted there against what was just observed, as ordered operations with their
 * causes, impact and findings. The goal comes rendered from the graph; the device process only compares.
 */
import type { PlanTarget } from "../contract/activities.ts";
import type { ProposalDocument, WishDocument } from "../contract/documents.ts";
import type { PlanDirection } from "../contract/plan-state.ts";
import type { PlanOptions } from "../contract/workflows.ts";
import { parseGoal } from "../goal/device-goal.ts";
import { parseCanonicalPath } from "../model/values/canonical-value.ts";
import { type InstancePath, formatInstancePath, isAtOrBelow } from "../model/path.ts";
import { parseInstancePath } from "../model/paths/parse-path.ts";
import type { Schema } from "../model/schema.ts";
import type { DataTree } from "../model/tree.ts";
import { applyOperations } from "../plan/apply-operations.ts";
import { type Attribution, attributeOperations } from "../plan/attribute.ts";
import { type CompareOptions, compare } from "../plan/compare.ts";
import type { Finding } from "../plan/finding.ts";
import { classifyOperations } from "../plan/impact.ts";
import { type Operation, type OperationCause, operationPath } from "../plan/operation.ts";
import { orderOperations } from "../plan/order.ts";
import { type PlanSection, type SectionService, planSection, sectionDocument } from "../plan/plan-document.ts";
import { changeDrift, changeTarget } from "../plan/target.ts";
import { judgeChange, refusedBy, validationFindings } from "../plan/validation-findings.ts";
import type { ConfigRead, DeviceProfile } from "../providers/capability.ts";
import type { Explanation } from "../services/explanation.ts";
import { type ReadDocument, must, readFormat } from "./documents.ts";
import { serviceLines } from "./service-lines.ts";
import { RefusedError } from "./to-application-failure.ts";
import { diagnosticsOf, readPolicyDocument, refuseFindings } from "./validation-policy.ts";

export interface SectionRequest {
  readonly target: PlanTarget;
  readonly direction: PlanDirection;
  readonly options: PlanOptions;
  /** Drift plans only: operations elsewhere are left out. */
  readonly paths: readonly string[];
  readonly profile: DeviceProfile;
  readonly observed: { readonly observation: string; readonly tree: DataTree; readonly read: ConfigRead };
  readonly read: ReadDocument;
}

export interface MadeSection {
  readonly operations: number;
  /** Observation + operations. */
  readonly expected: DataTree;
  /** The section's canonical bytes, once the documents it names are stored. */
  readonly document: (digests: { readonly profile: string; readonly expectedState: string }) => string;
}

export async function makeSection(request: SectionRequest): Promise<MadeSection> {
  const { target, observed, read, profile } = request;
  const { schema } = observed.tree;
  const compareOptions: CompareOptions = { defaultsMode: observed.read.basicMode };
  const [goalBefore, goalAfter] = await Promise.all([
    goalTree(read, schema, target.goalBefore),
    goalTree(read, schema, target.goalAfter),
  ]);
  const proposal =
    target.proposal === undefined
      ? undefined
      : await readFormat<ProposalDocument>(read, target.proposal, "tenure-proposal/1");
  const wish =
    target.wish === undefined ? undefined : await readFormat<WishDocument>(read, target.wish, "tenure-wish/1");
  const raw = wantedOperations(request, { goalBefore, goalAfter, wish }, compareOptions);
  const ordered = orderOperations(schema, raw.operations);
  const attributed = attributeOperations(ordered.operations, attributions(schema, proposal, target.device.id), {
    kind: "drift",
  });
  const operations = classifyOperations(attributed, {
    managementPaths: profile.managementPaths.flatMap((path) => pathOrNothing(schema, path)),
    sessionReset: new Set(),
    wholeDevice: new Set(),
  });
  const expected = applyOperations(observed.tree, operations);
  const policy = await readPolicyDocument(read, target.validationPolicy);
  const judged = judgeChange(observed.tree, expected, policy);
  // What desired state has already (enforce) and what the device has already (accept) nobody is asked for anew.
  if (request.direction === "change" && policy !== undefined)
    refuseFindings(policy, diagnosticsOf(target.device.name, refusedBy(judged)));
  return {
    operations: operations.length,
    expected,
    document: ({ profile: profileDigest, expectedState }) =>
      sectionDocument(
        planSection({
          device: target.device.id,
          name: target.device.name,
          goalBefore: target.goalBefore,
          goalAfter: target.goalAfter,
          observation: observed.observation,
          expectedState,
          moduleSet: target.device.moduleSet ?? "",
          profile: profileDigest,
          ...(target.validationPolicy === undefined ? {} : { validationPolicy: target.validationPolicy }),
          datastore: datastoreOf(observed.read.datastore),
          defaultsMode: observed.read.basicMode,
          completeness: "complete",
          operations,
          services: proposal === undefined ? [] : servicesOf(proposal, target.device.id),
          findings: [...raw.findings, ...ordered.findings, ...validationFindings(judged, policy)],
        }),
      ),
  };
}

interface Goals {
  readonly goalBefore: DataTree;
  readonly goalAfter: DataTree;
  readonly wish: WishDocument | undefined;
}

interface Wanted {
  readonly operations: readonly Operation[];
  readonly findings: readonly Finding[];
}

function wantedOperations(request: SectionRequest, goals: Goals, options: CompareOptions): Wanted {
  const observed = request.observed.tree;
  switch (request.direction) {
    case "change": {
      if (request.options.includeDrift === "include") return compare(goals.goalAfter, observed, options);
      const wish = goals.wish ?? { put: [], remove: [] };
      const comparison = compare(changeTarget(observed, wish), observed, options);
      return {
        operations: comparison.operations,
        findings: [...comparison.findings, ...changeDrift(goals.goalBefore, observed, wish, options)],
      };
    }
    case "enforce": {
      const comparison = compare(goals.goalBefore, observed, options);
      const within = pathFilter(observed.schema, request.paths);
      return {
        ...comparison,
        operations: comparison.operations.filter((operation) => within(operationPath(operation))),
      };
    }
    case "accept": {
      // Nothing is written; what the device shows and the goal does not is what desired state takes.
      const within = pathFilter(observed.schema, request.paths);
      const drift = changeDrift(goals.goalBefore, observed, { put: [], remove: [] }, options);
      return {
        operations: [],
        findings: drift.map((finding) =>
          finding.kind === "drift" && within(finding.path) ? { ...finding, scope: "touched" as const } : finding,
        ),
      };
    }
  }
}

/** Is a path at or below one of these? Without any, all are. */
function pathFilter(schema: Schema, paths: readonly string[]): (path: string) => boolean {
  const wanted = paths.map((path) => {
    const parsed = parseCanonicalPath(schema, path);
    if (parsed.kind === "ok") return formatInstancePath(parsed.value.path);
    throw new RefusedError(parsed.diagnostics.map((each) => each.message).join("; "), parsed.diagnostics);
  });
  return (path) => wanted.length === 0 || wanted.some((each) => isAtOrBelow(path, each));
}

function pathOrNothing(schema: Schema, text: string): readonly InstancePath[] {
  const parsed = parseInstancePath(schema, text);
  return parsed.kind === "ok" ? [parsed.value.path] : [];
}

async function goalTree(read: ReadDocument, schema: Schema, digest: string): Promise<DataTree> {
  return must("goal", parseGoal(schema, await read(digest), { source: "goal" }));
}

function datastoreOf(name: string): PlanSection["datastore"] {
  return name === "candidate" || name === "startup" ? name : "running";
}

function attributions(schema: Schema, proposal: ProposalDocument | undefined, device: string): readonly Attribution[] {
  if (proposal === undefined) return [];
  const effects = new Map(proposal.services.map((service) => [service.name, service.effect]));
  return proposal.explanations.flatMap((explanation): readonly Attribution[] => {
    const cause = explanation.device === device ? causeOf(explanation, effects) : undefined;
    if (cause === undefined) return [];
    const parsed = parseCanonicalPath(schema, explanation.path);
    return parsed.kind === "ok" ? [{ path: parsed.value.path, cause }] : [];
  });
}

/** Undefined where the explanation is of something that stays, or of ownership alone. */
function causeOf(
  explanation: Explanation,
  effects: ReadonlyMap<string, "put" | "removed">,
): OperationCause | undefined {
  switch (explanation.kind) {
    case "kept":
    case "missing":
    case "relinked":
    case "left-alone":
      return undefined;
    case "restored":
    case "undone":
      return { kind: "rollback", revision: explanation.revision };
    case "set":
    case "created":
    case "overrides":
    case "removed":
    case "swept":
    case "case-ended":
      return effects.get(explanation.service) === "removed"
        ? { kind: "service-remove", service: explanation.service }
        : { kind: "service-put", service: explanation.service };
  }
}

function servicesOf(proposal: ProposalDocument, device: string): readonly SectionService[] {
  const own = proposal.services.map((service) => ({
    service: service.name,
    effect: service.effect,
    lines: serviceLines(
      proposal.explanations.filter(
        (each) => each.device === device && "service" in each && each.service === service.name,
      ),
    ),
  }));
  const named = new Set(own.map((each) => each.service));
  const affected = proposal.statuses
    .filter((each) => !named.has(each.service))
    .map((each) => ({ service: each.service, effect: "affected" as const, lines: [] }));
  return [...own, ...affected];
}
