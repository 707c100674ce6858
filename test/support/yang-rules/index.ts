/** The catalogue of rules that the compiler holds modules to; each row breaks one of them. */
import { INTERPLAY_RULES } from "./interplay-rules.ts";
import { MODULE_RULES } from "./module-rules.ts";
import type { YangRule } from "./rule.ts";
import { TEXT_RULES } from "./text-rules.ts";
import { TREE_RULES } from "./tree-rules.ts";
import { TYPE_RULES } from "./type-rules.ts";

export const YANG_RULES: readonly YangRule[] = [
  ...TEXT_RULES,
  ...TYPE_RULES,
  ...TREE_RULES,
  ...MODULE_RULES,
  ...INTERPLAY_RULES,
];
export type { YangRule };
