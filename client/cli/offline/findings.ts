import { type Diagnostic, formatPlace } from "../../../model/diagnostic.ts";
import type { Session } from "../session.ts";

/**
 * One finding as one line, the place first: `file:line:column: error: message [code]`. What was expected and what to do
 * stand behind it, since tools take one line for one finding. A finding of the validation begins with the place in the
 * data; the rule that it breaks comes behind.
 */
export function findingLine(finding: Diagnostic): string {
  const texts = finding.places.filter((place) => place.kind === "source").map(formatPlace);
  const others = finding.places.filter((place) => place.kind !== "source").map(formatPlace);
  const isOfRule = "schemaPath" in finding;
  const where = isOfRule ? others : [...texts, ...others];
  const tag = finding.errorAppTag === undefined ? "" : `, error-app-tag ${finding.errorAppTag}`;
  const rule = isOfRule && texts.length > 0 ? `; rule: ${texts.join(", ")}` : "";
  const expected = finding.expected === undefined ? "" : `; expected: ${finding.expected}`;
  const remedy = finding.remedy === undefined ? "" : `; try: ${finding.remedy}`;
  const place = where.length === 0 ? "" : `${where.join(", ")}: `;
  return oneLine(`${place}${finding.severity}: ${finding.message} [${finding.code}${tag}]${rule}${expected}${remedy}`);
}

/** Messages may quote what stands in a text. */
function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]/g, (character) => JSON.stringify(character).slice(1, -1));
}

/** Every warning as a remark. */
export function reportWarnings(session: Session, warnings: readonly Diagnostic[]): void {
  for (const each of warnings) session.remark(findingLine(each));
}

export function plural(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? "" : "s"}`;
}
