/** Which definition an instance means, and what a new version of one changes. */
import { describe, expect, test } from "vitest";
import { formatPlace } from "../../model/diagnostic.ts";
import type { ServiceState } from "../../services/desired-state.ts";
import { readSubmission } from "../../services/documents.ts";
import { findDefinition, someOf } from "../../services/find-definition.ts";
import { at } from "../support/ownership-network.ts";
import { OwnershipStory } from "../support/ownership-story.ts";
import { valueOf } from "../support/results.ts";

const definition = (version: string, mtu = 9000): string =>
  `kind: definition\nname: mtu\nversion: "${version}"\nrules:\n  - {path: "${at.mtu("e1")}", value: ${String(mtu)}}\n`;
const instance = (version?: string, name = "s"): string =>
  `kind: service\nname: ${name}\ndefinition: mtu\ntargets: [r1]\n${version === undefined ? "" : `version: "${version}"\n`}`;

const state = (version: string, document: string, name = "s"): ServiceState => ({
  name,
  definition: { name: "mtu", version, document },
  parameters: "{}",
  targets: ["r1"],
  status: { kind: "consistent" },
  revision: 7,
  paused: false,
});

interface World {
  readonly given?: string;
  readonly stored?: string;
  readonly standing?: readonly ServiceState[];
}

/** `given V`, the name of a document, or the error. */
function found(wanted: string, { given, stored, standing = [] }: World): string {
  const files = [{ name: "i.yaml", text: wanted }, ...(given === undefined ? [] : [{ name: "d.yaml", text: given }])];
  const { definitions, instances } = valueOf(readSubmission(files));
  const [only] = instances;
  if (only === undefined) throw new Error("no instance");
  const result = findDefinition(only, {
    given: definitions,
    stored: stored === undefined ? [] : [{ name: "mtu", version: stored, document: `stored ${stored}`, revision: 3 }],
    services: standing,
  });
  if (result.kind === "ok")
    return result.value.kind === "given" ? `given ${result.value.definition.version}` : result.value.document;
  return result.diagnostics
    .map(({ code, places, message, expected = "nothing" }) =>
      [code, ...places.map(formatPlace), message, `expected ${expected}`].join(" | "),
    )
    .join("\n");
}

describe("which definition an instance means", () => {
  test("without a version the one in the submission, else the newest stored", () => {
    expect(found(instance(), { given: definition("2"), stored: "3" })).toBe("given 2");
    expect(found(instance(), { stored: "3", standing: [state("1", "old")] })).toBe("stored 3");
  });

  test("with a version, where that is: in the submission, stored, or under an instance that stands", () => {
    expect(found(instance("2"), { given: definition("2"), stored: "2" })).toBe("given 2");
    expect(found(instance("3"), { given: definition("2"), stored: "3" })).toBe("stored 3");
    expect(found(instance("1"), { given: definition("2"), stored: "3", standing: [state("1", "old")] })).toBe("old");
    expect(found(instance("1", "new"), { stored: "3", standing: [state("1", "old", "other")] })).toBe("old");
  });

  test("a text that was changed under one version: the instance's own, and never a guess", () => {
    const standing = [state("1", "first", "a"), state("1", "second", "b")];
    expect(found(instance("1", "b"), { stored: "3", standing })).toBe("second");
    expect(found(instance("1", "c"), { stored: "3", standing })).toBe(
      "unknown-definition | i.yaml:5:10 | version 1 of definition mtu stands with several texts | expected 1, 3",
    );
  });

  test("a name that there is not, and a version that nothing stands on any more, each at its place", () => {
    expect(found(instance(), {})).toBe(
      "unknown-definition | i.yaml:3:13 | there is no definition mtu | expected a definition in the same submission",
    );
    expect(found(instance().replace("mtu", "mut"), { stored: "3" })).toBe(
      "unknown-definition | i.yaml:3:13 | there is no definition mut | expected mtu",
    );
    expect(found(instance("1"), { given: definition("2"), stored: "3" })).toBe(
      "unknown-definition | i.yaml:5:10 | definition mtu in version 1 is wanted, and there is 2, 3 | expected 2, 3",
    );
  });

  test("of many names some are shown", () => {
    const names = Array.from({ length: 20 }, (_, nth) => `device-number-${String(nth + 10)}`);
    expect(someOf("x", names)).toMatch(/^device-number-10, .* and 8 more$/);
    expect(someOf("x", [])).toBeUndefined();
  });
});

describe("a new version of a definition", () => {
  const put = (story: OwnershipStory, ...texts: readonly string[]): readonly string[] =>
    story.commit(valueOf(story.proposeText("t.yaml", texts.join("---\n"))));

  test("changes no instance until it is put again", () => {
    const story = new OwnershipStory();
    put(story, definition("1"), instance());
    const before = story.item(at.mtu("e1"));
    put(story, definition("2", 1500));
    expect([story.item(at.mtu("e1")), story.status("s")]).toEqual([before, "consistent"]);
    expect(story.state.services.get("s")?.definition.version).toBe("1");
    expect(story.state.definitions.get("mtu")?.version).toBe("2");
    put(story, definition("2", 1500), instance());
    expect(story.item(at.mtu("e1"))).toBe("1500, set by s, since 3, owned by s");
    expect(story.state.services.get("s")?.definition.version).toBe("2");
  });
});
