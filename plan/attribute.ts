import type { InstancePath } from "../model/path.ts";
import type { Operation, OperationCause } from "./operation.ts";
import { PathIndex } from "./path-index.ts";
import { compareText } from "../model/compare-text.ts";

/** That a path is in the goal, or no longer is, because of something. */
export interface Attribution {
  readonly path: InstancePath;
  readonly cause: OperationCause;
}

/**
 * The operations with their causes: all attributions at the operation's path, below it (it carries their nodes along) and, for nodes that an
 * attributed subtree takes along, above it. Without any the cause is `otherwise`. Causes are sorted and stand once.
 */
export function attributeOperations(
  operations: readonly Operation[],
  attributions: readonly Attribution[],
  otherwise: OperationCause,
): readonly Operation[] {
  const index = new PathIndex<Attribution>();
  for (const attribution of attributions) index.add(attribution.path, attribution);
  return operations.map((operation) => {
    const own = [...index.at(operation.path), ...index.below(operation.path)];
    const found = own.length > 0 ? own : index.atOrAbove(operation.path);
    const causes = found.length > 0 ? found.map(({ cause }) => cause) : [otherwise];
    const byText = new Map(causes.map((cause) => [causeText(cause), cause] as const));
    return { ...operation, causes: [...byText].sort(([a], [b]) => compareText(a, b)).map(([, cause]) => cause) };
  });
}

/** For people, and the order in which causes stand. */
export function causeText(cause: OperationCause): string {
  switch (cause.kind) {
    case "service-put":
      return `service ${cause.service}`;
    case "service-remove":
      return `removal of service ${cause.service}`;
    case "rollback":
      return `rollback to revision ${String(cause.revision)}`;
    case "drift":
      return "drift";
  }
}
