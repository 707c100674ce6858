/** All conversations that a NETCONF server is put through. */
import type { Scenario } from "./scenario.ts";
import { COMMIT_SCENARIOS } from "./scenarios-commit.ts";
import { DEFAULTS_SCENARIOS } from "./scenarios-defaults.ts";
import { EDIT_SCENARIOS } from "./scenarios-edit.ts";
import { LOCK_SCENARIOS } from "./scenarios-lock.ts";

export const SCENARIOS: readonly Scenario[] = [
  ...EDIT_SCENARIOS,
  ...COMMIT_SCENARIOS,
  ...LOCK_SCENARIOS,
  ...DEFAULTS_SCENARIOS,
];
