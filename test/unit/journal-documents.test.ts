import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { canonicalJson, digestOf } from "../../graph/canonical-json.ts";
import { openDocumentStore } from "../../graph/documents/document-store.ts";
import { openSealedDocuments } from "../../graph/documents/sealed-documents.ts";
import { realFiles } from "../../graph/files.ts";
import { openSecretBox } from "../../runtime/secrets.ts";
import { testFolder } from "../support/graph-bodies.ts";
import { faultyFiles, systemError } from "../support/graph-faulty-files.ts";

const pathOf = (folder: string, digest: string) => join(folder, digest.slice(0, 2), digest.slice(2));

describe("documents", () => {
  test("are named by the SHA-256 of their bytes and come back as they were", async () => {
    const store = await openDocumentStore(testFolder(), realFiles);
    const bytes = Buffer.from([0, 255, 10, 13]);
    const digests = await store.putAll(["text ☃", bytes, "text ☃"]);
    expect(digests).toEqual([digestOf("text ☃"), digestOf(bytes), digestOf("text ☃")]);
    expect(await store.getText(digests[0]!)).toBe("text ☃");
    expect(Buffer.from(await store.get(digests[1]!)).equals(bytes)).toBe(true);
  });

  test("content is forced to the disk before the name, the name before the answer", async () => {
    const files = faultyFiles();
    const folder = testFolder();
    const store = await openDocumentStore(folder, files);
    files.steps.length = 0;
    const digest = await store.put("content");
    const steps = files.steps.filter((step) => step.what !== "open" && step.what !== "truncate");
    expect(steps.map((step) => step.what)).toEqual(["write", "sync", "rename", "sync-folder", "sync-folder"]);
    expect(steps[2]?.path).toBe(pathOf(folder, digest));
    expect(
      steps
        .slice(3)
        .map((step) => step.path)
        .sort(),
    ).toEqual([folder, join(folder, digest.slice(0, 2))].sort());
  });

  test("a document that could not be forced to the disk is not there", async () => {
    const files = faultyFiles();
    const store = await openDocumentStore(testFolder(), files);
    files.inject({ what: "sync", path: /tmp/, error: systemError("EIO") });
    await expect(store.put("content")).rejects.toMatchObject({ code: "EIO" });
    expect(await store.has(digestOf("content"))).toBe(false);
  });

  test("what a full disk cut short takes no room: each try would leave a piece", async () => {
    const files = faultyFiles();
    const folder = testFolder();
    const store = await openDocumentStore(folder, files);
    files.inject({ what: "write", path: /tmp/, take: 3, error: systemError("ENOSPC") });
    await expect(store.put("content")).rejects.toMatchObject({ code: "ENOSPC" });
    expect(readdirSync(join(folder, "tmp"))).toEqual([]);
  });

  test("changed bytes are noticed at reading, and healed when the content comes again", async () => {
    const folder = testFolder();
    const store = await openDocumentStore(folder, realFiles);
    const digest = await store.put("content");
    writeFileSync(pathOf(folder, digest), "c0ntent");
    await expect(store.get(digest)).rejects.toMatchObject({ code: "document-damaged" });
    await store.put("content");
    expect(await store.getText(digest)).toBe("content");
    await expect(store.get(digestOf("never put"))).rejects.toMatchObject({ code: "document-missing" });
    await expect(store.get("../../etc/passwd")).rejects.toMatchObject({ code: "unknown-document" });
  });
});

test("canonical JSON: absent is absent; null, fractions and half characters are refused with their place", () => {
  expect(canonicalJson({ b: 1, a: undefined, c: ["x"] })).toBe('{"b":1,"c":["x"]}');
  for (const [value, place] of [
    [{ a: null }, "/a"],
    [{ a: [1.5] }, "/a/0"],
    [{ a: 2 ** 53 }, "/a"],
    [{ a: "\ud800" }, "/a"],
    [{ a: [undefined] }, "/a/0"],
  ] as const) {
    expect(() => canonicalJson(value)).toThrow(
      expect.objectContaining({
        code: "not-canonical",
        message: expect.stringContaining(` ${place} `) as string,
      }) as Error,
    );
  }
});

