/**
 * What an operation may do to the network, so that an approval policy can ask for more eyes where more can break. The classes come from data:
 * the paths through which Tenure itself reaches the device, and what the profile says about its kind of device.
 */
import { type InstancePath, isAncestorPath, segmentsEqual } from "../model/path.ts";
import { type DataNode, hasChildren } from "../model/tree.ts";
import { IMPACT_CLASSES, type ImpactClass, type Operation, operationNode } from "./operation.ts";

export interface ImpactRules {
  /** Address, interface, VRF, ACL or user that Tenure comes in through: instances on this device. */
  readonly managementPaths: readonly InstancePath[];
  /** Schema paths whose change resets sessions (routing adjacencies, logins). */
  readonly sessionReset: ReadonlySet<string>;
  /** Schema paths whose change touches the whole device (its name, its forwarding mode). */
  readonly wholeDevice: ReadonlySet<string>;
}

export const noImpactRules: ImpactRules = { managementPaths: [], sessionReset: new Set(), wholeDevice: new Set() };

/**
 * Guarantees the strongest class that applies: `management-path` where the operation is at, below or above such a path; `whole-device` and
 * `session-reset` where its node, an ancestor or anything it brings or takes is of such a schema path, `whole-device` also where a node at the
 * top of the device goes as a whole; `delete` where anything goes, implied deletes included.
 */
export function classifyImpact(operation: Operation, rules: ImpactRules): ImpactClass {
  if (rules.managementPaths.some((path) => isSameLine(operation.path, path))) return "management-path";
  const implied = operation.op === "create" ? operation.implied : [];
  if (implied.some((gone) => rules.managementPaths.some((path) => isSameLine(gone.path, path))))
    return "management-path";
  const touches = (schemaPaths: ReadonlySet<string>): boolean => {
    if (schemaPaths.size === 0) return false;
    const node = operationNode(operation);
    return (
      pathTouches(operation.path, schemaPaths) ||
      (node !== undefined && subtreeTouches(node, schemaPaths)) ||
      implied.some((gone) => subtreeTouches(gone.before, schemaPaths))
    );
  };
  if (touches(rules.wholeDevice) || (operation.op === "delete" && operation.path.length === 1)) return "whole-device";
  if (touches(rules.sessionReset)) return "session-reset";
  return operation.op === "delete" || implied.length > 0 ? "delete" : "ordinary";
}

/** The operations with their classes. */
export function classifyOperations(operations: readonly Operation[], rules: ImpactRules): readonly Operation[] {
  return operations.map((operation) => ({ ...operation, impact: classifyImpact(operation, rules) }));
}

/** The classes that occur, strongest first, each with how often. */
export function countImpact(
  operations: readonly Pick<Operation, "impact">[],
): readonly { readonly impact: ImpactClass; readonly count: number }[] {
  return IMPACT_CLASSES.map((impact) => ({
    impact,
    count: operations.filter((operation) => operation.impact === impact).length,
  })).filter(({ count }) => count > 0);
}

/** Is one of the paths the other, or above it? */
export function isSameLine(a: InstancePath, b: InstancePath): boolean {
  return isAtOrBelow(a, b) || isAncestorPath(a, b);
}

/** Is `path` the same as `above`, or somewhere below it? */
export function isAtOrBelow(path: InstancePath, above: InstancePath): boolean {
  if (path.length < above.length) return false;
  return above.every((segment, index) => {
    const other = path[index];
    return other !== undefined && segmentsEqual(segment, other);
  });
}

function pathTouches(path: InstancePath, schemaPaths: ReadonlySet<string>): boolean {
  let schemaPath = "";
  return path.some((segment) => {
    schemaPath += `/${segment.module}:${segment.name}`;
    return schemaPaths.has(schemaPath);
  });
}

function subtreeTouches(node: DataNode, schemaPaths: ReadonlySet<string>): boolean {
  if (schemaPaths.has(node.schema.schemaPath)) return true;
  if (node.kind === "entry" && node.schema.keys.some((key) => schemaPaths.has(key.schemaPath))) return true;
  if (!hasChildren(node)) return false;
  for (const child of node.children.values()) if (subtreeTouches(child, schemaPaths)) return true;
  return false;
}
