/**
 * What each leafref points at (RFC 7950 section 9.9.2). The path runs over data nodes, so choices and cases are passed
 * over; it is followed in the draft tree, so that a target which a feature or a deviation switched off still gives the
 * leafref its type.
 */
import type { LeafListSchema, LeafSchema, LeafrefType, SchemaExpression, TypeSchema } from "../schema.ts";
import type { DraftNode } from "./draft-node.ts";
import { splitName } from "./statement.ts";
import type { YangReport } from "./yang-report.ts";

export interface LeafrefSurroundings {
  /** Root of the draft tree of a module, also of one that is only imported. */
  readonly rootOf: (module: string) => DraftNode | undefined;
  /** The built leaf or leaf-list of a draft; undefined when it is neither. */
  readonly leafOf: (draft: DraftNode) => LeafSchema | LeafListSchema | undefined;
  readonly report: YangReport;
}

interface LeafrefPath {
  /** Steps up from the leaf; undefined for an absolute path. */
  readonly up: number | undefined;
  readonly steps: readonly string[];
}

interface Binding {
  readonly leaf: DraftNode;
  readonly path: { module: string } & SchemaExpression;
  readonly definedIn: string;
  target: LeafSchema | LeafListSchema | undefined;
}

/** Longest way over leafrefs that point at leafrefs. */
const MAX_CHAIN = 100;

export class LeafrefBinder {
  readonly #around: LeafrefSurroundings;
  readonly #bindings: Binding[] = [];

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
      this.#around.report.error(
        "leafref-target-not-found",
        draft === undefined
          ? `leaf ${leaf.name}: ${path.text} leads to no node`
          : `leaf ${leaf.name}: ${path.text} leads to a ${draft.keyword}`,
        [path.position, ...(draft === undefined ? [leaf.statement.position] : [draft.statement.position])],
        { expected: "the path of a leaf or leaf-list" },
      );
    }
    for (const binding of this.#bindings) this.#checkCircle(binding);
  }

  #tie(type: LeafrefType, leaf: DraftNode): LeafrefType {
    const path = { ...type.path, module: leaf.module.name };
    const binding: Binding = { leaf, path, definedIn: type.path.module, target: undefined };
    this.#bindings.push(binding);
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
  #locate(binding: Binding): DraftNode | undefined {
    const path = parseLeafrefPath(binding.path.text);
    if (path === undefined) return undefined;
    const found = this.#follow(path, binding, binding.leaf.module.name);
    if (found !== undefined || binding.definedIn === binding.leaf.module.name) return found;
    const other = this.#follow(path, binding, binding.definedIn);
    if (other !== undefined) binding.path.module = binding.definedIn;
    return other;
  }

  #follow(path: LeafrefPath, binding: Binding, unprefixed: string): DraftNode | undefined {
    let at: DraftNode | undefined = binding.leaf;
    for (let step = 0; step < (path.up ?? 0); step += 1) at = at && dataParent(at);
    if (path.up === undefined) at = undefined;
    else if (at === undefined) return undefined;
    for (const step of path.steps) {
      const { prefix, name } = splitName(step);
      const module = prefix === undefined ? unprefixed : binding.path.prefixes.get(prefix);
      if (module === undefined) return undefined;
      // The top of the tree is one for all modules: the root to look in is that of the name's module.
      const above: DraftNode | undefined =
        at === undefined || at.keyword === "module" ? this.#around.rootOf(module) : at;
      at = above && findDataChild(above, `${module}:${name}`);
      if (at === undefined) return undefined;
    }
    return at;
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

const PREDICATE = /\[(?:[^\]"']|"[^"]*"|'[^']*')*\]/g;
const STEPS =
  /^[A-Za-z_][A-Za-z0-9_.-]*(?::[A-Za-z_][A-Za-z0-9_.-]*)?(?:\/[A-Za-z_][A-Za-z0-9_.-]*(?::[A-Za-z_][A-Za-z0-9_.-]*)?)*$/;

/** path-arg of RFC 7950 section 14. Predicates choose instances, not schema nodes, and are left out. */
function parseLeafrefPath(text: string): LeafrefPath | undefined {
  let rest = text.replace(PREDICATE, "").replace(/[ \t\r\n]/g, "");
  if (rest.startsWith("/")) {
    rest = rest.slice(1);
    return STEPS.test(rest) ? { up: undefined, steps: rest.split("/") } : undefined;
  }
  let up = 0;
  while (rest.startsWith("../")) {
    up += 1;
    rest = rest.slice(3);
  }
  return up > 0 && STEPS.test(rest) ? { up, steps: rest.split("/") } : undefined;
}

/** The data node or tree root above; choices and cases are no data nodes. */
export function dataParent(node: DraftNode): DraftNode | undefined {
  let above = node.parent;
  while (above !== undefined && (above.keyword === "choice" || above.keyword === "case")) above = above.parent;
  return above;
}

/** A child in the data tree, through choices and cases. */
export function findDataChild(node: DraftNode, id: string): DraftNode | undefined {
  const direct = node.children.get(id);
  if (direct !== undefined && direct.keyword !== "choice" && direct.keyword !== "case") return direct;
  for (const child of node.children.values()) {
    if (child.keyword !== "choice" && child.keyword !== "case") continue;
    const found = findDataChild(child, id);
    if (found !== undefined) return found;
  }
  return undefined;
}
