/**
 * The ownership rules once more, as plainly as they can be said: no draft, no index, no path parsing. It knows entries
 * and leafs of several devices by their place, `r1 /path`; `Shape` says what the places have to do with each other.
 */
export interface ModelRule {
  readonly place: string;
  readonly value?: string | undefined;
  readonly relation: "owns" | "depends";
  readonly scope?: "node" | "subtree" | undefined;
  readonly onRemove: "delete" | "keep";
}
/** Without rules: the instance is removed. */
export type ModelChange = { readonly service: string; readonly rules?: readonly ModelRule[] };
type Item = {
  readonly value: string | undefined;
  readonly setBy: string;
  readonly since: number;
  readonly retained: boolean;
};
type Link = ModelRule & { readonly service: string; readonly implied: boolean; readonly existed: string | undefined };
type Before = Pick<OwnershipModel, "items" | "links">;

export interface Shape {
  /** The entry in which a place stands. */
  readonly parent: (place: string) => string | undefined;
  /** The entry that a leaf with this value refers to, if it is a reference. */
  readonly pointsAt: (place: string, value: string | undefined) => string | undefined;
  /** Do two places stand in different cases of one choice? */
  readonly exclude: (one: string, other: string) => boolean;
}

export class OwnershipModel {
  revision = 0;
  items = new Map<string, Item>();
  links: readonly Link[] = [];
  /** By service: why it is inconsistent, by what is wrong. */
  words: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map();
  readonly #shape: Shape;
  constructor(shape: Shape) {
    this.#shape = shape;
  }

  submit(changes: readonly ModelChange[]): "accepted" | "conflict" | "cycle" {
    const { exclude } = this.#shape;
    const said = changes.flatMap(({ rules = [] }) => rules.filter((rule) => rule.relation === "owns"));
    const differ = (a: ModelRule, b: ModelRule): boolean => a.place === b.place && a.value !== b.value;
    if (said.some((a) => said.some((b) => differ(a, b) || exclude(a.place, b.place)))) return "conflict";
    const before = { items: new Map(this.items), links: this.links };
    this.revision += 1;
    const [writers, ended] = [new Map<string, string>(), new Map<string, string>()];
    for (const { service, rules = [] } of changes) {
      const next = this.#assert({ service, rules }, before, (place) => ended.set(place, service));
      for (const rule of rules) if (rule.relation === "owns") writers.set(rule.place, service);
      this.links = [...this.links.filter((link) => link.service !== service), ...next];
    }
    if (changes.some(({ service, rules }) => rules !== undefined && !this.#firm().has(service))) {
      Object.assign(this, before, { revision: this.revision - 1 });
      return "cycle";
    }
    const names = changes.map((change) => change.service);
    const ends = (link: Link): string => `${link.service} ${link.relation} ${link.place}`;
    const stand = this.links.map(ends);
    this.#release(before.links.filter((old) => names.includes(old.service) && !stand.includes(ends(old))));
    const gone = changes.filter(({ rules }) => rules === undefined).map((change) => change.service);
    this.#judge(
      [...this.words.keys(), ...names].filter((name) => !gone.includes(name)),
      new Map([...writers, ...ended]),
    );
    return "accepted";
  }

  observe(device: string, shown: ReadonlyMap<string, string | undefined>): void {
    const gone = [...this.items.keys()].filter((place) => place.startsWith(`${device} `) && !shown.has(place));
    const differs = [...shown].some(([at, value]) => !this.items.has(at) || this.items.get(at)?.value !== value);
    if (gone.length === 0 && !differs) return;
    this.revision += 1;
    for (const place of gone) this.items.delete(place);
    for (const [place, value] of shown) this.#set(place, value, "import");
    this.#judge([...this.words.keys()], new Map());
  }

  #assert({ service, rules = [] }: ModelChange, before: Before, end: (place: string) => void): readonly Link[] {
    const next: Link[] = [];
    const isNew = (place: string): boolean => !before.items.has(place) || !this.items.has(place);
    const old = (place: string) => before.links.find((link) => link.service === service && isOwner(link, place));
    const own = (rule: ModelRule, implied: boolean): void => {
      const owners = [...this.links, ...before.links].filter((link) => isOwner(link, rule.place));
      const found = owners.length > 0 ? undefined : before.items.get(rule.place);
      const taken = found?.retained === false ? `${String(found.since)} ${found.value ?? "present"}` : undefined;
      const known = old(rule.place);
      const existed = known === undefined ? (owners.find((link) => link.existed)?.existed ?? taken) : known.existed;
      next.push({ ...rule, service, implied, existed });
    };
    const depth = ({ place }: ModelRule): number => (this.#shape.parent(place) === undefined ? 0 : 1);
    const owns = rules.filter((rule) => rule.relation === "owns").sort((a, b) => depth(a) - depth(b));
    for (const rule of owns) {
      const parent = this.#shape.parent(rule.place);
      if (parent !== undefined) {
        const has = next.some((link) => isOwner(link, parent));
        if (!has && (isNew(parent) || old(parent)?.implied === true))
          own({ place: parent, relation: "owns", scope: "subtree", onRemove: "delete" }, true);
        if (!this.items.has(parent)) this.#set(parent, undefined, service);
      }
      for (const place of [...this.items.keys()])
        if (this.#shape.exclude(place, rule.place) && this.items.delete(place)) end(place);
      const scope = parent === undefined && isNew(rule.place) ? "subtree" : "node";
      own({ ...rule, scope: rule.scope ?? old(rule.place)?.scope ?? scope }, false);
      this.#set(rule.place, rule.value, service);
      this.#retain(rule.place, false);
    }
    for (const rule of rules)
      if (rule.relation === "depends")
        next.push({ ...rule, service, scope: "node", onRemove: "delete", implied: false, existed: undefined });
    return next;
  }

  /** Services none of whose dependencies leads back to themselves. */
  #firm(): ReadonlySet<string> {
    const firm = new Set<string>();
    const isOpen = ({ service, relation, place }: Link): boolean => {
      const owners = this.links.filter((link) => isOwner(link, place));
      const met = owners.some((link) => firm.has(link.service) || link.service === service || link.existed);
      return relation === "depends" && owners.length > 0 && !met;
    };
    const names = new Set(this.links.map((link) => link.service));
    for (let size = -1; size !== firm.size; ) {
      size = firm.size;
      for (const name of names) if (!this.links.some((link) => link.service === name && isOpen(link))) firm.add(name);
    }
    return firm;
  }

