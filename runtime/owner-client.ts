/**
 * What device workers ask the owner of the graph: documents by digest, ciphertexts of secrets, the fence before a
 * write, and decisions. They share no disk with it; every answer comes over the owner's API.
 */
import type { DecisionValue } from "../contract/activities.ts";
import type { ApiAccess } from "./api-access.ts";

export interface FenceQuestion {
  readonly transaction: string;
  readonly token: number;
  /** Device id. */
  readonly device: string;
  readonly persistId: string;
  readonly phase: "first" | "again";
}

export interface SealedName {
  readonly keyId: string;
  readonly hmac: string;
  readonly type: string;
}

export interface OwnerClient {
  getDocument(digest: string): Promise<string>;
  /** Durable when it returns; digests in the order of the contents. */
  putDocuments(contents: readonly string[]): Promise<readonly string[]>;
  /** Undefined: go on. Otherwise why nothing may be sent any more. */
  fence(question: FenceQuestion): Promise<string | undefined>;
  decision(transaction: string): Promise<DecisionValue | undefined>;
  putCiphertext(name: SealedName, ciphertext: Uint8Array): Promise<void>;
  getCiphertext(name: SealedName): Promise<Uint8Array>;
}

/** The owner did not answer, or refused. Retryable unless `status` is a client error. */
export class OwnerError extends Error {
  readonly status: number | undefined;
  constructor(message: string, status: number | undefined, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "OwnerError";
    this.status = status;
  }
}

const TIMEOUT_MS = 20_000;

const exactly = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** `access` is asked at each call: after a restart the owner has another port and token. */
export function ownerClient(access: () => Promise<ApiAccess | undefined>): OwnerClient {
  async function call(
    path: string,
    init: { readonly method: "GET" | "POST" | "PUT"; readonly body?: string | Uint8Array; readonly type?: string },
  ): Promise<Response> {
    const where = await access();
    if (where === undefined) throw new OwnerError("the owner of the graph does not listen yet", undefined);
    let response: Response;
    try {
      response = await fetch(`${where.address}/internal/v1${path}`, {
        method: init.method,
        headers: {
          authorization: `Bearer ${where.token}`,
          ...(init.body === undefined ? {} : { "content-type": init.type ?? "application/json" }),
        },
        ...(init.body === undefined
          ? {}
          : { body: typeof init.body === "string" ? init.body : new Uint8Array(init.body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      throw new OwnerError("the owner of the graph does not answer", undefined, error);
    }
    if (!response.ok)
      throw new OwnerError(
        `the owner of the graph answered ${String(response.status)} to ${path}: ${(await response.text()).slice(0, 300)}`,
        response.status,
      );
    return response;
  }
  const sealedPath = (name: SealedName): string =>
    `/ciphertexts/${encodeURIComponent(name.keyId)}/${encodeURIComponent(name.hmac)}`;
  return {
    // Not `text()`: it drops a byte order mark, and the digest is of every byte.
    getDocument: async (digest) =>
      exactly.decode(await (await call(`/documents/${digest}`, { method: "GET" })).arrayBuffer()),
    putDocuments: async (contents) => {
      const response = await call("/documents", { method: "POST", body: JSON.stringify({ contents }) });
      return ((await response.json()) as { readonly digests: readonly string[] }).digests;
    },
    fence: async (question) => {
      const response = await call("/fence", { method: "POST", body: JSON.stringify(question) });
      return ((await response.json()) as { readonly refusal?: string }).refusal;
    },
    decision: async (transaction) => {
      const response = await call(`/decisions/${encodeURIComponent(transaction)}`, { method: "GET" });
      return ((await response.json()) as { readonly value?: DecisionValue }).value;
    },
    putCiphertext: async (name, ciphertext) => {
      await call(sealedPath(name), { method: "PUT", body: ciphertext, type: "application/octet-stream" });
    },
    getCiphertext: async (name) =>
      new Uint8Array(await (await call(sealedPath(name), { method: "GET" })).arrayBuffer()),
  };
}
