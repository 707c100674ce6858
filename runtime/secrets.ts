/**
 * Seals configuration secrets. Outside this file and the device session a secret has the form {key id, HMAC}: equal
 * secrets at one place compare equal, digests of plans cover them, and nobody who reads graph, documents or logs learns
 * the text. The ciphertext beside it is for the moment in which a device must be told.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { chmod, link, open, readFile, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, makeDurableFolder, syncFolder } from "./durable-folder.ts";

/** The place and canonical text of a secret leaf. `type` is its YANG built-in type, which stays visible. */
export interface Secret<Type extends string> {
  /** Device id. */
  readonly device: string;
  /** Instance path. */
  readonly path: string;
  readonly type: Type;
  readonly text: string;
}

/** Structurally the model's `SealedValue`; `hmac` is lower-case hex of HMAC-SHA-256 over device, path and text. */
export interface Sealed<Type extends string> {
  readonly kind: "sealed";
  readonly type: Type;
  readonly keyId: string;
  readonly hmac: string;
}

export interface SecretBox {
  /** Key that seals. Keys of earlier boxes in the folder still unseal. */
  readonly keyId: string;
  /** `made`: there was no key in the data folder, so one was made; tell the user, and that backups omit it. */
  readonly key: "found" | "made";
  /** The same secret at the same place gives the same `hmac`; the ciphertext differs each time. */
  seal<Type extends string>(secret: Secret<Type>): { readonly sealed: Sealed<Type>; readonly ciphertext: Uint8Array };
  /** The text. Throws `SecretError` when the key is absent, or the ciphertext is not that of this sealed value. */
  unseal(
    sealed: Sealed<string>,
    place: { readonly device: string; readonly path: string },
    ciphertext: Uint8Array,
  ): string;
}

export class SecretError extends Error {
  override readonly name = "SecretError";
  readonly code: "unknown-key" | "not-authentic" | "key-file";

  constructor(code: SecretError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

interface Key {
  readonly id: string;
  readonly encryption: Uint8Array;
  readonly fingerprint: Uint8Array;
}

const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Opens the keys in `folder` (files `0001.key` and so on, 32 random bytes each, mode 0600), making the first where there is none.
 * Several processes may do so at once: one key wins. Errors: `key-file` for a key that others may read, or is cut.
 */
export async function openSecretBox(folder: string): Promise<SecretBox> {
  await makeDurableFolder(folder);
  let keys = await readKeys(folder);
  const made = keys.length === 0;
  if (made) {
    await makeFirstKey(folder);
    keys = await readKeys(folder);
  }
  // What a key has sealed is worth nothing without it, and whoever made the key may have died before this.
  await syncFolder(folder);
  const byId = new Map(keys.map((key) => [key.id, key]));
  // File names sort by the time of making, so the newest key seals.
  const current = keys.at(-1);
  if (current === undefined) throw new SecretError("key-file", `no key could be made in ${folder}`);

  return {
    keyId: current.id,
    key: made ? "made" : "found",
    seal(secret) {
      const hmac = fingerprint(current, secret, secret.text);
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", current.encryption, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(hmac, "hex"));
      const body = Buffer.concat([cipher.update(secret.text, "utf8"), cipher.final()]);
      const ciphertext = Buffer.concat([Buffer.from([FORMAT]), nonce, cipher.getAuthTag(), body]);
      return { sealed: { kind: "sealed", type: secret.type, keyId: current.id, hmac }, ciphertext };
    },
    unseal(sealed, place, ciphertext) {
      const key = byId.get(sealed.keyId);
      if (key === undefined) throw new SecretError("unknown-key", `secret key ${sealed.keyId} is not in ${folder}`);
      const text = decrypt(key, sealed.hmac, ciphertext);
      // The fingerprint binds the place too: a ciphertext copied to another path or device does not open there.
      if (fingerprint(key, place, text) !== sealed.hmac) {
        throw new SecretError("not-authentic", `the sealed value was not made for ${place.path}`);
      }
      return text;
    },
  };
}

function decrypt(key: Key, hmac: string, ciphertext: Uint8Array): string {
  const bytes = Buffer.from(ciphertext);
  const bodyStart = 1 + NONCE_BYTES + TAG_BYTES;
  if (bytes.length < bodyStart || bytes[0] !== FORMAT)
    throw new SecretError("not-authentic", "not a ciphertext of ours");
  try {
    const decipher = createDecipheriv("aes-256-gcm", key.encryption, bytes.subarray(1, 1 + NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(hmac, "hex"));
    decipher.setAuthTag(bytes.subarray(1 + NONCE_BYTES, bodyStart));
    return Buffer.concat([decipher.update(bytes.subarray(bodyStart)), decipher.final()]).toString("utf8");
  } catch {
    throw new SecretError("not-authentic", "the ciphertext was changed, or belongs to another secret");
  }
}

/** Length-prefixed parts, so that no two places and texts run together to the same input. */
function fingerprint(key: Key, place: { readonly device: string; readonly path: string }, text: string): string {
  const hmac = createHmac("sha256", key.fingerprint);
  for (const part of [place.device, place.path, text]) {
    const bytes = Buffer.from(part, "utf8");
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hmac.update(length).update(bytes);
  }
  return hmac.digest("hex");
}

async function readKeys(folder: string): Promise<readonly Key[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".key")).sort();
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      if (((await stat(path)).mode & 0o077) !== 0) {
        throw new SecretError("key-file", `${path} may be read by others; make its mode 0600`);
      }
      const bytes = await readFile(path);
      if (bytes.length !== 32) throw new SecretError("key-file", `${path} does not hold a key of 32 bytes`);
      return keyOf(bytes);
    }),
  );
}

function keyOf(bytes: Uint8Array): Key {
  const derive = (use: string) => new Uint8Array(hkdfSync("sha256", bytes, new Uint8Array(0), `tenure ${use}`, 32));
  const id = createHash("sha256").update("tenure key id").update(bytes).digest("hex").slice(0, 16);
  return { id, encryption: derive("encryption"), fingerprint: derive("fingerprint") };
}

/** Whole or not at all: `link` refuses where another process was first, and its key then stands. */
async function makeFirstKey(folder: string): Promise<void> {
  const temporary = join(folder, `tmp-${randomBytes(8).toString("hex")}`);
  const handle = await open(temporary, "wx", 0o600);
  try {
    await handle.writeFile(randomBytes(32));
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await link(temporary, join(folder, "0001.key"));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  await chmod(folder, 0o700);
}