  #release(released: readonly Link[]): void {
    const { parent, pointsAt } = this.#shape;
    const owned = released.filter((link) => link.relation === "owns" && this.items.has(link.place));
    const hasNode = (at: string): boolean => owned.some(({ place, scope }) => place === at && scope === "node");
    const isKept = (at: string): boolean => owned.some(({ place, onRemove }) => place === at && onRemove === "keep");
    const below = (at: string): readonly string[] => [...this.items.keys()].filter((each) => parent(each) === at);
    const referrers = (at: string): readonly string[] =>
      [...this.items].filter(([from, { value }]) => pointsAt(from, value) === at).map(([from]) => from);
    const isLinked = (at: string): boolean => this.links.some(({ place }) => place === at || parent(place) === at);
    const going = new Set(owned.map((link) => link.place));
    const staying = new Set<string>();
    const vanishes = (place: string): boolean => {
      const above = parent(place);
      return going.has(place) || (above !== undefined && going.has(above) && !hasNode(above));
    };
    const stays = (at: string): boolean =>
      isLinked(at) ||
      isKept(at) ||
      below(at).some((place) => staying.has(place) || (hasNode(at) && !vanishes(place))) ||
      referrers(at).some((place) => !vanishes(place));
    for (let size = -1; size !== staying.size; ) {
      size = staying.size;
      for (const place of going) if (stays(place) && going.delete(place)) staying.add(place);
    }
    const isFree = (at: string): boolean => !isKept(at) && !this.links.some((link) => isOwner(link, at));
    for (const place of staying) if (isFree(place)) this.#retain(place, true);
    const gone: (string | undefined)[] = [];
    const drop = (place: string): void => {
      gone.push(pointsAt(place, this.items.get(place)?.value));
      this.items.delete(place);
    };
    [...this.items.keys()].filter(vanishes).forEach(drop);
    // What was kept for somebody goes when that somebody has gone.
    const isNear = (at: string): boolean =>
      gone.includes(at) || released.some(({ place }) => place === at || parent(place) === at);
    const isNeeded = (at: string): boolean => isLinked(at) || below(at).length > 0 || referrers(at).length > 0;
    const next = () => [...this.items].find(([at, { retained }]) => retained && isNear(at) && !isNeeded(at))?.[0];
    for (let place = next(); place !== undefined; place = next()) drop(place);
  }

  /** Words that were said stay as long as the same is wrong. */
  #judge(services: readonly string[], writers: ReadonlyMap<string, string>): void {
    const wordsOf = ({ service, place, value }: Link): readonly (readonly [string, string])[] => {
      const item = this.items.get(place);
      if (item !== undefined && (value === undefined || value === item.value)) return [];
      const by = writers.get(place) === service ? undefined : writers.get(place);
      const reason = by !== undefined ? "overridden" : item === undefined ? "missing" : "contradicted";
      const wrong = `${place} needs ${value ?? "it"} found ${item?.value ?? "nothing"}`;
      return [[wrong, this.words.get(service)?.get(wrong) ?? `${reason} by ${by ?? ""} in ${String(this.revision)}`]];
    };
    const linksOf = (name: string): readonly Link[] => this.links.filter((link) => link.service === name);
    this.words = new Map(services.map((name) => [name, new Map(linksOf(name).flatMap(wordsOf))]));
  }

  #set(place: string, value: string | undefined, setBy: string): void {
    const before = this.items.get(place);
    if (before === undefined || before.value !== value)
      this.items.set(place, { value, setBy, since: this.revision, retained: before?.retained ?? false });
  }

  #retain(place: string, retained: boolean): void {
    const item = this.items.get(place);
    if (item !== undefined) this.items.set(place, { ...item, retained });
  }
}

const isOwner = (link: Link, place: string): boolean => link.relation === "owns" && link.place === place;
