/** Does a device still stand where the plan saw it? Reasons for people, one line each; none while it does. */
import type { DeviceReference } from "../contract/device-reference.ts";
import { digestOf } from "../graph/canonical-json.ts";
import type { DataTree } from "../model/tree.ts";
import { type StaleReason, checkStale } from "../plan/stale.ts";
import type { ConfigRead } from "../providers/capability.ts";
import type { SectionBase } from "./device-documents.ts";
import { contentText } from "./documents.ts";

const SHOWN_PATHS = 5;

const SHOWN_REASONS = 20;
const REASON_CHARACTERS = 300;

/**
 * As many as a payload and a journal line have room for, whatever thousands of items have to say: the first ones and how
 * many more there are.
 */
export function fewReasons(reasons: readonly string[]): readonly string[] {
  const shown = reasons
    .slice(0, SHOWN_REASONS)
    .map((reason) => (reason.length <= REASON_CHARACTERS ? reason : `${reason.slice(0, REASON_CHARACTERS - 1)}…`));
  const more = reasons.length - shown.length;
  return more === 0 ? shown : [...shown, `and ${String(more)} more`];
}

export interface LiveDevice {
  readonly base: SectionBase;
  readonly device: DeviceReference;
  /** What it shows now, secrets as fingerprints. */
  readonly tree: DataTree;
  readonly basicMode: ConfigRead["basicMode"];
  readonly unrelated: "refuse" | "allow";
}

export function staleReasons({ base, device, tree, basicMode, unrelated }: LiveDevice): readonly string[] {
  const verdict = checkStale({
    planned: {
      observationDigest: base.plannedContent,
      moduleSet: base.section.moduleSet,
      observed: base.planned,
      expected: base.expected,
      operations: base.operations,
    },
    live: {
      observationDigest: digestOf(contentText(tree)),
      moduleSet: device.moduleSet ?? "",
      completeness: "complete",
      tree,
    },
    unrelated,
    compare: { defaultsMode: basicMode },
  });
  return verdict.kind === "fresh" ? [] : verdict.reasons.map(reasonLine);
}

function reasonLine(reason: StaleReason): string {
  switch (reason.kind) {
    case "module-set":
      return "the device announces another module set";
    case "incomplete-observation":
      return "the device could not be read completely";
    case "import-behind":
      return `its last import is ${reason.import}, so our copy may be older than the device`;
    case "newer-observation":
      return "a newer observation differs from the plan's";
    case "observation-changed": {
      if (reason.paths.length === 0) return "the device shows other content than the plan was made on";
      const shown = reason.paths
        .slice(0, SHOWN_PATHS)
        .map((each) => `${each.path} (expected ${textOf(each.expected)}, found ${textOf(each.found)})`)
        .join(", ");
      const rest = reason.paths.length - SHOWN_PATHS;
      return `the device moved since the plan: ${shown}${rest > 0 ? ` and ${String(rest)} more` : ""}`;
    }
  }
}

function textOf(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
