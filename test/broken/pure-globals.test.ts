import { join } from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";

/**
 * The compiler settings of the pure folders leave the machine undeclared: code there that reaches for files, timers,
 * the console or the process does not compile. The probes exist in memory only.
 */

const root = join(import.meta.dirname, "..", "..");

/** Name of a probe -> its text. Each of the first group must not compile, each of the second must. */
const refused = {
  "node-fs": 'import { readFileSync } from "node:fs";\nexport const probe = readFileSync;\n',
  "bare-fs": 'import { readFileSync } from "fs";\nexport const probe = readFileSync;\n',
  timer: "setTimeout(() => undefined, 1);\nexport {};\n",
  console: 'console.log("");\nexport {};\n',
  process: "export const probe = process.pid;\n",
  buffer: 'export const probe = Buffer.from("");\n',
  fetch: 'export const probe = fetch("");\n',
  url: 'export const probe = new URL("http://localhost");\n',
  enum: "export enum Probe { One }\n",
  "parameter-property": "export class Probe { constructor(readonly one: number) {} }\n",
};
const accepted = {
  text: 'export const probe = new TextDecoder().decode(new TextEncoder().encode("x"));\n',
  language: "export const probe = new Map([[1n, [1, 2].map(String)]]);\n",
};

const projects = [
  { config: "tsconfig.pure.json", folders: ["model", "codec", "plan", "goal", "resources", "services", "contract"] },
  { config: "tsconfig.workflows.json", folders: ["workflows"] },
];

/** Path of a probe -> the compiler's messages. */
const messages = new Map<string, readonly string[]>();
const probePath = (folder: string, name: string) => join(root, folder, `probe-${name}.ts`);

beforeAll(() => {
  for (const { config, folders } of projects) {
    const parsed = ts.getParsedCommandLineOfConfigFile(join(root, config), undefined, {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
        throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n"));
      },
    });
    if (parsed === undefined) throw new Error(`${config} cannot be read`);
    const probes = new Map<string, string>();
    for (const folder of folders) {
      for (const [name, text] of Object.entries({ ...refused, ...accepted })) probes.set(probePath(folder, name), text);
    }
    const options = { ...parsed.options, noEmit: true, incremental: false, composite: false };
    const host = ts.createCompilerHost(options);
    const disk = { ...host };
    host.fileExists = (file) => probes.has(file) || disk.fileExists(file);
    host.readFile = (file) => probes.get(file) ?? disk.readFile(file);
    host.getSourceFile = (file, languageVersion, ...rest) => {
      const text = probes.get(file);
      return text === undefined
        ? disk.getSourceFile(file, languageVersion, ...rest)
        : ts.createSourceFile(file, text, languageVersion);
    };
    // With the real files beside the probes, so that a type package which one of them drags in would show.
    const program = ts.createProgram([...parsed.fileNames, ...probes.keys()], options, host);
    for (const path of probes.keys()) {
      const file = program.getSourceFile(path);
      if (file === undefined) throw new Error(`${path} is not part of the program`);
      messages.set(
        path,
        [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map((diagnostic) =>
          ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n"),
        ),
      );
    }
  }
});

describe.each(projects.flatMap(({ folders }) => folders))("%s", (folder) => {
  test.each(Object.keys(refused))("%s does not compile", (name) => {
    expect(messages.get(probePath(folder, name))).toHaveLength(1);
  });

  test.each(Object.keys(accepted))("%s compiles", (name) => {
    expect(messages.get(probePath(folder, name))).toEqual([]);
  });
});

test("the pure projects hold exactly the pure folders", () => {
  for (const { config, folders } of projects) {
    const { include } = (ts.readConfigFile(join(root, config), (path) => ts.sys.readFile(path)).config ?? {}) as {
      include: readonly string[];
    };
    expect(include).toEqual(["pure-globals.d.ts", ...folders.map((folder) => `${folder}/**/*.ts`)]);
  }
});
