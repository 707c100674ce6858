/**
 * Rule 3: inside one submission nobody wins over anybody. Two writers of one item with different values, two writers of
 * different cases of one choice, and an instance that says two things about its link to one item, are refused, and
 * everybody who says something is named. Who only depends on an item writes nothing: a value that is not met is a note.
 */
import { type Diagnostic, type DiagnosticPlace, type SourcePosition, formatPlace } from "../model/diagnostic.ts";
import { formatInstancePath } from "../model/path.ts";
import { type ParentSchemaNode, childSchemas, isParentSchema } from "../model/schema.ts";
import type { Schema } from "../model/schema.ts";
import { displayValue } from "../model/value.ts";
import type { Yield } from "./compile-instance.ts";

export interface SubmittedYield {
  readonly device: string;
  readonly schema: Schema;
  readonly yield: Yield;
  /** Where the instance that yields it is written. */
  readonly instance: SourcePosition;
}

type Matter = "value" | "case" | "required" | "link";

interface Claim {
  readonly by: SubmittedYield;
  /** What is claimed, as people read it: `9000`, `case trunk`. Equal texts do not contradict each other. */
  readonly what: string;
}

interface Claims {
  readonly matter: Matter;
  readonly on: string;
  readonly said: readonly Claim[];
}

/** One diagnostic of code `conflict` for each item, choice or link that gets different things in one submission. */
export function conflictsOf(yields: readonly SubmittedYield[]): readonly Diagnostic[] {
  const claims = new Map<string, Claims & { readonly said: Claim[] }>();
  const claim = (matter: Matter, on: string, what: string, by: SubmittedYield): void => {
    // What an instance says about its own links contradicts nobody else.
    const key = `${matter} ${matter === "link" || matter === "required" ? by.yield.service : ""} ${on}`;
    const all = claims.get(key);
    if (all === undefined) claims.set(key, { matter, on, said: [{ by, what }] });
    else all.said.push({ by, what });
  };
  for (const by of yields) {
    const { relation, text, value, onRemove, scope } = by.yield;
    const on = `${by.device} ${text}`;
    if (relation === "depends") {
      if (value !== undefined) claim("required", on, displayValue(value), by);
      continue;
    }
    if (value !== undefined) claim("value", on, displayValue(value), by);
    claim("link", `onRemove of ${on}`, onRemove, by);
    if (scope !== undefined) claim("link", `scope of ${on}`, scope, by);
    for (const each of casesOf(by)) claim("case", each.on, each.what, by);
  }
  return [...claims.values()]
    .filter(({ said }) => said.some((each) => each.what !== said[0]?.what))
    .map(({ said, ...rest }) => conflict({ ...rest, said: distinct(said) }));
}

/** The case that each choice on the way gets from this yield. */
function casesOf({
  device,
  schema,
  yield: { path },
}: SubmittedYield): readonly { readonly on: string; readonly what: string }[] {
  const found: { on: string; what: string }[] = [];
  let parent: ParentSchemaNode | undefined;
  for (const [index, segment] of path.entries()) {
    const node = childSchemas(schema, parent).get(`${segment.module}:${segment.name}`);
    for (const membership of node?.cases ?? [])
      found.push({
        on: `${device} ${formatInstancePath(path.slice(0, index))} choice ${membership.choice}`,
        what: `case ${membership.case}`,
      });
    parent = node !== undefined && isParentSchema(node) ? node : undefined;
  }
  return found;
}

/** Who says the same twice at one place (a rule with `for`) is named once. */
function distinct(said: readonly Claim[]): readonly Claim[] {
  const seen = new Map<string, Claim>();
  for (const each of said) {
    const key = JSON.stringify([each.by.yield.service, each.what, each.by.yield.writer]);
    if (!seen.has(key)) seen.set(key, each);
  }
  return [...seen.values()];
}

const WORDS: Readonly<Record<Matter, { readonly verb: string; readonly gets: string }>> = {
  value: { verb: "writes", gets: "gets different values" },
  case: { verb: "writes", gets: "gets different cases" },
  required: { verb: "needs", gets: "is needed with different values" },
  link: { verb: "says", gets: "is said in two ways" },
};

function conflict({ matter, on, said }: Claims): Diagnostic {
  const { verb, gets } = WORDS[matter];
  const writers = said.map(({ by, what }) => {
    const [rule, instance] = placesOf(by).map(formatPlace);
    return `${by.yield.service} ${verb} ${what} (${rule ?? ""}, instance ${instance ?? ""})`;
  });
  return {
    code: "conflict",
    severity: "error",
    message: `${on} ${gets} in one submission: ${writers.join(", ")}`,
    places: said.flatMap(({ by }) => placesOf(by)),
    expected: matter === "value" ? "one value, or one writer" : "one of them",
    remedy: resolution(matter, [...new Set(said.map(({ by }) => by.yield.service))]),
  };
}

/** What a submission without the conflict would look like. */
function resolution(matter: Matter, [first = "", ...others]: readonly string[]): string {
  if (others.length === 0) return `take one of the rules of ${first} out, or tell them apart with \`when\``;
  const names = others.join(" and ");
  return matter === "case"
    ? `let ${first} and ${names} agree on one case, or submit them one after the other: the case that comes last ends the other`
    : `let ${first} own it and ${names} depend on it (relation: depends), give all of them the same value, or submit them one after the other: the value that comes last stands`;
}

function placesOf(by: SubmittedYield): readonly DiagnosticPlace[] {
  return [by.yield.writer, by.instance].map((position) => ({ kind: "source", position }));
}
