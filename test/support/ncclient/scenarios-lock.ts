/** Locks, and two sessions that meet in candidate. */
import { ask, edit, readLab, type Expectation, type Scenario } from "./scenario.ts";

/** Where the RFC asks for an error and names no tag. */
const REFUSED: Expectation = { kind: "error", tags: ["lock-denied", "in-use", "resource-denied", "operation-failed"] };

export const LOCK_SCENARIOS: readonly Scenario[] = [
  {
    name: "a lock shuts other sessions out and names its owner",
    rule: "RFC 6241 section 7.5",
    serverDefaults: "explicit",
    steps: [
      ask("a", { op: "lock", target: "running" }),
      ask("a", { op: "lock", target: "candidate" }),
      ask("b", { op: "lock", target: "running" }, { right: { kind: "error", tags: ["lock-denied"], owner: "a" } }),
      ask("b", { op: "lock", target: "candidate" }, { right: { kind: "error", tags: ["lock-denied"], owner: "a" } }),
      edit("b", "<label>intruder</label>", { right: { kind: "error", tags: ["in-use"] } }),
      ask("b", { op: "commit" }, { right: { kind: "error", tags: ["in-use"] } }),
      edit("a", "<label>owner</label>"),
      ask("a", { op: "commit" }),
      ask("a", { op: "unlock", target: "candidate" }),
      ask("a", { op: "unlock", target: "running" }),
      ask("b", { op: "lock", target: "running" }),
      ask("b", { op: "unlock", target: "running" }),
      readLab("b", "running", "<label>owner</label>"),
    ],
  },
  {
    name: "the same session cannot lock twice",
    rule: "RFC 6241 section 7.5",
    serverDefaults: "explicit",
    steps: [
      ask("a", { op: "lock", target: "running" }),
      ask("a", { op: "lock", target: "running" }, { right: { kind: "error", tags: ["lock-denied"], owner: "a" } }),
      ask("a", { op: "unlock", target: "running" }),
    ],
  },
  {
    name: "a lock of somebody else cannot be released, nor one that is not held",
    rule: "RFC 6241 section 7.6",
    serverDefaults: "explicit",
    steps: [
      ask("a", { op: "lock", target: "running" }),
      ask("b", { op: "unlock", target: "running" }, { right: REFUSED }),
      ask("a", { op: "unlock", target: "running" }),
      ask("a", { op: "unlock", target: "running" }, { right: REFUSED }),
    ],
  },
  {
    name: "the end of a session releases its locks and drops its changes in candidate",
    rule: "RFC 6241 sections 7.5 and 8.3.5.2",
    serverDefaults: "explicit",
    steps: [
      ask("a", { op: "lock", target: "running" }),
      ask("a", { op: "lock", target: "candidate" }),
      edit("a", "<label>left behind</label>"),
      ask("a", { op: "close" }, { right: { kind: "closed" } }),
      ask("b", { op: "lock", target: "candidate" }),
      ask("b", { op: "lock", target: "running" }),
      readLab("b", "candidate", ""),
    ],
  },
  {
    name: "unlock drops what was not committed",
    rule: "RFC 6241 section 8.3.5.2",
    serverDefaults: "explicit",
    steps: [
      ask("a", { op: "lock", target: "candidate" }),
      edit("a", "<label>left behind</label>"),
      ask("a", { op: "unlock", target: "candidate" }),
      readLab("b", "candidate", ""),
    ],
  },
  {
    name: "candidate cannot be locked while somebody's changes wait in it",
    rule: "RFC 6241 section 7.5",
    serverDefaults: "explicit",
    steps: [
      edit("b", "<label>waiting</label>"),
      ask("a", { op: "lock", target: "candidate" }, { right: REFUSED }),
      ask("b", { op: "discard-changes" }),
      ask("a", { op: "lock", target: "candidate" }),
      ask("a", { op: "unlock", target: "candidate" }),
    ],
  },
];
