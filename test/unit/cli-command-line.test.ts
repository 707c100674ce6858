import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runInProcess } from "../support/run-cli.ts";

const home = mkdtempSync(join(tmpdir(), "tenure-cli-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const tenure = (...argv: readonly string[]) => runInProcess(argv, { TENURE_HOME: home });

const VERBS = [
  "up",
  "status",
  "device add",
  "device set",
  "device list",
  "device show",
  "device rename",
  "device pause",
  "device resume",
  "device remove",
  "import",
  "drift",
  "service put",
  "service remove",
  "service pause",
  "service resume",
  "service list",
  "service show",
  "service compile",
  "rollback",
  "definition list",
  "definition show",
  "plan create",
  "plan list",
  "plan show",
  "plan watch",
  "plan approve",
  "plan apply",
  "plan reject",
  "plan withdraw",
  "plan cancel",
  "show",
  "history",
  "history prune",
  "blame",
  "diff",
  "check",
  "backup",
  "restore",
  "worker",
  "journal verify",
  "graph rebuild",
  "yang check",
  "yang tree",
  "convert",
  "validate",
  "path",
];

test.each(VERBS)("%s --help explains itself with examples, on stdout", async (verb) => {
  const { code, out, err } = await tenure(...verb.split(" "), "--help");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain(`Usage: tenure ${verb} `);
  expect(out).toMatch(new RegExp(`Examples:\\n(.*\\n)*.*tenure ${verb}`));
  expect(out).toContain("--json");
});

test("--help lists every group of verbs and the exit codes", async () => {
  const { code, out } = await tenure("--help");
  expect(code).toBe(0);
  for (const word of new Set(VERBS.map((verb) => verb.split(" ")[0])))
    expect(out).toMatch(new RegExp(`^  ${String(word)}\\b`, "m"));
  expect(out).toContain("3 drift found, 4 stale");
});

test.each([
  ["an unknown word", ["frobnicate"]],
  ["a word of Object's own", ["toString"]],
  ["an unknown verb of a group", ["device", "frobnicate"]],
  ["a group without a verb", ["device"]],
  ["an unknown option", ["status", "--frobnicate"]],
  ["a missing argument", ["device", "show"]],
  ["too many arguments", ["check", "r1"]],
  ["a missing mandatory option", ["plan", "approve", "p-abcdefgh"]],
  ["a prune without a time", ["history", "prune"]],
  ["a value outside its choices", ["plan", "create", "--direction", "sideways"]],
  ["options that exclude each other", ["show", "r1", "--revision", "1", "--at", "2030-01-01T00:00:00Z"]],
  ["no device where one is meant", ["import"]],
  ["names beside --all", ["drift", "r1", "--all"]],
  ["a rejection without a reason", ["plan", "reject", "p-abcdefgh"]],
  ["a revision that is no number", ["diff", "one", "2"]],
  ["a time that is none", ["show", "r1", "--at", "yesterday"]],
  ["a time without offset", ["history", "prune", "--before", "2030-01-31"]],
  ["an option that is no number", ["show", "r1", "--revision", "one"]],
])("%s is a usage error: exit code 2, said on stderr", async (_name, argv) => {
  const { code, out, err } = await tenure(...argv);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).not.toBe("");
});

test.each([
  ["found by the parser", ["plan", "approve", "p-abcdefgh", "--json"]],
  ["found by the verb", ["import", "--json"]],
])("under --json a usage error %s is one JSON object on stderr", async (_name, argv) => {
  const { code, out, err } = await tenure(...argv);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(JSON.parse(err)).toMatchObject({ code: "usage" });
});

test.each(["journal verify", "graph rebuild", "backup somewhere"])(
  "%s of a folder without a journal is refused, and makes none",
  async (verb) => {
    const { code, out, err } = await tenure(...verb.split(" "), "--json");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(JSON.parse(err)).toMatchObject({ code: "not-found", message: expect.stringContaining(home) as unknown });
    expect(existsSync(join(home, "journal"))).toBe(false);
  },
);

test("where nobody listens, the error names the data folder and what to start", async () => {
  const text = await tenure("status");
  expect(text).toMatchObject({ code: 1, out: "" });
  expect(text.err).toContain(home);
  expect(text.err).toContain("tenure up");
  const json = await tenure("status", "--json");
  expect(JSON.parse(json.err)).toMatchObject({
    code: "not-running",
    remedy: expect.stringContaining("tenure up") as unknown,
  });
});
