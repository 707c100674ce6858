/** The services that an accepting plan makes another status, as its reviewer reads them. */
import { compareText } from "../model/compare-text.ts";
import { valueToJson } from "../plan/node-json.ts";
import type { AffectedService, UnmetRequirement } from "../plan/plan-document.ts";
import type { Inconsistency, RevisionBody } from "../services/desired-state.ts";

/** A service may own thousands of items of one device. */
const SHOWN_REASONS = 100;

/**
 * Says what the revision says: its statuses, each whole, by service; so the same body is the same bytes. `names` gives
 * the names of devices by id.
 */
export function statusChanges(
  { statuses }: Pick<RevisionBody, "statuses">,
  names: ReadonlyMap<string, string>,
): readonly AffectedService[] {
  return statuses
    .map(({ service, status }): AffectedService => {
      if (status.kind === "consistent") return { service, status: "consistent", because: [] };
      const because = status.because
        .map((each) => unmetRequirement(each, names))
        .sort((a, b) => compareText(a.device, b.device) || compareText(a.path, b.path));
      const more = because.length - SHOWN_REASONS;
      return {
        service,
        status: "inconsistent",
        because: because.slice(0, SHOWN_REASONS),
        ...(more > 0 ? { more } : {}),
      };
    })
    .sort((a, b) => compareText(a.service, b.service));
}

function unmetRequirement(
  { device, path, reason, required, found }: Inconsistency,
  names: ReadonlyMap<string, string>,
): UnmetRequirement {
  return {
    device: names.get(device) ?? device,
    path,
    reason,
    ...(required === undefined ? {} : { required: valueToJson(required) }),
    ...(found === undefined ? {} : { found: valueToJson(found) }),
  };
}
