/**
 * The ownership rules once more, as plainly as they can be said: no draft, no index, no path parsing. It knows entries
 * and leafs, of which `parent` and `pointsAt` tell what stands in what and what refers to what.
 */
import type { StoryRule } from "./ownership-story.ts";

export interface ModelItem {
  readonly value: string | undefined;
  readonly setBy: string;
  retained: boolean;
}

export interface ModelLink {
  readonly service: string;
  readonly path: string;
  readonly relation: "owns" | "depends";
  readonly value: string | undefined;
  readonly scope: "node" | "subtree";
  readonly onRemove: "delete" | "keep";
  readonly implied: boolean;
}

export interface Shape {
  /** The entry in which a path stands; undefined at the top. */
  readonly parent: (path: string) => string | undefined;
  /** The entry that a leaf with this value refers to, if it is a reference. */
  readonly pointsAt: (path: string, value: string | undefined) => string | undefined;
}

export class OwnershipModel {
  readonly items = new Map<string, ModelItem>();
  links: readonly ModelLink[] = [];
  readonly #shape: Shape;

  constructor(shape: Shape) {
    this.#shape = shape;
  }

  put(service: string, rules: readonly StoryRule[]): void {
    const old = this.links.filter((link) => link.service === service);
    const next: ModelLink[] = [];
    const isEntry = (path: string): boolean => this.#shape.parent(path) === undefined;
    const owns = rules.filter((rule) => rule.relation !== "depends");
    for (const rule of [...owns.filter((each) => isEntry(each.path)), ...owns.filter((each) => !isEntry(each.path))]) {
      const before = ownOf(old, rule.path);
      const link = {
        service,
        path: rule.path,
        relation: "owns",
        value: rule.value,
        onRemove: rule.onRemove ?? "delete",
      } as const;
      const parent = this.#shape.parent(rule.path);
      if (parent !== undefined && ownOf(next, parent) === undefined) {
        const implied = {
          ...link,
          path: parent,
          value: undefined,
          onRemove: "delete",
          scope: "subtree",
          implied: true,
        } as const;
        if (!this.items.has(parent)) next.push(implied);
        else if (ownOf(old, parent)?.implied === true) next.push(implied);
      }
      if (parent !== undefined && !this.items.has(parent)) this.#set(parent, undefined, service);
      const created = isEntry(rule.path) && !this.items.has(rule.path);
      next.push({ ...link, scope: rule.scope ?? before?.scope ?? (created ? "subtree" : "node"), implied: false });
      this.#set(rule.path, rule.value, service);
      this.#get(rule.path).retained = false;
    }
    for (const { path, value } of rules.filter((rule) => rule.relation === "depends"))
      next.push({ service, path, relation: "depends", value, scope: "node", onRemove: "delete", implied: false });
    this.links = [...this.links.filter((link) => link.service !== service), ...next];
    this.#release(
      old.filter((link) => !next.some((each) => each.path === link.path && each.relation === link.relation)),
    );
  }

  remove(service: string): void {
    const old = this.links.filter((link) => link.service === service);
    this.links = this.links.filter((link) => link.service !== service);
    this.#release(old);
  }

  /** The device shows exactly this. */
  observe(shown: ReadonlyMap<string, string | undefined>): void {
    for (const path of this.items.keys()) if (!shown.has(path)) this.items.delete(path);
    for (const [path, value] of shown) this.#set(path, value, "import");
  }

  /** Paths that keep a service from being consistent. */
  unmet(service: string): readonly string[] {
    const unmet = this.links.filter((link) => {
      const item = this.items.get(link.path);
      return (
        link.service === service && (item === undefined || (link.value !== undefined && link.value !== item.value))
      );
    });
    return [...new Set(unmet.map((link) => link.path))].sort();
  }

  #release(released: readonly ModelLink[]): void {
    const owned = new Map(
      released.filter((link) => link.relation === "owns" && this.items.has(link.path)).map((link) => [link.path, link]),
    );
    const going = new Set(owned.keys());
    const vanishes = (path: string): boolean => {
      const parent = this.#shape.parent(path);
      return going.has(path) || (parent !== undefined && going.has(parent) && owned.get(parent)?.scope === "subtree");
    };
    const stays = (link: ModelLink): boolean => {
      const below = this.#below(link.path);
      return (
        this.#isLinked(link.path) ||
        link.onRemove === "keep" ||
        below.some((path) => owned.has(path) && !going.has(path)) ||
        (link.scope === "node" && below.some((path) => !vanishes(path))) ||
        this.#referrers(link.path).some((path) => !vanishes(path))
      );
    };
    for (let before = -1; before !== going.size; ) {
      before = going.size;
      for (const path of [...going]) if (stays(this.#own(owned, path))) going.delete(path);
    }
    for (const [path, link] of owned) {
      if (!going.has(path) && link.onRemove !== "keep" && ownOf(this.links, path) === undefined)
        this.#get(path).retained = true;
    }
    const gone: (string | undefined)[] = [];
    const drop = (path: string): void => {
      gone.push(this.#shape.pointsAt(path, this.#get(path).value));
      this.items.delete(path);
    };
    for (const path of [...this.items.keys()].filter(vanishes)) drop(path);
    this.#sweepRetained(released, gone, drop);
  }

  /** What was kept for somebody goes when that somebody has gone. */
  #sweepRetained(
    released: readonly ModelLink[],
    gone: readonly (string | undefined)[],
    drop: (path: string) => void,
  ): void {
    const concerned = (path: string): boolean =>
      gone.includes(path) || released.some((link) => link.path === path || this.#shape.parent(link.path) === path);
    const needed = (path: string): boolean =>
      this.#isLinked(path) || this.#below(path).length > 0 || this.#referrers(path).length > 0;
    for (;;) {
      const next = [...this.items].find(([path, item]) => item.retained && concerned(path) && !needed(path));
      if (next === undefined) return;
      drop(next[0]);
    }
  }

  #isLinked(path: string): boolean {
    return this.links.some((link) => link.path === path || this.#shape.parent(link.path) === path);
  }

  #below(path: string): readonly string[] {
    return [...this.items.keys()].filter((each) => this.#shape.parent(each) === path);
  }

  #referrers(path: string): readonly string[] {
    return [...this.items]
      .filter(([from, item]) => this.#shape.pointsAt(from, item.value) === path)
      .map(([from]) => from);
  }

  #set(path: string, value: string | undefined, setBy: string): void {
    const before = this.items.get(path);
    if (before !== undefined && before.value === value) return;
    this.items.set(path, { value, setBy, retained: before?.retained ?? false });
  }

  #get(path: string): ModelItem {
    const item = this.items.get(path);
    if (item === undefined) throw new RangeError(`no item ${path}`);
    return item;
  }

  #own(owned: ReadonlyMap<string, ModelLink>, path: string): ModelLink {
    const link = owned.get(path);
    if (link === undefined) throw new RangeError(`no link ${path}`);
    return link;
  }
}

function ownOf(links: readonly ModelLink[], path: string): ModelLink | undefined {
  return links.find((link) => link.relation === "owns" && link.path === path);
}
