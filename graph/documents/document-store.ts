/**
 * Content-addressed documents: whatever is too big for a journal line or a graph property (goals, observations,
 * sections, revision bodies, module sets) is a file named by the SHA-256 of its bytes. A document is never changed, so
 * a digest stands for its content everywhere, and a read proves it.
 */
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { type Digest, digestOf } from "../canonical-json.ts";
import { type FileOperations, isMissing, replaceFile } from "../files.ts";
import { StoreError } from "../store-error.ts";
import { type StoredFile, retainedFiles } from "./retained-files.ts";

export interface DocumentStore {
  /** Durable when it returns: content fsynced, then renamed into place, then the folder fsynced. Repeats do no harm. */
  put(content: string | Uint8Array): Promise<Digest>;
  /** The same for many at once, with one fsync a folder; digests in the order of `contents`. */
  putAll(contents: readonly (string | Uint8Array)[]): Promise<readonly Digest[]>;
  /** The bytes. Errors: `document-missing`, and `document-damaged` when they no longer have that digest. */
  get(digest: Digest): Promise<Uint8Array>;
  /** The same as UTF-8 text. */
  getText(digest: Digest): Promise<string>;
  has(digest: Digest): Promise<boolean>;
  /** Everything that is stored, named by digest, in no order. */
  list(): AsyncGenerator<StoredFile>;
  /** For what nothing names: removes it unless it was put at or after `than` (epoch milliseconds). */
  removeIfOlder(digest: Digest, than: number): Promise<"removed" | "kept">;
}

const DIGEST = /^[0-9a-f]{64}$/;
const START = /^[0-9a-f]{2}$/;

/** Documents below `folder`, spread over 256 folders by the first two digits. */
export async function openDocumentStore(folder: string, files: FileOperations): Promise<DocumentStore> {
  const temporaryFolder = join(folder, "tmp");
  await files.makeFolder(temporaryFolder);
  for (const left of await files.list(temporaryFolder)) await files.remove(join(temporaryFolder, left));
  const retained = retainedFiles(files);

  function pathOf(digest: Digest): string {
    if (!DIGEST.test(digest)) throw new StoreError("unknown-document", `${digest} is not a document digest`);
    return join(folder, digest.slice(0, 2), digest.slice(2));
  }

  async function get(digest: Digest): Promise<Uint8Array> {
    let bytes: Uint8Array;
    try {
      bytes = await files.read(pathOf(digest));
    } catch (error) {
      if (!isMissing(error)) throw error;
      throw new StoreError("document-missing", `document ${digest} is missing`, { digest });
    }
    if (digestOf(bytes) !== digest) {
      throw new StoreError("document-damaged", `document ${digest} was changed on the disk`, { digest });
    }
    return bytes;
  }

  /** A document that stands there damaged is written anew: its content is at hand again. */
  async function isSound(digest: Digest): Promise<boolean> {
    try {
      await get(digest);
      return true;
    } catch (error) {
      if (error instanceof StoreError) return false;
      throw error;
    }
  }

  async function putAll(contents: readonly (string | Uint8Array)[]): Promise<readonly Digest[]> {
    const digests: Digest[] = [];
    const folders = new Set<string>();
    for (const content of contents) {
      const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
      const digest = digestOf(bytes);
      digests.push(digest);
      const path = pathOf(digest);
      // Also where the file stands already: whoever put it may have died before the folder was synced.
      folders.add(dirname(path));
      await retained.put(path, async () => {
        if (await isSound(digest)) {
          await retained.freshen(path);
          return;
        }
        if ((await files.size(dirname(path))) === undefined) {
          await files.makeFolder(dirname(path));
          folders.add(folder);
        }
        await replaceFile(files, path, join(temporaryFolder, randomUUID()), bytes);
      });
    }
    for (const touched of folders) await files.syncFolder(touched);
    return digests;
  }

  return {
    async put(content) {
      const [digest] = await putAll([content]);
      if (digest === undefined) throw new Error("putAll answered no digest");
      return digest;
    },
    putAll,
    get,
    async getText(digest) {
      return Buffer.from(await get(digest)).toString("utf8");
    },
    async has(digest) {
      return (await files.size(pathOf(digest))) !== undefined;
    },
    async *list() {
      for (const start of await files.list(folder)) {
        if (!START.test(start)) continue;
        for (const rest of await files.list(join(folder, start))) {
          const name = `${start}${rest}`;
          if (!DIGEST.test(name)) continue;
          const [bytes, modified] = await Promise.all([files.size(pathOf(name)), files.modified(pathOf(name))]);
          // Undefined: it went while the list was made.
          if (bytes !== undefined && modified !== undefined) yield { name, bytes, modified };
        }
      }
    },
    removeIfOlder: (digest, than) => retained.removeIfOlder(pathOf(digest), than),
  };
}
