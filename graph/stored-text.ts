import { type Digest, digestOf } from "./canonical-json.ts";
import type { DocumentStore } from "./documents/document-store.ts";

/** LadybugDB cannot read back a log record over 4 KB after a crash, so longer texts stand outside, by digest. */
const MAX_INLINE_BYTES = 2048;

/** They end the fields and rows of a batch (`statements/batch-statement.ts`), and stand in no text that a person writes. */
const BATCH_ENDS = ["\u001e", "\u001f"];

/** Texts that are no property, by digest. */
export type Overflow = Map<Digest, string>;

/**
 * The property for a text: the text, or `#` and its digest, the text being added to `overflow` for the document store.
 * Needs: the text does not itself start with `#` (paths start with `/`, forms with `{`) and is not empty.
 */
export function storedText(text: string, overflow: Overflow): string {
  if (Buffer.byteLength(text, "utf8") <= MAX_INLINE_BYTES && !BATCH_ENDS.some((end) => text.includes(end))) return text;
  const digest = digestOf(text);
  overflow.set(digest, text);
  return `#${digest}`;
}

/** The text of a property. Errors: `document-missing`, `document-damaged`. */
export async function loadText(stored: string, documents: DocumentStore): Promise<string> {
  return stored.startsWith("#") ? documents.getText(stored.slice(1)) : stored;
}

/** Stores what `storedText` moved out. Content that stands already is not written again. */
export async function storeOverflow(overflow: Overflow, documents: DocumentStore): Promise<void> {
  if (overflow.size > 0) await documents.putAll([...overflow.values()]);
}
