/**
 * Tree diagrams of modules (RFC 8340), line by line as `pyang -f tree` draws them.
 *
 * A diagram shows what a module says, features and short-hands included, which a compiled schema no longer knows; so it
 * is drawn from the draft tree. Types are shown as written and not looked at: whether the modules are right is for
 * `compileYang` to say.
 */
import type { Result } from "../diagnostic.ts";
import { applyAugments, followAbsolutePath } from "./apply-augments.ts";
import { applyDeviations } from "./apply-deviations.ts";
import { type DraftNode, isShorthandCase } from "./draft-node.ts";
import { DEFAULT_MAX_NODES, TreeExpander } from "./expand-tree.ts";
import { FeatureSet, type FeatureSelection } from "./feature-set.ts";
import { type ModuleSelector, linkModules } from "./link-modules.ts";
import { type LinkedModule, ScopeTable, type SourceUnit } from "./linked-module.ts";
import { type ModuleCatalogue, catalogueModules, findModule } from "./module-catalogue.ts";
import type { YangModule } from "./parse-yang-module.ts";
import { type YangSource, type YangStatement, argumentOf, findChildren } from "./statement.ts";
import { type DiagramPlace, configOf, drawNodes, shownChildren } from "./tree-diagram-nodes.ts";
import { type YangDiagnostic, YangReport } from "./yang-report.ts";

export interface TreeDiagramOptions {
  /** Modules or submodules to draw, in this order; the newest revision where none is named. */
  readonly modules: readonly ModuleSelector[];
  /** Features that are supported, all where absent. Nodes without support are left out. */
  readonly features?: FeatureSelection;
  /** More schema nodes than this are an error; 1,000,000 when absent. */
  readonly maxNodes?: number;
}

const DATA_KEYWORDS: ReadonlySet<string> = new Set([
  "container",
  "list",
  "leaf",
  "leaf-list",
  "anydata",
  "anyxml",
  "choice",
]);

/**
 * Draws modules one after the other, with an empty line between them; a module without any nodes draws nothing.
 *
 * Needs all that the modules import and include among `sources`; more do no harm. Augments of the modules drawn and of
 * those they import are shown in their place; an augment to a module that is not drawn is a section of the augmenting
 * one. A submodule is drawn by itself, with what it includes. Errors: a module that is missing or cannot be read, and
 * whatever keeps the tree from being made, each with its place.
 */
export function formatTreeDiagram(
  sources: readonly YangSource[],
  options: TreeDiagramOptions,
): Result<string, YangDiagnostic> {
  return treeDiagramsOf(sources)(options);
}

/** As `formatTreeDiagram`, for several diagrams of the same sources, which are read once. */
export function treeDiagramsOf(
  sources: readonly YangSource[],
): (options: TreeDiagramOptions) => Result<string, YangDiagnostic> {
  const reading = new YangReport();
  const catalogue = catalogueModules(sources, reading);
  return (options) => {
    const report = new YangReport();
    report.absorb(reading.diagnostics, { severity: "kept" });
    const drawing = drawModules(catalogue, options, report);
    if (report.errorCount > 0) return { kind: "error", diagnostics: report.diagnostics };
    return { kind: "ok", value: drawing, warnings: report.diagnostics };
  };
}

interface DrawnModule {
  readonly text: YangModule;
  readonly module: LinkedModule;
  readonly world: World;
}

/** Modules that are linked together, with their trees. */
interface World {
  readonly modules: readonly LinkedModule[];
  readonly roots: ReadonlyMap<string, DraftNode>;
}

function drawModules(catalogue: ModuleCatalogue, options: TreeDiagramOptions, report: YangReport): string {
  const chosen = options.modules.map((selector) => ({
    selector,
    text: findModule(catalogue, selector.name, selector.revision),
  }));
  const together = chosen.filter(({ text }) => text?.kind !== "submodule").map(({ selector }) => selector);
  const main = buildWorld(catalogue, together, options, report);
  const drawn: DrawnModule[] = [];
  for (const { text } of chosen) {
    if (text === undefined) continue;
    const world = text.kind === "module" ? main : buildSubmoduleWorld(catalogue, text, options, report);
    const module = world?.modules.find((each) => each.units[0]?.parsed.statement === text.statement);
    if (world !== undefined && module !== undefined) drawn.push({ text, module, world });
  }
  if (report.errorCount > 0) return "";
  const shown = new Set(drawn.map(({ module }) => module.name));
  let lines: string[] = [];
  let drawing = "";
  for (const each of drawn) {
    if (lines.length > 0) drawing += "\n";
    lines = linesOf(each, shown);
    drawing += lines.map((line) => `${line}\n`).join("");
  }
  return drawing;
}

