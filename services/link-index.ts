/** The links of one device under change, found by path, by what lies below a path, and by service. */
import type { LinkKey, ServiceLink } from "./desired-state.ts";
import { GrowingPaths, prefixBelow } from "./sorted-paths.ts";

export class LinkIndex {
  readonly #byPath = new Map<string, Map<string, ServiceLink>>();
  readonly #byService = new Map<string, Map<string, ServiceLink>>();
  readonly #paths = new GrowingPaths();

  constructor(links: Iterable<ServiceLink>) {
    for (const link of links) this.put(link);
  }

  /** Takes the place of the link of the same service, relation and path. */
  put(link: ServiceLink): void {
    const key = linkText(link);
    membersOf(this.#byPath, link.path).set(key, link);
    membersOf(this.#byService, link.service).set(key, link);
    this.#paths.add(link.path);
  }

  remove(link: LinkKey): void {
    const key = linkText(link);
    this.#byPath.get(link.path)?.delete(key);
    this.#byService.get(link.service)?.delete(key);
  }

  *all(): IterableIterator<ServiceLink> {
    for (const links of this.#byService.values()) yield* links.values();
  }

  at(path: string): readonly ServiceLink[] {
    return [...(this.#byPath.get(path)?.values() ?? [])];
  }

  atOrBelow(path: string): readonly ServiceLink[] {
    return [path, ...this.#paths.startingWith(prefixBelow(path))].flatMap((each) => this.at(each));
  }

  of(service: string): readonly ServiceLink[] {
    return [...(this.#byService.get(service)?.values() ?? [])];
  }
}

function membersOf(index: Map<string, Map<string, ServiceLink>>, key: string): Map<string, ServiceLink> {
  const known = index.get(key);
  if (known !== undefined) return known;
  const members = new Map<string, ServiceLink>();
  index.set(key, members);
  return members;
}

/** Equal exactly for links of one service, relation and path. */
export function linkText(link: LinkKey): string {
  return `${link.service}\n${link.relation}\n${link.path}`;
}
