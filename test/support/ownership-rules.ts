/** Rules and beginnings that many ownership stories share. */
import { at } from "./ownership-network.ts";
import { OwnershipStory, type StoryRule } from "./ownership-story.ts";

export const e1 = at.interface("e1");
export const mtu = at.mtu("e1");

export const mtuIs = (value: string, more: Partial<StoryRule> = {}): StoryRule => ({ path: mtu, value, ...more });

export const needs = (path: string, value?: string): StoryRule => ({
  path,
  relation: "depends",
  ...(value === undefined ? {} : { value }),
});

/** Interface e1 was imported in revision 1, with these below or beside it. */
export function withInterface(...set: readonly (readonly [string, string?])[]): OwnershipStory {
  return new OwnershipStory().import("r1", { set: [[e1], ...set] });
}
