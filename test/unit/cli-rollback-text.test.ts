/** What a person reads of a way back before approving it. */
import { expect, test } from "vitest";
import { followText, proposalText } from "../../client/cli/proposal-text.ts";
import type { ProposalDocument } from "../../contract/documents.ts";
import { plainValue } from "../../model/value.ts";

const proposal: ProposalDocument = {
  format: "tenure-proposal/1",
  kind: "rollback",
  to: 4,
  services: [
    { name: "ring", effect: "put" },
    { name: "spur", effect: "removed" },
  ],
  definitions: [
    { name: "mtu", version: "1", effect: "put" },
    { name: "late", version: "3", effect: "removed" },
  ],
  explanations: [
    {
      kind: "restored",
      device: "d-1",
      path: "/m:mtu",
      revision: 4,
      change: "changed",
      before: plainValue("uint16", "9000"),
      after: plainValue("uint16", "1500"),
      setBy: { kind: "import" },
    },
    {
      kind: "restored",
      device: "d-1",
      path: "/m:port[name='a']",
      revision: 4,
      change: "added",
      before: undefined,
      after: undefined,
      setBy: { kind: "service", service: "ring" },
    },
    {
      kind: "restored",
      device: "d-1",
      path: "/m:list",
      revision: 4,
      change: "changed",
      before: undefined,
      after: undefined,
      setBy: { kind: "import" },
    },
    {
      kind: "restored",
      device: "d-1",
      path: "/m:kept",
      revision: 4,
      change: "flag",
      before: undefined,
      after: undefined,
      setBy: { kind: "import" },
    },
    {
      kind: "undone",
      device: "d-1",
      path: "/m:name",
      revision: 4,
      before: plainValue("string", "x"),
      setBy: { kind: "service", service: "spur" },
    },
    { kind: "relinked", device: "d-1", path: "/m:mtu", service: "ring", relation: "owns", change: "added" },
    { kind: "relinked", device: "d-1", path: "/m:name", service: "spur", relation: "depends", change: "ended" },
    { kind: "relinked", device: "d-1", path: "/m:late", service: "ring", relation: "owns", change: "ended" },
    { kind: "left-alone", device: "d-2", path: "/", name: "r2", reason: "imported-later" },
    { kind: "left-alone", device: "d-3", path: "/", name: "r3", reason: "removed" },
  ],
  wishes: [{ device: "d-1", name: "r1", wish: "0".repeat(64) }],
  statuses: [{ service: "ring", status: "consistent" }],
  body: "0".repeat(64),
};

test("each item with why; what is left alone by its name; definitions that go", () => {
  expect(proposalText(proposal)).toBe(`back to revision 4
definition mtu 1
definition late 3 goes
service ring is put
service spur is removed
= device r2 was first imported later: left alone
= device r3 was removed since: left alone
device r1
  ~ /m:mtu: 9000 -> 1500 (as at revision 4, set by import)
  + /m:port[name='a'] (as at revision 4, set by service ring)
  ~ /m:list (as at revision 4, set by import)
  = /m:kept stays, retained or not as at revision 4
  - /m:name: x: not there at revision 4 (set by service spur)
  @ /m:mtu: ring owns it again
  @ /m:late: ring owns it no longer
service ring becomes consistent
`);
});

test("devices stand in the order of their names, a value that was not there comes with +", () => {
  const after = plainValue("uint16", "9000");
  const set = { kind: "set", path: "/m:mtu", service: "ring", after } as const;
  const text = proposalText({
    ...proposal,
    kind: "put",
    to: undefined,
    explanations: [
      { ...set, device: "d-1", before: undefined },
      { ...set, device: "d-2", before: plainValue("uint16", "1500") },
    ],
    wishes: [
      { device: "d-1", name: "r2", wish: "0".repeat(64) },
      { device: "d-2", name: "r1", wish: "1".repeat(64) },
    ],
  });
  expect(text).toContain(
    "device r1\n  ~ /m:mtu: 1500 -> 9000 (ring)\ndevice r2\n  + /m:mtu: 9000 (ring)\nservice ring becomes",
  );
});

test("a way back that changes no item says so", () => {
  const explanations = proposal.explanations.filter(({ kind }) => kind === "left-alone");
  const text = proposalText({ ...proposal, explanations, services: [], definitions: [], statuses: [], wishes: [] });
  expect(text).toMatch(/left alone\nno item changes\n$/);
});

test("what was recorded names the devices that lack it, and only those", () => {
  const wishes = [...proposal.wishes, { device: "d-2", name: "r2", wish: "1".repeat(64) }];
  expect(followText({ ...proposal, wishes })).toBe(
    "the devices do not have it yet; next: tenure plan create --device r1\n",
  );
  const explanations = proposal.explanations.filter(({ kind }) => kind === "relinked");
  expect(followText({ ...proposal, explanations })).toBe("");
});
