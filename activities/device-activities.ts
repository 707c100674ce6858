/**
 * The activities that speak to devices: first contact, observation, planning, and the three writes of a transaction.
 * They know no protocol: a connection's capabilities do.
 */
import { createHash } from "node:crypto";
import type {
  CancelResult,
  ConfirmResult,
  DeviceActivities,
  ObservationResult,
  PlannedSection,
  PrepareResult,
  WriteTicket,
} from "../contract/activities.ts";
import type { DeviceReference } from "../contract/device-reference.ts";
import type { GivenModulesDocument, ModuleSetDocument, ObservationDocument } from "../contract/documents.ts";
import { FailureType } from "../contract/failure.ts";
import type { PathDifference } from "../contract/plan-state.ts";
import { formatDiagnostic } from "../model/diagnostic.ts";
import { type InstancePath, formatInstancePath } from "../model/path.ts";
import type { Schema } from "../model/schema.ts";
import type { DataTree } from "../model/tree.ts";
import { type Value, displayValue } from "../model/value.ts";
import { parseYangModule } from "../model/yang/compile-yang.ts";
import { type Operation, operationPath } from "../plan/operation.ts";
import { operationsFromDocuments } from "../plan/operation-json.ts";
import { compare } from "../plan/compare.ts";
import { type PlanSection, parseSectionDocument } from "../plan/plan-document.ts";
import { checkStale } from "../plan/stale.ts";
import {
  type ConfigRead,
  type DeviceConnection,
  type DeviceProfile,
  type FetchedModule,
  type Prepared,
  canFetchSchemas,
  canReadConfig,
  canWriteInTwoPhases,
  capabilityMissing,
  isSecretLeaf,
} from "../providers/capability.ts";
import { ProviderErrorCode, isProviderError } from "../providers/error.ts";
import type { ProviderRegistry } from "../providers/registry.ts";
import type { OwnerClient } from "../runtime/owner-client.ts";
import type { SecretBox } from "../runtime/secrets.ts";
import { profileOf, withDevice } from "./device-session.ts";
import {
  SchemaCache,
  canonicalText,
  compileModuleSet,
  contentText,
  must,
  readFormat,
  readObservation,
  treeOfContent,
} from "./documents.ts";
import { makeSection } from "./plan-section.ts";
import { fingerprintTree, sealTree } from "./seal-tree.ts";
import { staleLines } from "./stale-lines.ts";
import { FencedError, RefusedError, translated } from "./to-application-failure.ts";

export interface DeviceActivityOptions {
  readonly registry: ProviderRegistry;
  readonly owner: OwnerClient;
  readonly secrets: SecretBox;
}

