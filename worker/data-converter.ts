/** The converters that every worker and client of ours must share: payload guard and failure cutter. */
import { existsSync } from "node:fs";
import { join } from "node:path";

function beside(name: string): string | undefined {
  for (const extension of [".js", ".ts"]) {
    const path = join(import.meta.dirname, "..", "contract", name + extension);
    if (existsSync(path)) return path;
  }
  return undefined;
}

const payloadConverterPath = beside("payload-converter");
const failureConverterPath = beside("failure-converter");

export const dataConverterPaths = {
  ...(payloadConverterPath === undefined ? {} : { payloadConverterPath }),
  ...(failureConverterPath === undefined ? {} : { failureConverterPath }),
};
