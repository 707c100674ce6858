/** A plan's documents: fetched by digest and proven, or kept in a file that can be read and checked elsewhere. */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import type { Result } from "../../model/diagnostic.ts";
import {
  type PlanHeader,
  type PlanSection,
  parseHeaderDocument,
  parseSectionDocument,
} from "../../plan/plan-document.ts";
import { CliError } from "../cli-error.ts";
import type { Session } from "./session.ts";

export interface PlanDocuments {
  readonly plan: string;
  /** Of the header: what an approval binds. */
  readonly digest: string;
  readonly header: PlanHeader;
  readonly sections: readonly PlanSection[];
}

interface PlanFile {
  readonly format: "tenure-plan-file/1";
  readonly plan: string;
  readonly digest: string;
  /** Texts by digest: the header and every section. */
  readonly documents: Readonly<Record<string, string>>;
}

type ReadText = (digest: string) => Promise<string>;

/**
 * What the digest stands for, proven here: what is shown is what an approval of this digest approves, whatever the
 * other side or the file says. Error `document-digest` and the other codes of plan documents.
 */
async function readDocuments(plan: string, digest: string, read: ReadText): Promise<PlanDocuments> {
  const header = proven(parseHeaderDocument, digest, await read(digest));
  const sections = await Promise.all(
    Object.values(header.sections).map(async (each) => proven(parseSectionDocument, each, await read(each))),
  );
  return { plan, digest, header, sections };
}

function proven<T>(
  parse: (text: string, check: { readonly expected: string; readonly actual: string }) => Result<T>,
  digest: string,
  text: string,
): T {
  const parsed = parse(text, { expected: digest, actual: createHash("sha256").update(text, "utf8").digest("hex") });
  if (parsed.kind === "ok") return parsed.value;
  const [first] = parsed.diagnostics;
  throw new CliError({
    code: first?.code ?? "document",
    message: first?.message ?? "the document cannot be read",
    diagnostics: parsed.diagnostics,
  });
}

export async function fetchPlan(session: Session, plan: string, digest: string): Promise<PlanDocuments> {
  return readDocuments(plan, digest, (each) => session.api.getText(`/documents/${each}`));
}

/** Writes the plan with all its documents, never over an existing file. */
export async function savePlan(session: Session, documents: PlanDocuments, file: string): Promise<void> {
  const digests = [documents.digest, ...Object.values(documents.header.sections)];
  const texts = await Promise.all(
    digests.map(async (digest) => [digest, await session.api.getText(`/documents/${digest}`)] as const),
  );
  const content: PlanFile = {
    format: "tenure-plan-file/1",
    plan: documents.plan,
    digest: documents.digest,
    documents: Object.fromEntries(texts),
  };
  try {
    await writeFile(file, `${JSON.stringify(content, undefined, 2)}\n`, { flag: "wx" });
  } catch (error) {
    throw new CliError(
      {
        code: "unwritable",
        message: `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
      },
      error,
    );
  }
}

export async function loadPlan(file: string): Promise<PlanDocuments> {
  let content: Partial<PlanFile>;
  try {
    content = JSON.parse(await readFile(file, "utf8")) as Partial<PlanFile>;
  } catch (error) {
    throw new CliError(
      {
        code: "unreadable",
        message: `${file} is no plan file: ${error instanceof Error ? error.message : String(error)}`,
      },
      error,
    );
  }
  const { format, plan, digest, documents } = content;
  if (format !== "tenure-plan-file/1" || plan === undefined || digest === undefined || documents === undefined) {
    throw new CliError({ code: "unreadable", message: `${file} is no plan file of this version` });
  }
  return readDocuments(plan, digest, (each) => {
    const text = documents[each];
    return text === undefined
      ? Promise.reject(new CliError({ code: "unreadable", message: `${file} lacks document ${each}` }))
      : Promise.resolve(text);
  });
}
