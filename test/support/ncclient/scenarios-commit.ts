/** Validate, commit, confirmed commit and what undoes them. */
import { ask, edit, pollLab, readLab, type Deviation, type Expectation, type Scenario, type Step } from "./scenario.ts";

const LABEL = "<label>new</label>";
const CONFIRM_LATER = "60";
const DANGLING: Expectation = { kind: "error", tags: ["data-missing"], appTag: "instance-required" };
const CROSSED: Expectation = { kind: "error", tags: ["operation-failed"], appTag: "limits-crossed" };
const INCOMPLETE: Expectation = { kind: "error", tags: ["data-missing"] };
/** That it is refused the RFC says, with which tag it does not. */
const REFUSED: Expectation = {
  kind: "error",
  tags: ["access-denied", "in-use", "invalid-value", "operation-failed", "lock-denied"],
};

/** The known trap: every answer is ok. */
const NOTHING_COMMITTED: Deviation = {
  server: "netconfd",
  answers: { kind: "lab", xml: "" },
  note: "after edit and validate a commit writes nothing, although it answers ok",
};

const FOLLOW_UP =
  '<commit xmlns="urn:ietf:params:xml:ns:netconf:base:1.0"><confirmed/>' +
  `<confirm-timeout>${CONFIRM_LATER}</confirm-timeout><persist>p-5</persist><persist-id>p-5</persist-id></commit>`;

/** Changes the label from "old", which stays the fall-back, to "new" under a commit that has to be confirmed. */
function confirmedChange(commit: { readonly timeout: string; readonly persist?: string }): readonly Step[] {
  return [
    edit("a", "<label>old</label>"),
    ask("a", { op: "commit" }),
    edit("a", LABEL),
    ask("a", { op: "commit", confirmed: true, ...commit }),
    readLab("b", "running", LABEL),
  ];
}

