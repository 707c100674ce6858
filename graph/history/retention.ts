/**
 * Which stored documents and ciphertexts something still needs. A document is needed when the journal, or a document
 * that is needed, mentions its digest anywhere: rather one too many than one too few, and no list of places to keep up
 * to date. Everything else goes when it is old enough (`documents/retained-files.ts`), unless a young document mentions
 * it: somebody may be about to name that one in the journal, and would find it in half.
 */
import { EDGE_COLUMNS, type EdgeName, NODE_COLUMNS, type NodeName } from "../apply/change.ts";
import type { Digest } from "../canonical-json.ts";
import type { DocumentStore } from "../documents/document-store.ts";
import type { StoredFile } from "../documents/retained-files.ts";
import type { SealedDocuments } from "../documents/sealed-documents.ts";
import type { ParameterRow } from "../ladybug.ts";
import type { GraphImage } from "../start/image.ts";

/** What nothing needs and nobody put lately. */
export interface Unneeded {
  readonly documents: readonly StoredFile[];
  readonly sealed: readonly StoredFile[];
}

/** Collects what is needed, then tells what is not. */
export interface Retention {
  /** Everything that a text mentions is needed. */
  scan(text: string): void;
  /** The document is needed, with all that it mentions. */
  need(digest: Digest): void;
  /** The document is needed, what it mentions is not: digests in it are history. */
  keep(digest: Digest): void;
  /** The documents of long texts that the rows of a graph name. */
  scanRows(image: GraphImage): void;
  /**
   * What is left, as far as it is older than `than` (epoch milliseconds). Reads every needed or young document once. Error:
   * `document-damaged` where it cannot be known what a needed document mentions.
   */
  unneeded(than: number): Promise<Unneeded>;
}

const HEX = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;

/** Stands in each document of a snapshot. The one in force is needed in its own right; what an earlier one mentions is history. */
const SNAPSHOT = '"format":"tenure-snapshot';

/** Looks at what is stored now; what is put later is young, and stays anyway. */
export async function openRetention(documents: DocumentStore, sealedDocuments: SealedDocuments): Promise<Retention> {
  const stored = new Map<Digest, StoredFile>();
  for await (const file of documents.list()) stored.set(file.name, file);
  const mentioned = new Set<string>();
  const waiting: Digest[] = [];

  function need(name: string): void {
    if (mentioned.has(name)) return;
    mentioned.add(name);
    if (stored.has(name)) waiting.push(name);
  }
  function scan(text: string): void {
    for (const [name] of text.matchAll(HEX)) need(name);
  }

  const textOf = async (digest: Digest) => Buffer.from(await documents.get(digest)).toString("latin1");
  async function scanWaiting(): Promise<void> {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) scan(await textOf(next));
  }

  return {
    scan,
    need,
    keep: (digest) => {
      mentioned.add(digest);
    },
    scanRows(image) {
      for (const row of rowsOf(image)) {
        for (const value of Object.values(row)) if (typeof value === "string" && value.startsWith("#")) scan(value);
      }
    },
    async unneeded(than) {
      await scanWaiting();
      for (const { name, modified } of stored.values()) {
        if (modified < than || mentioned.has(name)) continue;
        const text = await textOf(name).catch(() => "");
        if (text.includes(SNAPSHOT)) continue;
        scan(text);
        await scanWaiting();
      }
      const isUnneeded = (file: StoredFile, name: string) => file.modified < than && !mentioned.has(name);
      const sealed: StoredFile[] = [];
      for await (const file of sealedDocuments.list()) {
        // `<keyId>/<hmac>`: a sealed value in a document is told by its fingerprint.
        if (isUnneeded(file, file.name.slice(file.name.indexOf("/") + 1))) sealed.push(file);
      }
      return { documents: [...stored.values()].filter((file) => isUnneeded(file, file.name)), sealed };
    },
  };
}

function* rowsOf(image: GraphImage): Generator<ParameterRow> {
  for (const node of Object.keys(NODE_COLUMNS) as NodeName[]) yield* image.nodes(node);
  for (const edge of Object.keys(EDGE_COLUMNS) as EdgeName[]) yield* image.edges(edge);
}
