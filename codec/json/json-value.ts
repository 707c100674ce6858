/**
 * JSON as RFC 7951 documents carry it, without any knowledge of a schema. `parse-json.ts` reads it, this file holds the
 * tree and writes it. Numbers stay the text that stood in the source, so no digit is lost; members stay a sequence, so
 * no name is special and the order of writing is the writer's choice.
 */

/** 1-based; the column counts UTF-16 units, as editors do. */
export interface JsonPosition {
  readonly line: number;
  readonly column: number;
}

export interface JsonMember {
  readonly name: string;
  readonly value: JsonValue;
  /** Of the name. Absent on values that were built. */
  readonly position?: JsonPosition;
}

/** `position` is absent on values that were built. */
export type JsonValue =
  | JsonObject
  | JsonArray
  | { readonly kind: "string"; readonly value: string; readonly position?: JsonPosition }
  | { readonly kind: "number"; readonly text: string; readonly position?: JsonPosition }
  | { readonly kind: "boolean"; readonly value: boolean; readonly position?: JsonPosition }
  | { readonly kind: "null"; readonly position?: JsonPosition };

export interface JsonObject {
  readonly kind: "object";
  /** Names are unique in what `parseJson` returns. */
  readonly members: readonly JsonMember[];
  readonly position?: JsonPosition;
}
export interface JsonArray {
  readonly kind: "array";
  readonly items: readonly JsonValue[];
  readonly position?: JsonPosition;
}

export function jsonString(value: string): JsonValue {
  return { kind: "string", value };
}

export function jsonObject(members: readonly JsonMember[]): JsonObject {
  return { kind: "object", members };
}

/** The member of that name; with duplicates the first. */
export function memberOf(object: JsonObject, name: string): JsonValue | undefined {
  return object.members.find((member) => member.name === name)?.value;
}

export interface JsonFormat {
  /**
   * - `compact`: one line, members as they stand.
   * - `indented`: for people, two spaces, members as they stand, a final newline.
   * - `canonical`: RFC 8785, provided that every number is an integer below 2^53 in shortest form.
   */
  readonly layout: "compact" | "indented" | "canonical";
}

export function formatJson(value: JsonValue, format: JsonFormat): string {
  const output: string[] = [];
  write(value, format.layout === "indented" ? "\n" : undefined, format, output);
  if (format.layout === "indented") output.push("\n");
  return output.join("");
}

/** `lineBreak` is a newline with the indentation of the surrounding line; undefined for one line. */
function write(value: JsonValue, lineBreak: string | undefined, format: JsonFormat, output: string[]): void {
  switch (value.kind) {
    case "object": {
      const members = format.layout === "canonical" ? sortedMembers(value.members) : value.members;
      writeGroup("{}", members, lineBreak, output, (member, inner) => {
        output.push(JSON.stringify(member.name), inner === undefined ? ":" : ": ");
        write(member.value, inner, format, output);
      });
      return;
    }
    case "array":
      writeGroup("[]", value.items, lineBreak, output, (item, inner) => {
        write(item, inner, format, output);
      });
      return;
    case "string":
      output.push(JSON.stringify(value.value));
      return;
    case "number":
      output.push(value.text);
      return;
    case "boolean":
      output.push(String(value.value));
      return;
    case "null":
      output.push("null");
  }
}

function writeGroup<T>(
  brackets: "{}" | "[]",
  parts: readonly T[],
  lineBreak: string | undefined,
  output: string[],
  writePart: (part: T, inner: string | undefined) => void,
): void {
  const inner = lineBreak === undefined ? undefined : `${lineBreak}  `;
  output.push(brackets.charAt(0));
  for (const [index, part] of parts.entries()) {
    if (index > 0) output.push(",");
    if (inner !== undefined) output.push(inner);
    writePart(part, inner);
  }
  if (lineBreak !== undefined && parts.length > 0) output.push(lineBreak);
  output.push(brackets.charAt(1));
}

/** By UTF-16 code units (RFC 8785 section 3.2.3), which is what comparing JavaScript strings does. */
function sortedMembers(members: readonly JsonMember[]): readonly JsonMember[] {
  return [...members].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
