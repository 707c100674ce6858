import { compareText } from "../../model/compare-text.ts";
import type { Item } from "../../model/item.ts";
import type { DesiredItem, Evidence, ServiceLink } from "../../services/desired-state.ts";
import {
  type DeletedForm,
  type ItemForm,
  WHOLE_DEVICE,
  type WholeDeviceForm,
  itemId,
  versionId,
} from "../apply/forms.ts";
import type { ResultRow } from "../ladybug.ts";
import { OPEN_END } from "../schema/migrations.ts";
import * as statements from "../statements/reads.ts";
import type { Reader } from "./reader.ts";
import { type AtRevision, type Timeline, refusePruned, unknownRevision } from "./revision-reads.ts";

/** One span in the life of an item; `until` is the revision that ended it, undefined while it stands. */
export type ItemVersion =
  | ({ readonly kind: "present"; readonly from: number; readonly until: number | undefined } & ItemForm)
  | { readonly kind: "deleted"; readonly from: number; readonly until: number | undefined }
  /** What the item was before that revision may have been dropped. */
  | { readonly kind: "pruned"; readonly until: number };

/** Who set an item, who owns it, who depends on it. */
export interface Blame {
  readonly item: DesiredItem | undefined;
  readonly owners: readonly ServiceLink[];
  readonly dependants: readonly ServiceLink[];
}

export interface ItemChange {
  readonly device: string;
  readonly path: string;
  /** Undefined: it vanished. */
  readonly item: Item | undefined;
}

/** One item through time: what it was, what changed it, who is behind it. */
export interface ItemReads {
  /** What a revision changed, by device and path. Errors: `unknown-revision`; `pruned`, of the pruned one itself too. */
  changesOf(revision: number): Promise<readonly ItemChange[]>;
  /**
   * Newest first; empty for a path that never was. Where pruning may have dropped older versions, `pruned` ends it, and
   * for a path that is not known now stands alone.
   */
  history(device: string, path: string): Promise<readonly ItemVersion[]>;
  /** What the configuration of a device was typed against, and from which revision on: newest first, none: no import. */
  moduleSets(device: string): Promise<readonly { readonly from: number; readonly moduleSet: string }[]>;
  /** Errors: `pruned`. */
  blame(device: string, path: string, at?: AtRevision): Promise<Blame>;
  evidence(device: string, path?: string): Promise<readonly (Evidence & { readonly revision: number })[]>;
}

export function createItemReads({ rows, parse, forms }: Reader, { reads, lookAt }: Timeline): ItemReads {
  async function version(row: ResultRow): Promise<ItemVersion> {
    const until = Number(row["until"]);
    const span = { from: Number(row["since"]), until: until === OPEN_END ? undefined : until };
    return row["state"] === "deleted"
      ? { kind: "deleted", ...span }
      : { kind: "present", ...span, ...(await parse<ItemForm>(row["form"])) };
  }

  async function* versionsOf(item: string): AsyncGenerator<ResultRow> {
    const [known] = await rows(statements.ITEM, { id: item });
    let revision = Number(known?.["current"] ?? 0);
    while (revision > 0) {
      const [row] = await rows(statements.VERSION, { id: versionId(item, revision) });
      if (row === undefined) return;
      yield row;
      const before = Number(row["previous"]);
      // A damaged graph must not send anyone round in circles.
      revision = before < revision ? before : 0;
    }
  }

  /** Of a device imported later nothing was dropped. */
  async function wasImportedBy(device: string, revision: number): Promise<"imported" | "not-yet"> {
    for await (const row of versionsOf(itemId(device, WHOLE_DEVICE)))
      if (Number(row["since"]) <= revision) return "imported";
    return "not-yet";
  }

  return {
    async changesOf(number) {
      const pruned = await reads.prunedAt();
      if (pruned !== undefined && number > 0 && number <= pruned.revision)
        refusePruned(`what revision ${number} changed`, pruned);
      const view = await reads.revision(number);
      if (view === undefined) throw unknownRevision(number, await reads.currentRevision());
      const changes: ItemChange[] = [];
      for (const id of view.devices) {
        for (const row of await rows(statements.VERSIONS_OF_REVISION, { device: id, revision: number })) {
          if (row["state"] === "device") continue;
          const form = await parse<ItemForm | DeletedForm>(row["form"]);
          changes.push(
            "item" in form
              ? { device: id, path: form.item.path, item: form.item }
              : { device: id, path: form.path, item: undefined },
          );
        }
      }
      return changes.sort((a, b) => compareText(a.device, b.device) || compareText(a.path, b.path));
    },
    async history(id, path) {
      const versions: ItemVersion[] = [];
      for await (const row of versionsOf(itemId(id, path))) versions.push(await version(row));
      const pruned = await reads.prunedAt();
      if (pruned !== undefined && (await wasImportedBy(id, pruned.revision)) === "imported")
        versions.push({ kind: "pruned", until: pruned.revision });
      return versions;
    },
    async moduleSets(id) {
      const found: { readonly from: number; readonly moduleSet: string }[] = [];
      for await (const row of versionsOf(itemId(id, WHOLE_DEVICE)))
        found.push({ from: Number(row["since"]), ...(await parse<WholeDeviceForm>(row["form"])) });
      return found;
    },
    blame: (id, path, at) =>
      lookAt(at, async (revision) => {
        const item = itemId(id, path);
        let found: DesiredItem | undefined;
        for await (const row of versionsOf(item)) {
          if (Number(row["since"]) > revision) continue;
          if (row["state"] === "present") found = await parse<ItemForm>(row["form"]);
          break;
        }
        const parameters = { item, revision };
        return {
          item: found,
          owners: await forms<ServiceLink>(statements.OWNERS_OF_ITEM, parameters),
          dependants: await forms<ServiceLink>(statements.DEPENDANTS_OF_ITEM, parameters),
        };
      }),
    async evidence(id, path) {
      const found =
        path === undefined
          ? await rows(statements.EVIDENCE_ON_DEVICE, { device: id })
          : await rows(statements.EVIDENCE_ON_ITEM, { item: itemId(id, path) });
      return Promise.all(
        found.map(async (row) => ({ ...(await parse<Evidence>(row["form"])), revision: Number(row["revision"]) })),
      );
    },
  };
}
