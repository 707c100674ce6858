/** Texts that are nearly right: a few changes to one that is. */
import type { Random } from "./random.ts";

type Mutation = (text: string, random: Random, words: readonly string[]) => string;

const MUTATIONS: readonly Mutation[] = [
  // Cut.
  (text, random) => text.slice(0, random.below(text.length + 1)),
  (text, random) => text.slice(random.below(text.length + 1)),
  // Take a piece out.
  (text, random) => {
    const [from, to] = span(text, random);
    return text.slice(0, from) + text.slice(to);
  },
  // Say a piece again, there or elsewhere, once or very often.
  (text, random) => {
    const [from, to] = span(text, random);
    const at = random.below(2) === 0 ? to : random.below(text.length + 1);
    return text.slice(0, at) + text.slice(from, to) + text.slice(at);
  },
  (text, random) => {
    const [from, to] = span(text, random);
    const piece = text.slice(from, Math.min(to, from + 12));
    return (
      text.slice(0, from) + piece.repeat(1 + random.below(random.below(20) === 0 ? 20_000 : 50)) + text.slice(from)
    );
  },
  // Change places.
  (text, random) => {
    const [from, to] = span(text, random);
    const middle = from + random.below(to - from + 1);
    return text.slice(0, from) + text.slice(middle, to) + text.slice(from, middle) + text.slice(to);
  },
  // Another character, or a word that means something.
  (text, random) => {
    const at = random.below(text.length + 1);
    const code = random.below(3) === 0 ? random.below(0x10000) : random.below(0x80);
    return text.slice(0, at) + String.fromCharCode(code) + text.slice(at + random.below(2));
  },
  (text, random, words) => {
    const [from, to] = span(text, random);
    return text.slice(0, from) + random.of(words) + text.slice(random.below(2) === 0 ? from : to);
  },
];

/** A short span mostly, anything at times. */
function span(text: string, random: Random): readonly [from: number, to: number] {
  const from = random.below(text.length + 1);
  const longest = text.length - from;
  const to = from + random.below(1 + (random.below(4) === 0 ? longest : Math.min(longest, 20)));
  return [from, to];
}

/** One to six changes; `words` are what the language is made of. */
export function mutate(text: string, random: Random, words: readonly string[]): string {
  let changed = text;
  for (let left = 1 + random.below(6); left > 0; left -= 1) changed = random.of(MUTATIONS)(changed, random, words);
  return changed;
}
