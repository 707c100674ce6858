import { type Interface, createInterface } from "node:readline";
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
  /** Lets go of standard input, so that the process can end. */
  close(): void;
}

export function createNarrator(approver: Approver, signal: AbortSignal): Narrator {
  const answers = approver === "person" ? readAnswers(signal) : undefined;
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
      if (answers === undefined) {
        print(`   ${question} yes (--yes)`);
        return;
      }
      process.stdout.write(`   ${question} [y/N] `);
      const answer = await answers.next();
      if (!/^y(es)?$/i.test(answer.trim())) throw new BrokenStory("the plan was not approved, so the demo ends here");
    },
    close: () => {
      answers?.close();
    },
  };
}

interface Answers {
  /** The next line; empty when there is none any more. Rejects when the demo is interrupted. */
  next(): Promise<string>;
  close(): void;
}

/** Without terminal mode Ctrl-C stays a signal of the process, which has an order of ending. */
function readAnswers(signal: AbortSignal): Answers {
  const input: Interface = createInterface({ input: process.stdin, terminal: false });
  const lines = input[Symbol.asyncIterator]();
  const interrupted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => {
      reject(new Error("the demo was interrupted"));
    });
  });
  // Nobody may be asking at that moment.
  interrupted.catch(() => undefined);
  return {
    next: async () => {
      const line = await Promise.race([lines.next(), interrupted]);
      return line.done === true ? "" : line.value;
    },
    close: () => {
      input.close();
    },
  };
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return word.includes('"') || word.includes("$") ? `'${word.replaceAll("'", `'\\''`)}'` : `"${word}"`;
}
