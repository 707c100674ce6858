/** From texts to linked modules: imports and includes by revision, prefixes, circles (RFC 7950 sections 5.1, 5.6.5). */
import {
  type Definition,
  type Definitions,
  type LinkedModule,
  SourceUnit,
  gatherDefinitions,
} from "./linked-module.ts";
import { type ModuleCatalogue, findModule } from "./module-catalogue.ts";
import type { ModuleReference, YangModule } from "./parse-yang-module.ts";
import { type YangStatement, argumentOf, findChildren, splitName } from "./statement.ts";
import type { YangReport } from "./yang-report.ts";

export interface ModuleSelector {
  readonly name: string;
  /** The newest one when absent. */
  readonly revision?: string | undefined;
}

/** The modules to implement: these, or the newest revision of every module among the sources. */
export type Implement = readonly ModuleSelector[] | "all";

/** Imports or includes in a chain, more than any in use; linking recurses along them. */
const MAX_CHAIN = 500;

interface MutableModule extends LinkedModule {
  readonly parsed: YangModule;
  units: SourceUnit[];
  definitions: Definitions;
  implemented: boolean;
}

const NO_DEFINITIONS: Definitions = {
  typedef: new Map<string, Definition>(),
  grouping: new Map<string, Definition>(),
  identity: new Map<string, Definition>(),
  feature: new Map<string, Definition>(),
  extension: new Map<string, Definition>(),
};

/**
 * Links the modules to implement and all they import, imported ones before their importers. A module whose nodes an
 * implemented one augments, deviates or points leafrefs at is implemented too (RFC 7950 section 5.6.5). What is missing or circular is
 * reported; the modules returned are whole only when nothing was.
 */
export function linkModules(
  catalogue: ModuleCatalogue,
  implement: Implement,
  report: YangReport,
): readonly LinkedModule[] {
  return new Linker(catalogue, report).link(implement);
}

class Linker {
  readonly #catalogue: ModuleCatalogue;
  readonly #report: YangReport;
  readonly #linked = new Map<string, MutableModule>();
  readonly #ordered: MutableModule[] = [];
  readonly #open: string[] = [];
  /** Revision to implement by name; imports without a revision take it too. */
  readonly #chosen = new Map<string, YangModule>();

  constructor(catalogue: ModuleCatalogue, report: YangReport) {
    this.#catalogue = catalogue;
    this.#report = report;
  }

