/** Key values of paths in canonical form. */
import type { Diagnostic, Result } from "../diagnostic.ts";
import type { InstancePath, KeyValue, PathSegment } from "../path.ts";
import {
  type LeafListSchema,
  type LeafSchema,
  type ParentSchemaNode,
  type Schema,
  childSchemas,
  isParentSchema,
} from "../schema.ts";
import type { PlainValue } from "../value.ts";

/** Reads a key leaf's or a leaf-list's value. */
export type KeyReader<D extends Diagnostic> = (
  schema: LeafSchema | LeafListSchema,
  text: string,
) => Result<PlainValue, D>;

/**
 * The same path with every key value as `read` gives it. Needs a path that the schema has (`parseInstancePath` gives
 * one).
 */
export function canonicalisePath<D extends Diagnostic>(
  schema: Schema,
  path: InstancePath,
  read: KeyReader<D>,
): Result<InstancePath, D> {
  const segments: PathSegment[] = [];
  let parent: ParentSchemaNode | undefined;
  for (const segment of path) {
    const node = childSchemas(schema, parent).get(`${segment.module}:${segment.name}`);
    if (segment.kind === "entry" && node?.kind === "list") {
      const keys: KeyValue[] = [];
      for (const [index, key] of segment.keys.entries()) {
        const leaf = node.keys[index];
        if (leaf === undefined) throw new RangeError(`${node.schemaPath} has no key ${key.name}`);
        const value = read(leaf, key.value);
        if (value.kind === "error") return value;
        keys.push({ name: key.name, value: value.value.text });
      }
      segments.push({ ...segment, keys });
    } else if (segment.kind === "leaf-list-entry" && node?.kind === "leaf-list") {
      const value = read(node, segment.value);
      if (value.kind === "error") return value;
      segments.push({ ...segment, value: value.value.text });
    } else {
      segments.push(segment);
    }
    parent = node !== undefined && isParentSchema(node) ? node : undefined;
  }
  return { kind: "ok", value: segments, warnings: [] };
}
