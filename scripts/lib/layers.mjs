// The import table of the architecture as data, so that ESLint, dependency-cruiser and scripts read one list.

/** Folders whose code depends on its arguments alone: no files, network, clocks or randomness. */
export const pureFolders = ["model", "codec", "plan", "goal", "resources", "services", "contract", "workflows"];

/** Every source folder at the top of the tree. */
export const sourceFolders = [
  ...pureFolders,
  "proto",
  "runtime",
  "graph",
  "providers",
  "activities",
  "api",
  "simulator",
  "worker",
  "client",
  "scripts",
  "bench",
  "test",
];

/** npm packages that pure folders may use: each is pure itself. Adding one is a decision worth a review. */
export const pureNpmPackages = ["saxes", "yaml", "canonicalize", "zod", "@marcbachmann/cel-js", "ajv"];

/** npm packages that only workflow code may use in addition. */
export const workflowNpmPackages = ["@temporalio/workflow", "@temporalio/common"];
