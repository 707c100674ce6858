/**
 * JSON read one piece at a time. Two things can be read like this: a text (`parse-json.ts`), without ever holding the
 * whole of it as values, and values that are there already (here).
 */
import type { JsonMember, JsonValue } from "./json-value.ts";

/** A value without values in it. */
export type JsonScalar = Exclude<JsonValue, { readonly kind: "object" | "array" }>;

/**
 * Stands before a value and moves on as it is read. Whoever enters an object or array reads all of it: for each name
 * that `nextMember` gives, and for each `true` of `nextItem`, exactly one value. Names may come twice: only in what
 * `value` gives they are unique.
 */
export interface JsonCursor {
  /** Of the value that is next. */
  kind(): JsonValue["kind"];
  /** Where it starts in the text, as an offset. */
  mark(): number;
  enterObject(): void;
  /** The next name, or undefined behind the last member. */
  nextMember(): string | undefined;
  /** Where the name starts that `nextMember` gave last, as long as its value has not been read. */
  nameMark(): number;
  enterArray(): void;
  nextItem(): boolean;
  /** Needs a scalar. */
  scalar(): JsonScalar;
  /** The whole value, whatever it is. */
  value(): JsonValue;
}

type Level =
  | { readonly kind: "object"; readonly parts: readonly JsonMember[]; at: number }
  | { readonly kind: "array"; readonly parts: readonly JsonValue[]; at: number };

/** Over values, which stand in no text: every mark is 0. */
export class JsonValueCursor implements JsonCursor {
  readonly #levels: Level[] = [];
  #next: JsonValue | undefined;

  constructor(value: JsonValue) {
    this.#next = value;
  }

  kind(): JsonValue["kind"] {
    return this.#peek().kind;
  }

  mark(): number {
    return 0;
  }

  nameMark(): number {
    return 0;
  }

  enterObject(): void {
    const object = this.value();
    if (object.kind !== "object") throw new RangeError(`a ${object.kind} has no members`);
    this.#levels.push({ kind: "object", parts: object.members, at: 0 });
  }

  nextMember(): string | undefined {
    const level = this.#levels.at(-1);
    if (level?.kind !== "object") throw new RangeError("no object is open");
    const member = level.parts[level.at];
    if (member === undefined) {
      this.#levels.pop();
      return undefined;
    }
    level.at += 1;
    this.#next = member.value;
    return member.name;
  }

  enterArray(): void {
    const array = this.value();
    if (array.kind !== "array") throw new RangeError(`a ${array.kind} has no items`);
    this.#levels.push({ kind: "array", parts: array.items, at: 0 });
  }

  nextItem(): boolean {
    const level = this.#levels.at(-1);
    if (level?.kind !== "array") throw new RangeError("no array is open");
    const item = level.parts[level.at];
    if (item === undefined) {
      this.#levels.pop();
      return false;
    }
    level.at += 1;
    this.#next = item;
    return true;
  }

  scalar(): JsonScalar {
    const value = this.value();
    if (value.kind === "object" || value.kind === "array") throw new RangeError(`an ${value.kind} is no scalar`);
    return value;
  }

  value(): JsonValue {
    const value = this.#peek();
    this.#next = undefined;
    return value;
  }

  #peek(): JsonValue {
    if (this.#next === undefined) throw new RangeError("no value is next");
    return this.#next;
  }
}
