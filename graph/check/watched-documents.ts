import { digestOf } from "../canonical-json.ts";
import type { DocumentStore } from "../documents/document-store.ts";
import { isStoreError } from "../store-error.ts";
import type { CheckFinding } from "./finding.ts";

export interface WatchedDocuments {
  /** For a replay: reads are proved, and what would be stored is only looked for. Nothing on the disk changes. */
  readonly documents: DocumentStore;
  /** Documents that were asked for, or that the graph's long texts stand in, and that are missing or damaged. */
  readonly findings: readonly CheckFinding[];
  /** Reads a document that has to be there. */
  prove(digest: string): Promise<Uint8Array | undefined>;
}

export function watchDocuments(documents: DocumentStore): WatchedDocuments {
  const found = new Map<string, CheckFinding>();
  const rebuilt = new Map<string, Uint8Array>();

  async function prove(digest: string): Promise<Uint8Array | undefined> {
    try {
      return await documents.get(digest);
    } catch (error) {
      const code = (["document-missing", "document-damaged"] as const).find((each) => isStoreError(error, each));
      if (code === undefined) throw error;
      found.set(digest, { code, place: digest });
      return undefined;
    }
  }

  async function get(digest: string): Promise<Uint8Array> {
    return rebuilt.get(digest) ?? (await prove(digest)) ?? documents.get(digest);
  }

  async function putAll(contents: readonly (string | Uint8Array)[]): Promise<readonly string[]> {
    const digests: string[] = [];
    for (const content of contents) {
      const digest = digestOf(content);
      digests.push(digest);
      if ((await prove(digest)) === undefined)
        rebuilt.set(digest, typeof content === "string" ? Buffer.from(content, "utf8") : content);
    }
    return digests;
  }

  return {
    get findings() {
      return [...found.values()];
    },
    prove,
    documents: {
      ...documents,
      get,
      getText: async (digest) => Buffer.from(await get(digest)).toString("utf8"),
      putAll,
      async put(content) {
        const [digest] = await putAll([content]);
        return digest ?? "";
      },
    },
  };
}
