/** Why a plan is stale, one line a reason, for people. */
import type { StaleReason } from "../plan/stale.ts";

const SHOWN_PATHS = 5;

export function staleLines(reasons: readonly StaleReason[]): readonly string[] {
  return reasons.map((reason) => {
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
  });
}

function textOf(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
