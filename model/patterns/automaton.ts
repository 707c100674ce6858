/**
 * A matcher whose time grows with the text alone, whatever the pattern: a nondeterministic automaton, of which the
 * deterministic states that texts lead to are made when they are first needed.
 *
 * Patterns come from devices, and a matcher that tries one way after the other (JavaScript's RegExp) can be kept busy
 * for years by a short pattern and a short text. Here a character costs one step between known states, and at worst
 * one pass over the instructions, of which there is a limit.
 */
import type { CharacterSet } from "./characters.ts";
import type { PatternNode } from "./syntax.ts";

/** Five times what the largest pattern of the public modules takes. */
const MAX_INSTRUCTIONS = 20_000;
/** Different characters and classes in one pattern. */
const MAX_SETS = 2_000;
/** What an automaton may remember, in numbers: the places of its states, their transitions, what it knows of characters. */
const MAX_REMEMBERED = 200_000;

/** `set`: consume a character of a set. `split`: go on at both. */
type Instruction =
  | { readonly kind: "set"; readonly set: number }
  | { readonly kind: "split"; first: number; second: number }
  | { readonly kind: "jump"; to: number }
  | { readonly kind: "accept" };

interface Program {
  readonly instructions: readonly Instruction[];
  readonly sets: readonly CharacterSet[];
}

/** A matcher for whole texts. Needs a pattern that is not too large. */
export function automatonOf(node: PatternNode): (text: string) => boolean {
  const automaton = new Automaton(new Assembler().program(node));
  return (text) => automaton.matches(text);
}

/** Does the pattern take more than an automaton may have? Counts multiply: `(.{999}){999}` is about a million. */
export function isTooLarge(node: PatternNode): boolean {
  const keys = new Set<string>();
  collectKeys(node, keys);
  return keys.size > MAX_SETS || sizeOf(node) > MAX_INSTRUCTIONS;
}

function collectKeys(node: PatternNode, keys: Set<string>): void {
  switch (node.kind) {
    case "set":
      keys.add(node.set.key);
      return;
    case "sequence":
      for (const part of node.parts) collectKeys(part, keys);
      return;
    case "choice":
      for (const branch of node.branches) collectKeys(branch, keys);
      return;
    case "repeat":
      collectKeys(node.part, keys);
  }
}

/** Instructions that a node takes at most. */
function sizeOf(node: PatternNode): number {
  switch (node.kind) {
    case "set":
      return 1;
    case "sequence":
      return node.parts.reduce((sum, part) => sum + sizeOf(part), 0);
    case "choice":
      return node.branches.reduce((sum, branch) => sum + sizeOf(branch) + 2, 0);
    case "repeat":
      return (sizeOf(node.part) + 1) * (node.max ?? node.min + 1) + 1;
  }
}

class Assembler {
  readonly #instructions: Instruction[] = [];
  readonly #sets = new Map<string, { readonly index: number; readonly set: CharacterSet }>();

  program(node: PatternNode): Program {
    this.#emit(node);
    this.#instructions.push({ kind: "accept" });
    return { instructions: this.#instructions, sets: [...this.#sets.values()].map(({ set }) => set) };
  }

  get #here(): number {
    return this.#instructions.length;
  }

  #emit(node: PatternNode): void {
    switch (node.kind) {
      case "set":
        this.#instructions.push({ kind: "set", set: this.#indexOf(node.set) });
        return;
      case "sequence":
        for (const part of node.parts) this.#emit(part);
        return;
      case "choice":
        this.#choice(node.branches);
        return;
      case "repeat":
        for (let count = 0; count < node.min; count += 1) this.#emit(node.part);
        if (node.max === undefined) this.#loop(node.part);
        else this.#optional(node.part, node.max - node.min);
    }
  }

  #split(): Extract<Instruction, { readonly kind: "split" }> {
    const split = { kind: "split" as const, first: this.#here + 1, second: 0 };
    this.#instructions.push(split);
    return split;
  }

  #choice(branches: readonly PatternNode[]): void {
    const ends: { to: number }[] = [];
    for (const [index, branch] of branches.entries()) {
      const split = index < branches.length - 1 ? this.#split() : undefined;
      this.#emit(branch);
      if (split === undefined) break;
      const jump = { kind: "jump" as const, to: 0 };
      this.#instructions.push(jump);
      ends.push(jump);
      split.second = this.#here;
    }
    for (const jump of ends) jump.to = this.#here;
  }

  #loop(part: PatternNode): void {
    const start = this.#here;
    const split = this.#split();
    this.#emit(part);
    this.#instructions.push({ kind: "jump", to: start });
    split.second = this.#here;
  }

  /** `count` copies, each of which may be the last. */
  #optional(part: PatternNode, count: number): void {
    const splits = Array.from({ length: count }, () => {
      const split = this.#split();
      this.#emit(part);
      return split;
    });
    for (const split of splits) split.second = this.#here;
  }

  #indexOf(set: CharacterSet): number {
    const known = this.#sets.get(set.key);
    if (known !== undefined) return known.index;
    const index = this.#sets.size;
    this.#sets.set(set.key, { index, set });
    return index;
  }
}

/** Places in the program that a text leads to: those of `set` instructions, and perhaps the end. */
interface State {
  readonly places: readonly number[];
  readonly accepts: boolean;
}

const UNKNOWN = -1;
const NOWHERE = 0;
const START = 1;

