/** What an import changes and whom it affects, as people read it. */
import type { Evidence } from "../../services/desired-state.ts";
import type { ImportChange, ImportReport } from "../../services/import-report.ts";
import { itemText, valueText } from "./words.ts";

const SHOWN_LINES = 40;

/** `every-change` for a preview; of a recorded import what is gone, contradicts or no longer fits. */
export function importReportLines(
  name: string,
  report: ImportReport,
  shown: "every-change" | "unfit",
): readonly string[] {
  const changes = shown === "every-change" ? report.changes : report.changes.filter(({ kind }) => kind === "unfit");
  const total =
    shown === "every-change" ? Object.values(report.totals).reduce((sum, each) => sum + each, 0) : report.totals.unfit;
  return [
    ...part(
      `${name}: ${shown === "every-change" ? "what would change" : "what no longer fits"}`,
      changes.map(changeText),
      total,
    ),
    ...evidencePart(
      `${name}: what services require`,
      report.evidence.filter(({ services }) => services.length > 0),
    ),
    ...evidencePart(
      `${name}: what is gone and no service requires`,
      report.evidence.filter(({ services }) => services.length === 0),
    ),
    ...part(
      `${name}: services`,
      report.services.map(({ service, status }) => `${service} becomes ${status}`),
      report.services.length,
    ),
  ];
}

function evidencePart(title: string, evidence: readonly Evidence[]): readonly string[] {
  return part(title, evidence.map(evidenceText), evidence.length);
}

function part(title: string, lines: readonly string[], total: number): readonly string[] {
  if (lines.length === 0) return [];
  const more = total - Math.min(lines.length, SHOWN_LINES);
  return [
    title,
    ...lines.slice(0, SHOWN_LINES).map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${String(more)} more; --json names the report that has them`] : []),
  ];
}

function changeText({ kind, path, before, after }: ImportChange): string {
  switch (kind) {
    case "added":
      return `+ ${path}: ${itemText(after)}`;
    case "changed":
      return `~ ${path}: ${itemText(before)} -> ${itemText(after)}`;
    case "removed":
      return `- ${path}: was ${itemText(before)}`;
    case "retyped":
      return `= ${path}: ${itemText(after)}, of another type`;
    case "unfit":
      return `! ${path}: was ${itemText(before)}, which the new module set has no place for`;
  }
}

function evidenceText({ kind, path, expected, found, services }: Evidence): string {
  if (services.length === 0) return `${kind} ${path}${expected === undefined ? "" : `, was ${valueText(expected)}`}`;
  const required = expected === undefined ? "" : `, required ${valueText(expected)}`;
  const shown = kind === "contradicted" ? `, found ${valueText(found)}` : "";
  return `${kind} ${path}${required}${shown}: affects ${services.join(", ")}`;
}
