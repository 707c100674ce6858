/**
 * Where mandatory nodes must not be (RFC 7950 sections 7.9.3 and 7.17), found in the draft tree once augments and
 * deviations are in.
 */
import { type DraftNode, propertyOf, propertyText, stepId } from "./draft-node.ts";
import { argumentOf } from "./statement.ts";
import type { YangReport } from "./yang-report.ts";

/** Checks the tree below the root of a module. */
export function checkTree(root: DraftNode, report: YangReport): void {
  visit(root, report);
}

function visit(node: DraftNode, report: YangReport): void {
  for (const child of node.children.values()) {
    if (!child.enabled || child.keyword === "rpc" || child.keyword === "action" || child.keyword === "notification")
      continue;
    checkAugmented(child, node, report);
    if (child.keyword === "choice") checkDefaultCase(child, report);
    if (child.children.size > 0) visit(child, report);
  }
}

/**
 * Whoever wrote the augmented module's data knew nothing of the new node, so the node must not be demanded of them.
 */
function checkAugmented(node: DraftNode, parent: DraftNode, report: YangReport): void {
  if (node.augment === undefined || node.module === parent.module || parent.keyword === "choice") return;
  if (!isConfiguration(node)) return;
  const mandatory = findMandatory(node);
  if (mandatory === undefined) return;
  if (node.outerWhens.length > 0 || propertyOf(node, "when") !== undefined) {
    // RFC 6020 section 7.15 knows no exception; RFC 7950 allows what modules of YANG 1 do all the same.
    if (node.scope.unit.parsed.yangVersion === "1")
      report.warning(
        "mandatory-not-allowed",
        `${node.module.name} is YANG 1 and adds mandatory ${mandatory.keyword} ${mandatory.name} to ${parent.module.name}`,
        [mandatory.statement.position, node.augment.position],
        { remedy: "yang-version 1.1" },
      );
    return;
  }
  report.error(
    "mandatory-not-allowed",
    `${node.module.name} adds mandatory ${mandatory.keyword} ${mandatory.name} to ${parent.module.name} without a condition`,
    [mandatory.statement.position, node.augment.position],
    { expected: "a when in the augment" },
  );
}

/** Not for what stands in operations and notifications, where `config` means nothing. */
function isConfiguration(node: DraftNode): boolean {
  for (let at: DraftNode | undefined = node; at !== undefined; at = at.parent) {
    const own = propertyText(at, "config");
    if (own !== undefined) return own === "true";
  }
  return true;
}

/** A default case is in use where nothing is written, so nothing in it can be demanded. */
function checkDefaultCase(choice: DraftNode, report: YangReport): void {
  const property = propertyOf(choice, "default");
  if (property === undefined) return;
  const id = stepId(argumentOf(property.statement), { scope: property.scope, module: choice.module });
  for (const child of choice.children.get(id)?.children.values() ?? []) {
    const mandatory = child.enabled ? findMandatory(child) : undefined;
    if (mandatory !== undefined)
      report.error(
        "mandatory-not-allowed",
        `${mandatory.keyword} ${mandatory.name} is mandatory in the default case of choice ${choice.name}`,
        [mandatory.statement.position, property.statement.position],
      );
  }
}

/** The node that makes `node` a mandatory node (RFC 7950 section 3): itself, or one in a container without presence. */
function findMandatory(node: DraftNode): DraftNode | undefined {
  switch (node.keyword) {
    case "leaf":
    case "choice":
    case "anydata":
    case "anyxml":
      return propertyText(node, "mandatory") === "true" ? node : undefined;
    case "list":
    case "leaf-list":
      return Number(propertyText(node, "min-elements") ?? "0") > 0 ? node : undefined;
    case "container": {
      if (propertyOf(node, "presence") !== undefined) return undefined;
      for (const child of node.children.values()) {
        const found = child.enabled ? findMandatory(child) : undefined;
        if (found !== undefined) return found;
      }
      return undefined;
    }
    default:
      return undefined;
  }
}
