/** Random submissions, removals and imports on the network of the ownership tests: few places, so that they meet. */
import fc from "fast-check";
import type { Shape } from "./ownership-model.ts";
import { at } from "./ownership-network.ts";
import type { OwnershipStory, StoryRule, StoryService } from "./ownership-story.ts";

export const DEVICES = ["r1", "r2"];
export const SERVICES = ["a", "b", "c"];
const VLANS = ["7", "8"];

const entries = [at.interface("e1"), ...VLANS.map(at.vlan)];
const leafs: readonly (readonly [path: string, values: readonly (string | undefined)[]])[] = [
  [at.mtu("e1"), ["1500", "9000"]],
  [at.description("e1"), ["x", "y"]],
  [at.accessVlan("e1"), VLANS],
  ...VLANS.map((vlan) => [at.trunkVlan("e1", vlan), [undefined]] as const),
  [at.vlanName("7"), ["blue"]],
];
const allPaths = [...entries, ...leafs.map(([path]) => path)];

const accessVlan = /\/access-vlan$/;
const trunkVlan = /\/trunk-vlan\[\.='(\d+)'\]$/;
/** The value that a path says by itself: that of a leaf-list entry. */
export function valueInPath(path: string): string | undefined {
  return trunkVlan.exec(path)?.[1];
}
const ofDevice = (place: string): string => place.slice(0, place.indexOf(" "));
export const shape: Shape = {
  parent: (place) => entries.map((entry) => `${ofDevice(place)} ${entry}`).find((each) => place.startsWith(`${each}/`)),
  pointsAt: (place, value) => {
    const vlan = accessVlan.test(place) ? value : valueInPath(place);
    return vlan === undefined ? undefined : `${ofDevice(place)} ${at.vlan(vlan)}`;
  },
  exclude: (one, other) =>
    shape.parent(one) === shape.parent(other) &&
    ((accessVlan.test(one) && trunkVlan.test(other)) || (trunkVlan.test(one) && accessVlan.test(other))),
};

const node: fc.Arbitrary<{ readonly path: string; readonly value?: string }> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(...leafs)
      .chain(([path, values]) =>
        fc.constantFrom(...values).map((value) => (value === undefined ? { path } : { path, value })),
      ),
  },
  fc.record({ path: fc.constantFrom(...entries) }),
);
const rule: fc.Arbitrary<StoryRule> = fc.oneof(
  { weight: 4, arbitrary: node },
  { weight: 4, arbitrary: node.map((each) => ({ ...each, relation: "depends" as const })) },
  { weight: 1, arbitrary: node.map((each) => ({ ...each, onRemove: "keep" as const })) },
  {
    weight: 1,
    arbitrary: fc.tuple(node, fc.constantFrom("node", "subtree")).map(([each, scope]) => ({ ...each, scope })),
  },
);
/** One rule a path and relation: an instance that contradicts itself is refused, which stories show. */
const rules = fc.uniqueArray(rule, {
  minLength: 1,
  maxLength: 4,
  selector: (each) => `${each.relation ?? "owns"} ${each.path}`,
});
const targets = fc.constantFrom(["r1"], ["r1"], ["r2"], ["r1", "r2"]);
export const instanceOf = (name: fc.Arbitrary<string>): fc.Arbitrary<StoryService> =>
  fc.record({ name, rules, targets });

export type Step =
  | { readonly kind: "put"; readonly services: readonly StoryService[] }
  | { readonly kind: "put-again"; readonly service: string }
  | { readonly kind: "remove"; readonly service: string }
  | {
      readonly kind: "import";
      readonly device: string;
      readonly set: readonly { readonly path: string; readonly value?: string }[];
      readonly remove: readonly string[];
    };

export const service = fc.constantFrom(...SERVICES);
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: instanceOf(service).map((one) => ({ kind: "put" as const, services: [one] })) },
  {
    weight: 2,
    arbitrary: fc
      .uniqueArray(instanceOf(service), { minLength: 2, maxLength: 3, selector: (each) => each.name })
      .map((services) => ({ kind: "put" as const, services })),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("put-again" as const), service }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("remove" as const), service }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("import" as const),
      device: fc.constantFrom(...DEVICES),
      set: fc.array(node, { maxLength: 3 }),
      remove: fc.array(fc.constantFrom(...allPaths), { maxLength: 3 }),
    }),
  },
);

/** Lets the step happen in a story, where it can: a submission that is refused changes nothing. */
export function takeStep(story: OwnershipStory, each: Step): void {
  switch (each.kind) {
    case "put": {
      const proposed = story.propose(...each.services);
      if (proposed.kind === "ok") story.commit(proposed.value);
      break;
    }
    case "put-again":
      break;
    case "remove":
      if (story.state.services.has(each.service)) story.remove(each.service);
      break;
    case "import":
      story.import(each.device, {
        set: each.set.map(({ path, value }) => (value === undefined ? [path] : [path, value])),
        remove: each.remove,
      });
  }
}

/** What a device shows after somebody changed it, told without trees. */
export function changed(
  shown: Map<string, string | undefined>,
  { device, set, remove }: Extract<Step, { kind: "import" }>,
): ReadonlyMap<string, string | undefined> {
  const drop = (test: (place: string) => boolean): void => {
    for (const place of [...shown.keys()]) if (test(place)) shown.delete(place);
  };
  for (const gone of remove.map((path) => `${device} ${path}`))
    drop((place) => place === gone || shape.parent(place) === gone);
  for (const { path, value } of set) {
    const place = `${device} ${path}`;
    drop((each) => shape.exclude(each, place));
    const parent = shape.parent(place);
    if (parent !== undefined) shown.set(parent, undefined);
    shown.set(place, value ?? valueInPath(path));
  }
  return shown;
}
