/**
 * The three writes of a transaction: prepare, confirm, cancel. Each is one attempt in one session. Whoever writes asks
 * the owner first: the fence before the first edit, the decision before a confirm.
 */
import type {
  CancelResult,
  ConfirmResult,
  DeviceActivities,
  PrepareResult,
  WriteTicket,
} from "../contract/activities.ts";
import type { DeviceReference } from "../contract/device-reference.ts";
import type { AdoptedDocument } from "../contract/documents.ts";
import { FailureType } from "../contract/failure.ts";
import type { Item } from "../model/item.ts";
import type { DataTree } from "../model/tree.ts";
import {
  type ConfigRead,
  type DeviceConnection,
  type DeviceProfile,
  type SettleRequest,
  type TwoPhaseWrite,
  canWriteInTwoPhases,
  capabilityMissing,
} from "../providers/capability.ts";
import { ProviderError, ProviderErrorCode, isProviderError } from "../providers/error.ts";
import type { ProviderRegistry } from "../providers/registry.ts";
import { CredentialsError } from "../runtime/credentials.ts";
import type { OwnerClient } from "../runtime/owner-client.ts";
import type { SecretBox } from "../runtime/secrets.ts";
import { type DeviceDocuments, type SectionBase, refuseOtherModules } from "./device-documents.ts";
import { withDevice } from "./device-session.ts";
import { canonicalText } from "./documents.ts";
import { revealer } from "./reveal-secrets.ts";
import { isOurLeftover, judgeRunning, rebased } from "./judge-running.ts";
import { staleReasons } from "./stale-reasons.ts";
import { FencedError } from "./to-application-failure.ts";
import { differencesOf, sameContent } from "./tree-differences.ts";
import { verifyExpected } from "./verify-expected.ts";

export interface DeviceWriteOptions {
  readonly registry: ProviderRegistry;
  readonly owner: OwnerClient;
  readonly secrets: SecretBox;
  readonly documents: DeviceDocuments;
}

export type DeviceWriteActivities = Pick<DeviceActivities, "prepareDevice" | "confirmDevice" | "cancelDevice">;

