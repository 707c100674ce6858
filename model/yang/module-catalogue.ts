/** The texts at hand, by name and revision, and what is still missing among them. */
import { type ModuleReference, type YangModule, parseYangModule } from "./parse-yang-module.ts";
import type { YangSource } from "./statement.ts";
import type { YangDiagnostic, YangReport } from "./yang-report.ts";

export interface ModuleCatalogue {
  /** Every readable module and submodule by name, newest revision first. */
  readonly modules: ReadonlyMap<string, readonly YangModule[]>;
  /** Texts that could not be read, with the reasons. The name is what can be told from the text or the source's name. */
  readonly unreadable: readonly UnreadableSource[];
}

export interface UnreadableSource {
  readonly name: string;
  readonly source: YangSource;
  readonly diagnostics: readonly YangDiagnostic[];
}

/** A (sub)module that others name and the sources do not hold; `revision` when one was asked for. */
export interface MissingModule {
  readonly kind: "module" | "submodule";
  readonly name: string;
  readonly revision: string | undefined;
  /** Names of the (sub)modules that import or include it. */
  readonly neededBy: readonly string[];
}

/**
 * Reads all sources. The same name and revision twice with equal text counts once; with different text it is an error
 * naming both. Sources that cannot be read are kept apart, so that a set is not lost for a text that nobody needs.
 */
export function catalogueModules(sources: readonly YangSource[], report: YangReport): ModuleCatalogue {
  const modules = new Map<string, YangModule[]>();
  const unreadable: UnreadableSource[] = [];
  for (const source of sources) {
    const parsed = parseYangModule(source);
    if (parsed.kind === "error") {
      unreadable.push({ name: guessName(source), source, diagnostics: parsed.diagnostics });
      continue;
    }
    const module = parsed.value;
    const known = modules.get(module.name) ?? [];
    modules.set(module.name, known);
    const twin = known.find((each) => each.revision === module.revision);
    if (twin === undefined) known.push(module);
    else if (twin.source.text !== module.source.text)
      report.error(
        "duplicate-module",
        `${module.name}${module.revision === undefined ? "" : `@${module.revision}`} is given twice, with different texts`,
        [module.statement.position, twin.statement.position],
      );
  }
  for (const revisions of modules.values()) revisions.sort(newestFirst);
  return { modules, unreadable };
}

function newestFirst(a: YangModule, b: YangModule): number {
  const [left, right] = [a.revision ?? "", b.revision ?? ""];
  return left < right ? 1 : left > right ? -1 : 0;
}

function guessName(source: YangSource): string {
  const inText = /(?:^|[\s;}/])(?:sub)?module\s+["']?([A-Za-z_][A-Za-z0-9_.-]*)/.exec(source.text)?.[1];
  return inText ?? source.name.replace(/^.*[/\\]/, "").replace(/(@.*)?(\.yang)?$/, "");
}

/** The text for a reference: the asked revision, or the newest. */
export function findModule(
  catalogue: ModuleCatalogue,
  name: string,
  revision: string | undefined,
): YangModule | undefined {
  const revisions = catalogue.modules.get(name) ?? [];
  return revision === undefined ? revisions[0] : revisions.find((each) => each.revision === revision);
}

/**
 * What a loader has to find next: every import and include of the given texts that none of them satisfies. Call it
 * again with the texts found until it returns none; a text that cannot be read names nothing. Sorted by name.
 */
export function missingModules(catalogue: ModuleCatalogue): readonly MissingModule[] {
  const missing = new Map<string, { readonly module: Omit<MissingModule, "neededBy">; readonly by: Set<string> }>();
  const need = (kind: MissingModule["kind"], wanted: ModuleReference, by: string): void => {
    if (findModule(catalogue, wanted.name, wanted.revision) !== undefined) return;
    const key = `${wanted.name}@${wanted.revision ?? ""}`;
    const entry = missing.get(key) ?? {
      module: { kind, name: wanted.name, revision: wanted.revision },
      by: new Set<string>(),
    };
    entry.by.add(by);
    missing.set(key, entry);
  };
  for (const revisions of catalogue.modules.values()) {
    for (const module of revisions) {
      for (const each of module.imports) need("module", each, module.name);
      for (const each of module.includes) need("submodule", each, module.name);
      if (module.belongsTo !== undefined && !catalogue.modules.has(module.belongsTo))
        need(
          "module",
          { name: module.belongsTo, revision: undefined, prefix: undefined, position: module.statement.position },
          module.name,
        );
    }
  }
  return [...missing.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { module, by }]) => ({ ...module, neededBy: [...by].sort() }));
}
