/** The fuzz targets for a moment, so that they are right when somebody lets them run for long. */
import { expect, it } from "vitest";
import { TARGET_NAMES, fuzzTarget } from "../fuzz/targets.ts";

const SEED = 42;

it.each(TARGET_NAMES)("%s: what is generated is read or refused, and loses nothing", (name) => {
  const target = fuzzTarget(name, SEED);
  const verdicts = { read: 0, refused: 0 };
  for (let iteration = 0; iteration < 150; iteration += 1) {
    verdicts[target.check(target.textOf(iteration), iteration)] += 1;
  }
  expect(verdicts.read).toBeGreaterThan(10);
  expect(verdicts.refused).toBeGreaterThan(10);
});

it.each(TARGET_NAMES)("%s: a seed gives the same texts again, another seed gives others", (name) => {
  const texts = (seed: number): readonly string[] => {
    const target = fuzzTarget(name, seed);
    return Array.from({ length: 5 }, (_, iteration) => target.textOf(iteration));
  };
  expect(texts(SEED)).toEqual(texts(SEED));
  expect(texts(SEED + 1)).not.toEqual(texts(SEED));
});
