import type { Command } from "commander";
import { dataToJson } from "../../../codec/json/data-to-json.ts";
import { type JsonValue, formatJson } from "../../../codec/json/json-value.ts";
import { dataToXml } from "../../../codec/xml/data-to-xml.ts";
import { formatXml } from "../../../codec/xml/format-xml.ts";
import { describeXmlError } from "../../../codec/xml/xml-result.ts";
import { renderGoal } from "../../../goal/device-goal.ts";
import type { Diagnostic, Result } from "../../../model/diagnostic.ts";
import type { DataTree } from "../../../model/tree.ts";
import { CliError, usageError } from "../../cli-error.ts";
import { readTextFile } from "../../text-file.ts";
import { ExitCode } from "../exit-code.ts";
import { type CliRun, addVerb, argument, choice } from "../verb.ts";
import { DATA_FORMATS, type DataFormat, formatOfFile, readData } from "./data-file.ts";
import { reportWarnings } from "./findings.ts";
import { type SchemaOptions, featuresOption, moduleOption, yangOption } from "./schema-options.ts";
import { loadSchema } from "./schema.ts";
import { ENVELOPES, type Envelope, layOut } from "./xml-layout.ts";

interface ConvertOptions extends SchemaOptions {
  readonly from?: DataFormat;
  readonly to: DataFormat | "goal";
  readonly envelope?: Envelope;
}

export function addConvert(program: Command, cli: CliRun): void {
  addVerb<ConvertOptions>(program, cli, {
    usage: "convert <file>",
    summary:
      "Convert data between XML and RFC 7951 JSON, or to the canonical goal file. FILE - is standard input. Types, keys " +
      "and names are checked; for everything else see validate.",
    examples: [
      "tenure convert --yang ./models --from xml --to json running.xml",
      "tenure convert --yang ./models --from json --to xml --envelope config - < change.json",
      "tenure convert --yang ./models --from xml --to goal get-config-reply.xml",
    ],
    options: [
      yangOption(),
      moduleOption(),
      featuresOption(),
      choice("--from <format>", "how the file is written; without it the file's first character tells", DATA_FORMATS),
      choice("--to <format>", "how to write it; goal leaves out state and defaults", [
        ...DATA_FORMATS,
        "goal",
      ]).makeOptionMandatory(),
      choice(
        "--envelope <element>",
        "with --to xml, what stands around the data (default: none for one top-level node, data for more)",
        ENVELOPES,
      ),
    ],
    run: async ({ session, args, options }) => {
      if (options.envelope !== undefined && options.to !== "xml") throw usageError("--envelope goes with --to xml");
      const file = await readTextFile(argument(args, 0));
      const schema = await loadSchema(session, options);
      const nodes = options.to === "goal" ? "config" : "all";
      const read = readData(schema, file, { format: options.from ?? formatOfFile(file), nodes });
      const tree = needed(read, `${file.name} does not fit the modules`);
      const text = written(tree, options, file.name);
      if (read.kind === "ok") reportWarnings(session, read.warnings);
      // A goal is the bytes that a digest is of; only a reader gets a final newline.
      if (options.to === "goal" && session.form === "text") {
        session.terminal.out(session.terminal.outIsTerminal ? `${text}\n` : text);
        return ExitCode.ok;
      }
      session.result(
        { form: options.to, content: options.to === "xml" ? text : (JSON.parse(text) as unknown) },
        () => text,
      );
      return ExitCode.ok;
    },
  });
}

function written(tree: DataTree, options: ConvertOptions, name: string): string {
  switch (options.to) {
    case "goal":
      return renderGoal(tree);
    case "json":
      return layOutJson(needed(dataToJson(tree, { defaults: "tag" }), `${name} has no JSON form`));
    case "xml": {
      const elements = needed(dataToXml(tree, { defaults: "tag" }), `${name} has no XML form`);
      const envelope = options.envelope ?? (elements.length === 1 ? "none" : "data");
      return layOut(tree.schema, elements, envelope)
        .map((element) => {
          const text = formatXml(element);
          if (text.kind === "ok") return `${text.value}\n`;
          throw new CliError({
            code: "not-writable",
            message: `${name} has no XML form: ${describeXmlError(text.error)}`,
          });
        })
        .join("");
    }
  }
}

const layOutJson = (json: JsonValue): string => formatJson(json, { layout: "indented" });

function needed<T>(result: Result<T>, message: string): T {
  if (result.kind === "ok") return result.value;
  throw invalidData(message, result.diagnostics);
}

function invalidData(message: string, diagnostics: readonly Diagnostic[]): CliError {
  return new CliError({ code: "invalid-data", message, diagnostics });
}