describe("secrets", () => {
  const secret = {
    device: "d1",
    path: "/test-net:user[name='a']/password",
    type: "string",
    text: "hunter2 ☃",
  } as const;

  test("the same secret at one place has one fingerprint, elsewhere another; nothing shows the text", async () => {
    const folder = testFolder();
    const box = await openSecretBox(join(folder, "keys"));
    expect(box.key).toBe("made");
    const first = box.seal(secret);
    const second = box.seal(secret);
    expect(second.sealed).toEqual(first.sealed);
    expect(Buffer.from(second.ciphertext).equals(Buffer.from(first.ciphertext))).toBe(false);
    expect(box.seal({ ...secret, device: "d2" }).sealed.hmac).not.toBe(first.sealed.hmac);
    expect(box.seal({ ...secret, path: "/other" }).sealed.hmac).not.toBe(first.sealed.hmac);
    // Place and text do not run together.
    expect(box.seal({ ...secret, path: "/a", text: "bc" }).sealed.hmac).not.toBe(
      box.seal({ ...secret, path: "/ab", text: "c" }).sealed.hmac,
    );
    expect(`${JSON.stringify(first.sealed)}${Buffer.from(first.ciphertext).toString("latin1")}`).not.toContain(
      "hunter2",
    );
  });

  test("another opening of the folder unseals what the first sealed, from the stored ciphertext", async () => {
    const folder = testFolder();
    const sealing = await openSecretBox(join(folder, "keys"));
    const { sealed, ciphertext } = sealing.seal(secret);
    const stored = openSealedDocuments(join(folder, "secrets"), realFiles);
    await stored.put(sealed, ciphertext);
    await stored.put(sealed, sealing.seal(secret).ciphertext);
    const opened = await openSecretBox(join(folder, "keys"));
    expect(opened).toMatchObject({ key: "found", keyId: sealing.keyId });
    expect(Buffer.from(await stored.get(sealed)).equals(Buffer.from(ciphertext))).toBe(true);
    expect(opened.unseal(sealed, secret, await stored.get(sealed))).toBe("hunter2 ☃");
  });

  test("a list has the ciphertexts alone, not what a restore that was cut short has left among them", async () => {
    const folder = testFolder();
    const stored = openSealedDocuments(folder, realFiles);
    const hmac = digestOf("one");
    await stored.put({ kind: "sealed", type: "string", keyId: "k", hmac }, Buffer.from("ciphertext"));
    writeFileSync(join(folder, "k", `${digestOf("two")}.tmp`), "half");
    const names: string[] = [];
    for await (const { name } of stored.list()) names.push(name);
    expect(names).toEqual([`k/${hmac}`]);
  });

  test("a changed ciphertext, another place and a foreign key are refused by name", async () => {
    const folder = testFolder();
    const box = await openSecretBox(join(folder, "keys"));
    const { sealed, ciphertext } = box.seal(secret);
    for (let at = 0; at < ciphertext.length; at += 1) {
      const changed = Uint8Array.from(ciphertext);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => box.unseal(sealed, secret, changed)).toThrow(
        expect.objectContaining({ code: "not-authentic" }) as Error,
      );
    }
    expect(() => box.unseal(sealed, { ...secret, device: "d2" }, ciphertext)).toThrow(
      expect.objectContaining({ code: "not-authentic" }) as Error,
    );
    const other = await openSecretBox(join(folder, "other-keys"));
    expect(() => other.unseal(sealed, secret, ciphertext)).toThrow(
      expect.objectContaining({ code: "unknown-key" }) as Error,
    );
  });

  test("two processes that make the first key at once agree on one; a readable key file is refused", async () => {
    const folder = join(testFolder(), "keys");
    const boxes = await Promise.all([1, 2, 3, 4].map(() => openSecretBox(folder)));
    expect(new Set(boxes.map((box) => box.keyId)).size).toBe(1);
    writeFileSync(join(folder, "0002.key"), readFileSync(join(folder, "0001.key")), { mode: 0o644 });
    await expect(openSecretBox(folder)).rejects.toMatchObject({ code: "key-file" });
  });
});
