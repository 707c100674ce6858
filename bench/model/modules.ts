import { fileURLToPath } from "node:url";

/** The YANG modules of the generated networks. */
export const benchModules: readonly string[] = ["tenure-bench-types.yang", "tenure-bench-network.yang"].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
);
