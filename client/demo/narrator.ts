import { createInterface } from "node:readline/promises";
import { BrokenStory } from "./fact.ts";

/** Who answers when a plan is to be approved: the person at the terminal, or `--yes` in their place. */
export type Approver = "person" | "yes";

/** The demo's voice. Everything it says goes to standard output. */
export interface Narrator {
  chapter(title: string): void;
  say(text: string): void;
  /** A command as the person would type it. */
  command(words: readonly string[]): void;
  /** Returns when the answer is yes; any other answer, and the end of the input, ends the demo. */
  ask(question: string): Promise<void>;
}

export function createNarrator(approver: Approver, signal: AbortSignal): Narrator {
  let chapters = 0;
  const print = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  return {
    chapter: (title) => {
      chapters += 1;
      print(`\n${String(chapters)}. ${title}`);
    },
    say: (text) => {
      for (const line of text.split("\n")) print(`   ${line}`);
    },
    command: (words) => {
      print(`   $ tenure ${words.map(quoted).join(" ")}`);
    },
    ask: async (question) => {
      if (approver === "yes") {
        print(`   ${question} yes (--yes)`);
        return;
      }
      const answer = await readAnswer(`   ${question} [y/N] `, signal);
      if (!/^y(es)?$/i.test(answer.trim())) throw new BrokenStory("the plan was not approved, so the demo ends here");
    },
  };
}

/** Without terminal mode Ctrl-C stays a signal of the process, which has an order of ending. */
async function readAnswer(question: string, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
  const ended = new Promise<string>((resolve) => {
    lines.once("close", () => {
      resolve("");
    });
  });
  try {
    return await Promise.race([lines.question(question, { signal }), ended]);
  } finally {
    lines.close();
  }
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
