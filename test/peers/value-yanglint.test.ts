/**
 * The table of lexical values put to yanglint: its verdicts and the canonical forms that it prints. Where it decides
 * otherwise than we do, the table gives the section that makes ours right, and that it does is measured here.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describePeer } from "../support/peer-suite.ts";
import { parseValue } from "../../model/values/canonical-value.ts";
import type { LeafSchema, Schema } from "../../model/schema.ts";
import { missingYanglintProgram } from "../support/yanglint.ts";
import {
  BASE_MODULE,
  OTHERWISE_IN_LIBYANG,
  OTHER_MODULE,
  VALUES_MODULE,
  VALUE_ROWS,
  type ValueRow,
  type Verdict,
} from "../unit/value-rows.ts";
import { compiled, leafAt } from "../unit/yang-fixture.ts";

const run = promisify(execFile);

/** The published modules as libyang's package installs them. */
const installed = "/usr/share/yang/modules/libyang";
const published = ["ietf-inet-types@2013-07-15.yang", "ietf-yang-types@2013-07-15.yang"];
const missing =
  missingYanglintProgram() ??
  (published.every((name) => existsSync(join(installed, name)))
    ? undefined
    : `${published.join(" and ")} are not in ${installed} (Debian and Ubuntu: apt-get install libyang2)`);

describePeer("lexical values put to yanglint", missing, () => {
  const modules: Readonly<Record<string, string>> = { "": "values", v: "values", o: "values-other", b: "values-base" };
  const texts = { "values-base": BASE_MODULE, "values-other": OTHER_MODULE, values: VALUES_MODULE };
  let folder = "";
  let schema: Schema;
  const leaf = (name: string): LeafSchema => leafAt(schema, `/values:${name}`);

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "values-"));
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, `${name}.yang`), text);
    const sources = [
      ...Object.entries(texts).map(([name, text]) => ({ name: `${name}.yang`, text })),
      ...published.map((name) => ({ name, text: readFileSync(join(installed, name), "utf8") })),
    ];
    schema = compiled(sources, { implement: [{ name: "values", revision: undefined }], features: "all" });
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
    console.log(`yanglint decides ${String(VALUE_ROWS.length)} values; these otherwise than the RFC:`);
    for (const { leaf: name, lexical, section } of OTHERWISE_IN_LIBYANG)
      console.log(`  ${name} ${JSON.stringify(lexical)}: ${section}`);
  });

  const ours = ({ leaf: name, lexical }: ValueRow): Verdict => {
    const form = { kind: "xml", moduleOf: (prefix: string) => modules[prefix] } as const;
    const result = parseValue(leaf(name).type, lexical, { schema, form });
    return result.kind === "ok" ? { canonical: result.value.text } : { code: result.diagnostics[0]?.code ?? "" };
  };

  const theirs = async (row: ValueRow, index: number): Promise<"refuses" | { readonly canonical: string }> => {
    const escaped = row.lexical.replace(/[^ -%'-;=?-~\u{80}-\u{10ffff}]|[\u0080-\u009f]/gu, (character) => {
      return `&#${String(character.codePointAt(0))};`;
    });
    const namespaces = Object.entries(modules).map(
      ([prefix, name]) => `xmlns${prefix === "" ? "" : `:${prefix}`}="urn:${name}"`,
    );
    const file = `${String(index)}.xml`;
    writeFileSync(join(folder, file), `<${row.leaf} ${namespaces.join(" ")}>${escaped}</${row.leaf}>`);
    try {
      const options = ["-p", folder, "-f", "json", "-t", "config", "values.yang", "values-other.yang", file];
      const { stdout } = await run("yanglint", options, { cwd: folder, encoding: "utf8" });
      const printed = (JSON.parse(stdout) as Readonly<Record<string, unknown>>)[`values:${row.leaf}`];
      return { canonical: Array.isArray(printed) ? "" : String(printed) };
    } catch (error) {
      // Anything but its own refusal, for example a module it cannot load, is no verdict.
      const { stderr = "" } = error as { readonly stderr?: string };
      if (!/Failed to parse input data file/.test(stderr)) throw error;
      return "refuses";
    }
  };

  it.each(VALUE_ROWS.map((row, index) => [row.leaf, row.lexical, row, index] as const))(
    "%s %j",
    async (name, lexical, row, index) => {
      expect(ours(row)).toEqual(row.verdict);
      const otherwise = OTHERWISE_IN_LIBYANG.find((each) => each.leaf === name && each.lexical === lexical);
      const right = "canonical" in row.verdict ? row.verdict : "refuses";
      if (otherwise !== undefined) expect(otherwise.libyang).not.toEqual(right);
      expect(await theirs(row, index)).toEqual(otherwise?.libyang ?? right);
    },
  );

  it("names no difference that is none", () => {
    for (const { leaf: name, lexical } of OTHERWISE_IN_LIBYANG)
      expect(VALUE_ROWS.filter((row) => row.leaf === name && row.lexical === lexical)).toHaveLength(1);
  });
});
