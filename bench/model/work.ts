/**
 * The work of ours that bench `model` measures, one kind a process. Prints one JSON object, a `WorkReport`.
 *
 * Usage (by bench/model.ts): node --import tsx bench/model/work.ts WORK REPEAT ARG..
 * Every repetition starts from files on the disk, as a peer's process does; the first is cold.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Result, formatDiagnostic } from "../../model/diagnostic.ts";
import { type DataSchemaNode, type Schema, isParentSchema } from "../../model/schema.ts";
import { type Children, type DataTree, hasChildren } from "../../model/tree.ts";
import type { YangSource } from "../../model/yang/compile-yang.ts";
import type { Sample } from "../figure.ts";
import type { WorkReport } from "../measure.ts";
import { benchModules } from "./modules.ts";

/** Loads the sources that the work needs, which does not count; what it returns does. */
type Work = (args: readonly string[]) => Promise<() => Measured>;

/** One repetition: `timed` where only a part of it counts. */
interface Measured {
  readonly facts: WorkReport["facts"];
  readonly timed?: Sample;
}

const works: Readonly<Record<string, Work>> = {
  /** DIRECTORY MODULE..: the named modules implemented, with the texts of the directory that they need. */
  compile: async ([directory = "", ...names]) => {
    const compile = await loadCompiler();
    return () => {
      const schema = compile(sourcesOf(directory, names), names);
      return { facts: { modules: names.length, nodes: countSchema(schema.roots) } };
    };
  },

  /** FILE DIRECTORY MODULE..: writes the compiled schema, for the two works below. */
  "write-schema": async ([file = "", directory = "", ...names]) => {
    const compile = await loadCompiler();
    const { schemaToDocument } = await import("../../model/yang/schema-document.ts");
    return () => {
      const text = schemaToDocument(compile(sourcesOf(directory, names), names));
      writeFileSync(file, text);
      return { facts: { characters: text.length } };
    };
  },

  /** FILE: a compiled schema read back, as far as its top-level nodes. */
  "cached-schema": async ([file = ""]) => {
    const read = await loadSchemaReader();
    return () => ({ facts: { roots: read(file).roots.size } });
  },

  /** FILE: the same, and every data node looked at. */
  "cached-schema-whole": async ([file = ""]) => {
    const read = await loadSchemaReader();
    return () => ({ facts: { nodes: countSchema(read(file).roots) } });
  },

  /** FILE: a configuration of the bench's own modules, whose values end in canonical form. */
  parse: async ([file = ""]) => {
    const [schemaOf, read] = [await loadBenchSchema(), await loadReader(file)];
    return () => ({ facts: { leafs: countLeafs(read(schemaOf(), file).roots) } });
  },

  /** FILE: reading alone, the modules being compiled. */
  "parse-only": async ([file = ""]) => {
    const schema = (await loadBenchSchema())();
    const read = await loadReader(file);
    return () => {
      const started = now();
      const tree = read(schema, file);
      return { timed: since(started), facts: { leafs: countLeafs(tree.roots) } };
    };
  },

  /** FILE: as `parse`, and then whether it is valid. */
  validate: async ([file = ""]) => {
    const [schemaOf, read, validate] = [await loadBenchSchema(), await loadReader(file), await loadValidation()];
    return () => {
      const tree = read(schemaOf(), file);
      return { facts: { leafs: countLeafs(tree.roots), findings: validate(tree) } };
    };
  },

  /** FILE: validation alone, of a tree that stands. */
  "validate-only": async ([file = ""]) => {
    const [schemaOf, read, validate] = [await loadBenchSchema(), await loadReader(file), await loadValidation()];
    return () => {
      const tree = read(schemaOf(), file);
      const started = now();
      const findings = validate(tree);
      return { timed: since(started), facts: { leafs: countLeafs(tree.roots), findings } };
    };
  },

  /** FILE: the XML parser that ours is built on, doing nothing with what it reads. */
  saxes: async ([file = ""]) => {
    const { SaxesParser } = await import("saxes");
    return () => {
      let elements = 0;
      const parser = new SaxesParser({ xmlns: true });
      parser.on("opentag", () => (elements += 1));
      parser.write(readFileSync(file, "utf8")).close();
      return { facts: { elements } };
    };
  },

  /** FILE: the size of a tree; needs --expose-gc. */
  memory: async ([file = ""]) => {
    const schema = (await loadBenchSchema())();
    const read = await loadReader(file);
    // Once before, so that what is made once (pattern caches, compiled code) does not count as the tree.
    read(schema, file);
    return () => {
      const before = heapInUse();
      const tree = read(schema, file);
      const bytes = heapInUse() - before;
      const leafs = countLeafs(tree.roots);
      return { facts: { leafs, bytes, bytesPerLeaf: bytes / leafs } };
    };
  },
};