/** Every module that is linked takes part with its augments, imported or not. */
function buildWorld(
  catalogue: ModuleCatalogue,
  selectors: readonly ModuleSelector[],
  options: TreeDiagramOptions,
  report: YangReport,
): World | undefined {
  const modules = linkModules(catalogue, selectors, report);
  if (report.errorCount > 0) return undefined;
  const features = new FeatureSet(options.features ?? "all", report);
  const expander = new TreeExpander(features, new ScopeTable(report), report, {
    maxNodes: options.maxNodes ?? DEFAULT_MAX_NODES,
  });
  const roots = new Map<string, DraftNode>();
  const linked: LinkedModule[] = [];
  for (const module of modules) {
    // Of several revisions the one that is drawn, else the first, has the tree.
    const isSecond = modules.some((each) => each.name === module.name && each !== module && each.implemented);
    if (roots.has(module.name) || (isSecond && !module.implemented)) continue;
    roots.set(module.name, expander.expandModule(module, includedFirst(module)));
    linked.push(module);
  }
  applyAugments(linked.flatMap(includedFirst), roots, expander, report);
  applyDeviations(linked, roots, report);
  return { modules: linked, roots };
}

/** A module's units in the order in which pyang draws their nodes: what a unit includes before the unit itself. */
export function includedFirst(module: LinkedModule): readonly SourceUnit[] {
  const ordered = new Set<SourceUnit>();
  const seen = new Set<SourceUnit>();
  const visit = (unit: SourceUnit): void => {
    if (seen.has(unit)) return;
    seen.add(unit);
    for (const { name } of unit.parsed.includes) {
      const included = module.units.find((each) => each.parsed.name === name);
      if (included !== undefined) visit(included);
    }
    ordered.add(unit);
  };
  for (const unit of module.units) visit(unit);
  return [...ordered];
}

/** A submodule drawn by itself stands in for the module it belongs to. */
function buildSubmoduleWorld(
  catalogue: ModuleCatalogue,
  submodule: YangModule,
  options: TreeDiagramOptions,
  report: YangReport,
): World | undefined {
  const name = submodule.belongsTo ?? submodule.name;
  const standIn: YangModule = { ...submodule, kind: "module", name };
  const modules = new Map([...catalogue.modules, [name, [standIn]]]);
  return buildWorld({ ...catalogue, modules }, [{ name }], options, report);
}

function linesOf({ text, module, world }: DrawnModule, shown: ReadonlySet<string>): string[] {
  const root = world.roots.get(module.name);
  const children = root === undefined ? [] : shownChildren(root);
  const top = { module: module.name, place: "data", config: true, width: undefined } as const;
  const lines: string[] = [];
  drawNodes(
    children.filter((node) => DATA_KEYWORDS.has(node.keyword)),
    { ...top, margin: "" },
    lines,
  );
  drawAugments(module, world, shown, lines);
  for (const [keyword, title] of [
    ["rpc", "rpcs"],
    ["notification", "notifications"],
  ] as const) {
    const nodes = children.filter((node) => node.keyword === keyword);
    if (nodes.length === 0) continue;
    lines.push("", `  ${title}:`);
    const place = keyword === "notification" ? keyword : "data";
    drawNodes(nodes, { ...top, place, config: undefined, margin: "  " }, lines);
  }
  if (lines.length === 0) return lines;
  const of = text.belongsTo === undefined ? "" : ` (belongs-to ${text.belongsTo})`;
  return [`${text.kind}: ${text.name}${of}`, ...lines];
}

/** Augments to what is not drawn, a section each (RFC 8340 section 2.1). */
function drawAugments(module: LinkedModule, { roots }: World, shown: ReadonlySet<string>, lines: string[]): void {
  let first = true;
  for (const unit of module.units) {
    for (const augment of findChildren(unit.parsed.statement, "augment")) {
      const target = followAbsolutePath(roots, argumentOf(augment), unit);
      if (target === undefined || shown.has(target.module.name)) continue;
      if (first) lines.push("");
      first = false;
      lines.push(`  augment ${argumentOf(augment)}:`);
      const place = placeOf(target);
      const block = { module: module.name, place, config: configOf(target), margin: "  ", width: undefined };
      drawNodes(broughtBy(augment, target), block, lines);
    }
  }
}

function broughtBy(augment: YangStatement, target: DraftNode): readonly DraftNode[] {
  return shownChildren(target).flatMap((child) => {
    const nodes = isShorthandCase(child) ? shownChildren(child) : [child];
    return nodes.filter((node) => node.augment === augment);
  });
}

function placeOf({ keyword }: DraftNode): DiagramPlace {
  return keyword === "input" || keyword === "output" || keyword === "notification" ? keyword : "data";
}
