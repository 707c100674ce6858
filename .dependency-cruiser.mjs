// Who may import whom: the import table of the architecture, one rule a row. test/broken/ tries every pair of folders
// against these rules, so a rule that matches nothing does not pass unnoticed.
import { pureFolders, pureNpmPackages, sourceFolders, workflowNpmPackages } from "./scripts/lib/layers.mjs";

const pureBesidesWorkflows = pureFolders.filter((folder) => folder !== "workflows");
const ours = `^(${sourceFolders.join("|")})/`;
const escape = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
const folders = (names) => names.map((name) => `^${name}/`);

/** One row: code in `folder` may import that folder itself and whatever `allowed` (patterns) matches, nothing else of ours. */
const row = (folder, allowed, comment) => ({
  name: `${folder}-imports`,
  comment,
  severity: "error",
  from: { path: `^${folder}/` },
  to: { path: ours, pathNot: [`^${folder}/`, ...allowed] },
});

/** Pure code may use packages that are pure themselves and nothing of Node. */
const pureNpm = (name, fromFolders, packages) => ({
  name,
  comment:
    "Pure folders use only the packages listed in scripts/lib/layers.mjs. Move the code that needs more to an I/O folder.",
  severity: "error",
  from: { path: fromFolders.map((folder) => `^${folder}/`) },
  to: { couldNotResolve: false, pathNot: [ours, ...packages.map((npm) => `(^|/)node_modules/${escape(npm)}/`)] },
});

const providerShared = ["^providers/[^/]+$", "^providers/transport/"];

export default {
  forbidden: [
    row("model", [], "model/ is the bottom: it knows YANG-shaped data and nothing else of ours."),
    row("codec", folders(["model"]), "codec/ turns bytes into model values; whatever needs more belongs above it."),
    row(
      "plan",
      folders(["model", "codec"]),
      "plan/ compares and orders; services, files and devices are not its matter.",
    ),
    row("goal", folders(["model", "codec"]), "goal/ is canonical documents over model and codec."),
    row("resources", folders(["model"]), "resources/ is vendor-neutral kinds over model."),
    row(
      "services",
      folders(["model", "codec", "plan", "resources"]),
      "services/ compiles definitions to items; what talks to the world takes its results.",
    ),
    row(
      "contract",
      folders(["model", "plan", "services", "resources", "goal"]),
      "contract/ is what workflows, activities and clients agree on; it names types of the pure folders below it.",
    ),
    {
      name: "contract-imports-types-only",
      comment:
        "contract/ takes only types from other folders (`import type`), so that whoever loads it loads nothing else.",
      severity: "error",
      from: { path: "^contract/" },
      to: { path: ours, pathNot: "^contract/", dependencyTypesNot: ["type-only"] },
    },
    row(
      "workflows",
      folders(["contract", "plan", "model"]),
      "Workflows run in Temporal's sandbox: reach the world through activities named in contract/.",
    ),
    row("proto", [], "proto/ is generated and stands alone."),
    row(
      "runtime",
      folders(["contract"]),
      "runtime/ is machine matters that every process shares; it knows contract/ at most.",
    ),
    row(
      "graph",
      folders([...pureBesidesWorkflows, "runtime"]),
      "graph/ stores; it starts no workflow and calls no provider.",
    ),
    {
      name: "providers-shared-imports",
      comment:
        "Shared provider code (providers/*.ts, providers/transport/) knows no protocol folder; it may name a plan.",
      severity: "error",
      from: { path: providerShared },
      to: { path: ours, pathNot: [...providerShared, ...folders(["model", "codec", "plan", "resources"])] },
    },
    {
      name: "providers-each-imports",
      comment: "A provider uses the shared code and any client/, never another vendor or family. Move common code up.",
      severity: "error",
      from: { path: "^providers/([^/]+)/", pathNot: ["^providers/(transport|gnmi)/"] },
      to: {
        path: ours,
        pathNot: [
          "^providers/$1/",
          ...providerShared,
          "^providers/[^/]+/client/",
          ...folders(["model", "codec", "plan", "resources"]),
        ],
      },
    },
    {
      name: "providers-gnmi-imports",
      comment: "As every provider, and the generated protocol in proto/.",
      severity: "error",
      from: { path: "^providers/gnmi/" },
      to: {
        path: ours,
        pathNot: [
          "^providers/gnmi/",
          ...providerShared,
          "^providers/[^/]+/client/",
          ...folders(["model", "codec", "plan", "resources", "proto"]),
        ],
      },
    },
    row(
      "activities",
      [...folders([...pureBesidesWorkflows, "graph", "runtime"]), "^providers/(capability|error|registry)\\.ts$"],
      "Activities see providers through providers/{capability,error,registry}.ts only; worker/ chooses the providers.",
    ),
    row("api", folders([...pureBesidesWorkflows, "graph", "runtime"]), "api/ reads the graph and talks to Temporal."),
    row(
      "simulator",
      folders(["model", "codec", "proto"]),
      "The simulator shares no provider code, or it would test itself.",
    ),
    row(
      "worker",
      folders([...pureBesidesWorkflows, "proto", "runtime", "graph", "providers", "activities", "api", "simulator"]),
      "worker/ wires everything but the command line; workflows go to the bundler by path, never by import.",
    ),
    row(
      "client",
      folders([...pureBesidesWorkflows, "runtime"]),
      "The command line asks the API and Temporal; it opens no graph.",
    ),
    // scripts/, bench/ and test/ may import anything. No other row allows them, so nothing imports them.
    pureNpm(
      "pure-npm-packages",
      pureBesidesWorkflows.filter((folder) => folder !== "contract"),
      pureNpmPackages,
    ),
    // The payload and failure converters, which workers, clients and the sandbox share.
    pureNpm("contract-npm-packages", ["contract"], [...pureNpmPackages, "@temporalio/common"]),
    pureNpm("workflow-npm-packages", ["workflows"], [...pureNpmPackages, ...workflowNpmPackages]),
    {
      name: "no-cycles",
      comment: "Two files that import each other are one concept, or one of them knows too much.",
      severity: "error",
      from: { path: ours },
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "no-unresolvable",
      comment: "The import names a file or package that does not exist.",
      severity: "error",
      from: { path: ours },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^dist/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.node.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default", "types"] },
  },
};
