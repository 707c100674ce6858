import { type Digest, digestOf } from "../canonical-json.ts";
import type { DocumentStore } from "./document-store.ts";

/** Documents as they would be: what is put stays in memory, over the stored ones, and nothing is removed. */
export function overlayDocuments(stored: DocumentStore): DocumentStore {
  const added = new Map<Digest, Uint8Array>();
  async function put(content: string | Uint8Array): Promise<Digest> {
    const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
    const digest = digestOf(bytes);
    if (!(await stored.has(digest))) added.set(digest, bytes);
    return digest;
  }
  const get = async (digest: Digest) => added.get(digest) ?? (await stored.get(digest));
  return {
    put,
    async putAll(contents) {
      const digests: Digest[] = [];
      for (const content of contents) digests.push(await put(content));
      return digests;
    },
    get,
    getText: async (digest) => Buffer.from(await get(digest)).toString("utf8"),
    has: async (digest) => added.has(digest) || (await stored.has(digest)),
    list: () => stored.list(),
    removeIfOlder: () => Promise.resolve("kept"),
  };
}
