import type { Command } from "commander";
import type { BlameLine, CheckView, DiffView, HistoryLine, RevisionLine } from "../../contract/api.ts";
import { CliError, usageError } from "../cli-error.ts";
import { ExitCode } from "./exit-code.ts";
import { addHistoryPrune } from "./history-verbs.ts";
import { table } from "./table.ts";
import { type AtRevisionOptions, type CliRun, addVerb, argument, atRevision, choice } from "./verb.ts";
import { diffText } from "./diff-text.ts";
import { causeText, instantText, itemText, setByText } from "./words.ts";

interface ShowOptions extends AtRevisionOptions {
  readonly as: "goal" | "xml" | "json";
}

export function addRead(program: Command, cli: CliRun): void {
  addVerb<ShowOptions>(program, cli, {
    usage: "show <device> [path]",
    summary: "The desired configuration of a device, or the part of it at a path, now or as it was.",
    examples: ["tenure show r1", "tenure show r1 /ietf-interfaces:interfaces --as xml", "tenure show r1 --revision 7"],
    options: [
      ...atRevision(),
      choice("--as <form>", "the goal file byte by byte, XML, or indented JSON", ["goal", "xml", "json"]).default(
        "goal",
      ),
    ],
    run: async ({ session, args, options }) => {
      const device = argument(args, 0);
      const query = { path: args[1], as: options.as, revision: options.revision, at: options.at };
      const text = await session.api.getText(`/devices/${encodeURIComponent(device)}/config`, query);
      if (session.form === "json") {
        session.result(
          { device, form: options.as, content: options.as === "xml" ? text : (JSON.parse(text) as unknown) },
          () => text,
        );
      } else {
        // Into a file or a pipe go the bytes that the digest is of; only a reader gets a final newline.
        session.terminal.out(session.terminal.outIsTerminal && !text.endsWith("\n") ? `${text}\n` : text);
      }
      return ExitCode.ok;
    },
  });

  addVerb(program, cli, {
    usage: "history [device] [path]",
    summary: "Every version of one item, newest first; without arguments the newest revisions.",
    examples: ["tenure history r1 \"/ietf-interfaces:interfaces/interface[name='eth0']/mtu\"", "tenure history"],
    run: async ({ session, args }) => {
      const [device, path] = args;
      if (device === undefined) {
        const revisions = await session.api.get<readonly RevisionLine[]>("/revisions");
        const rows = revisions.map((each) => [
          String(each.revision),
          instantText(each.time),
          each.actor,
          causeText(each.cause),
          each.devices.join(" "),
        ]);
        session.result(revisions, () => table(["revision", "time", "actor", "cause", "devices"], rows, "no revisions"));
        return ExitCode.ok;
      }
      if (path === undefined) throw usageError("history of one item needs DEVICE and PATH");
      const lines = await session.api.get<readonly HistoryLine[]>(`/devices/${encodeURIComponent(device)}/history`, {
        path,
      });
      const rows = lines.map(historyRow);
      session.result(lines, () =>
        table(["revision", "time", "actor", "value", "set by", "why"], rows, "nothing was ever set there"),
      );
      return ExitCode.ok;
    },
  });

  addHistoryPrune(program, cli);

  addVerb<AtRevisionOptions>(program, cli, {
    usage: "blame <device> [path]",
    summary: "Who set each item, who owns it, who depends on it.",
    examples: ["tenure blame r1", "tenure blame r1 /ietf-interfaces:interfaces --revision 7"],
    options: atRevision(),
    run: async ({ session, args, options }) => {
      const query = { path: args[1], revision: options.revision, at: options.at };
      const lines = await session.api.get<readonly BlameLine[]>(
        `/devices/${encodeURIComponent(argument(args, 0))}/blame`,
        query,
      );
      const rows = lines.map((each) => [
        each.path,
        itemText(each.item),
        `${setByText(each.setBy)}${each.retained ? ", retained" : ""}`,
        each.since === undefined ? "" : String(each.since),
        each.owners.join(" "),
        each.dependants.map((one) => one.service).join(" "),
      ]);
      session.result(lines, () =>
        table(["path", "value", "set by", "since", "owners", "dependants"], rows, "nothing is set there"),
      );
      return ExitCode.ok;
    },
  });

  addVerb(program, cli, {
    usage: "diff <from> <to>",
    summary:
      "What differs in desired state between two revisions: items, owners and dependants, services, statuses, definitions.",
    examples: ["tenure diff 3 7", "tenure diff 7 3"],
    run: async ({ session, args }) => {
      const diff = await session.api.get<DiffView>("/diff", { from: revision(args, 0), to: revision(args, 1) });
      session.result(diff, () => diffText(diff));
      return ExitCode.ok;
    },
  });

  addVerb(program, cli, {
    usage: "check",
    summary: "Verify the graph's invariants and that it says what the journal says.",
    examples: ["tenure check"],
    run: async ({ session }) => {
      const { findings } = await session.api.get<CheckView>("/check");
      session.result({ findings }, () =>
        table(
          ["finding", "place"],
          findings.map((each) => [each.code, each.place]),
          "all invariants hold",
        ),
      );
      if (findings.length === 0) return ExitCode.ok;
      throw new CliError({
        code: "check-failed",
        message: `${findings.length} invariant(s) do not hold`,
        remedy: findings.some(({ code }) => code.startsWith("document-"))
          ? "bring the named documents back from a backup (its documents folder) before anything else; the graph cannot be rebuilt without them"
          : "stop Tenure and run: tenure graph rebuild",
      });
    },
  });
}

function revision(args: readonly string[], index: number): string {
  const text = argument(args, index);
  if (!/^[0-9]+$/.test(text)) throw usageError(`${text} is not a revision number`);
  return text;
}

function historyRow(line: HistoryLine): readonly string[] {
  if (line.kind === "pruned") return [`up to ${line.until}`, "", "", "pruned", "", ""];
  const { from, time, actor = "", item, setBy, cause, evidence } = line;
  return [
    String(from),
    time === undefined ? "" : instantText(time),
    actor,
    item === undefined ? "deleted" : itemText(item),
    setByText(setBy),
    [
      ...(cause === undefined ? [] : [causeText(cause)]),
      ...(evidence === undefined ? [] : [evidenceText(evidence)]),
    ].join("; "),
  ];
}

function evidenceText({
  kind,
  services,
}: NonNullable<Extract<HistoryLine, { readonly evidence: unknown }>["evidence"]>) {
  return services.length === 0 ? kind : `${kind}, affects ${services.join(", ")}`;
}
