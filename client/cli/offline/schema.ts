/** The schema that the options of an offline verb ask for. */
import type { Diagnostic } from "../../../model/diagnostic.ts";
import type { Schema } from "../../../model/schema.ts";
import {
  type FeatureSelection,
  type ModuleSelector,
  type YangSource,
  compileYang,
  parseYangModule,
} from "../../../model/yang/compile-yang.ts";
import { argumentOf, findChildren } from "../../../model/yang/statement.ts";
import { CliError, usageError } from "../../cli-error.ts";
import { readYangFolder } from "../../yang-folder.ts";
import type { Session } from "../session.ts";
import { plural } from "./findings.ts";
import type { ModuleOptions, SchemaOptions } from "./schema-options.ts";

export interface LoadedYang {
  readonly sources: readonly YangSource[];
  readonly features: FeatureSelection;
}

export async function loadYang(folder: string, options: Pick<ModuleOptions, "features">): Promise<LoadedYang> {
  const sources = (await readYangFolder(folder)).map((file) => file.source);
  return { sources, features: selectFeatures(options.features ?? [], sources) };
}

/** The modules to implement: those named, else the newest revision of each. */
export function selectModules(names: readonly string[] | undefined): readonly ModuleSelector[] | "all" {
  return names === undefined ? "all" : names.map(moduleSelector);
}

export function moduleSelector(text: string): ModuleSelector {
  const at = text.indexOf("@");
  if (at < 0) return { name: text };
  if (at === 0 || at === text.length - 1) throw usageError(`${text} is no module: write NAME or NAME@REVISION`);
  return { name: text.slice(0, at), revision: text.slice(at + 1) };
}

/** Reads and compiles; of warnings only the number is told, `yang check` has them. Throws `invalid-yang` with every error that was found. */
export async function loadSchema(session: Session, options: SchemaOptions): Promise<Schema> {
  const { sources, features } = await loadYang(options.yang, options);
  const { schema, warnings } = compileAll(options.yang, sources, {
    implement: selectModules(options.module),
    features,
  });
  if (warnings.length > 0)
    session.remark(`${plural(warnings.length, "warning")} about the modules: tenure yang check ${options.yang}`);
  return schema;
}

export function compileAll(
  folder: string,
  sources: readonly YangSource[],
  options: { readonly implement: readonly ModuleSelector[] | "all"; readonly features: FeatureSelection },
): { readonly schema: Schema; readonly warnings: readonly Diagnostic[] } {
  const compiled = compileYang(sources, options);
  if (compiled.kind === "ok") return { schema: compiled.value, warnings: compiled.warnings };
  throw invalidYang(folder, compiled.diagnostics);
}

export function invalidYang(folder: string, diagnostics: readonly Diagnostic[]): CliError {
  const errors = diagnostics.filter((each) => each.severity === "error").length;
  const message = `the modules in ${folder} do not compile: ${String(errors)} error${errors === 1 ? "" : "s"}`;
  return new CliError({ code: "invalid-yang", message, diagnostics });
}

function selectFeatures(lists: readonly string[], sources: readonly YangSource[]): FeatureSelection {
  if (lists.length === 0) return "all";
  const selected = new Map<string, Set<string>>();
  for (const list of lists) {
    const colon = list.indexOf(":");
    if (colon < 1) throw usageError(`${list} names no features: write MODULE:FEATURE,.. or MODULE:`);
    const module = list.slice(0, colon);
    const names = list
      .slice(colon + 1)
      .split(",")
      .filter((name) => name !== "");
    const known = selected.get(module) ?? new Set<string>();
    for (const name of names) known.add(name);
    selected.set(module, known);
  }
  const defined = featuresOf(sources);
  for (const [module, names] of selected) {
    const known = defined.get(module);
    if (known === undefined) throw usageError(`--features names ${module}, which is not among the modules`);
    const unknown = [...names].find((name) => !known.has(name));
    if (unknown !== undefined)
      throw usageError(`module ${module} has no feature ${unknown}: it has ${[...known].sort().join(", ") || "none"}`);
  }
  for (const [module, names] of defined) if (!selected.has(module)) selected.set(module, names);
  return selected;
}

/** The features that every module and its submodules define, of all revisions together. */
function featuresOf(sources: readonly YangSource[]): ReadonlyMap<string, Set<string>> {
  const features = new Map<string, Set<string>>();
  for (const source of sources) {
    const parsed = parseYangModule(source);
    if (parsed.kind === "error") continue;
    const module = parsed.value.belongsTo ?? parsed.value.name;
    const names = features.get(module) ?? new Set<string>();
    for (const feature of findChildren(parsed.value.statement, "feature")) names.add(argumentOf(feature));
    features.set(module, names);
  }
  return features;
}
