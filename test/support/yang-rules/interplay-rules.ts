/** Where statements meet: keys, defaults, paths and numbers under uses, refine, augment, deviation and two revisions. */
import { type YangRule, moduleText, rule, submoduleText } from "./rule.ts";

const leafK = "leaf k { type string; }";

/** Module `m`, whose body begins on line 2, and modules or submodules of two revisions beside it. */
function besides(body: string, others: Readonly<Record<string, string>>, version: "1" | "1.1" = "1.1") {
  return { m: moduleText("m", body, version), ...others };
}

function revisionsOf(version: "1" | "1.1", body = ""): Readonly<Record<string, string>> {
  return {
    "b@2020-01-01": moduleText("b", `revision 2020-01-01; ${body}`, version),
    "b@2021-01-01": moduleText("b", `revision 2021-01-01; ${body}`, version),
  };
}

const submodules = {
  "s@2020-01-01": submoduleText("s", "m", "revision 2020-01-01;"),
  "s@2021-01-01": submoduleText("s", "m", "revision 2021-01-01;"),
};

export const INTERPLAY_RULES: readonly YangRule[] = [
  rule(
    "9.6.4.2",
    "an enum without a value has one more than the highest, which may be negative",
    "leaf a { type enumeration { enum a { value -5; } enum b;\nenum c { value -4; } } }",
    "duplicate-enum-or-bit 3:1 2:50",
    "leaf a { type enumeration { enum a { value -5; } enum b;\nenum c { value 0; } } }",
  ),
  rule(
    "9.6.4",
    "a derived type names an enum once",
    "typedef e { type enumeration { enum a; enum b; } }\nleaf x { type e { enum b; enum b; } }",
    "duplicate-enum-or-bit 3:27 3:19",
    "typedef e { type enumeration { enum a; enum b; } }\nleaf x { type e { enum b; enum a; } }",
  ),
  rule(
    "9.7.4",
    "a derived type names a bit once",
    "typedef e { type bits { bit a; bit b; } }\nleaf x { type e { bit b; bit b; } }",
    "duplicate-enum-or-bit 3:26 3:19",
    "typedef e { type bits { bit a; bit b; } }\nleaf x { type e { bit b; bit a; } }",
  ),
  rule(
    "7.3.4",
    "a typedef that narrows its type needs another default",
    "typedef a { type uint8; default 10; }\ntypedef b { type a { range 0..5; } }",
    "default-invalid 2:25 3:1",
    "typedef a { type uint8; default 10; }\ntypedef b { type a { range 0..5; } default 5; }",
    {
      yanglint: {
        accepts: "wrong",
        because: "RFC 7950 section 7.3.4 demands it of the derived type; libyang looks at typedefs in use only",
      },
    },
  ),
  rule(
    "7.13.2",
    "no feature is put on a key by refine",
    `feature f; grouping g { ${leafK} }\nlist l { key k; uses g { refine k { if-feature f; } } }`,
    "key-invalid 3:37 2:25",
    `feature f; grouping g { ${leafK} leaf a { type string; } }\nlist l { key k; uses g { refine a { if-feature f; } } }`,
    {
      yanglint: {
        accepts: "wrong",
        because: "RFC 7950 section 7.20.2 forbids it; libyang looks at features that are off only",
      },
    },
  ),
  rule(
    "7.20.2",
    "nor by the uses that brings it",
    `feature f; grouping g { ${leafK} }\nlist l { key k; uses g { if-feature f; } }`,
    "key-invalid 3:26 2:25",
    `feature f; grouping g { leaf a { type string; } }\nlist l { key k; ${leafK} uses g { if-feature f; } }`,
    {
      yanglint: {
        accepts: "wrong",
        because: "RFC 7950 section 7.20.2 forbids it; libyang looks at features that are off only",
      },
    },
  ),
  rule(
    "7.21.5",
    "a key is under no when of a uses",
    `grouping g { ${leafK} }\nlist l { key k; uses g { when 'true()'; } }`,
    "key-invalid 3:26 2:14",
    `grouping g { ${leafK} }\nlist l { key k; uses g; }`,
  ),
  rule(
    "7.17",
    "a choice takes cases, not what a uses brings",
    "choice c { leaf x { type string; } }\ngrouping g { leaf a { type string; } }\naugment /c { uses g; }",
    "augment-not-allowed 4:14 2:1",
    "choice c { leaf x { type string; } }\ngrouping g { leaf a { type string; } }\naugment /c { case y { uses g; } }",
  ),
  rule(
    "6020 7.15",
    "YANG 1 adds nothing mandatory to another module, under no condition",
    besides(
      "import b { prefix b; }\naugment /b:c { when 'true()'; leaf a { type string; mandatory true; } }",
      { b: moduleText("b", "container c;", "1") },
      "1",
    ),
    "mandatory-not-allowed 3:31 3:1",
    besides(
      "import b { prefix b; }\naugment /b:c { when 'true()'; leaf a { type string; } }",
      { b: moduleText("b", "container c;", "1") },
      "1",
    ),
    { severity: "warning" },
  ),
  rule(
    "6020 7.1.5",
    "YANG 1 imports one revision of a module",
    besides(
      "import b { prefix b; revision-date 2020-01-01; }\nimport b { prefix c; revision-date 2021-01-01; }",
      revisionsOf("1"),
      "1",
    ),
    "version-mismatch 3:1 2:1",
    besides(
      "import b { prefix b; revision-date 2021-01-01; }\nimport b { prefix c; revision-date 2021-01-01; }",
      revisionsOf("1"),
      "1",
    ),
    { yanglint: { refuses: "right", because: "yanglint is told to implement all texts, two revisions among them" } },
  ),
  rule(
    "7.1.6",
    "one revision of a submodule is included",
    besides("include s { revision-date 2020-01-01; }\ninclude s { revision-date 2021-01-01; }", submodules),
    "duplicate-module 3:1 s@2020-01-01.yang:1:1",
    besides("include s { revision-date 2021-01-01; }", submodules),
    {
      yanglint: {
        accepts: "wrong",
        because: "RFC 7950 section 7.1.6 forbids it; libyang refuses it only where both define the same name",
      },
    },
  ),
  rule(
    "9.9.2",
    "predicates of a path name keys",
    `list l { key k; ${leafK} leaf a { type string; } } leaf b { type string; }\nleaf c { type leafref { path '/l[a = current()/../b]/k'; } }`,
    "path-invalid 3:25 2:1",
    `list l { key k; ${leafK} leaf a { type string; } } leaf b { type string; }\nleaf c { type leafref { path '/l[k = current()/../b]/a'; } }`,
  ),
  rule(
    "9.9.2",
    "and compare them with leafs that are there",
    `list l { key k; ${leafK} leaf a { type string; } } leaf b { type string; }\nleaf c { type leafref { path '/l[k = current()/../d]/a'; } }`,
    "path-invalid 3:25 3:1",
    `list l { key k; ${leafK} leaf a { type string; } } leaf b { type string; }\nleaf c { type leafref { path '/l[k = current()/../b]/a'; } }`,
  ),
  rule(
    "7.21.2",
    "what is current refers to nothing deprecated: leafref",
    "leaf a { type leafref { path '../b'; } }\nleaf b { status deprecated; type string; }",
    "status-conflict 2:25 3:1",
    "leaf a { status deprecated; type leafref { path '../b'; } }\nleaf b { status deprecated; type string; }",
  ),
];
