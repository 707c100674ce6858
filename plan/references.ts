/**
 * Which operations are about the same thing under two names: a leafref and the leaf it points at (RFC 7950, 9.9), an instance-identifier and
 * the node it names (9.13), and plain strings that a profile declares to be references although the schema does not say so.
 */
import { formatInstancePath } from "../model/path.ts";
import type { DataSchemaNode, LeafListSchema, LeafSchema, TypeSchema } from "../model/schema.ts";
import { type DataNode, hasChildren, pathText } from "../model/tree.ts";
import type { Value } from "../model/value.ts";
import { type Operation, operationPath } from "./operation.ts";

/** A reference that only convention knows: values of the leaf `from` name values of the leaf `to`. Both are schema paths. */
export interface SoftReference {
  readonly from: string;
  readonly to: string;
}

/**
 * What one operation makes, takes away, points at and stops pointing at. Each element names a referable thing: a value of a leaf that
 * references can point to, or an instance path. Equal strings are the same thing. A leafref's predicates are not looked at, so two things with
 * one name may count as the same: that orders more than needed, never less.
 */
export interface OperationReferences {
  readonly makes: ReadonlySet<string>;
  readonly removes: ReadonlySet<string>;
  readonly pointsAt: ReadonlySet<string>;
  readonly releases: ReadonlySet<string>;
}

/** Reads what operations refer to. Build one for a plan: it looks at the types of each schema node once. */
export class ReferenceReader {
  readonly #soft: ReadonlyMap<string, readonly string[]>;
  readonly #targets = new Map<DataSchemaNode, Targets>();

  constructor(softReferences: readonly SoftReference[] = []) {
    const soft = new Map<string, string[]>();
    for (const { from, to } of softReferences) soft.set(from, [...(soft.get(from) ?? []), to]);
    this.#soft = soft;
  }

  readonly nothing: OperationReferences = {
    makes: new Set(),
    removes: new Set(),
    pointsAt: new Set(),
    releases: new Set(),
  };

  read(operation: Operation): OperationReferences {
    const after = new Side();
    const before = new Side();
    const path = operationPath(operation);
    switch (operation.op) {
      case "create":
        this.#collect(operation.after, path, after);
        for (const gone of operation.implied) this.#collect(gone.before, formatInstancePath(gone.path), before);
        break;
      case "replace":
        this.#collect(operation.before, path, before);
        this.#collect(operation.after, path, after);
        break;
      case "delete":
        this.#collect(operation.before, path, before);
        break;
      case "move":
        break;
    }
    // An instance path exists before and after a replace: it neither comes nor goes.
    if (operation.op === "replace") {
      after.here.delete(path);
      before.here.delete(path);
    }
    return { makes: after.here, removes: before.here, pointsAt: after.there, releases: before.there };
  }

  #collect(node: DataNode, path: string, side: Side): void {
    side.here.add(path);
    this.#collectNode(node, side);
  }

  #collectNode(node: DataNode, side: Side): void {
    if (node.kind === "leaf" || node.kind === "leaf-list-entry") this.#value(node.schema, node.value, side);
    if (node.kind === "entry") {
      for (const [index, key] of node.schema.keys.entries()) {
        const value = node.keys[index];
        if (value !== undefined) this.#value(key, value, side);
      }
    }
    if (hasChildren(node)) for (const child of node.children.values()) this.#collectNode(child, side);
  }

  #value(schema: LeafSchema | LeafListSchema, value: Value, side: Side): void {
    const text = pathText(value);
    side.here.add(thing(schema.schemaPath, text));
    const targets = this.#targetsOf(schema);
    for (const target of targets.leafs) side.there.add(thing(target, text));
    if (targets.instances === "yes" && value.type === "instance-identifier") {
      // The node named, or an entry above it that comes or goes with it.
      for (let end = text.length; end > 0; end = text.lastIndexOf("/", end - 1)) side.there.add(text.slice(0, end));
    }
  }

  #targetsOf(schema: LeafSchema | LeafListSchema): Targets {
    const known = this.#targets.get(schema);
    if (known !== undefined) return known;
    const leafs = new Set(this.#soft.get(schema.schemaPath) ?? []);
    const found: Targets = { leafs, instances: collectTargets(schema.type, leafs) };
    this.#targets.set(schema, found);
    return found;
  }
}

interface Targets {
  readonly leafs: ReadonlySet<string>;
  readonly instances: "yes" | "no";
}

class Side {
  readonly here = new Set<string>();
  readonly there = new Set<string>();
}

/** Only references whose target must exist count: the others may stand in any order. */
function collectTargets(type: TypeSchema, leafs: Set<string>): "yes" | "no" {
  switch (type.kind) {
    case "leafref":
      if (type.requireInstance) leafs.add(type.target().schemaPath);
      return "no";
    case "instance-identifier":
      return type.requireInstance ? "yes" : "no";
    case "union":
      return type.members.map((member) => collectTargets(member, leafs)).includes("yes") ? "yes" : "no";
    default:
      return "no";
  }
}

function thing(schemaPath: string, text: string): string {
  return `${schemaPath} = ${text}`;
}