  link(implement: Implement): readonly LinkedModule[] {
    for (const selector of implement === "all" ? this.#everyModule() : implement) {
      const parsed = this.#find({ ...selector, revision: selector.revision, prefix: undefined, position: undefined });
      if (parsed === undefined) continue;
      const other = this.#chosen.get(parsed.name);
      if (other !== undefined && other !== parsed)
        this.#report.error("duplicate-module", `two revisions of ${parsed.name} cannot both be implemented`, [
          parsed.statement.position,
          other.statement.position,
        ]);
      this.#chosen.set(parsed.name, parsed);
    }
    for (const parsed of this.#chosen.values()) this.#linkModule(parsed).implemented = true;
    this.#implementTargets();
    this.#checkNamespaces();
    for (const module of this.#ordered) for (const unit of module.units) this.#checkRevisions(unit.parsed);
    return this.#ordered;
  }

  #everyModule(): readonly ModuleSelector[] {
    return [...this.#catalogue.modules.values()]
      .filter(([newest]) => newest?.kind === "module")
      .map(([newest]) => ({ name: newest?.name ?? "" }));
  }

  /** The text of a module; the reasons are reported when there is none. */
  #find(wanted: Omit<ModuleReference, "position"> & { readonly position: ModuleReference["position"] | undefined }) {
    const chosen = wanted.revision === undefined ? this.#chosen.get(wanted.name) : undefined;
    const found = chosen ?? findModule(this.#catalogue, wanted.name, wanted.revision);
    const positions = wanted.position === undefined ? [] : [wanted.position];
    if (found === undefined) {
      const unreadable = this.#catalogue.unreadable.filter((each) => each.name === wanted.name);
      for (const each of unreadable) this.#report.absorb(each.diagnostics, { severity: "kept" });
      if (unreadable.length > 0) return undefined;
      const label = `${wanted.name}${wanted.revision === undefined ? "" : `@${wanted.revision}`}`;
      const others = this.#catalogue.modules.get(wanted.name) ?? [];
      this.#report.error(
        "missing-module",
        `module ${label} is not among the sources`,
        [...positions, ...others.map((each) => each.statement.position)],
        others.length === 0
          ? { remedy: `provide ${label}` }
          : {
              remedy: `provide ${label}; there is ${others.map((each) => each.revision ?? "one without revision").join(", ")}`,
            },
      );
      return undefined;
    }
    if (found.kind === "module") return found;
    this.#report.error("missing-module", `${wanted.name} is a submodule`, [...positions, found.statement.position], {
      expected: `the module it belongs to, ${found.belongsTo ?? ""}`,
    });
    return undefined;
  }

  #linkModule(parsed: YangModule): MutableModule {
    const key = `${parsed.name}@${parsed.revision ?? ""}`;
    const known = this.#linked.get(key);
    if (known !== undefined) return known;
    const module: MutableModule = {
      name: parsed.name,
      revision: parsed.revision,
      namespace: parsed.namespace ?? "",
      prefix: parsed.prefix,
      yangVersion: parsed.yangVersion,
      parsed,
      units: [],
      definitions: NO_DEFINITIONS,
      implemented: false,
    };
    this.#linked.set(key, module);
    this.#open.push(key);
    module.units = [parsed, ...this.#submodules(parsed)].map((each) => this.#linkUnit(each, module));
    module.definitions = gatherDefinitions(module.units, this.#report);
    this.#open.pop();
    this.#ordered.push(module);
    return module;
  }

  #linkUnit(parsed: YangModule, module: MutableModule): SourceUnit {
    const prefixes = new Map<string, LinkedModule>([[parsed.prefix, module]]);
    const revisions = new Map<string, { readonly imported: YangModule; readonly wanted: ModuleReference }>();
    for (const wanted of parsed.imports) {
      const prefix = wanted.prefix ?? "";
      if (prefixes.has(prefix))
        this.#report.error("duplicate-prefix", `prefix ${prefix} stands for two modules`, [
          wanted.position,
          parsed.imports.find((each) => each.prefix === prefix && each !== wanted)?.position ??
            parsed.statement.position,
        ]);
      const imported = this.#find(wanted);
      if (imported === undefined) continue;
      if (parsed.yangVersion === "1" && imported.yangVersion === "1.1" && wanted.revision !== undefined)
        // RFC 7950 section 12.
        this.#report.error(
          "version-mismatch",
          `${parsed.name} is YANG 1 and imports a revision of ${imported.name}, which is YANG 1.1`,
          [wanted.position, imported.statement.position],
          { remedy: "import it without revision-date, or yang-version 1.1" },
        );
      const earlier = revisions.get(imported.name) ?? { imported, wanted };
      revisions.set(imported.name, earlier);
      if (parsed.yangVersion === "1" && earlier.imported !== imported)
        // RFC 6020 section 7.1.5.
        this.#report.error(
          "version-mismatch",
          `${parsed.name} is YANG 1 and imports two revisions of ${imported.name}`,
          [wanted.position, earlier.wanted.position],
          { remedy: "yang-version 1.1" },
        );
      const key = `${imported.name}@${imported.revision ?? ""}`;
      const start = this.#open.indexOf(key);
      if (start >= 0)
        this.#report.error("circular-import", `import in a circle: ${[...this.#open.slice(start), key].join(" -> ")}`, [
          wanted.position,
          imported.statement.position,
        ]);
      if (this.#open.length >= MAX_CHAIN) {
        this.#report.error("nesting-too-deep", `more than ${String(MAX_CHAIN)} imports in a chain`, wanted.position);
        continue;
      }
      prefixes.set(prefix, this.#linkModule(imported));
    }
    return new SourceUnit(parsed, module, prefixes);
  }

  /** All submodules that a module includes, also through its submodules (which YANG 1 leaves to them). */
  #submodules(parsed: YangModule): readonly YangModule[] {
    const found = new Map<string, YangModule>();
    const visit = (including: YangModule, above: readonly string[]): void => {
      for (const wanted of including.includes) {
        const submodule = findModule(this.#catalogue, wanted.name, wanted.revision);
        if (submodule?.kind !== "submodule") {
          this.#reportMissingSubmodule(wanted, submodule);
          continue;
        }
        if (submodule.belongsTo !== parsed.name)
          this.#report.error(
            "wrong-belongs-to",
            `${submodule.name} belongs to ${submodule.belongsTo ?? ""}, not to ${parsed.name}`,
            [wanted.position, submodule.statement.position],
          );
        if (submodule.yangVersion !== parsed.yangVersion)
          // RFC 7950 section 12.
          this.#report.error(
            "version-mismatch",
            `${parsed.name} is YANG ${parsed.yangVersion} and includes ${submodule.name}, which is YANG ${submodule.yangVersion}`,
            [wanted.position, submodule.statement.position],
          );
        if (parsed.yangVersion === "1.1" && !parsed.includes.some((each) => each.name === submodule.name))
          // RFC 7950 section 5.1.
          this.#report.warning(
            "include-incomplete",
            `${including.name} includes ${submodule.name}, which module ${parsed.name} does not include`,
            [wanted.position, parsed.statement.position],
            { remedy: `include ${submodule.name} in module ${parsed.name}` },
          );
        if (above.includes(submodule.name)) {
          this.#report.error("circular-include", `include in a circle: ${[...above, submodule.name].join(" -> ")}`, [
            wanted.position,
            submodule.statement.position,
          ]);
          continue;
        }
        const other = found.get(submodule.name);
        if (other !== undefined && other !== submodule)
          // RFC 7950 section 7.1.6.
          this.#report.error(
            "duplicate-module",
            `two revisions of submodule ${submodule.name} cannot both be included in ${parsed.name}`,
            [wanted.position, other.statement.position],
          );
        if (other !== undefined) continue;
        if (above.length >= MAX_CHAIN) {
          this.#report.error("nesting-too-deep", `more than ${String(MAX_CHAIN)} includes in a chain`, wanted.position);
          continue;
        }
        found.set(submodule.name, submodule);
        visit(submodule, [...above, submodule.name]);
      }
    };
    visit(parsed, []);
    return [...found.values()];
  }

  #reportMissingSubmodule(wanted: ModuleReference, other: YangModule | undefined): void {
    const unreadable = this.#catalogue.unreadable.filter((each) => each.name === wanted.name);
    for (const each of unreadable) this.#report.absorb(each.diagnostics, { severity: "kept" });
    if (unreadable.length > 0) return;
    const label = `${wanted.name}${wanted.revision === undefined ? "" : `@${wanted.revision}`}`;
    this.#report.error(
      "missing-submodule",
      other === undefined
        ? `submodule ${label} is not among the sources`
        : `${wanted.name} is a module, not a submodule`,
      other === undefined ? wanted.position : [wanted.position, other.statement.position],
      { remedy: `provide ${label}` },
    );
  }

  #implementTargets(): void {
    const implemented = this.#ordered.filter((module) => module.implemented);
    // The list grows while it is walked.
    for (const module of implemented) {
      for (const target of targetModules(module)) {
        const revisions = this.#ordered.filter((each) => each.name === target);
        if (revisions.some((each) => each.implemented)) continue;
        const linked = revisions.find((each) => revisions.every((other) => !isNewer(other, each)));
        if (linked === undefined) continue;
        linked.implemented = true;
        implemented.push(linked);
      }
    }
  }

  /** RFC 7950 section 7.1.9: the newest first. The newest one counts wherever it stands, so a warning does. */
  #checkRevisions(parsed: YangModule): void {
    const revisions = findChildren(parsed.statement, "revision");
    for (const [index, revision] of revisions.entries()) {
      const above = revisions[index - 1];
      if (above === undefined || argumentOf(above) > argumentOf(revision)) continue;
      const twice = revisions.slice(0, index).find((each) => argumentOf(each) === argumentOf(revision));
      this.#report.warning(
        "revision-order",
        twice === undefined
          ? `revision ${argumentOf(revision)} of ${parsed.name} stands below an older one`
          : `revision ${argumentOf(revision)} of ${parsed.name} stands twice`,
        [revision.position, (twice ?? above).position],
      );
    }
  }

  #checkNamespaces(): void {
    const owners = new Map<string, MutableModule>();
    for (const module of this.#ordered) {
      const owner = owners.get(module.namespace);
      if (owner === undefined) owners.set(module.namespace, module);
      else if (owner.name !== module.name)
        this.#report.error(
          "duplicate-namespace",
          `${module.name} and ${owner.name} have the same namespace ${module.namespace}`,
          [module.parsed.statement.position, owner.parsed.statement.position],
        );
    }
  }
}

function isNewer(a: LinkedModule, b: LinkedModule): boolean {
  return (a.revision ?? "") > (b.revision ?? "");
}

/** Names of the modules whose nodes a module names in augments, deviations and leafref paths. */
function targetModules(module: LinkedModule): ReadonlySet<string> {
  const names = new Set<string>();
  for (const unit of module.units) collectTargets(unit.parsed.statement, unit, names);
  return names;
}

function collectTargets(statement: YangStatement, unit: SourceUnit, into: Set<string>): void {
  if (statement.keyword === "augment" || statement.keyword === "deviation" || statement.keyword === "path") {
    for (const step of argumentOf(statement).split(/[/[\]]/)) {
      const { prefix } = splitName(step.trim());
      const target = prefix === undefined ? undefined : unit.prefixes.get(prefix);
      if (target !== undefined) into.add(target.name);
    }
  }
  for (const child of statement.children) collectTargets(child, unit, into);
}
