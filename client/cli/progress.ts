import type { OutputForm, Terminal } from "./terminal.ts";

/** How far long work is, on standard error: one live line on a terminal, a line for each change elsewhere, nothing under `--json`. */
export interface Progress {
  show(text: string): void;
  /** Takes the live line away, so that what follows starts on a clean one. */
  clear(): void;
}

const ERASE_LINE = "\r\u001b[2K";
const LIVE_WIDTH = 78;

export function createProgress(terminal: Terminal, form: OutputForm): Progress {
  let shown: string | undefined;
  let live = false;
  return {
    show: (text) => {
      if (form === "json" || text === shown) return;
      shown = text;
      if (terminal.errIsTerminal) {
        // A line that wraps could not be erased as one.
        terminal.err(`${ERASE_LINE}${text.length > LIVE_WIDTH ? `${text.slice(0, LIVE_WIDTH - 1)}…` : text}`);
        live = true;
      } else {
        terminal.err(`${text}\n`);
      }
    },
    clear: () => {
      if (live) terminal.err(ERASE_LINE);
      live = false;
    },
  };
}
