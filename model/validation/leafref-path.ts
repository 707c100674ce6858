/** The path of a leafref as steps over schema nodes (RFC 7950 section 9.9.2). */
import {
  type DataSchemaNode,
  type LeafListSchema,
  type LeafrefType,
  type LeafSchema,
  type ParentSchemaNode,
  type Schema,
  childSchemas,
  isParentSchema,
} from "../schema.ts";

/** Up from the leaf to `start` (undefined: the root), then down `steps`, the last of which is a leaf or leaf-list. */
export interface PlainLeafrefPath {
  readonly start: DataSchemaNode | undefined;
  readonly steps: readonly DataSchemaNode[];
  readonly target: LeafSchema | LeafListSchema;
}

const STEP = /^(?:([A-Za-z_][A-Za-z0-9_.-]*):)?([A-Za-z_][A-Za-z0-9_.-]*)$/;

/**
 * The steps of a path without predicates. Undefined for any other (predicates, `deref()`), and for one that leads out
 * of the schema: those are left to the evaluator.
 */
export function plainLeafrefPath(
  schema: Schema,
  leaf: DataSchemaNode,
  { path }: Pick<LeafrefType, "path">,
): PlainLeafrefPath | undefined {
  const parts = path.text.split("/").map((part) => part.trim());
  let start: DataSchemaNode | undefined = leaf;
  let first = parts.findIndex((part) => part !== "..");
  if (parts[0] === "") {
    start = undefined;
    first = 1;
  }
  if (first < 1) return undefined;
  if (parts[0] === "..") {
    for (let step = 0; step < first; step += 1) {
      if (start === undefined) return undefined;
      start = start.parent;
    }
  }
  const steps: DataSchemaNode[] = [];
  let at: ParentSchemaNode | undefined = start !== undefined && isParentSchema(start) ? start : undefined;
  for (const part of parts.slice(first)) {
    const [, prefix, name] = STEP.exec(part) ?? [];
    const module = prefix === undefined ? path.module : path.prefixes.get(prefix);
    const next =
      name === undefined || (steps.length > 0 && at === undefined)
        ? undefined
        : childSchemas(schema, at).get(`${module ?? ""}:${name}`);
    if (next === undefined) return undefined;
    steps.push(next);
    at = isParentSchema(next) ? next : undefined;
  }
  const target = steps.at(-1);
  return target?.kind === "leaf" || target?.kind === "leaf-list" ? { start, steps, target } : undefined;
}
