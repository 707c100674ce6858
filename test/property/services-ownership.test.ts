/** Random histories of puts, removals and imports: the rules and their plain model tell the same. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { at } from "../support/ownership-network.ts";
import { OwnershipModel, type Shape } from "../support/ownership-model.ts";
import { OwnershipStory, type StoryRule } from "../support/ownership-story.ts";

const INTERFACES = ["e1", "e2"];
const VLANS = ["7", "8"];
const SERVICES = ["a", "b", "c"];

const entries = [...INTERFACES.map(at.interface), ...VLANS.map(at.vlan)];
const leafs: readonly (readonly [path: string, values: readonly string[]])[] = [
  ...INTERFACES.map((name) => [at.mtu(name), ["1500", "9000"]] as const),
  ...INTERFACES.map((name) => [at.description(name), ["x", "y"]] as const),
  ...INTERFACES.map((name) => [at.accessVlan(name), VLANS] as const),
  ...VLANS.map((id) => [at.vlanName(id), ["blue"]] as const),
];

const shape: Shape = {
  parent: (path) => entries.find((entry) => path.startsWith(`${entry}/`)),
  pointsAt: (path, value) => (path.endsWith("/access-vlan") && value !== undefined ? at.vlan(value) : undefined),
};

const leaf = fc
  .constantFrom(...leafs)
  .chain(([path, values]) => fc.record({ path: fc.constant(path), value: fc.constantFrom(...values) }));
const node = fc.oneof({ weight: 3, arbitrary: leaf }, fc.record({ path: fc.constantFrom(...entries) }));

const rule: fc.Arbitrary<StoryRule> = fc.oneof(
  { weight: 4, arbitrary: node },
  { weight: 2, arbitrary: node.map((each) => ({ ...each, relation: "depends" as const })) },
  { weight: 1, arbitrary: node.map((each) => ({ ...each, onRemove: "keep" as const })) },
  {
    weight: 1,
    arbitrary: fc.tuple(node, fc.constantFrom("node", "subtree")).map(([each, scope]) => ({ ...each, scope })),
  },
);
/** One rule a path and relation: an instance that contradicts itself is refused, which stories show. */
const rules = fc.uniqueArray(rule, {
  minLength: 1,
  maxLength: 6,
  selector: (each) => `${each.relation ?? "owns"} ${each.path}`,
});

type Step =
  | { readonly kind: "put"; readonly service: string; readonly rules: readonly StoryRule[] }
  | { readonly kind: "remove"; readonly service: string }
  | {
      readonly kind: "import";
      readonly set: readonly { readonly path: string; readonly value?: string }[];
      readonly remove: readonly string[];
    };

const service = fc.constantFrom(...SERVICES);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("put" as const), service, rules }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("remove" as const), service }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("import" as const),
      set: fc.array(node, { maxLength: 3 }),
      remove: fc.array(fc.constantFrom(...entries, ...leafs.map(([path]) => path)), { maxLength: 3 }),
    }),
  },
);

/** What a device shows after somebody changed it, told without trees. */
function changed(shown: Map<string, string | undefined>, { set, remove }: Extract<Step, { kind: "import" }>) {
  for (const gone of remove)
    for (const path of [...shown.keys()]) if (path === gone || shape.parent(path) === gone) shown.delete(path);
  for (const { path, value } of set) {
    const parent = shape.parent(path);
    if (parent !== undefined) shown.set(parent, undefined);
    shown.set(path, value);
  }
  return shown;
}

const seen = new Map<string, number>();
const count = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);

function takeStep(story: OwnershipStory, model: OwnershipModel, each: Step): void {
  switch (each.kind) {
    case "put":
      story.putOne(each.service, ...each.rules);
      model.put(each.service, each.rules);
      break;
    case "remove":
      if (!story.state.services.has(each.service)) return;
      story.remove(each.service);
      model.remove(each.service);
      break;
    case "import": {
      const shown = new Map([...model.items].map(([path, item]) => [path, item.value]));
      story.import("r1", {
        set: each.set.map(({ path, value }) => (value === undefined ? [path] : [path, value])),
        remove: each.remove,
      });
      model.observe(changed(shown, each));
      break;
    }
  }
  count(each.kind);
  for (const line of story.explanations()) count(line.split(" ")[1] ?? "");
}

interface Told {
  readonly items: readonly object[];
  readonly links: readonly string[];
  readonly unmet: readonly (readonly string[])[];
}

function told(story: OwnershipStory): Told {
  const device = story.state.devices.get("id-r1");
  if (device === undefined) throw new Error("no device");
  return {
    items: [...device.items.values()]
      .map(({ item, setBy, retained }) => {
        const value = "value" in item && item.value.kind === "plain" ? item.value.text : undefined;
        return { path: item.path, value, setBy: setBy.kind === "service" ? setBy.service : setBy.kind, retained };
      })
      .sort(byPath),
    links: device.links
      .map(
        ({ service: name, path, relation, scope, onRemove, implied }) =>
          `${path} ${name} ${relation} ${scope} ${onRemove} ${implied ? "implied" : "said"}`,
      )
      .sort(),
    unmet: SERVICES.map((name) => {
      const status = story.state.services.get(name)?.status;
      return status?.kind === "inconsistent" ? [...new Set(status.because.map((each) => each.path))].sort() : [];
    }),
  };
}

function expected(model: OwnershipModel): Told {
  return {
    items: [...model.items]
      .map(([path, { value, setBy, retained }]) => ({ path, value, setBy, retained }))
      .sort(byPath),
    links: model.links
      .map(
        ({ service: name, path, relation, scope, onRemove, implied }) =>
          `${path} ${name} ${relation} ${scope} ${onRemove} ${implied ? "implied" : "said"}`,
      )
      .sort(),
    unmet: SERVICES.map((name) => model.unmet(name)),
  };
}

function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : 1;
}

test("any history ends as the plain model says, after every step", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 12 }), (steps) => {
      const story = new OwnershipStory();
      const model = new OwnershipModel(shape);
      for (const each of steps) {
        takeStep(story, model, each);
        expect(told(story)).toEqual(expected(model));
      }
    }),
    { numRuns: 150 },
  );
  // A history without one of these would prove little.
  for (const what of ["put", "remove", "import", "kept", "removed", "swept", "overrides", "missing"])
    expect(seen.get(what) ?? 0, what).toBeGreaterThan(0);
});