export function createDeviceActivities(options: DeviceActivityOptions): DeviceActivities {
  const { registry, owner, secrets } = options;
  const schemas = new SchemaCache((digest) => owner.getDocument(digest));

  const sealing = (device: DeviceReference, profile: DeviceProfile) => ({
    device: device.id,
    isSecret: (node: Parameters<typeof isSecretLeaf>[1]) => isSecretLeaf(profile, node),
    box: secrets,
    owner,
  });

  async function schemaOf(device: DeviceReference): Promise<Schema> {
    if (device.moduleSet === undefined)
      throw new RefusedError(`${device.name} was never contacted`, [], FailureType.notImported);
    return schemas.get(device.moduleSet);
  }

  interface Observed extends ObservationResult {
    readonly read: ConfigRead;
    /** Sealed. */
    readonly tree: DataTree;
  }

  async function observe(
    device: DeviceReference,
    connection: DeviceConnection,
    profile: DeviceProfile,
  ): Promise<Observed> {
    if (!canReadConfig(connection)) throw capabilityMissing(connection, "readConfig");
    refuseOtherModules(device, connection);
    const schema = await schemaOf(device);
    const read = await connection.readConfig(schema);
    const tree = await sealTree(read.tree, sealing(device, profile));
    const [content] = await owner.putDocuments([contentText(tree)]);
    const document: ObservationDocument = {
      format: "tenure-observation/1",
      device: device.id,
      moduleSet: device.moduleSet ?? "",
      profile: profile.name,
      datastore: read.datastore,
      defaultsMode: read.defaultsMode,
      basicMode: read.basicMode,
      content: content ?? "",
    };
    const [observation] = await owner.putDocuments([canonicalText(document)]);
    return { observation: observation ?? "", content: content ?? "", read, tree };
  }

  async function section(digest: string): Promise<PlanSection> {
    const bytes = await owner.getDocument(digest);
    return must("plan section", parseSectionDocument(bytes, { expected: digest, actual: sha256(bytes) }));
  }

  interface SectionBase {
    readonly section: PlanSection;
    readonly schema: Schema;
    readonly operations: readonly Operation[];
    readonly planned: DataTree;
    readonly expected: DataTree;
    /** Content digest of the observation the plan was made on. */
    readonly plannedContent: string;
  }

  async function sectionBase(digest: string): Promise<SectionBase> {
    const found = await section(digest);
    const schema = await schemas.get(found.moduleSet);
    const observation = await readObservation((each) => owner.getDocument(each), found.observation);
    const [planned, expected] = await Promise.all([
      owner.getDocument(observation.content),
      owner.getDocument(found.expectedState),
    ]);
    return {
      section: found,
      schema,
      operations: must("operations", operationsFromDocuments(schema, found.operations)),
      planned: treeOfContent(schema, planned),
      expected: treeOfContent(schema, expected),
      plannedContent: observation.content,
    };
  }

  function staleReasons(
    base: SectionBase,
    device: DeviceReference,
    live: { readonly tree: DataTree; readonly basicMode: ConfigRead["basicMode"] },
    unrelated: "refuse" | "allow",
  ): readonly string[] {
    const verdict = checkStale({
      planned: {
        observationDigest: base.plannedContent,
        moduleSet: base.section.moduleSet,
        observed: base.planned,
        expected: base.expected,
        operations: base.operations,
      },
      live: {
        observationDigest: sha256(contentText(live.tree)),
        moduleSet: device.moduleSet ?? "",
        completeness: "complete",
        tree: live.tree,
      },
      unrelated,
      compare: { defaultsMode: live.basicMode },
    });
    return verdict.kind === "fresh" ? [] : staleLines(verdict.reasons);
  }

  const activities: DeviceActivities = {
    contactDevice: ({ device, modules }) =>
      withDevice(registry, device, async ({ connection }) => {
        const provider = registry.get(device.provider);
        const profile =
          device.profile === undefined
            ? provider.chooseProfile(connection.announcement)
            : profileOf(provider, device.profile);
        const fetched = modules === undefined ? await fetch(connection) : await givenModules(modules);
        const { moduleSet, count } = await storeModules(fetched);
        return {
          device: {
            ...device,
            profile: profile.name,
            hostKey: { kind: "pinned", sha256: connection.hostKeySha256 },
            moduleSet,
            announcement: announcementDigest(connection),
          },
          profile: profile.name,
          modules: count,
        };
      }),

    observeDevice: ({ device }) =>
      withDevice(registry, device, async ({ connection, profile }) => {
        const { observation, content } = await observe(device, connection, profile);
        return { observation, content };
      }),

    planDevice: ({ target, direction, options: planOptions, paths }): Promise<PlannedSection> =>
      withDevice(registry, target.device, async ({ connection, profile }) => {
        const observed = await observe(target.device, connection, profile);
        const made = await makeSection({
          target,
          direction,
          options: planOptions,
          paths,
          profile,
          observed,
          read: (digest) => owner.getDocument(digest),
        });
        const [profileDigest, expectedState] = await owner.putDocuments([
          canonicalText({ format: "tenure-profile/1", ...profile }),
          contentText(made.expected),
        ]);
        const [digest] = await owner.putDocuments([
          made.document({ profile: profileDigest ?? "", expectedState: expectedState ?? "" }),
        ]);
        return { section: digest ?? "", operations: made.operations, observation: observed.observation };
      }),

    checkDriftOf: ({ target }) =>
      withDevice(registry, target.device, async ({ connection, profile }) => {
        const observed = await observe(target.device, connection, profile);
        const made = await makeSection({
          target,
          direction: "enforce",
          options: { policy: "per-device", includeDrift: "leave", unrelated: "refuse" },
          paths: [],
          profile,
          observed,
          read: (digest) => owner.getDocument(digest),
        });
        if (made.operations === 0) return { kind: "in-sync", device: target.device.id, revision: target.revision };
        const [profileDigest, expectedState] = await owner.putDocuments([
          canonicalText({ format: "tenure-profile/1", ...profile }),
          contentText(made.expected),
        ]);
        const [digest] = await owner.putDocuments([
          made.document({ profile: profileDigest ?? "", expectedState: expectedState ?? "" }),
        ]);
        return {
          kind: "drift",
          device: target.device.id,
          revision: target.revision,
          operations: made.operations,
          section: digest ?? "",
        };
      }),

    checkDevice: async ({ device, section: digest, unrelated }) => {
      const base = await sectionBase(digest);
      return withDevice(registry, device, async ({ connection, profile }) => {
        const observed = await observe(device, connection, profile);
        const reasons = staleReasons(
          base,
          device,
          { tree: observed.tree, basicMode: observed.read.basicMode },
          unrelated,
        );
        return reasons.length === 0 ? { kind: "fresh" } : { kind: "stale", reasons };
      });
    },

    prepareDevice: async ({ device, ticket, timing, unrelated }): Promise<PrepareResult> => {
      const base = await sectionBase(ticket.section);
      const reveal = await revealer(base.operations, device);
      return withDevice(registry, device, async ({ connection, profile }) => {
        if (!canWriteInTwoPhases(connection)) throw capabilityMissing(connection, "confirmedCommit");
        refuseOtherModules(device, connection);
        const print = fingerprint(device, profile);
        try {
          const result: Prepared = await connection.prepare({
            schema: base.schema,
            operations: base.operations,
            persistId: ticket.persistId,
            confirmSeconds: Math.ceil(timing.confirmWindowMs / 1000),
            checkBase: (running) =>
              staleReasons(base, device, { tree: print(running.tree), basicMode: running.basicMode }, unrelated),
            sameContent,
            fence: () => fence(ticket, device),
            reveal,
          });
          if (result.kind === "stale") return result;
          const readBack = await store(device, profile, result.readBack);
          const differences = differencesOf(base.expected, readBack.tree, result.readBack.basicMode);
          const shown: PrepareResult =
            differences.length === 0
              ? { kind: "prepared", readBack: readBack.observation }
              : { kind: "unverified", readBack: readBack.observation, differences };
          return shown;
        } catch (error) {
          const refused = refusal(error);
          if (refused !== undefined) return refused;
          throw error;
        }
      }).catch((error: unknown) => {
        // Nothing was sent yet: connecting failed.
        const refused = refusal(error);
        if (refused !== undefined) return refused;
        throw error;
      });
    },

    confirmDevice: async ({ device, ticket }): Promise<ConfirmResult> => {
      await requireDecision(ticket, "confirm");
      const base = await sectionBase(ticket.section);
      return withDevice(registry, device, async ({ connection, profile }) => {
        if (!canWriteInTwoPhases(connection)) throw capabilityMissing(connection, "confirmedCommit");
        const result = await connection.confirm({ ...settleRequest(base, device, profile, ticket) });
        const shown = await store(device, profile, result.running);
        switch (result.kind) {
          case "confirmed":
            return {
              kind: "confirmed",
              observation: shown.observation,
              foreign: differencesOf(base.expected, shown.tree, result.running.basicMode),
            };
          case "reverted":
            return { kind: "reverted", observation: shown.observation };
          case "unsettled":
            return {
              kind: "unsettled",
              observation: shown.observation,
              differences: differencesOf(base.expected, shown.tree, result.running.basicMode),
            };
        }
      });
    },

    cancelDevice: async ({ device, ticket }): Promise<CancelResult> => {
      await refuseAfterConfirm(ticket);
      const base = await sectionBase(ticket.section);
      return withDevice(registry, device, async ({ connection, profile }) => {
        if (!canWriteInTwoPhases(connection)) throw capabilityMissing(connection, "confirmedCommit");
        const result = await connection.cancel({ ...settleRequest(base, device, profile, ticket) });
        const shown = await store(device, profile, result.running);
        return result.kind === "clean"
          ? { kind: "clean", observation: shown.observation }
          : {
              kind: "unsettled",
              observation: shown.observation,
              differences: differencesOf(base.planned, shown.tree, result.running.basicMode),
            };
      });
    },
  };

  function fingerprint(device: DeviceReference, profile: DeviceProfile): (tree: DataTree) => DataTree {
    return (tree) => fingerprintTree(tree, sealing(device, profile));
  }

  function settleRequest(base: SectionBase, device: DeviceReference, profile: DeviceProfile, ticket: WriteTicket) {
    const print = fingerprint(device, profile);
    return {
      schema: base.schema,
      persistId: ticket.persistId,
      sameContent,
      judge: (running: ConfigRead): "planned" | "earlier" | "other" => {
        const tree = print(running.tree);
        if (differencesOf(base.expected, tree, running.basicMode).length === 0) return "planned";
        return differencesOf(base.planned, tree, running.basicMode).length === 0 ? "earlier" : "other";
      },
    };
  }

  async function store(
    device: DeviceReference,
    profile: DeviceProfile,
    read: ConfigRead,
  ): Promise<{ readonly observation: string; readonly tree: DataTree }> {
    const tree = await sealTree(read.tree, sealing(device, profile));
    const [content] = await owner.putDocuments([contentText(tree)]);
    const document: ObservationDocument = {
      format: "tenure-observation/1",
      device: device.id,
      moduleSet: device.moduleSet ?? "",
      profile: profile.name,
      datastore: read.datastore,
      defaultsMode: read.defaultsMode,
      basicMode: read.basicMode,
      content: content ?? "",
    };
    const [observation] = await owner.putDocuments([canonicalText(document)]);
    return { observation: observation ?? "", tree };
  }

  async function fence(ticket: WriteTicket, device: DeviceReference): Promise<void> {
    const refused = await owner.fence({
      transaction: ticket.transaction,
      token: ticket.token,
      device: device.id,
      persistId: ticket.persistId,
      phase: ticket.phase,
    });
    if (refused !== undefined) throw new FencedError(refused);
  }

  async function requireDecision(ticket: WriteTicket, value: "confirm"): Promise<void> {
    const decision = await owner.decision(ticket.transaction);
    if (decision !== value)
      throw new FencedError(
        `transaction ${ticket.transaction} is ${decision === undefined ? "undecided" : `decided ${decision}`}`,
      );
  }

  /** Undecided is fine: a lost attempt of an open transaction is cancelled before the next one. */
  async function refuseAfterConfirm(ticket: WriteTicket): Promise<void> {
    if ((await owner.decision(ticket.transaction)) === "confirm")
      throw new FencedError(`transaction ${ticket.transaction} is decided confirm`);
  }

  async function fetch(connection: DeviceConnection): Promise<readonly FetchedModule[]> {
    if (!canFetchSchemas(connection)) throw capabilityMissing(connection, "fetchSchemas");
    return connection.fetchSchemas();
  }

  async function givenModules(digest: string): Promise<readonly FetchedModule[]> {
    const document = await readFormat<GivenModulesDocument>(
      (each) => owner.getDocument(each),
      digest,
      "tenure-given-modules/1",
    );
    return document.modules.map((module) => {
      const parsed = parseYangModule({ name: module.name, text: module.text });
      if (parsed.kind === "error") throw new RefusedError(`${module.name} is no YANG module`, parsed.diagnostics);
      return {
        name: parsed.value.name,
        revision: parsed.value.revision,
        text: module.text,
        role: parsed.value.kind === "submodule" ? "submodule" : "implement",
        features: [],
      };
    });
  }

  async function storeModules(
    fetched: readonly FetchedModule[],
  ): Promise<{ readonly moduleSet: string; readonly count: number }> {
    const texts = await owner.putDocuments(fetched.map((module) => module.text));
    const document: ModuleSetDocument = {
      format: "tenure-module-set/1",
      modules: fetched.map((module, index) => ({
        name: module.name,
        ...(module.revision === undefined ? {} : { revision: module.revision }),
        role: module.role,
        features: [...module.features].sort(),
        text: texts[index] ?? "",
      })),
    };
    const compiled = compileModuleSet(
      document,
      fetched.map((module) => module.text),
    );
    if (compiled.kind === "error") {
      throw new RefusedError(
        `the device's modules do not compile: ${compiled.diagnostics.slice(0, 3).map(formatDiagnostic).join("; ")}`,
        compiled.diagnostics,
      );
    }
    const [moduleSet] = await owner.putDocuments([canonicalText(document)]);
    return { moduleSet: moduleSet ?? "", count: fetched.length };
  }

  /** Clear texts are fetched before the session opens, and only those that the operations carry. */
  async function revealer(
    operations: readonly Operation[],
    device: DeviceReference,
  ): Promise<(sealed: Extract<Value, { kind: "sealed" }>, path: InstancePath) => string> {
    const clear = new Map<string, string>();
    for (const { sealed, path } of sealedValues(operations)) {
      const ciphertext = await owner.getCiphertext(sealed);
      clear.set(`${sealed.keyId}:${sealed.hmac}`, secrets.unseal(sealed, { device: device.id, path }, ciphertext));
    }
    return (sealed) => {
      const text = clear.get(`${sealed.keyId}:${sealed.hmac}`);
      if (text === undefined) throw new RangeError("a secret that no operation carries");
      return text;
    };
  }

  return translated(activities);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function sameContent(a: DataTree, b: DataTree): boolean {
  return contentText(a) === contentText(b);
}

function announcementDigest(connection: DeviceConnection): string {
  return sha256(canonicalText(connection.announcement));
}

function refuseOtherModules(device: DeviceReference, connection: DeviceConnection): void {
  if (device.announcement === undefined || device.announcement === announcementDigest(connection)) return;
  throw new RefusedError(
    `${device.name} announces other modules or capabilities than when it was added; read them again with: tenure device set ${device.name}`,
    [],
    FailureType.stale,
  );
}

/** What a device that refused, or could not be asked, says about another attempt; undefined: the error is not of that kind. */
function refusal(error: unknown): Extract<PrepareResult, { kind: "refused" }> | undefined {
  if (error instanceof FencedError)
    return { kind: "refused", code: FailureType.fenced, message: error.message, retry: "never" };
  if (!isProviderError(error)) return undefined;
  switch (error.code) {
    case ProviderErrorCode.OutcomeUnknown:
    case ProviderErrorCode.Cancelled:
      return undefined;
    case ProviderErrorCode.LockDenied:
    case ProviderErrorCode.FailedPrecondition:
      return { kind: "refused", code: error.code, message: error.message, retry: "later" };
    // A session lost after the edit may have left something behind: that is settled, not retried blindly.
    case ProviderErrorCode.Unreachable:
    case ProviderErrorCode.ProtocolError:
    case ProviderErrorCode.LimitExceeded:
      return undefined;
    default:
      return { kind: "refused", code: error.code, message: `${error.message} (${error.remedy})`, retry: "never" };
  }
}

/** Paths on which a device differs from what was expected; explicitness alone is no difference. */
function differencesOf(
  expected: DataTree,
  found: DataTree,
  basicMode: ConfigRead["basicMode"],
): readonly PathDifference[] {
  return compare(expected, found, { defaultsMode: basicMode })
    .operations.slice(0, 50)
    .map((operation) => ({
      path: operationPath(operation),
      expected: sideText(operation, "after"),
      found: sideText(operation, "before"),
    }));
}

function sideText(operation: Operation, side: "before" | "after"): string | undefined {
  if (operation.op === "move") return side === "after" ? operation.insert.where : undefined;
  const node =
    side === "after"
      ? "after" in operation
        ? operation.after
        : undefined
      : "before" in operation
        ? operation.before
        : undefined;
  if (node === undefined) return undefined;
  return node.kind === "leaf" || node.kind === "leaf-list-entry" ? displayValue(node.value) : node.kind;
}

function sealedValues(
  operations: readonly Operation[],
): readonly { readonly sealed: Extract<Value, { kind: "sealed" }>; readonly path: string }[] {
  const found: { sealed: Extract<Value, { kind: "sealed" }>; path: string }[] = [];
  for (const operation of operations) {
    if (operation.op !== "create" && operation.op !== "replace") continue;
    visit(operation.after, operation.path.slice(0, -1));
  }
  function visit(node: Extract<Operation, { op: "create" }>["after"], above: Operation["path"]): void {
    const segment = { kind: "node", module: node.schema.module, name: node.schema.name } as const;
    if (node.kind === "leaf" || node.kind === "leaf-list-entry") {
      if (node.value.kind === "sealed")
        found.push({ sealed: node.value, path: formatInstancePath([...above, segment]) });
    } else if (node.kind === "container" || node.kind === "entry") {
      const here =
        node.kind === "container"
          ? [...above, segment]
          : [
              ...above,
              {
                kind: "entry" as const,
                module: node.schema.module,
                name: node.schema.name,
                keys: node.schema.keys.map((key, index) => ({ name: key.name, value: keyText(node.keys[index]) })),
              },
            ];
      for (const child of node.children.values()) visit(child, here);
    }
  }
  return found;
}

function keyText(value: Value | undefined): string {
  return value?.kind === "plain" ? value.text : "";
}