/**
 * States and kinds of characters have numbers, and `#table` holds the next state at `state * #width + kind`. Characters
 * that no set of the pattern tells apart are of one kind.
 */
class Automaton {
  readonly #program: Program;
  /** When an instruction was last seen; the count goes up with every state that is made. */
  readonly #seen: Uint32Array;
  #count = 0;
  /** By kind: which of the sets hold its characters. */
  readonly #kinds: (readonly boolean[])[] = [];
  readonly #kindOfSignature = new Map<string, number>();
  readonly #kindOfAscii = new Int16Array(128);
  readonly #kindOfOthers = new Map<number, number>();
  readonly #states: State[] = [];
  readonly #numbers = new Map<number, number[]>();
  #width = 4;
  #table = new Int32Array(0);
  #remembered = 0;

  constructor(program: Program) {
    this.#program = program;
    this.#seen = new Uint32Array(program.instructions.length);
    this.#forget();
  }

  matches(text: string): boolean {
    const kinds = this.#kindOfAscii;
    let table = this.#table;
    let width = this.#width;
    let state = START;
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      const kind = unit < 128 ? (kinds[unit] ?? UNKNOWN) : UNKNOWN;
      let next = kind === UNKNOWN ? UNKNOWN : (table[state * width + kind] ?? UNKNOWN);
      if (next === UNKNOWN) {
        const code = text.codePointAt(at) ?? unit;
        if (code > 0xffff) at += 1;
        next = this.#advance(state, code);
        table = this.#table;
        width = this.#width;
      }
      if (next === NOWHERE) return false;
      state = next;
    }
    return this.#states[state]?.accepts === true;
  }

  /** The state after one more character; it is in the table from now on. */
  #advance(state: number, code: number): number {
    const { places, accepts } = this.#states[state] ?? { places: [], accepts: false };
    let from = state;
    let kind = this.#kindOf(code);
    if (kind >= this.#width || this.#remembered > MAX_REMEMBERED) {
      if (kind >= this.#width) this.#width *= 2;
      // Starting over keeps memory bounded; the match that is under way goes on from where it stands.
      this.#forget();
      from = this.#numberOf({ places, accepts });
      kind = this.#kindOf(code);
    }
    const known = this.#table[from * this.#width + kind] ?? UNKNOWN;
    if (known !== UNKNOWN) return known;
    const { instructions } = this.#program;
    const sets = this.#kinds[kind] ?? [];
    const reached: number[] = [];
    for (const place of places) {
      const instruction = instructions[place];
      if (instruction?.kind === "set" && sets[instruction.set] === true) reached.push(place + 1);
    }
    const next = this.#stateFrom(reached);
    this.#table[from * this.#width + kind] = next;
    return next;
  }

  #forget(): void {
    this.#kinds.length = 0;
    this.#kindOfSignature.clear();
    this.#kindOfAscii.fill(UNKNOWN);
    this.#kindOfOthers.clear();
    this.#states.length = 0;
    this.#numbers.clear();
    this.#table = new Int32Array(16 * this.#width).fill(UNKNOWN);
    this.#remembered = 0;
    this.#numberOf({ places: [], accepts: false });
    this.#stateFrom([0]);
  }

  #kindOf(code: number): number {
    const known = this.#kindOfOthers.get(code);
    if (known !== undefined) return known;
    const sets = this.#program.sets.map((set) => set.has(code));
    const signature = sets.map(Number).join("");
    let kind = this.#kindOfSignature.get(signature);
    if (kind === undefined) {
      kind = this.#kinds.push(sets) - 1;
      this.#kindOfSignature.set(signature, kind);
      this.#remembered += sets.length;
    }
    if (code < 128) this.#kindOfAscii[code] = kind;
    else this.#kindOfOthers.set(code, kind);
    this.#remembered += 1;
    return kind;
  }

  /** The state of all places that can be reached from these without a character. */
  #stateFrom(starts: readonly number[]): number {
    const { instructions } = this.#program;
    this.#count += 1;
    const open = [...starts];
    const places: number[] = [];
    let accepts = false;
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      if (this.#seen[place] === this.#count) continue;
      this.#seen[place] = this.#count;
      const instruction = instructions[place];
      switch (instruction?.kind) {
        case "set":
          places.push(place);
          break;
        case "accept":
          accepts = true;
          break;
        case "jump":
          open.push(instruction.to);
          break;
        case "split":
          open.push(instruction.second, instruction.first);
          break;
        case undefined:
      }
    }
    return this.#numberOf({ places, accepts });
  }

  #numberOf(state: State): number {
    let hash = state.accepts ? 1 : 0;
    for (const place of state.places) hash = (hash * 31 + place) | 0;
    const alike = this.#numbers.get(hash) ?? [];
    const known = alike.find((number) => statesEqual(this.#states[number], state));
    if (known !== undefined) return known;
    const number = this.#states.push(state) - 1;
    this.#numbers.set(hash, [...alike, number]);
    this.#remembered += state.places.length + this.#width;
    if (this.#states.length * this.#width > this.#table.length) {
      const table = new Int32Array(this.#table.length * 2).fill(UNKNOWN);
      table.set(this.#table);
      this.#table = table;
    }
    return number;
  }
}

function statesEqual(a: State | undefined, b: State): boolean {
  return (
    a?.accepts === b.accepts &&
    a.places.length === b.places.length &&
    a.places.every((place, index) => place === b.places[index])
  );
}
