/**
 * What each leafref points at (RFC 7950 section 9.9.2). The path runs over data nodes, so choices and cases are passed
 * over; it is followed in the draft tree, so that a target which a feature or a deviation switched off still gives the
 * leafref its type.
 */
import type { LeafListSchema, LeafSchema, LeafrefType, SchemaExpression, TypeSchema } from "../schema.ts";
import type { DraftNode } from "./draft-node.ts";
import { type LeafrefPath, parseLeafrefPath } from "./leafref-path.ts";
import type { YangReport } from "./yang-report.ts";

export interface LeafrefSurroundings {
  /** Root of the draft tree of a module, also of one that is only imported. */
  readonly rootOf: (module: string) => DraftNode | undefined;
  /** The built leaf or leaf-list of a draft; undefined when it is neither. */
  readonly leafOf: (draft: DraftNode) => LeafSchema | LeafListSchema | undefined;
  readonly report: YangReport;
}

interface Binding {
  readonly leaf: DraftNode;
  readonly path: { module: string } & SchemaExpression;
  readonly definedIn: string;
  readonly requireInstance: boolean;
  target: LeafSchema | LeafListSchema | undefined;
}

/** Longest way over leafrefs that point at leafrefs, and of `deref()` within `deref()`. */
const MAX_CHAIN = 100;

export class LeafrefBinder {
  readonly #around: LeafrefSurroundings;
  readonly #bindings: Binding[] = [];
  readonly #byLeaf = new Map<DraftNode, Binding>();
  readonly #paths = new Map<string, LeafrefPath | undefined>();

  constructor(around: LeafrefSurroundings) {
    this.#around = around;
  }

  /** The type for one leaf: as it is, or with every leafref in it (unions included) tied to this leaf. */
  bind(type: TypeSchema, leaf: DraftNode): TypeSchema {
    if (type.kind === "leafref") return this.#tie(type, leaf);
    if (type.kind !== "union" || !type.members.some(holdsLeafref)) return type;
    return { ...type, members: type.members.map((member) => this.bind(member, leaf)) };
  }

  /** Finds all targets, those of leafs built on the way included; reports paths without one, and circles. */
  resolveAll(): void {
    // The list grows while it is walked: finding a target may build a leaf that has a leafref itself.
    for (const binding of this.#bindings) {
      const draft = this.#locate(binding);
      binding.target = draft && this.#around.leafOf(draft);
      if (binding.target !== undefined) continue;
      const { leaf, path } = binding;
      // One that cannot be read was reported, with its place in the path, by check-statements.
      if (this.#path(path.text) === undefined) continue;
      this.#around.report.error(
        "leafref-target-not-found",
        draft === undefined
          ? `leaf ${leaf.name}: ${path.text} leads to no node`
          : `leaf ${leaf.name}: ${path.text} leads to a ${draft.keyword}`,
        [path.position, ...(draft === undefined ? [leaf.statement.position] : [draft.statement.position])],
        { expected: "the path of a leaf or leaf-list" },
      );
    }
    for (const binding of this.#bindings) {
      this.#checkCircle(binding);
      this.#checkConfig(binding);
    }
  }

