import { existsSync, realpathSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { bundleWorkflowCode, DefaultLogger } from "@temporalio/worker";
import { dataConverterPaths } from "./data-converter.ts";

/**
 * Bundles `workflows/` for Temporal's sandbox ahead of time, which cuts a worker's start from seconds to half a second.
 *
 * A process that has loaded LadybugDB must never do this: its library is loaded with global symbols, after which the
 * compiler behind the bundler no longer loads. So the bundle is made at build time (`npm run build`) and in the test
 * runner's own process, and the worker that opens the graph only reads the file.
 */

const here = import.meta.dirname;
/** This file runs both compiled (`dist/worker/*.js`) and as source (`worker/*.ts`); it bundles what stands beside it. */
const compiled = extname(import.meta.filename) === ".js" && basename(dirname(here)) === "dist";
const distFolder = compiled ? dirname(here) : join(here, "..", "dist");

/** Absolute path of the bundle, given to `Worker.create` as `workflowBundle: { codePath }`. */
export const workflowBundlePath = join(distFolder, "workflow-bundle.js");

/** The module whose exported functions are the workflows. */
export const defaultWorkflowsPath = join(here, "..", "workflows", compiled ? "index.js" : "index.ts");

/** Guards inside the sandbox: workflow results, query results and what cannot be read. */
const interceptorsPath = join(here, "..", "workflows", compiled ? "interceptors.js" : "interceptors.ts");

export interface BuildWorkflowBundleOptions {
  /** Module that exports the workflow functions; default: `workflows/index` beside this file. */
  readonly workflowsPath?: string;
  /** Where the bundle goes; default: `dist/workflow-bundle.js`. */
  readonly outputPath?: string;
}

/**
 * Writes the workflow bundle and returns its absolute path. The file appears whole or not at all, so a worker that
 * starts meanwhile reads the old bundle or the new one.
 *
 * Rejects when workflow code reaches a module that the sandbox forbids (`node:crypto`, files, a provider, ...); the
 * message names the module and who imports it.
 */
export async function buildWorkflowBundle(options: BuildWorkflowBundleOptions = {}): Promise<string> {
  const { outputPath = workflowBundlePath, workflowsPath = defaultWorkflowsPath } = options;
  // The bundler logs why it failed and throws without the reason, so the log is kept for the error.
  const problems: string[] = [];
  const logger = new DefaultLogger("WARN", ({ level, message }) => {
    if (level === "ERROR") problems.push(message);
    else process.stderr.write(`workflow bundle: ${message}\n`);
  });
  // Converters and interceptors are part of the bundle; the worker that loads it is given the same converters by path.
  const bundleOptions = {
    workflowsPath,
    ...dataConverterPaths,
    workflowInterceptorModules: [interceptorsPath],
    logger,
  };
  const { code } = await bundleWorkflowCode(bundleOptions).catch((cause: unknown) => {
    throw new Error(`the workflows cannot run in Temporal's sandbox: ${explain(problems, cause)}`, { cause });
  });
  await mkdir(dirname(outputPath), { recursive: true });
  const partial = `${outputPath}.${process.pid}.partial`;
  try {
    await writeFile(partial, code);
    await rename(partial, outputPath);
  } finally {
    await rm(partial, { force: true });
  }
  return outputPath;
}

/** The bundler's findings without its listing of everything that did bundle, and without stacks. */
function explain(problems: readonly string[], cause: unknown): string {
  const lines = problems
    .flatMap((text) => text.slice(Math.max(0, text.indexOf("ERROR in"))).split("\n"))
    .filter((line) => line.trim() !== "" && !/^\s+at /.test(line));
  return lines.length > 0 ? lines.join("\n") : String(cause);
}

/** True when this file is the program that Node was started with. */
function isMain(): boolean {
  const started = process.argv[1];
  return started !== undefined && existsSync(started) && realpathSync(started) === realpathSync(import.meta.filename);
}

if (isMain()) {
  if (existsSync(defaultWorkflowsPath)) {
    process.stderr.write(`workflow bundle: ${await buildWorkflowBundle()}\n`);
  } else {
    process.stderr.write("workflow bundle: there are no workflows to bundle\n");
  }
}
