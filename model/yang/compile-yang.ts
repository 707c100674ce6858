/**
 * The YANG compiler: module texts to one schema (RFC 7950; RFC 6020 for modules of YANG 1).
 *
 * The problem it owns: a device announces modules, revisions, features and deviations, and every codec, comparison and
 * validation needs the one tree they make together. The stages, a file each: lexer -> parse-statements ->
 * check-grammar (together parse-yang-module) -> module-catalogue -> link-modules -> check-statements ->
 * resolve-identities -> expand-tree -> apply-augments -> apply-deviations -> check-tree -> build-schema ->
 * bind-leafrefs -> finish-defaults. Each stage reports all it finds, and the next one runs only when nothing was found
 * that would make it find more; what check-statements finds is of that kind nowhere. Nothing here reads files or throws
 * on input, whatever the input is. A compiled schema can be kept as a text: schema-document.
 */
import { compareText } from "../compare-text.ts";
import type { Result } from "../diagnostic.ts";
import type { Schema, SchemaModule } from "../schema.ts";
import { applyAugments } from "./apply-augments.ts";
import { applyDeviations } from "./apply-deviations.ts";
import { LeafrefBinder } from "./bind-leafrefs.ts";
import { SchemaBuilder } from "./build-schema.ts";
import { checkStatements } from "./check-statements.ts";
import { checkTree } from "./check-tree.ts";
import type { DraftNode } from "./draft-node.ts";
import { DEFAULT_MAX_NODES, TreeExpander } from "./expand-tree.ts";
import { FeatureSet, type FeatureSelection } from "./feature-set.ts";
import { finishDefaults } from "./finish-defaults.ts";
import { type Implement, type ModuleSelector, linkModules } from "./link-modules.ts";
import { type LinkedModule, ScopeTable } from "./linked-module.ts";
import {
  type MissingModule,
  type ModuleCatalogue,
  catalogueModules,
  missingModules as missingInCatalogue,
} from "./module-catalogue.ts";
import { moduleExtensions } from "./node-properties.ts";
import { type ModuleReference, type YangModule, parseYangModule } from "./parse-yang-module.ts";
import { resolveIdentities } from "./resolve-identities.ts";
import { TypeResolver } from "./resolve-type.ts";
import { emptyBlock } from "./schema-block.ts";
import type { YangSource, YangStatement } from "./statement.ts";
import { type YangDiagnostic, type YangDiagnosticCode, YangReport } from "./yang-report.ts";

export { parseYangModule };
export type {
  FeatureSelection,
  Implement,
  MissingModule,
  ModuleReference,
  ModuleSelector,
  YangDiagnostic,
  YangDiagnosticCode,
  YangModule,
  YangSource,
  YangStatement,
};

export interface CompileOptions {
  /** Modules whose data nodes exist; what they import is linked besides. `all`: the newest revision of each source. */
  readonly implement: Implement;
  /** Supported features by module (a module not named supports none), or all of every module. */
  readonly features: FeatureSelection;
  /** Modules implemented for their deviations, besides those of `implement`. */
  readonly deviations?: readonly ModuleSelector[];
  /** More schema nodes than this are an error; 1,000,000 when absent (a large router's whole set has 354,000). */
  readonly maxNodes?: number;
}

/** What a device announces, in an order that does not depend on how it announced it. */
export interface YangModuleSet {
  readonly modules: readonly YangModuleSetEntry[];
}

export interface YangModuleSetEntry {
  readonly name: string;
  readonly revision: string | undefined;
  readonly namespace: string;
  readonly role: "implemented" | "imported";
  readonly submodules: readonly { readonly name: string; readonly revision: string | undefined }[];
  readonly features: readonly string[];
}

/**
 * Compiles module texts into a schema.
 *
 * Needs: `sources` hold every module that an implemented one imports and every submodule included (`missingModules`
 * tells which are not there); more texts do no harm, and one that nobody needs and cannot be read is a warning.
 * Guarantees of a value: every name is resolved, every leafref has its target, defaults are canonical, keys exist and
 * stand in schema order; equal input gives an equal schema. `modules` is by name; a second revision that is only
 * imported stands under `name@revision`.
 * Errors: all that the stage which failed could find, each with `file:line:column`, both places for conflicts.
 */
export function compileYang(sources: readonly YangSource[], options: CompileOptions): Result<Schema, YangDiagnostic> {
  const report = new YangReport();
  const modules = linkSources(sources, options, report);
  const schema = report.errorCount === 0 ? compileLinked(modules, options, report) : undefined;
  if (schema === undefined || report.errorCount > 0) return { kind: "error", diagnostics: report.diagnostics };
  return { kind: "ok", value: schema, warnings: report.diagnostics };
}

/**
 * (Sub)modules that the readable sources import or include and do not hold, sorted by name. A loader fetches them and
 * asks again until none is missing. The module of a submodule counts as needed.
 */
export function missingModules(sources: readonly YangSource[]): readonly MissingModule[] {
  return missingInCatalogue(catalogueModules(sources, new YangReport()));
}

/**
 * The module set that `compileYang` with the same arguments would compile, as plain data sorted by name and revision:
 * equal sets give equal data, so that a digest of its canonical JSON names the set. Errors as those of linking.
 */
