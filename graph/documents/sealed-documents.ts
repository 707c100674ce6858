import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { SealedValue } from "../../model/value.ts";
import { type FileOperations, isMissing, replaceFile } from "../files.ts";
import { StoreError } from "../store-error.ts";
import { type StoredFile, retainedFiles } from "./retained-files.ts";

/**
 * Ciphertexts of configuration secrets, found by what stands in the graph: key id and fingerprint. They are not
 * content-addressed, since each encryption of one secret differs; the first one put stays. Nothing here can decrypt.
 */
export interface SealedDocuments {
  /** Durable when it returns. A ciphertext that stands already for this sealed value is kept. */
  put(sealed: SealedValue, ciphertext: Uint8Array): Promise<void>;
  /** Error `document-missing` when none was put. Authenticity is checked by whoever decrypts (AES-GCM). */
  get(sealed: Pick<SealedValue, "keyId" | "hmac">): Promise<Uint8Array>;
  /** Everything that is stored, named `<keyId>/<hmac>`, in no order. */
  list(): AsyncGenerator<StoredFile>;
  /** For what nothing names: removes it unless it was put at or after `than` (epoch milliseconds). */
  removeIfOlder(name: string, than: number): Promise<"removed" | "kept">;
}

const SAFE = /^[0-9a-zA-Z_-]{1,128}$/;

/** Files `<folder>/<keyId>/<hmac>`. */
export function openSealedDocuments(folder: string, files: FileOperations): SealedDocuments {
  function placeOf(sealed: Pick<SealedValue, "keyId" | "hmac">): { readonly folder: string; readonly path: string } {
    if (!SAFE.test(sealed.keyId) || !SAFE.test(sealed.hmac)) {
      throw new StoreError("unknown-document", "a sealed value with a malformed key id or fingerprint");
    }
    const inner = join(folder, sealed.keyId);
    return { folder: inner, path: join(inner, sealed.hmac) };
  }

  const retained = retainedFiles(files);

  return {
    async put(sealed, ciphertext) {
      const place = placeOf(sealed);
      await files.makeFolder(place.folder);
      await retained.put(place.path, async () => {
        if ((await files.size(place.path)) === undefined) {
          await replaceFile(files, place.path, join(folder, `tmp-${randomUUID()}`), ciphertext);
        } else {
          await retained.freshen(place.path);
        }
      });
      await files.syncFolder(place.folder);
      await files.syncFolder(folder);
    },
    async get(sealed) {
      const place = placeOf(sealed);
      try {
        return await files.read(place.path);
      } catch (error) {
        if (!isMissing(error)) throw error;
        throw new StoreError(
          "document-missing",
          `no ciphertext for secret ${sealed.keyId}:${sealed.hmac.slice(0, 12)}`,
        );
      }
    },
    async *list() {
      for (const keyId of await files.list(folder)) {
        // A file `tmp-..` that an abrupt end has left is no folder and holds none.
        if (!SAFE.test(keyId) || keyId.startsWith("tmp-")) continue;
        for (const hmac of await files.list(join(folder, keyId))) {
          // So is what a restore that was cut short has left.
          if (!SAFE.test(hmac)) continue;
          const path = join(folder, keyId, hmac);
          const [bytes, modified] = await Promise.all([files.size(path), files.modified(path)]);
          if (bytes !== undefined && modified !== undefined) yield { name: `${keyId}/${hmac}`, bytes, modified };
        }
      }
    },
    removeIfOlder(name, than) {
      const [keyId = "", hmac = ""] = name.split("/");
      return retained.removeIfOlder(placeOf({ keyId, hmac }).path, than);
    },
  };
}
