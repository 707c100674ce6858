/**
 * What each leafref points at (RFC 7950 section 9.9.2). The path runs over data nodes, so choices and cases are passed
 * over; it is followed in the draft tree, so that a target which a feature or a deviation switched off still gives the
 * leafref its type.
 */
import type { SourcePosition } from "../diagnostic.ts";
import type { LeafListSchema, LeafSchema, LeafrefType, SchemaExpression, TypeSchema } from "../schema.ts";
import { keyNames } from "./check-list.ts";
import { type DraftNode, propertyText } from "./draft-node.ts";
import { type LeafrefName, type LeafrefPath, parseLeafrefPath } from "./leafref-path.ts";
import { ageOf } from "./statement-status.ts";
import type { YangReport } from "./yang-report.ts";

export interface LeafrefSurroundings {
  /** Root of the draft tree of a module, also of one that is only imported. */
  readonly rootOf: (module: string) => DraftNode | undefined;
  /** The built leaf or leaf-list of a draft; undefined when it is neither. `from`: the path that leads to it. */
  readonly leafOf: (draft: DraftNode, from?: SourcePosition) => LeafSchema | LeafListSchema | undefined;
  readonly report: YangReport;
}

interface Binding {
  readonly leaf: DraftNode;
  readonly path: { module: string } & SchemaExpression;
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
      binding.target = draft && this.#around.leafOf(draft, binding.path.position);
      if (draft !== undefined && binding.target !== undefined) {
        this.#checkStatus(binding, draft);
        continue;
      }
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
      this.#checkPredicates(binding);
    }
  }

  /** RFC 7950 section 7.21.2: within a module, what is current refers to nothing obsolete. */
  #checkStatus({ leaf, path }: Binding, target: DraftNode): void {
    if (target.module !== leaf.module || leaf.module.name !== path.definedIn) return;
    let age = 0;
    for (let at: DraftNode | undefined = leaf; at !== undefined; at = at.parent)
      age = Math.max(age, ageOf(at.statement));
    if (ageOf(target.statement) <= age) return;
    const status = propertyText(target, "status") ?? "";
    this.#around.report.error(
      "status-conflict",
      `leaf ${leaf.name}: ${path.text} refers to ${status} ${target.keyword} ${target.name}`,
      [path.position, target.statement.position],
      { expected: `status ${status} here, or another target` },
    );
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
    if (found !== undefined || binding.path.definedIn === binding.leaf.module.name) return found;
    const other = this.#follow(path, binding, { unprefixed: binding.path.definedIn, depth });
    if (other !== undefined) binding.path.module = binding.path.definedIn;
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
    if (path.start === "root") return this.#down(undefined, path.steps, binding, how.unprefixed);
    const start = path.start === "leaf" ? binding.leaf : this.#dereference(path.start, binding, how);
    const top = up(start, path.up);
    return top && this.#down(top, path.steps, binding, how.unprefixed);
  }

  /** From `from`, or the top of the tree; names without prefix are of `unprefixed`. */
  #down(
    from: DraftNode | undefined,
    steps: readonly LeafrefName[],
    binding: Binding,
    unprefixed: string,
  ): DraftNode | undefined {
    let at = from;
    for (const step of steps) {
      const module = moduleNameOf(step, binding, unprefixed);
      if (module === undefined) return undefined;
      // The top of the tree is one for all modules: the root to look in is that of the name's module.
      const above: DraftNode | undefined =
        at === undefined || at.keyword === "module" ? this.#around.rootOf(module) : at;
      at = above && findDataChild(above, `${module}:${step.name}`, bodyOf(binding.leaf));
      if (at === undefined) return undefined;
    }
    return at;
  }

  /** RFC 7950 section 9.9.2: predicates constrain keys of the lists on the way, by leafs that are there. */
  #checkPredicates(binding: Binding): void {
    const { leaf, path } = binding;
    const read = this.#path(path.text);
    if (read?.steps.some(({ predicates }) => predicates.length > 0) !== true) return;
    const unprefixed = path.module;
    const report = (message: string, other: DraftNode): void => {
      this.#around.report.error("path-invalid", `leaf ${leaf.name}: in ${path.text}, ${message}`, [
        path.position,
        other.statement.position,
      ]);
    };
    for (const [index, { predicates }] of read.steps.entries()) {
      if (predicates.length === 0) continue;
      const above = { ...read, steps: read.steps.slice(0, index + 1) };
      const list = this.#follow(above, binding, { unprefixed, depth: 0 });
      if (list === undefined) continue;
      for (const { key, up: levels, steps } of predicates) {
        if (!keyNames(list).has(`${moduleNameOf(key, binding, unprefixed) ?? ""}:${key.name}`))
          report(`${key.name} is no key of ${list.keyword} ${list.name}`, list);
        const start = up(leaf, levels);
        const value = start && this.#down(start, steps, binding, unprefixed);
        if (value?.keyword !== "leaf")
          report(`current()${"/..".repeat(levels)}/${steps.map(({ name }) => name).join("/")} leads to no leaf`, leaf);
      }
    }
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
  #checkCircle({ leaf, path, target }: Binding): void {
    const start = target && this.#around.leafOf(leaf);
    if (target === undefined || start === undefined) return;
    /** Each leaf on the way with the one that points at it. */
    const pointers = new Map<LeafSchema | LeafListSchema, LeafSchema | LeafListSchema>([[target, start]]);
    let level: readonly (LeafSchema | LeafListSchema)[] = [target];
    for (let depth = 0; level.length > 0; depth += 1) {
      if (pointers.has(start)) {
        const places: SourcePosition[] = [];
        for (let at = pointers.get(start); at !== undefined && at !== start; at = pointers.get(at))
          places.unshift(at.position);
        const message = `leaf ${leaf.name}: ${path.text} leads back to itself`;
        this.#around.report.error("circular-leafref", message, [path.position, ...places]);
        return;
      }
      if (depth >= MAX_CHAIN) {
        const message = `leaf ${leaf.name}: ${path.text} leads over more than ${String(MAX_CHAIN)} leafrefs`;
        this.#around.report.error("nesting-too-deep", message, path.position);
        return;
      }
      const next: (LeafSchema | LeafListSchema)[] = [];
      for (const from of level) {
        const targets = new Set<LeafSchema | LeafListSchema>();
        collectTargets(from.type, targets);
        for (const each of targets) {
          if (pointers.has(each)) continue;
          pointers.set(each, from);
          next.push(each);
        }
      }
      level = next;
    }
  }
}

function moduleNameOf({ prefix }: LeafrefName, { path }: Binding, unprefixed: string): string | undefined {
  return prefix === undefined ? unprefixed : path.prefixes.get(prefix);
}

function up(from: DraftNode | undefined, levels: number): DraftNode | undefined {
  let at = from;
  for (let step = 0; step < levels; step += 1) at = at && dataParent(at);
  return at;
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