export function schemaModuleSet(
  sources: readonly YangSource[],
  options: CompileOptions,
): Result<YangModuleSet, YangDiagnostic> {
  const report = new YangReport();
  const linked = linkSources(sources, options, report);
  const features = new FeatureSet(options.features, report);
  const modules = linked.map(
    (module): YangModuleSetEntry => ({
      name: module.name,
      revision: module.revision,
      namespace: module.namespace,
      role: module.implemented ? "implemented" : "imported",
      submodules: module.units
        .slice(1)
        .map(({ parsed }) => ({ name: parsed.name, revision: parsed.revision }))
        .sort((a, b) => compareText(a.name, b.name)),
      features: features.enabled(module),
    }),
  );
  if (report.errorCount > 0) return { kind: "error", diagnostics: report.diagnostics };
  modules.sort((a, b) => compareText(a.name, b.name) || compareText(a.revision ?? "", b.revision ?? ""));
  return { kind: "ok", value: { modules }, warnings: report.diagnostics };
}

/** Of one name the implemented revision first, then the newest. */
function byNameAndRevision(a: LinkedModule, b: LinkedModule): number {
  if (a.name !== b.name) return compareText(a.name, b.name);
  if (a.implemented !== b.implemented) return a.implemented ? -1 : 1;
  return compareText(b.revision ?? "", a.revision ?? "");
}

function linkSources(
  sources: readonly YangSource[],
  options: CompileOptions,
  report: YangReport,
): readonly LinkedModule[] {
  const catalogue = catalogueModules(sources, report);
  const { implement, deviations = [] } = options;
  const modules = linkModules(catalogue, implement === "all" ? implement : [...implement, ...deviations], report);
  reportUnreadable(catalogue, implement, report);
  return modules;
}

/** Linking reports unreadable texts that it needs; the others are errors only when everything is to be implemented. */
function reportUnreadable(catalogue: ModuleCatalogue, implement: Implement, report: YangReport): void {
  const reported = new Set(report.diagnostics);
  for (const each of catalogue.unreadable) {
    if (each.diagnostics.some((diagnostic) => reported.has(diagnostic))) continue;
    report.absorb(each.diagnostics, { severity: implement === "all" ? "kept" : "warning" });
  }
}

function compileLinked(
  linked: readonly LinkedModule[],
  options: CompileOptions,
  report: YangReport,
): Schema | undefined {
  // In this order whatever the order of the sources, on which the order of augmented nodes would depend otherwise.
  const modules = [...linked].sort(byNameAndRevision);
  const features = new FeatureSet(options.features, report);
  const scopes = new ScopeTable(report);
  const types = new TypeResolver(features, report);
  const found = checkStatements(modules, scopes, report);
  // What is wrong up to here is wrong by itself and leads to no other error.
  const before = report.errorCount;
  for (const { statement, scope } of found.types) types.resolve(statement, scope);
  const identities = resolveIdentities(modules, features, report);
  const expander = new TreeExpander(features, scopes, report, { maxNodes: options.maxNodes ?? DEFAULT_MAX_NODES });
  const implemented = modules.filter((module) => module.implemented);
  const drafts = new Map<string, DraftNode>();
  for (const module of implemented) drafts.set(module.name, expander.expandModule(module));
  const units = implemented.flatMap((module) => module.units);
  applyAugments(units, drafts, expander, report);
  // Groupings that nothing uses are part of the module, and can be wrong as well.
  for (const grouping of found.groupings)
    if (grouping.scope.unit.module.implemented) expander.expandUnusedGrouping(grouping);
  if (report.errorCount > before) return undefined;
  const deviatedBy = applyDeviations(modules, drafts, report);
  for (const root of drafts.values()) checkTree(root, report);
  if (report.errorCount > before) return undefined;

  const builder = new SchemaBuilder(types, report);
  const binder = new LeafrefBinder({
    rootOf: (name) => {
      const module = modules.find((each) => each.name === name);
      const root = drafts.get(name) ?? (module && expander.expandModule(module));
      if (root !== undefined) drafts.set(name, root);
      return root;
    },
    leafOf: (draft, from) => builder.leafOf(draft, from),
    report,
  });
  builder.binder = binder;
  const top = emptyBlock();
  for (const module of implemented) {
    const draft = drafts.get(module.name);
    if (draft !== undefined) builder.addRoots(draft, top);
  }
  binder.resolveAll();
  // Reading defaults takes every leafref's target.
  if (report.errorCount > 0) return undefined;
  const schemaModules = new Map<string, SchemaModule>();
  // Implemented revisions first, so that they get the plain names.
  for (const module of [...implemented, ...modules.filter((each) => !each.implemented)]) {
    const key = schemaModules.has(module.name) ? `${module.name}@${module.revision ?? ""}` : module.name;
    schemaModules.set(key, {
      name: module.name,
      namespace: module.namespace,
      prefix: module.prefix,
      revision: module.revision,
      yangVersion: module.yangVersion,
      importOnly: !module.implemented,
      features: features.enabled(module),
      deviatedBy: [...(deviatedBy.get(module.name) ?? [])].sort(),
      extensions: moduleExtensions(module),
    });
  }
  const namespaces = new Map(modules.map((module) => [module.namespace, module.name]));
  const schema: Schema = {
    modules: schemaModules,
    roots: top.children,
    rootChoices: top.choices,
    operations: top.operations,
    notifications: top.notifications,
    identities,
    namespaces,
  };
  finishDefaults(builder.openDefaults, found.typedefs, { schema, modules, types, report });
  return schema;
}
