/** From the rules' explanations to the lines that a reviewer reads in a plan section. */
import { valueToJson } from "../plan/node-json.ts";
import type { ServiceLine } from "../plan/plan-document.ts";
import type { Explanation } from "../services/explanation.ts";
import { setterText } from "../services/setter-text.ts";

/** An entry may hold thousands. */
const SHOWN_HOLDERS = 20;

export function serviceLines(explanations: readonly Explanation[]): readonly ServiceLine[] {
  return explanations.flatMap((explanation): readonly ServiceLine[] => {
    switch (explanation.kind) {
      case "removed":
        return [
          {
            kind: "removed",
            path: explanation.path,
            ...(explanation.existedBefore === undefined ? {} : { existedSince: explanation.existedBefore.since }),
            ...(explanation.existedBefore?.value === undefined
              ? {}
              : { existedValue: valueToJson(explanation.existedBefore.value) }),
          },
        ];
      case "swept":
        return [{ kind: "removed", path: explanation.path, unowned: true }];
      case "kept":
        return [
          {
            kind: "kept",
            path: explanation.path,
            keptBy: explanation.keepers.map(({ service, relation, path }) => ({
              service,
              relation,
              ...(path === explanation.path ? {} : { path }),
            })),
            reason: keptReason(explanation),
            ...(explanation.referrers.length === 0 ? {} : { heldBy: explanation.referrers.slice(0, SHOWN_HOLDERS) }),
            setBy: explanation.setBy === undefined ? "nobody" : setterText(explanation.setBy),
            ...(explanation.value === undefined ? {} : { value: valueToJson(explanation.value) }),
          },
        ];
      case "overrides":
        return [
          {
            kind: "overrides",
            path: explanation.path,
            overridden: explanation.overridden,
            ...(explanation.before === undefined ? {} : { before: valueToJson(explanation.before) }),
            ...(explanation.after === undefined ? {} : { after: valueToJson(explanation.after) }),
          },
        ];
      case "missing":
        return [
          {
            kind: "missing",
            path: explanation.path,
            ...(explanation.required === undefined ? {} : { required: valueToJson(explanation.required) }),
            ...(explanation.found === undefined ? {} : { found: valueToJson(explanation.found) }),
          },
        ];
      case "set":
      case "created":
      case "case-ended":
      // A rollback is told by the causes of its operations; links have no lines of their own.
      case "restored":
      case "undone":
      case "relinked":
      case "left-alone":
        return [];
    }
  });
}

function keptReason(
  explanation: Extract<Explanation, { kind: "kept" }>,
): Extract<ServiceLine, { kind: "kept" }>["reason"] {
  if (explanation.reason !== "linked") return explanation.reason;
  return explanation.keepers.some((keeper) => keeper.relation === "owns" && keeper.path === explanation.path)
    ? "owned"
    : "depended-on";
}
