import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { LockRequest } from "../../contract/activities.ts";
import { OwnerError, ownerClient } from "../../runtime/owner-client.ts";
import { readApiAccess } from "../../runtime/api-access.ts";
import { sha256 } from "../support/api-lab.ts";
import { type TestApi, openTestApi } from "../support/api-server.ts";

const client = (api: TestApi) => ownerClient(() => readApiAccess(api.folder));

function lock(request: string, device: string, transaction: string): LockRequest {
  return { request, keys: [`device/${device}`], workflowId: `apply/${transaction}`, transaction };
}

describe("who may ask", () => {
  test("the access file is private, and its token is asked of every route", async () => {
    const api = await openTestApi();
    expect((await stat(join(api.folder, "api.json"))).mode & 0o777).toBe(0o600);
    for (const path of ["/v1/health", "/internal/v1/decisions/t", "/nothing/here"]) {
      for (const authorization of [undefined, "Bearer", `Bearer ${api.token}x`, `Basic ${api.token}`]) {
        const response = await fetch(
          `${api.address}${path}`,
          authorization === undefined ? {} : { headers: { authorization } },
        );
        expect(response.status, `${path} with ${String(authorization)}`).toBe(401);
        expect(await response.json()).toMatchObject({ code: "unauthorized" });
      }
    }
    expect((await api.get("/v1/health")).status).toBe(200);
    expect(api.log.join("")).not.toContain(api.token);
  });

  test("it listens on loopback only and answers unknown routes as data", async () => {
    const api = await openTestApi();
    expect(new URL(api.address).hostname).toBe("127.0.0.1");
    expect(await api.get("/v1/nothing")).toMatchObject({ status: 404, body: { code: "unknown-route" } });
    expect(await api.post("/v1/imports", {})).toMatchObject({
      status: 400,
      body: {
        code: "bad-request",
        diagnostics: [{ places: [{ kind: "field", path: "mode" }] }, { places: [{ kind: "field", path: "empty" }] }],
      },
    });
  });
});

describe("documents and ciphertexts", () => {
  test("texts come back whole, by the digest of their bytes", async () => {
    const owner = client(await openTestApi());
    const contents = ['{"a":1}', "", "\r\n\tä€😀\u0000", "x".repeat(3_000_000)];
    const digests = await owner.putDocuments(contents);
    expect(digests).toEqual(contents.map(sha256));
    for (const [index, digest] of digests.entries()) expect(await owner.getDocument(digest)).toBe(contents[index]);
  });

  test("an absent document, and what is no digest, are client errors", async () => {
    const owner = client(await openTestApi());
    for (const digest of [sha256("never stored"), "..%2f..%2fapi.json", "abc"]) {
      await expect(owner.getDocument(digest)).rejects.toMatchObject({ name: OwnerError.name, status: 404 });
    }
  });

  test("ciphertexts are octets, and the first one of a sealed value stays", async () => {
    const owner = client(await openTestApi());
    const name = { keyId: "k1", hmac: "ab".repeat(32), type: "string" };
    const octets = Uint8Array.from({ length: 256 }, (_, index) => index);
    await owner.putCiphertext(name, octets);
    await owner.putCiphertext(name, new Uint8Array([1]));
    expect(await owner.getCiphertext(name)).toEqual(octets);
    await expect(owner.getCiphertext({ ...name, hmac: "cd".repeat(32) })).rejects.toMatchObject({ status: 404 });
  });
});

describe("the fence", () => {
  const question = { transaction: "p-1", device: "d-1", persistId: "x" };

  test("first: only while the token holds the device and nothing is decided", async () => {
    const api = await openTestApi();
    const owner = client(api);
    const first = (token: number, device = "d-1") => owner.fence({ ...question, token, device, phase: "first" });
    expect(await first(1)).toMatch(/no longer holds device d-1/);
    const granted = await api.store.locks.request(lock("p-1", "d-1", "p-1"));
    if (granted.kind !== "granted") throw new Error("the lock is free");
    const prepared = (persistId: string) => ({ device: "d-1", section: "s", persistId });
    expect(await first(granted.token)).toMatch(/x is not the newest attempt/);
    await api.store.locks.recordPrepared("p-1", prepared("x"));
    expect(await first(granted.token)).toBeUndefined();
    expect(await first(granted.token, "d-2")).toMatch(/no longer holds device d-2/);
    expect(await first(granted.token + 1)).toMatch(/no longer holds/);
    // A worker that comes late with an attempt that was given up must not write beside the next one.
    await api.store.locks.recordPrepared("p-1", prepared("y"));
    expect(await first(granted.token)).toMatch(/x is not the newest attempt/);
    await api.store.decide({ transaction: "p-1", value: "abort" });
    expect(await first(granted.token)).toMatch(/decided abort/);
  });

  test("the holder that was reaped is fenced out although its token was good", async () => {
    const api = await openTestApi();
    const granted = await api.store.locks.request(lock("p-1", "d-1", "p-1"));
    if (granted.kind !== "granted") throw new Error("the lock is free");
    await api.store.locks.reap("p-1");
    const next = await api.store.locks.request(lock("p-2", "d-1", "p-2"));
    expect(next.kind).toBe("granted");
    expect(await client(api).fence({ ...question, token: granted.token, phase: "first" })).toMatch(/no longer holds/);
  });

  test("again: only after confirm", async () => {
    const api = await openTestApi();
    const owner = client(api);
    const granted = await api.store.locks.request(lock("p-1", "d-1", "p-1"));
    if (granted.kind !== "granted") throw new Error("the lock is free");
    const again = () => owner.fence({ ...question, token: granted.token, phase: "again" });
    await api.store.locks.recordPrepared("p-1", { device: "d-1", section: "s", persistId: "x" });
    expect(await again()).toMatch(/undecided/);
    await api.store.decide({ transaction: "p-1", value: "confirm" });
    expect(await again()).toBeUndefined();
    await api.store.decide({ transaction: "p-2", value: "abort" });
    expect(await owner.fence({ ...question, transaction: "p-2", token: granted.token, phase: "again" })).toMatch(
      /decided abort/,
    );
  });

  test("a transaction of one device of a plan has a slash in its id", async () => {
    const api = await openTestApi();
    const owner = client(api);
    expect(await owner.decision("p-1/d-1")).toBeUndefined();
    await api.store.decide({ transaction: "p-1/d-1", value: "confirm" });
    expect(await owner.decision("p-1/d-1")).toBe("confirm");
  });
});
