/**
 * What the compilation of one submission may cost. CEL always ends, but loops in loops over long lists end in years;
 * so each operation is paid for by the size of what it looks at, whatever it does with it.
 */
import { SERVICE_LIMITS } from "./limits.ts";

/** Characters of a text that count as one value. */
const CHARACTERS_A_VALUE = 32;

export class CompileBudget {
  #cost: number;
  #items: number;
  /** Lists and maps never change; the same ones are looked at again and again. */
  readonly #sizes = new WeakMap<object, number>();

  constructor(
    limits: { readonly cost: number; readonly items: number } = {
      cost: SERVICE_LIMITS.expressionCost,
      items: SERVICE_LIMITS.submissionItems,
    },
  ) {
    this.#cost = limits.cost;
    this.#items = limits.items;
  }

  /** True once more was asked for than there was: no result that came about since then counts. */
  get spent(): boolean {
    return this.#cost < 0;
  }

  /** Pays for one operation on a value: the numbers, texts and booleans in it. Throws when nothing is left. */
  pay(value: unknown): void {
    if (!this.spent) this.#cost -= this.#sizeOf(value);
    if (this.spent) throw new BudgetSpentError();
  }

  /** Counts one item; false once there are too many. */
  takeItem(): boolean {
    this.#items -= 1;
    return this.#items >= 0;
  }

  #sizeOf(value: unknown): number {
    if (typeof value === "string") return 1 + Math.floor(value.length / CHARACTERS_A_VALUE);
    if (typeof value !== "object" || value === null) return 1;
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    let size = 1;
    for (const each of Array.isArray(value) ? (value as readonly unknown[]) : Object.values(value))
      size += this.#sizeOf(each);
    this.#sizes.set(value, size);
    return size;
  }
}

export class BudgetSpentError extends Error {
  constructor() {
    super("the expressions cost too much");
    this.name = "BudgetSpentError";
  }
}
