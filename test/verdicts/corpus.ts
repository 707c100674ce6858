/** All chapters of the verdict corpus. */
import { choice } from "./choice.ts";
import { elements } from "./elements.ts";
import { instanceIdentifier } from "./instance-identifier.ts";
import { leafref } from "./leafref.ts";
import { mandatory } from "./mandatory.ts";
import { must } from "./must.ts";
import { mustFunctions } from "./must-functions.ts";
import { structure } from "./structure.ts";
import { types } from "./types.ts";
import { unique } from "./unique.ts";
import type { VerdictChapter } from "./verdict-case.ts";
import { when } from "./when.ts";

export const CORPUS: readonly VerdictChapter[] = [
  structure,
  types,
  mandatory,
  choice,
  elements,
  unique,
  leafref,
  instanceIdentifier,
  when,
  must,
  mustFunctions,
];
