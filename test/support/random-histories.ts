/** Random steps in the life of some devices and services, for histories over the network of the ownership stories. */
import fc from "fast-check";
import { type Diagnostic, formatDiagnostic } from "../../model/diagnostic.ts";
import type { Explanation } from "../../services/explanation.ts";
import { at } from "./ownership-network.ts";
import type { DeviceEdit, OwnershipStory, StoryRule } from "./ownership-story.ts";

const INTERFACES = ["e1", "e2"];
const VLANS = ["7", "8"];
const SERVICES = ["a", "b", "c"];
const SERVERS = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];

const entries = [...INTERFACES.map(at.interface), ...VLANS.map(at.vlan)];
const leafs: readonly (readonly [path: string, values: readonly string[]])[] = [
  ...INTERFACES.map((name) => [at.mtu(name), ["1500", "9000"]] as const),
  ...INTERFACES.map((name) => [at.description(name), ["x", "y"]] as const),
  ...INTERFACES.map((name) => [at.accessVlan(name), VLANS] as const),
  ...VLANS.map((id) => [at.vlanName(id), ["blue"]] as const),
];

/** One leaf that everybody wants, so that services meet. */
const wanted = leafs[0] ?? [at.mtu("e1"), ["1500"]];
const leaf = fc
  .oneof({ weight: 2, arbitrary: fc.constantFrom(...leafs) }, { weight: 1, arbitrary: fc.constant(wanted) })
  .chain(([path, values]) => fc.record({ path: fc.constant(path), value: fc.constantFrom(...values) }));
const node = fc.oneof(
  { weight: 4, arbitrary: leaf },
  { weight: 1, arbitrary: fc.record({ path: fc.constantFrom(...entries) }) },
);
/** What only devices say, so that user order and single leafs come and go without a service. */
const unowned = fc.constantFrom(...SERVERS).map((server) => ({ path: at.dns(server) }));

const rule: fc.Arbitrary<StoryRule> = fc.oneof(
  { weight: 5, arbitrary: node },
  { weight: 2, arbitrary: node.map((each) => ({ ...each, relation: "depends" as const })) },
  { weight: 1, arbitrary: node.map((each) => ({ ...each, onRemove: "keep" as const })) },
);

export type HistoryStep =
  | {
      readonly kind: "put";
      readonly service: string;
      readonly rules: readonly StoryRule[];
      readonly targets: readonly string[];
    }
  | { readonly kind: "remove"; readonly service: string }
  | { readonly kind: "import"; readonly device: string; readonly edit: DeviceEdit };

/** Puts, removals and imports. */
export function historySteps(devices: readonly string[]): fc.Arbitrary<HistoryStep> {
  const service = fc.constantFrom(...SERVICES);
  const targets = fc.subarray([...devices], { minLength: 1 });
  const rules = fc.uniqueArray(rule, {
    minLength: 1,
    maxLength: 4,
    selector: (each) => `${each.relation ?? "owns"} ${each.path}`,
  });
  const set = fc
    .array(fc.oneof({ weight: 3, arbitrary: node }, { weight: 1, arbitrary: unowned }), { maxLength: 3 })
    .map((nodes) =>
      nodes.map((each): readonly [path: string, value?: string] =>
        "value" in each ? [each.path, each.value] : [each.path],
      ),
    );
  const remove = fc.array(fc.constantFrom(...entries, ...leafs.map(([path]) => path), ...SERVERS.map(at.dns)), {
    maxLength: 2,
  });
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("put" as const), service, rules, targets }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), service }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("import" as const),
        device: fc.constantFrom(...devices),
        edit: fc.record({ set, remove }),
      }),
    },
  );
}

export type StepTaken = "put" | "override" | "circle" | "remove" | "import" | "nothing";

/**
 * Takes the step in a story and tells what it was: an override is a put that took a value from another service, a circle
 * one that was refused.
 */
export function takeStep(story: OwnershipStory, step: HistoryStep): StepTaken {
  switch (step.kind) {
    case "put": {
      const { service, rules, targets } = step;
      const proposed = story.propose({ name: service, rules, targets });
      if (proposed.kind === "error") {
        refuseOthers(proposed.diagnostics);
        return "circle";
      }
      const stale = story.commit(proposed.value);
      if (stale.length > 0) throw new Error(stale.join("; "));
      return isSaid(story, "overrides") ? "override" : "put";
    }
    case "remove":
      if (!story.state.services.has(step.service)) return "nothing";
      story.remove(step.service);
      return "remove";
    case "import":
      story.import(step.device, step.edit);
      return "import";
  }
}

/** Random services may come to need each other in a circle, which is refused; nothing else of them is. */
export function refuseOthers(diagnostics: readonly Diagnostic[]): void {
  const others = diagnostics.filter(({ code }) => code !== "dependency-cycle");
  if (others.length > 0 || diagnostics.length === 0) throw new Error(others.map(formatDiagnostic).join("\n"));
}

function isSaid(story: OwnershipStory, kind: Explanation["kind"]): boolean {
  return story.explanations(kind).length > 0;
}