export const COMMIT_SCENARIOS: readonly Scenario[] = [
  {
    name: "discard-changes makes candidate equal to running",
    rule: "RFC 6241 section 8.3.4.2",
    serverDefaults: "explicit",
    steps: [
      edit("a", "<label>old</label>"),
      ask("a", { op: "commit" }),
      edit("a", LABEL),
      ask("a", { op: "discard-changes" }),
      readLab("a", "candidate", "<label>old</label>"),
      ask("a", { op: "commit" }),
      readLab("a", "running", "<label>old</label>"),
    ],
  },
  {
    name: "validate accepts a good candidate, and the commit after it writes",
    rule: "RFC 6241 sections 8.6.4.1 and 8.3.4.1",
    serverDefaults: "explicit",
    steps: [
      edit("a", LABEL),
      ask("a", { op: "validate", source: "candidate" }),
      ask("a", { op: "commit" }),
      readLab("b", "running", LABEL, { deviation: NOTHING_COMMITTED }),
    ],
  },
  {
    name: "validate after an edit without a test, and the commit after it writes",
    rule: "RFC 6241 sections 8.6.4.1 and 8.6.5.1",
    serverDefaults: "explicit",
    steps: [
      edit("a", LABEL, { testOption: "set" }),
      ask("a", { op: "validate", source: "candidate" }),
      ask("a", { op: "commit" }),
      readLab("b", "running", LABEL, { deviation: NOTHING_COMMITTED }),
    ],
  },
  {
    name: "a confirmed commit after validate writes",
    rule: "RFC 6241 sections 8.6.4.1 and 8.4",
    serverDefaults: "explicit",
    steps: [
      edit("a", LABEL),
      ask("a", { op: "validate", source: "candidate" }),
      ask("a", { op: "commit", confirmed: true, timeout: CONFIRM_LATER, persist: "p-validate" }),
      readLab("b", "running", LABEL, { deviation: NOTHING_COMMITTED }),
      ask("b", { op: "commit", persistId: "p-validate" }),
    ],
  },
  {
    name: "test-then-set validates within the edit, and the commit after it writes",
    rule: "RFC 6241 section 8.6.5.1",
    serverDefaults: "explicit",
    steps: [
      edit("a", LABEL, { testOption: "test-then-set" }),
      ask("a", { op: "commit" }),
      readLab("b", "running", LABEL),
    ],
  },
  {
    name: "test-only changes nothing",
    rule: "RFC 6241 section 8.6.5.1",
    serverDefaults: "explicit",
    steps: [edit("a", LABEL, { testOption: "test-only" }), readLab("a", "candidate", "")],
  },
  ...[
    {
      what: "a dangling leafref",
      rule: "RFC 7950 sections 15.5 and 8.3.3",
      children: "<main-server>nowhere</main-server>",
      refused: DANGLING,
    },
    {
      what: "a must that does not hold",
      rule: "RFC 7950 sections 7.5.4.2 and 8.3.3",
      children: "<limits><lower>9</lower><upper>3</upper></limits>",
      refused: CROSSED,
    },
    {
      what: "a missing mandatory leaf",
      rule: "RFC 7950 sections 7.6.5 and 8.3.3",
      children: "<rule><name>r1</name></rule>",
      refused: INCOMPLETE,
    },
  ].flatMap(({ what, rule, children, refused }): readonly Scenario[] => [
    {
      name: `${what} fails the edit, for test-then-set is what an edit does unless told otherwise`,
      rule: `RFC 6241 section 8.6.5.1; ${rule}`,
      serverDefaults: "explicit",
      steps: [edit("a", children, { right: refused }), readLab("a", "candidate", "")],
    },
    {
      name: `${what}, set without a test, fails validate and commit, and running stays`,
      rule,
      serverDefaults: "explicit",
      steps: [
        edit("a", children, { testOption: "set" }),
        ask("a", { op: "validate", source: "candidate" }, { right: refused }),
        ask("a", { op: "commit" }, { right: refused }),
        readLab("b", "running", ""),
      ],
    },
  ]),
  {
    name: "another session confirms by persist-id",
    rule: "RFC 6241 sections 8.4.1 and 8.4.5.1",
    serverDefaults: "explicit",
    steps: [
      ...confirmedChange({ timeout: "2", persist: "p-1" }),
      ask("a", { op: "drop" }, { right: { kind: "closed" } }),
      ask("b", { op: "commit", persistId: "p-1" }),
      // Nothing is pending any more, so there is nothing to cancel and no timer to wait for.
      ask(
        "b",
        { op: "cancel-commit", persistId: "p-1" },
        { right: { kind: "error", tags: ["invalid-value", "operation-failed"] } },
      ),
      readLab("b", "running", LABEL),
    ],
  },
  {
    name: "a wrong persist-id confirms nothing",
    rule: "RFC 6241 section 8.4.5.1",
    serverDefaults: "explicit",
    steps: [
      ...confirmedChange({ timeout: CONFIRM_LATER, persist: "p-2" }),
      ask("b", { op: "commit", persistId: "wrong" }, { right: { kind: "error", tags: ["invalid-value"] } }),
      ask("b", { op: "cancel-commit", persistId: "p-2" }),
      readLab("b", "running", "<label>old</label>"),
    ],
  },
  {
    name: "cancel-commit by persist-id from another session restores what was before",
    rule: "RFC 6241 section 8.4.4.1",
    serverDefaults: "explicit",
    steps: [
      ...confirmedChange({ timeout: CONFIRM_LATER, persist: "p-3" }),
      ask("b", { op: "cancel-commit", persistId: "p-3" }),
      readLab("a", "running", "<label>old</label>"),
    ],
  },
  {
    name: "cancel-commit in the same session restores what was before",
    rule: "RFC 6241 section 8.4.4.1",
    serverDefaults: "explicit",
    steps: [
      ...confirmedChange({ timeout: CONFIRM_LATER }),
      ask("a", { op: "cancel-commit" }),
      readLab("b", "running", "<label>old</label>"),
    ],
  },
  {
    name: "cancel-commit with nothing pending is an error",
    rule: "RFC 6241 section 8.4.4.1",
    serverDefaults: "explicit",
    steps: [
      ask("a", { op: "cancel-commit" }, { right: { kind: "error", tags: ["operation-failed", "invalid-value"] } }),
    ],
  },
  {
    name: "the timer restores what was before, although the session is gone",
    rule: "RFC 6241 section 8.4.1",
    serverDefaults: "explicit",
    steps: [
      ...confirmedChange({ timeout: "1", persist: "p-4" }),
      ask("a", { op: "drop" }, { right: { kind: "closed" } }),
      pollLab("b", { marker: "new", until: "absent", xml: "<label>old</label>" }),
      // With nothing pending the RFC names no tag.
      ask(
        "b",
        { op: "commit", persistId: "p-4" },
        { right: { kind: "error", tags: ["invalid-value", "operation-failed"] } },
      ),
    ],
  },
  {
    name: "without persist the end of the session restores what was before, long before the timer",
    rule: "RFC 6241 section 8.4.1",
    serverDefaults: "explicit",
    steps: [
      ...confirmedChange({ timeout: CONFIRM_LATER }),
      ask("a", { op: "drop" }, { right: { kind: "closed" } }),
      pollLab("b", { marker: "new", until: "absent", xml: "<label>old</label>" }),
    ],
  },
  {
    name: "a second confirmed commit keeps the first fall-back",
    rule: "RFC 6241 section 8.4.1",
    serverDefaults: "explicit",
    steps: [
      ...confirmedChange({ timeout: CONFIRM_LATER, persist: "p-5" }),
      edit("a", "<label>newer</label>"),
      // ncclient itself refuses to send both names in one commit.
      ask("a", { op: "rpc", xml: FOLLOW_UP }),
      readLab("b", "running", "<label>newer</label>"),
      ask("b", { op: "cancel-commit", persistId: "p-5" }),
      readLab("b", "running", "<label>old</label>"),
    ],
  },
  {
    name: "running cannot be locked by another session while a commit waits to be confirmed",
    rule: "RFC 6241 section 7.5",
    serverDefaults: "explicit",
    steps: [
      ...confirmedChange({ timeout: CONFIRM_LATER }),
      ask(
        "b",
        { op: "lock", target: "running" },
        { right: { kind: "error", tags: ["lock-denied", "in-use", "resource-denied"] } },
      ),
      ask("a", { op: "commit" }),
      ask("b", { op: "lock", target: "running" }),
    ],
  },
  {
    name: "without persist another session cannot confirm or cancel",
    rule: "RFC 6241 sections 8.4.1 and 8.4.4.1",
    serverDefaults: "explicit",
    steps: [
      ...confirmedChange({ timeout: CONFIRM_LATER }),
      ask("b", { op: "cancel-commit" }, { right: REFUSED }),
      ask("b", { op: "commit" }, { right: REFUSED }),
      ask("a", { op: "drop" }, { right: { kind: "closed" } }),
      pollLab("b", { marker: "new", until: "absent", xml: "<label>old</label>" }),
    ],
  },
];