export function createDeviceWriteActivities(options: DeviceWriteOptions): DeviceWriteActivities {
  const { registry, owner, secrets, documents } = options;

  async function fence(ticket: WriteTicket, device: DeviceReference): Promise<void> {
    const { transaction, token, persistId, phase } = ticket;
    const refusal = await owner.fence({ transaction, token, device: device.id, persistId, phase });
    if (refusal !== undefined) throw new FencedError(refusal);
  }

  async function keepAdopted(device: DeviceReference, items: readonly Item[]): Promise<{ readonly adopted?: string }> {
    if (items.length === 0) return {};
    const document: AdoptedDocument = { format: "tenure-adopted/1", device: device.id, items };
    return { adopted: await documents.put(canonicalText(document)) };
  }

  function settleRequest(
    base: SectionBase,
    device: DeviceReference,
    profile: DeviceProfile,
    ticket: WriteTicket,
  ): SettleRequest {
    return {
      schema: base.schema,
      persistId: ticket.persistId,
      sameContent,
      judge: ({ tree, basicMode }) => judgeRunning(base, documents.fingerprint(device, profile, tree), basicMode),
      isLeftover: ({ candidate, running }) => {
        const print = ({ tree }: ConfigRead): DataTree => documents.fingerprint(device, profile, tree);
        return isOurLeftover(base, { candidate: print(candidate), running: print(running) }, running.basicMode);
      },
    };
  }

  return {
    prepareDevice: async ({ device, ticket, timing, unrelated }): Promise<PrepareResult> => {
      // Set when the owner let the first edit pass: from then on something may stand on the device.
      const passed = { fence: false };
      let conceal = (words: string): string => words;
      try {
        const base = await documents.section(ticket.section);
        const revealed = await revealer(base.operations, { device: device.id, owner, secrets });
        conceal = revealed.conceal;
        return await withDevice(registry, device, async ({ connection, profile }): Promise<PrepareResult> => {
          const writer = writerOf(connection);
          refuseOtherModules(device, connection);
          /** What the device is verified against: where it may have moved elsewhere, as it stood under our lock. */
          let present = base;
          const checkBase = (running: ConfigRead): readonly string[] => {
            const tree = documents.fingerprint(device, profile, running.tree);
            const reasons = staleReasons({ base, device, tree, basicMode: running.basicMode, unrelated });
            if (reasons.length === 0 && unrelated === "allow") present = rebased(base, tree);
            return reasons;
          };
          const result = await writer.prepare({
            schema: base.schema,
            operations: base.operations,
            persistId: ticket.persistId,
            confirmSeconds: Math.ceil(timing.confirmWindowMs / 1000),
            checkBase,
            sameContent,
            fence: async () => {
              await fence(ticket, device);
              passed.fence = true;
            },
            reveal: revealed.reveal,
          });
          if (result.kind === "stale") return result;
          const { observation, tree } = await documents.keep(device, profile, result.readBack);
          const { differences, adopted } = verifyExpected(present, tree, result.readBack.basicMode);
          if (differences.length > 0) return { kind: "unverified", readBack: observation, differences };
          return { kind: "prepared", readBack: observation, ...(await keepAdopted(device, adopted)) };
        });
      } catch (error) {
        return failedPrepare(error, { sent: passed.fence ? "may-stand" : "nothing-sent", conceal });
      }
    },

    confirmDevice: async ({ device, ticket }): Promise<ConfirmResult> => {
      const decision = await owner.decision(ticket.transaction);
      if (decision !== "confirm") {
        throw new FencedError(
          `transaction ${ticket.transaction} is ${decision === undefined ? "undecided" : "decided abort"}`,
        );
      }
      const base = await documents.section(ticket.section);
      return withDevice(registry, device, async ({ connection, profile }): Promise<ConfirmResult> => {
        const result = await writerOf(connection).confirm(settleRequest(base, device, profile, ticket));
        const { observation, tree } = await documents.keep(device, profile, result.running);
        if (result.kind === "reverted") return { kind: "reverted", observation };
        const { differences } = verifyExpected(base, tree, result.running.basicMode);
        return result.kind === "confirmed"
          ? { kind: "confirmed", observation, foreign: differences }
          : { kind: "unsettled", observation, differences };
      });
    },

    cancelDevice: async ({ device, ticket }): Promise<CancelResult> => {
      // Undecided is fine: a lost attempt of an open transaction is cancelled before the next one.
      if ((await owner.decision(ticket.transaction)) === "confirm") {
        throw new FencedError(`transaction ${ticket.transaction} is decided confirm`);
      }
      const base = await documents.section(ticket.section);
      return withDevice(registry, device, async ({ connection, profile }): Promise<CancelResult> => {
        const result = await writerOf(connection).cancel(settleRequest(base, device, profile, ticket));
        const { observation, tree } = await documents.keep(device, profile, result.running);
        if (result.kind === "clean") return { kind: "clean", observation };
        return {
          kind: "unsettled",
          observation,
          differences: differencesOf(base.planned, tree, result.running.basicMode),
        };
      });
    },
  };
}

function writerOf(connection: DeviceConnection): TwoPhaseWrite {
  if (canWriteInTwoPhases(connection)) return connection;
  throw capabilityMissing(connection, "confirmedCommit");
}

/**
 * What a failed prepare means. Before the fence nothing was sent, so trying again is safe where it can help. After it,
 * only a plain refusal by the device is an answer (the provider has undone its edit); everything else has an unknown
 * outcome, which the workflow settles by the persist id.
 */
function failedPrepare(
  error: unknown,
  { sent, conceal }: { readonly sent: "nothing-sent" | "may-stand"; readonly conceal: (words: string) => string },
): PrepareResult {
  if (error instanceof FencedError) {
    return { kind: "refused", code: FailureType.fenced, message: error.message, retry: "never" };
  }
  if (error instanceof CredentialsError && sent === "nothing-sent") {
    return { kind: "refused", code: FailureType.authenticationFailed, message: error.message, retry: "never" };
  }
  if (!isProviderError(error)) throw error;
  const refused = (retry: "later" | "never"): PrepareResult => ({
    kind: "refused",
    code: error.code,
    message: `${conceal(error.message)} (${error.remedy})`,
    retry,
  });
  if (sent === "nothing-sent")
    return refused(error.retryable || error.code === ProviderErrorCode.Cancelled ? "later" : "never");
  if (error.code === ProviderErrorCode.DeviceRejected || error.code === ProviderErrorCode.InvalidArgument)
    return refused("never");
  // Without its cause and the device's other words, which may hold what was to be concealed.
  throw new ProviderError({ code: ProviderErrorCode.OutcomeUnknown, message: conceal(error.message) });
}
