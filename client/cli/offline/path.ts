import type { Command } from "commander";
import { PATH_FORMS, type PathForm, formatPath, parsePath } from "../../../codec/path/path-codec.ts";
import { schemaPrefixes } from "../../../codec/path/prefix-table.ts";
import { TextLines } from "../../../codec/text-lines.ts";
import type { Diagnostic } from "../../../model/diagnostic.ts";
import { formatInstancePath } from "../../../model/path.ts";
import type { PathDiagnostic } from "../../../model/paths/path-diagnostic.ts";
import type { Schema } from "../../../model/schema.ts";
import { CliError } from "../../cli-error.ts";
import { ExitCode } from "../exit-code.ts";
import { type CliRun, addVerb, argument, choice } from "../verb.ts";
import { type SchemaOptions, featuresOption, moduleOption, yangOption } from "./schema-options.ts";
import { loadSchema } from "./schema.ts";

interface PathOptions extends SchemaOptions {
  readonly from: PathForm;
  readonly to: PathForm;
}

/** In front of what the codec writes: a path of RESTCONF begins at the datastore. */
const RESTCONF_DATA = "/restconf/data";

export function addPath(program: Command, cli: CliRun): void {
  addVerb<PathOptions>(program, cli, {
    usage: "path <path>",
    summary:
      "Write the path of one instance in the words of another protocol. Every key must be there; a path that means " +
      "several nodes is refused.",
    examples: [
      "tenure path --yang ./models --from instance --to restconf \"/ietf-interfaces:interfaces/interface[name='eth0/1']\"",
      "tenure path --yang ./models --from gnmi --to xpath '/interfaces/interface[name=eth0]/config/mtu'",
      "tenure path --yang ./models --from restconf --to gnmi /restconf/data/ietf-interfaces:interfaces/interface=eth0",
    ],
    options: [
      yangOption(),
      moduleOption(),
      featuresOption(),
      choice("--from <form>", "how the path is written", PATH_FORMS).makeOptionMandatory(),
      choice("--to <form>", "how to write it", PATH_FORMS).makeOptionMandatory(),
    ],
    run: async ({ session, args, options }) => {
      const text = argument(args, 0);
      const schema = await loadSchema(session, options);
      const read = parsePath(schema, options.from, text);
      if (read.kind === "error")
        throw refused(
          read.diagnostics.map((each) => located(each, text)),
          options.from,
        );
      const written = formatPath(schema, options.to, read.value.path);
      if (written.kind === "error") throw refused(written.diagnostics, options.to);
      const path = options.to === "restconf" ? RESTCONF_DATA + written.value : written.value;
      const namespaces = options.to === "xpath" ? namespacesOf(schema, path) : undefined;
      const node = read.value.schema;
      session.result(
        {
          path,
          instance: formatInstancePath(read.value.path),
          ...(node === undefined ? {} : { schemaPath: node.schemaPath, kind: node.kind, config: node.config }),
          ...(namespaces === undefined ? {} : { namespaces }),
        },
        () => path,
      );
      for (const [prefix, namespace] of Object.entries(namespaces ?? {}))
        session.remark(`xmlns:${prefix}="${namespace}"`);
      return ExitCode.ok;
    },
  });
}

function refused(diagnostics: readonly Diagnostic[], form: PathForm): CliError {
  return new CliError({ code: "invalid-path", message: `not a path of one instance (${form})`, diagnostics });
}

/** The place in the text that was given instead of the text. */
function located(diagnostic: PathDiagnostic, text: string): PathDiagnostic {
  if (diagnostic.offset === undefined) return diagnostic;
  const position = new TextLines(text, "PATH").positionOf(diagnostic.offset);
  return { ...diagnostic, places: [{ kind: "source", position }] };
}

/** The prefixes that the text may use: what stands before a colon, be it in a value. */
function namespacesOf(schema: Schema, text: string): Readonly<Record<string, string>> {
  const prefixes = schemaPrefixes(schema);
  const used = new Map<string, string>();
  for (const [, prefix = ""] of text.matchAll(/([A-Za-z_][A-Za-z0-9_.-]*):/g)) {
    const module = prefixes.moduleOf(prefix);
    const namespace = module === undefined ? undefined : schema.modules.get(module)?.namespace;
    if (namespace !== undefined) used.set(prefix, namespace);
  }
  return Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1)));
}
