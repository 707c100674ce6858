/** Random histories of submissions, removals and imports: the rules and their plain model tell the same. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { compareText } from "../../model/compare-text.ts";
import { DEVICES, type Step, changed, shape, step, valueInPath } from "../support/ownership-histories.ts";
import { type ModelChange, OwnershipModel } from "../support/ownership-model.ts";
import { OwnershipStory, type StoryService } from "../support/ownership-story.ts";

function modelChange({ name, rules: said, targets: devices = ["r1"] }: StoryService): ModelChange {
  return {
    service: name,
    rules: devices.flatMap((device) =>
      said.map(({ path, value, relation = "owns", scope, onRemove = "delete" }) => ({
        place: `${device} ${path}`,
        value: value ?? valueInPath(path),
        relation,
        scope,
        onRemove,
      })),
    ),
  };
}

const mix = new Map<string, number>();
const count = (what: string): void => void mix.set(what, (mix.get(what) ?? 0) + 1);

class World {
  readonly story = new OwnershipStory({ devices: DEVICES });
  readonly model = new OwnershipModel(shape);
  readonly #instances = new Map<string, StoryService>();

  take(each: Step): void {
    switch (each.kind) {
      case "put":
        this.#put(each.services);
        break;
      case "put-again": {
        const known = this.#instances.get(each.service);
        if (known === undefined) return;
        count("put again");
        this.#put([known]);
        break;
      }
      case "remove":
        if (!this.#instances.delete(each.service)) return;
        count("remove");
        this.story.remove(each.service);
        expect(this.model.submit([{ service: each.service }])).toBe("accepted");
        this.#countExplanations();
        break;
      case "import": {
        count("import");
        const shown = [...this.model.items].filter(([place]) => place.startsWith(`${each.device} `));
        this.story.import(each.device, {
          set: each.set.map(({ path, value }) => (value === undefined ? [path] : [path, value])),
          remove: each.remove,
        });
        this.model.observe(each.device, changed(new Map(shown.map(([place, item]) => [place, item.value])), each));
        for (const { kind } of this.story.body.evidence) count(`evidence ${kind}`);
        break;
      }
    }
  }

  #put(services: readonly StoryService[]): void {
    const proposed = this.story.propose(...services);
    const outcome =
      proposed.kind === "ok"
        ? "accepted"
        : proposed.diagnostics.every((one) => one.code === "conflict")
          ? "conflict"
          : "cycle";
    if (proposed.kind === "error" && outcome === "cycle")
      expect(new Set(proposed.diagnostics.map((one) => one.code))).toEqual(new Set(["dependency-cycle"]));
    // The rules go through a submission by name; the model takes it as it comes.
    const named = [...services].sort((a, b) => compareText(a.name, b.name));
    expect(this.model.submit(named.map(modelChange))).toBe(outcome);
    count(`${services.length > 1 ? "put of several" : "put"} ${outcome}`);
    if (outcome === "cycle") count("cycle");
    if (proposed.kind === "error") return;
    for (const each of services) {
      const before = this.#instances.get(each.name)?.targets ?? [];
      if (before.some((device) => each.targets?.includes(device) === false)) count("put on other targets");
      this.#instances.set(each.name, each);
    }
    expect(this.story.commit(proposed.value)).toEqual([]);
    this.#countExplanations();
  }

  #countExplanations(): void {
    for (const line of this.story.explanations())
      count(line.split(" ")[1] === "kept" ? `kept ${/\(([a-z-]+)/.exec(line)?.[1] ?? ""}` : (line.split(" ")[1] ?? ""));
  }
}

interface Told {
  readonly revision: number;
  readonly items: readonly object[];
  readonly links: readonly string[];
  readonly words: readonly string[];
}

function told({ story }: World): Told {
  const { state } = story;
  const devices = [...state.devices.values()];
  const text = (value: { readonly kind: string; readonly text?: string } | undefined): string | undefined =>
    value?.text;
  return {
    revision: state.revision,
    items: devices
      .flatMap(({ name, items }) =>
        [...items.values()].map(({ item, setBy, since, retained }) => ({
          place: `${name} ${item.path}`,
          value: "value" in item ? text(item.value) : undefined,
          setBy: setBy.kind === "service" ? setBy.service : setBy.kind,
          since,
          retained,
        })),
      )
      .sort(byPlace),
    links: devices
      .flatMap(({ name, links }) =>
        links.map(({ service: by, path, relation, value, scope, onRemove, implied, existedBefore: before }) => {
          const existed = before === undefined ? "" : `${String(before.since)} ${text(before.value) ?? "present"}`;
          return `${name} ${path} ${by} ${relation} ${text(value) ?? ""} ${scope} ${onRemove} ${String(implied)} ${existed}`;
        }),
      )
      .sort(),
    words: [...state.services.values()]
      .flatMap(({ name, status }) =>
        (status.kind === "inconsistent" ? status.because : []).map(
          ({ reason, device, path, required, found, by, revision }) =>
            `${name} ${device.slice(3)} ${path} needs ${text(required) ?? "it"} found ${text(found) ?? "nothing"}: ${reason} by ${by ?? ""} in ${String(revision)}`,
        ),
      )
      .sort(),
  };
}

function expected({ model }: World): Told {
  return {
    revision: model.revision,
    items: [...model.items].map(([place, item]) => ({ place, ...item })).sort(byPlace),
    links: model.links
      .map(
        ({ place, service: by, relation, value, scope, onRemove, implied, existed }) =>
          `${place} ${by} ${relation} ${value ?? ""} ${scope} ${onRemove} ${String(implied)} ${existed ?? ""}`,
      )
      .sort(),
    words: [...model.words].flatMap(([name, all]) => [...all].map(([wrong, why]) => `${name} ${wrong}: ${why}`)).sort(),
  };
}

function byPlace(a: { readonly place: string }, b: { readonly place: string }): number {
  return a.place < b.place ? -1 : 1;
}

const HISTORIES = 1_000;

test("any history ends as the plain model says, after every step", { timeout: 240_000 }, () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 3, maxLength: 10 }), (steps) => {
      const world = new World();
      for (const each of steps) {
        world.take(each);
        expect(told(world)).toEqual(expected(world));
      }
      count("histories");
    }),
    { numRuns: HISTORIES },
  );
  for (const status of ["overridden", "missing", "contradicted"])
    expect(mix.get("histories"), status).toBeGreaterThan(0);
  process.stdout.write(
    `mix: ${[...mix]
      .sort()
      .map(([what, times]) => `${what} ${String(times)}`)
      .join(", ")}\n`,
  );
  // A mix without one of these would prove little.
  for (const what of [
    "put accepted",
    "put of several accepted",
    "put of several conflict",
    "cycle",
    "put again",
    "put on other targets",
    "remove",
    "import",
    "set",
    "created",
    "overrides",
    "removed",
    "swept",
    "case-ended",
    "missing",
    "kept linked",
    "kept referenced",
    "kept on-remove-keep",
    "kept holds-others",
    "kept holds-unowned",
    "evidence disappeared",
    "evidence contradicted",
  ])
    expect(mix.get(what) ?? 0, what).toBeGreaterThan(0);
});
