/** What the generators of random configurations share. */
import fc from "fast-check";
import type { Json } from "../verdicts/verdict-case.ts";

export function maybe<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(value, { nil: undefined, freq: 3 });
}

/** For what is wrong more often than not, or nothing would ever be valid. */
export function rarely<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 15, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
}

/** Leaves out what is undefined, and containers without content, which libyang takes for instances. */
export function present(value: { readonly [name: string]: Json | undefined }): { readonly [name: string]: Json } {
  const kept: Record<string, Json> = {};
  for (const [each, content] of Object.entries(value)) {
    if (content === undefined || (typeof content === "object" && JSON.stringify(content) === "{}")) continue;
    kept[each] = content;
  }
  return kept;
}
