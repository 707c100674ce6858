/** Deviations: what an implementation says it does differently (RFC 7950 section 7.20.3). */
import { type DraftRoots, followAbsolutePath } from "./apply-augments.ts";
import { type DraftNode, checkApplies, isRepeatable, propertiesOf } from "./draft-node.ts";
import type { LinkedModule, SourceUnit } from "./linked-module.ts";
import { type YangStatement, argumentOf, describe, findChildren, isExtensionStatement } from "./statement.ts";
import type { YangReport } from "./yang-report.ts";

/** Properties that every node has a value of, written or not; they can be replaced without being written. */
const ALWAYS_THERE: ReadonlySet<string> = new Set(["config", "mandatory", "min-elements", "max-elements"]);

/**
 * Applies the deviations of all implemented modules to the augmented tree.
 * Returns, by name of the deviated module, the names of the modules that deviate it.
 */
export function applyDeviations(
  modules: readonly LinkedModule[],
  roots: DraftRoots,
  report: YangReport,
): ReadonlyMap<string, ReadonlySet<string>> {
  const deviatedBy = new Map<string, Set<string>>();
  for (const module of modules) {
    if (!module.implemented) continue;
    for (const unit of module.units) {
      for (const deviation of findChildren(unit.parsed.statement, "deviation")) {
        const node = followAbsolutePath(roots, argumentOf(deviation), unit);
        if (node === undefined) {
          report.error("deviation-target-not-found", `no node ${argumentOf(deviation)} to deviate`, deviation.position);
          continue;
        }
        const names = deviatedBy.get(node.module.name) ?? new Set<string>();
        deviatedBy.set(node.module.name, names.add(module.name));
        const deviates = findChildren(deviation, "deviate");
        checkNotSupportedAlone(deviates, report);
        for (const deviate of deviates) applyDeviate(deviate, node, unit, report);
      }
    }
  }
  return deviatedBy;
}

/** RFC 7950 section 14, deviation-stmt: a node is taken away or changed. */
function checkNotSupportedAlone(deviates: readonly YangStatement[], report: YangReport): void {
  const gone = deviates.find((each) => argumentOf(each) === "not-supported");
  const other = deviates.find((each) => each !== gone);
  if (gone !== undefined && other !== undefined)
    report.error("deviation-conflict", `${describe(other)} stands beside ${describe(gone)}`, [
      other.position,
      gone.position,
    ]);
}

function applyDeviate(deviate: YangStatement, node: DraftNode, unit: SourceUnit, report: YangReport): void {
  const action = argumentOf(deviate);
  if (action === "not-supported") {
    node.enabled = false;
    node.removedBy = deviate;
    return;
  }
  const replaced = new Set<string>();
  for (const statement of deviate.children) {
    if (!isExtensionStatement(statement) && !checkApplies(node, statement, "deviation-conflict", report)) continue;
    if (action === "add") addProperty(statement, node, unit, report);
    else if (action === "delete") deleteProperty(statement, node, report);
    else {
      // Several defaults of a leaf-list together replace the old ones.
      if (!replaced.has(statement.keyword)) removeReplaced(statement, node, report);
      replaced.add(statement.keyword);
      node.properties = [...node.properties, { statement, scope: unit.scope }];
    }
  }
}

function addProperty(statement: YangStatement, node: DraftNode, unit: SourceUnit, report: YangReport): void {
  const { keyword } = statement;
  const [existing] = propertiesOf(node, keyword);
  if (existing !== undefined && !isExtensionStatement(statement) && !isRepeatable(node, keyword)) {
    report.error(
      "deviation-conflict",
      `${node.keyword} ${node.name} already has ${describe(existing.statement)}; ${describe(statement)} cannot be added`,
      [statement.position, existing.statement.position],
      { remedy: "deviate replace" },
    );
    return;
  }
  node.properties = [...node.properties, { statement, scope: unit.scope }];
}

function removeReplaced(statement: YangStatement, node: DraftNode, report: YangReport): void {
  const { keyword } = statement;
  const existing = propertiesOf(node, keyword);
  if (existing.length === 0 && !ALWAYS_THERE.has(keyword) && !isExtensionStatement(statement)) {
    report.error(
      "deviation-conflict",
      `${node.keyword} ${node.name} has no ${keyword} to replace`,
      [statement.position, node.statement.position],
      { remedy: "deviate add" },
    );
  }
  node.properties = node.properties.filter((each) => each.statement.keyword !== keyword);
}

function deleteProperty(statement: YangStatement, node: DraftNode, report: YangReport): void {
  const existing = node.properties.find(
    (each) => each.statement.keyword === statement.keyword && each.statement.argument === statement.argument,
  );
  if (existing === undefined)
    report.error("deviation-conflict", `${node.keyword} ${node.name} has no ${describe(statement)} to delete`, [
      statement.position,
      node.statement.position,
    ]);
  node.properties = node.properties.filter((each) => each !== existing);
}
