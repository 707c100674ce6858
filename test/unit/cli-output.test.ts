import { expect, test } from "vitest";
import { CliError } from "../../client/cli-error.ts";
import { createProgress } from "../../client/cli/progress.ts";
import { reportError } from "../../client/cli/session.ts";
import { table } from "../../client/cli/table.ts";
import type { Terminal } from "../../client/cli/terminal.ts";
import type { ApiErrorBody } from "../../contract/api.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";

function recorded(errIsTerminal: Terminal["errIsTerminal"]): {
  readonly terminal: Terminal;
  readonly written: string[];
} {
  const written: string[] = [];
  const terminal: Terminal = {
    out: () => undefined,
    err: (text) => written.push(text),
    environment: {},
    outIsTerminal: false,
    errIsTerminal,
  };
  return { terminal, written };
}

test("progress elsewhere than on a terminal: a line for each change, no control characters", () => {
  const { terminal, written } = recorded(false);
  const progress = createProgress(terminal, "text");
  for (const text of ["r1 preparing", "r1 preparing", "r1 prepared"]) progress.show(text);
  progress.clear();
  expect(written).toEqual(["r1 preparing\n", "r1 prepared\n"]);
});

test("progress on a terminal: one live line, erased before anything else is written", () => {
  const { terminal, written } = recorded(true);
  const progress = createProgress(terminal, "text");
  progress.show("r1 preparing");
  progress.show("x".repeat(200));
  progress.clear();
  progress.clear();
  expect(written).toHaveLength(3);
  expect(written[0]).toBe("\r\u001b[2Kr1 preparing");
  expect(written[1]?.length).toBeLessThan(90);
  expect(written[2]).toBe("\r\u001b[2K");
});

test("progress under --json: nothing", () => {
  for (const errIsTerminal of [true, false]) {
    const { terminal, written } = recorded(errIsTerminal);
    const progress = createProgress(terminal, "json");
    progress.show("r1 preparing");
    progress.clear();
    expect(written).toEqual([]);
  }
});

test("a table is aligned, has no trailing space, and says when it is empty", () => {
  expect(
    table(
      ["name", "state"],
      [
        ["r1", "managed"],
        ["router-2", ""],
      ],
      "no devices",
    ),
  ).toBe("NAME      STATE\nr1        managed\nrouter-2\n");
  expect(table(["name"], [], "no devices")).toBe("no devices\n");
});

test("an error with one diagnostic that says the same is said once, with its place; others keep their headline", () => {
  const place = { kind: "source", position: { source: "a.yaml", line: 3, column: 13 } } as const;
  const diagnostic: Diagnostic = {
    ...{ code: "unknown-definition", severity: "error", message: "there is no definition x", places: [place] },
    remedy: "put the definition along",
  };
  const told = (body: ApiErrorBody): string => {
    const { terminal, written } = recorded(false);
    reportError(new CliError(body), terminal, "text");
    return written.join("");
  };
  expect(told({ code: "Refused", message: diagnostic.message, diagnostics: [diagnostic] })).toBe(
    "error: a.yaml:3:13: there is no definition x [unknown-definition]\n  try: put the definition along\n",
  );
  expect(told({ code: "Refused", message: "2 errors", diagnostics: [diagnostic, diagnostic] })).toMatch(
    /^error: 2 errors\na\.yaml:3:13: /,
  );
});
