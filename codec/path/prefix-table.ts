import type { Schema } from "../../model/schema.ts";

/** One prefix for each module of a schema and one module for each prefix. */
export interface PrefixTable {
  readonly prefixOf: (module: string) => string | undefined;
  readonly moduleOf: (prefix: string) => string | undefined;
}

const tables = new WeakMap<Schema, PrefixTable>();

/**
 * Each module's own prefix. Where two modules chose the same one (which YANG allows), implemented modules come first and
 * the others get a number; a prefix that XML keeps for itself gets another beginning.
 */
export function schemaPrefixes(schema: Schema): PrefixTable {
  const known = tables.get(schema);
  if (known !== undefined) return known;
  const modules = [...schema.modules].filter(([key, module]) => key === module.name).map(([, module]) => module);
  const prefixes = new Map<string, string>();
  const owners = new Map<string, string>();
  for (const module of [...modules.filter((each) => !each.importOnly), ...modules.filter((each) => each.importOnly)]) {
    const wanted = /^xml/i.test(module.prefix) ? `m-${module.prefix}` : module.prefix;
    let prefix = wanted;
    for (let count = 2; owners.has(prefix); count += 1) prefix = `${wanted}-${String(count)}`;
    prefixes.set(module.name, prefix);
    owners.set(prefix, module.name);
  }
  const table: PrefixTable = { prefixOf: (module) => prefixes.get(module), moduleOf: (prefix) => owners.get(prefix) };
  tables.set(schema, table);
  return table;
}
