/**
 * JSON as RFC 7951 documents carry it, without any knowledge of a schema. `parse-json.ts` reads it, this file holds the
 * tree and writes it. Numbers stay the text that stood in the source, so no digit is lost; members stay a sequence, so
 * no name is special and the order of writing is the writer's choice.
 */

export interface JsonMember {
  readonly name: string;
  readonly value: JsonValue;
}

export type JsonValue =
  | JsonObject
  | JsonArray
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "null" };

export interface JsonObject {
  readonly kind: "object";
  /** Names are unique in what `parseJson` returns. */
  readonly members: readonly JsonMember[];
}
export interface JsonArray {
  readonly kind: "array";
  readonly items: readonly JsonValue[];
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
  const writer = new JsonWriter(format.layout);
  writer.write(value, format.layout === "indented" ? "\n" : undefined);
  return format.layout === "indented" ? `${writer.text}\n` : writer.text;
}

class JsonWriter {
  text = "";
  readonly #layout: JsonFormat["layout"];

  constructor(layout: JsonFormat["layout"]) {
    this.#layout = layout;
  }

  /** `lineBreak` is a newline with the indentation of the surrounding line; undefined for one line. */
  write(value: JsonValue, lineBreak: string | undefined): void {
    switch (value.kind) {
      case "object":
        this.#writeObject(this.#layout === "canonical" ? sortedMembers(value.members) : value.members, lineBreak);
        return;
      case "array":
        this.#writeArray(value.items, lineBreak);
        return;
      case "string":
        this.text += JSON.stringify(value.value);
        return;
      case "number":
        this.text += value.text;
        return;
      case "boolean":
        this.text += value.value ? "true" : "false";
        return;
      case "null":
        this.text += "null";
    }
  }

  #writeObject(members: readonly JsonMember[], lineBreak: string | undefined): void {
    const inner = lineBreak === undefined ? undefined : `${lineBreak}  `;
    let before = "{";
    for (const { name, value } of members) {
      this.text +=
        inner === undefined ? `${before}${JSON.stringify(name)}:` : `${before}${inner}${JSON.stringify(name)}: `;
      this.write(value, inner);
      before = ",";
    }
    this.text += this.#end(members, lineBreak, "{", "}");
  }

  #writeArray(items: readonly JsonValue[], lineBreak: string | undefined): void {
    const inner = lineBreak === undefined ? undefined : `${lineBreak}  `;
    let before = "[";
    for (const item of items) {
      this.text += inner === undefined ? before : before + inner;
      this.write(item, inner);
      before = ",";
    }
    this.text += this.#end(items, lineBreak, "[", "]");
  }

  #end(parts: readonly unknown[], lineBreak: string | undefined, open: string, close: string): string {
    return parts.length === 0 ? open + close : (lineBreak ?? "") + close;
  }
}

/** By UTF-16 code units (RFC 8785 section 3.2.3), which is what comparing JavaScript strings does. */
function sortedMembers(members: readonly JsonMember[]): readonly JsonMember[] {
  return [...members].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
