/** What this project says about a case: the document is read, then validated. */
import { dataFromJson } from "../../codec/json/data-from-json.ts";
import { parseJson } from "../../codec/json/parse-json.ts";
import { dataFromXml } from "../../codec/xml/data-from-xml.ts";
import { parseXml } from "../../codec/xml/read-xml.ts";
import type { Diagnostic, Result } from "../../model/diagnostic.ts";
import type { Schema } from "../../model/schema.ts";
import type { DataTree } from "../../model/tree.ts";
import { validateTree } from "../../model/validation/validate-tree.ts";
import { compileYang } from "../../model/yang/compile-yang.ts";
import { valueOf } from "../support/results.ts";
import { type TextEdit, type VerdictCase, documentOf, moduleText } from "./verdict-case.ts";

export type OurVerdict =
  | { readonly verdict: "valid" }
  | {
      readonly verdict: "invalid";
      readonly code: string;
      readonly path: string;
      readonly errorAppTag?: string;
    };

export function caseSchema(each: VerdictCase, edit?: TextEdit): Schema {
  const texts = [...(each.modules ?? []), moduleText(each, edit)];
  const sources = texts.map((text, index) => ({ name: `${String(index)}.yang`, text }));
  return valueOf(compileYang(sources, { implement: "all", features: "all" }));
}

/** The first finding decides about code, path and error-app-tag. */
export function ourVerdict(each: VerdictCase, edit?: TextEdit): OurVerdict {
  const read = readCase(each, caseSchema(each, edit));
  const findings = read.kind === "ok" ? validateTree(read.value) : read.diagnostics;
  const [first] = findings;
  return first === undefined ? { verdict: "valid" } : invalid(first);
}

export function readCase(each: VerdictCase, schema: Schema): Result<DataTree> {
  const options = { unknown: "error", nodes: "config", defaultsMode: "explicit" } as const;
  const { format, text } = documentOf(each);
  if (format === "json") return dataFromJson(schema, valueOf(parseJson(text, { source: "data" })), options);
  const root = parseXml(text);
  if (root.kind === "failed") throw new Error(`${each.title}: the document is no XML`);
  return dataFromXml(schema, [root.value], options);
}

function invalid(finding: Diagnostic): OurVerdict {
  const place = finding.places.find((each) => each.kind === "instance");
  return {
    verdict: "invalid",
    code: finding.code,
    path: place?.kind === "instance" ? place.path : "",
    ...(finding.errorAppTag === undefined ? {} : { errorAppTag: finding.errorAppTag }),
  };
}
