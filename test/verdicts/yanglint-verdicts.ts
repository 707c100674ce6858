/**
 * What yanglint says about cases, at run time. It prints no error-app-tag, so the library below it is asked for that,
 * and both have to agree on the verdict.
 */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { missingYanglintProgram } from "../support/yanglint.ts";
import { type TextEdit, type VerdictCase, documentOf, moduleText } from "./verdict-case.ts";

const run = promisify(execFile);
const script = join(import.meta.dirname, "..", "support", "libyang-verdicts.py");
const AT_ONCE = 4;

export interface YanglintQuestion {
  readonly case: VerdictCase;
  readonly edit?: TextEdit;
}

export type YanglintVerdict =
  | { readonly verdict: "valid" }
  | { readonly verdict: "invalid"; readonly errorAppTag?: string; readonly message: string }
  /** It does not take the module, or yanglint and its library answer differently. */
  | { readonly verdict: "none"; readonly message: string };

export interface LibyangAnswer {
  readonly unusable?: string;
  readonly valid?: boolean;
  readonly message?: string;
  readonly errorAppTag?: string | null;
}

/** What is missing for these comparisons, with the way to get it; undefined when all is there. */
export function missingYanglint(): string | undefined {
  const program = missingYanglintProgram();
  if (program !== undefined) return program;
  const library = spawnSync("python3", [script], { input: "[]", encoding: "utf8" });
  return library.status === 0 ? undefined : "python3 finds no libyang.so.2 (Debian and Ubuntu: libyang2 and python3)";
}

/** Answers in the order of the questions. */
export async function yanglintVerdicts(questions: readonly YanglintQuestion[]): Promise<readonly YanglintVerdict[]> {
  const folder = mkdtempSync(join(tmpdir(), "verdicts-"));
  try {
    const written = questions.map((question, index) => writeQuestion(join(folder, String(index)), question));
    const answers = askLibyang(written);
    const exits: boolean[] = [];
    for (let at = 0; at < written.length; at += AT_ONCE) {
      exits.push(...(await Promise.all(written.slice(at, at + AT_ONCE).map(isAccepted))));
    }
    return answers.map((answer, index) => verdictOf(answer, exits[index]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The answers of libyang alone about JSON documents of one module, in their order. */
export function libyangAnswers(module: string, documents: readonly string[]): readonly LibyangAnswer[] {
  const folder = mkdtempSync(join(tmpdir(), "libyang-"));
  try {
    writeFileSync(join(folder, "v.yang"), module);
    const questions = documents.map((text, index): WrittenQuestion => {
      const data = `${String(index)}.json`;
      writeFileSync(join(folder, data), text);
      return { folder, modules: ["v.yang"], data, format: "json" };
    });
    return askLibyang(questions);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function askLibyang(questions: readonly WrittenQuestion[]): readonly LibyangAnswer[] {
  const input = JSON.stringify(questions);
  const output = execFileSync("python3", [script], { input, encoding: "utf8", maxBuffer: 2 ** 26 });
  return JSON.parse(output) as readonly LibyangAnswer[];
}

interface WrittenQuestion {
  readonly folder: string;
  readonly modules: readonly string[];
  readonly data: string;
  readonly format: "xml" | "json";
}

function writeQuestion(folder: string, { case: each, edit }: YanglintQuestion): WrittenQuestion {
  mkdirSync(folder);
  const modules = [...(each.modules ?? []), moduleText(each, edit)].map((text) => {
    const name = `${/module\s+([^\s{]+)/u.exec(text)?.[1] ?? "unnamed"}.yang`;
    writeFileSync(join(folder, name), text);
    return name;
  });
  const { format, text } = documentOf(each);
  const data = `data.${format}`;
  writeFileSync(join(folder, data), text);
  return { folder, modules, data, format };
}

async function isAccepted({ folder, modules, data }: WrittenQuestion): Promise<boolean> {
  try {
    await run("yanglint", ["-t", "config", ...modules, data], { cwd: folder });
    return true;
  } catch {
    return false;
  }
}

function verdictOf(answer: LibyangAnswer, accepted: boolean | undefined): YanglintVerdict {
  const { unusable, valid, message = "", errorAppTag } = answer;
  if (unusable !== undefined) return { verdict: "none", message: unusable };
  if (valid !== accepted) {
    return { verdict: "none", message: `yanglint ${accepted === true ? "takes" : "refuses"} it, libyang: ${message}` };
  }
  if (valid === true) return { verdict: "valid" };
  return { verdict: "invalid", message, ...(typeof errorAppTag === "string" ? { errorAppTag } : {}) };
}