function heapInUse(): number {
  if (globalThis.gc === undefined) throw new Error("memory needs node --expose-gc");
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/** The modules and what they import and include, which is what the peers read as well. Needs: no revisions in names. */
function sourcesOf(directory: string, modules: readonly string[]): readonly YangSource[] {
  const sources = new Map<string, YangSource>();
  const open = [...modules];
  for (const module of open) {
    if (sources.has(module)) continue;
    const name = `${module}.yang`;
    const text = readFileSync(join(directory, name), "utf8");
    sources.set(module, { name, text });
    for (const [, needed = ""] of text.matchAll(/^\s*(?:import|include)\s+"?([\w.-]+)/gm)) open.push(needed);
  }
  return [...sources.values()];
}

async function loadCompiler(): Promise<(sources: readonly YangSource[], names: readonly string[]) => Schema> {
  const { compileYang } = await import("../../model/yang/compile-yang.ts");
  return (sources, names) => {
    const implement = names.length === 0 ? ("all" as const) : names.map((name) => ({ name }));
    return valueOf(compileYang(sources, { implement, features: "all" }));
  };
}

async function loadSchemaReader(): Promise<(file: string) => Schema> {
  const { schemaFromDocument } = await import("../../model/yang/schema-document.ts");
  return (file) => valueOf(schemaFromDocument(readFileSync(file, "utf8")));
}

async function loadBenchSchema(): Promise<() => Schema> {
  const compile = await loadCompiler();
  return () => {
    const sources = benchModules.map((path) => ({ name: basename(path), text: readFileSync(path, "utf8") }));
    return compile(sources, []);
  };
}

/** The reader for the encoding that the name of the file tells. */
async function loadReader(file: string): Promise<(schema: Schema, file: string) => DataTree> {
  const options = { unknown: "error", nodes: "config", defaultsMode: "explicit" } as const;
  if (file.endsWith(".json")) {
    const { dataFromJsonText } = await import("../../codec/json/data-from-json.ts");
    return (schema) => {
      const source = basename(file);
      return valueOf(dataFromJsonText(schema, readFileSync(file, "utf8"), { ...options, source }));
    };
  }
  const { dataFromXmlText } = await import("../../codec/xml/data-from-xml-text.ts");
  return (schema) => {
    const source = basename(file);
    return valueOf(dataFromXmlText(schema, readFileSync(file, "utf8"), { ...options, source }));
  };
}

/** Gives the number of findings. */
async function loadValidation(): Promise<(tree: DataTree) => number> {
  const { validateTree } = await import("../../model/validation/validate-tree.ts");
  return (tree) => validateTree(tree).length;
}

function valueOf<T>(result: Result<T>): T {
  if (result.kind === "ok") return result.value;
  throw new Error(result.diagnostics.slice(0, 5).map(formatDiagnostic).join("\n"));
}

function countLeafs(children: Children): number {
  let leafs = 0;
  for (const node of children.values()) {
    if (node.kind === "entry") leafs += node.keys.length;
    leafs += hasChildren(node) ? countLeafs(node.children) : 1;
  }
  return leafs;
}

function countSchema(nodes: ReadonlyMap<string, DataSchemaNode>): number {
  let found = 0;
  for (const node of nodes.values()) found += 1 + (isParentSchema(node) ? countSchema(node.children) : 0);
  return found;
}

interface Moment {
  readonly wall: number;
  readonly cpu: NodeJS.CpuUsage;
}

function now(): Moment {
  return { wall: performance.now(), cpu: process.cpuUsage() };
}

function since(start: Moment): Sample {
  const { user, system } = process.cpuUsage(start.cpu);
  return { wall: (performance.now() - start.wall) / 1000, cpu: (user + system) / 1e6 };
}

const [name = "", repeat = "1", ...args] = process.argv.slice(2);
const load = works[name];
if (load === undefined) throw new Error(`no work ${name}; there is ${Object.keys(works).join(", ")}`);
const work = await load(args);
const samples: Sample[] = [];
let facts: WorkReport["facts"] = {};
for (let turn = 0; turn < Number(repeat); turn += 1) {
  const started = now();
  const measured = work();
  samples.push(measured.timed ?? since(started));
  facts = measured.facts;
}
writeFileSync(process.stdout.fd, `${JSON.stringify({ samples, facts } satisfies WorkReport)}\n`);