  /** RFC 7950 section 9.9: configuration must not need state to be valid. */
  #checkConfig({ leaf, path, requireInstance, target }: Binding): void {
    if (!requireInstance || target === undefined || target.config) return;
    if (this.#around.leafOf(leaf)?.config === true)
      this.#around.report.error(
        "leafref-to-state",
        `leaf ${leaf.name} is configuration and refers to state: ${path.text}`,
        [leaf.statement.position, target.position],
        { expected: "require-instance false, or a target that is configuration" },
      );
  }

  #tie(type: LeafrefType, leaf: DraftNode): LeafrefType {
    const path = { ...type.path, module: leaf.module.name };
    const binding: Binding = {
      leaf,
      path,
      definedIn: type.path.module,
      requireInstance: type.requireInstance,
      target: undefined,
    };
    this.#bindings.push(binding);
    if (!this.#byLeaf.has(leaf)) this.#byLeaf.set(leaf, binding);
    return {
      ...type,
      path,
      target: () => {
        if (binding.target === undefined) throw new TypeError(`leafref ${path.text} of ${leaf.id} has no target`);
        return binding.target;
      },
    };
  }

  /**
   * Unprefixed names belong to the module of the leaf (RFC 7950 section 6.4.1). Modules exist whose typedefs mean their
   * own module instead, and where the first reading finds nothing the second is the only one left.
   */
  #locate(binding: Binding, depth = 0): DraftNode | undefined {
    const path = this.#path(binding.path.text);
    if (path === undefined || depth > MAX_CHAIN) return undefined;
    const found = this.#follow(path, binding, { unprefixed: binding.leaf.module.name, depth });
    if (found !== undefined || binding.definedIn === binding.leaf.module.name) return found;
    const other = this.#follow(path, binding, { unprefixed: binding.definedIn, depth });
    if (other !== undefined) binding.path.module = binding.definedIn;
    return other;
  }

  /** undefined: it cannot be read. */
  #path(text: string): LeafrefPath | undefined {
    if (this.#paths.has(text)) return this.#paths.get(text);
    const read = parseLeafrefPath(text);
    const path = read.kind === "path" ? read.path : undefined;
    this.#paths.set(text, path);
    return path;
  }

  #follow(
    path: LeafrefPath,
    binding: Binding,
    how: { readonly unprefixed: string; readonly depth: number },
  ): DraftNode | undefined {
    let at: DraftNode | undefined;
    if (path.start !== "root") {
      at = path.start === "leaf" ? binding.leaf : this.#dereference(path.start, binding, how);
      for (let step = 0; step < path.up; step += 1) at = at && dataParent(at);
      if (at === undefined) return undefined;
    }
    for (const { prefix, name } of path.steps) {
      const module = prefix === undefined ? how.unprefixed : binding.path.prefixes.get(prefix);
      if (module === undefined) return undefined;
      // The top of the tree is one for all modules: the root to look in is that of the name's module.
      const above: DraftNode | undefined =
        at === undefined || at.keyword === "module" ? this.#around.rootOf(module) : at;
      at = above && findDataChild(above, `${module}:${name}`, bodyOf(binding.leaf));
      if (at === undefined) return undefined;
    }
    return at;
  }

  /** What the leafref at the end of `path` points at. */
  #dereference(
    path: LeafrefPath,
    binding: Binding,
    how: { readonly unprefixed: string; readonly depth: number },
  ): DraftNode | undefined {
    const leaf = this.#follow(path, binding, how);
    // Building the leaf ties its type, if it was not built before.
    const other = leaf && this.#around.leafOf(leaf) && this.#byLeaf.get(leaf);
    return other && this.#locate(other, how.depth + 1);
  }

  /** Follows leafrefs to leafrefs, level by level, so that neither a circle nor a long chain is followed for ever. */
  #checkCircle(binding: Binding): void {
    let level = new Set<LeafSchema | LeafListSchema>(binding.target === undefined ? [] : [binding.target]);
    for (let depth = 0; level.size > 0; depth += 1) {
      if (depth >= MAX_CHAIN) {
        this.#around.report.error(
          "circular-leafref",
          `leaf ${binding.leaf.name}: ${binding.path.text} leads back to itself, or over more than ${String(MAX_CHAIN)} leafrefs`,
          binding.path.position,
        );
        return;
      }
      const next = new Set<LeafSchema | LeafListSchema>();
      for (const leaf of level) collectTargets(leaf.type, next);
      level = next;
    }
  }
}

function collectTargets(type: TypeSchema, into: Set<LeafSchema | LeafListSchema>): void {
  if (type.kind === "union") for (const member of type.members) collectTargets(member, into);
  if (type.kind !== "leafref") return;
  try {
    into.add(type.target());
  } catch {
    // Reported already: its path leads nowhere.
  }
}

function holdsLeafref(type: TypeSchema): boolean {
  return type.kind === "leafref" || (type.kind === "union" && type.members.some(holdsLeafref));
}

/**
 * The data node, operation, notification or tree root above; choices and cases are no data nodes, and the parameters of
 * an operation are its children, whether they stand in its input or its output (RFC 7950 section 6.4.1).
 */
export function dataParent(node: DraftNode): DraftNode | undefined {
  let above = node.parent;
  while (above !== undefined && isPassedOver(above)) above = above.parent;
  return above;
}

/** A child in the data tree, through choices and cases, and of an operation in `body`, its input or output. */
export function findDataChild(node: DraftNode, id: string, body: DraftNode | undefined): DraftNode | undefined {
  const direct = node.children.get(id);
  if (direct !== undefined && !isPassedOver(direct)) return direct;
  for (const child of node.children.values()) {
    if (child.keyword !== "choice" && child.keyword !== "case" && child !== body) continue;
    const found = findDataChild(child, id, body);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isPassedOver({ keyword }: DraftNode): boolean {
  return keyword === "choice" || keyword === "case" || keyword === "input" || keyword === "output";
}

/** The input or output that a node stands in. */
function bodyOf(node: DraftNode): DraftNode | undefined {
  let at: DraftNode | undefined = node;
  while (at !== undefined && at.keyword !== "input" && at.keyword !== "output") at = at.parent;
  return at;
}
