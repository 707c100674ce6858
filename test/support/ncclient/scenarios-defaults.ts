/** Defaults under each basic mode of RFC 6243: what is reported, and what create and delete take for existing. */
import { ask, edit, readLab, type Expectation, type Scenario } from "./scenario.ts";

const EXISTS: Expectation = { kind: "error", tags: ["data-exists"] };
const MISSING: Expectation = { kind: "error", tags: ["data-missing"] };

/** `active` has the default true and was written as true, `mode` was written as something else, the rest is unset. */
const WRITTEN = "<mode>on</mode><active>true</active>";
const UNSET_DEFAULTS = { offset: "<offset>-9007199254740993</offset>", load: "<load>12.25</load>" };
const REPORTED = `${WRITTEN}${UNSET_DEFAULTS.offset}${UNSET_DEFAULTS.load}`;

export const DEFAULTS_SCENARIOS: readonly Scenario[] = [
  {
    name: "explicit: what was written is reported, and each read can ask for another mode",
    rule: "RFC 6243 sections 2.3 and 3",
    serverDefaults: "explicit",
    steps: [
      edit("a", WRITTEN),
      ask("a", { op: "commit" }),
      readLab("a", "running", WRITTEN),
      readLab("a", "running", WRITTEN, { withDefaults: "explicit" }),
      readLab("a", "running", "<mode>on</mode>", { withDefaults: "trim" }),
      readLab("a", "running", REPORTED, { withDefaults: "report-all" }),
      readLab(
        "a",
        "running",
        [
          "<mode>on</mode>",
          '<active wd:default="true">true</active>',
          '<offset wd:default="true">-9007199254740993</offset>',
          '<load wd:default="true">12.25</load>',
        ].join(""),
        { withDefaults: "report-all-tagged" },
      ),
    ],
  },
  {
    name: "explicit: a default in use does not exist for create and delete",
    rule: "RFC 6243 section 2.3.2",
    serverDefaults: "explicit",
    steps: [
      edit("a", '<active nc:operation="delete"/>', { right: MISSING }),
      edit("a", '<active nc:operation="create">true</active>'),
      edit("a", '<active nc:operation="create">true</active>', { right: EXISTS }),
      edit("a", '<active nc:operation="delete"/>'),
      readLab("a", "candidate", ""),
    ],
  },
  {
    name: "trim: a leaf with its default value is not reported",
    rule: "RFC 6243 section 2.2.1",
    serverDefaults: "trim",
    steps: [edit("a", WRITTEN), ask("a", { op: "commit" }), readLab("a", "running", "<mode>on</mode>")],
  },
  {
    name: "trim: a leaf with its default value does not exist for create and delete",
    rule: "RFC 6243 section 2.2.2",
    serverDefaults: "trim",
    steps: [
      edit("a", '<active nc:operation="create">true</active>'),
      edit("a", '<active nc:operation="create">true</active>'),
      edit("a", '<active nc:operation="delete"/>', { right: MISSING }),
    ],
  },
  {
    name: "report-all: every default is reported",
    rule: "RFC 6243 section 2.1.1",
    serverDefaults: "report-all",
    steps: [edit("a", WRITTEN), ask("a", { op: "commit" }), readLab("a", "running", REPORTED)],
  },
  {
    name: "report-all: a default in use exists for create and delete",
    rule: "RFC 6243 section 2.1.2",
    serverDefaults: "report-all",
    steps: [
      edit("a", "<label>makes the container exist</label>"),
      edit("a", '<active nc:operation="create">true</active>', { right: EXISTS }),
      edit("a", '<active nc:operation="merge">false</active>'),
      edit("a", '<active nc:operation="delete"/>'),
      edit("a", '<active nc:operation="delete"/>'),
    ],
  },
];
