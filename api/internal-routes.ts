import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { DeviceWrite } from "./fence.ts";
import { fenceRefusal } from "./fence.ts";
import type { ApiContext } from "./context.ts";
import { parameter, readInput } from "./request.ts";

/** Observations of large devices pass here; public requests are far smaller. */
const MAX_DOCUMENTS_BYTES = 256 * 1024 * 1024;
const MAX_CIPHERTEXT_BYTES = 1024 * 1024;

const documentsSchema = z.strictObject({ contents: z.array(z.string()) });
const fenceSchema: z.ZodType<DeviceWrite> = z.object({
  transaction: z.string().min(1),
  token: z.number().int(),
  device: z.string().min(1),
  persistId: z.string(),
  phase: z.enum(["first", "again"]),
});

/** What device workers ask of the graph's owner (`runtime/owner-client.ts` is the other side). */
export function addInternalRoutes(app: FastifyInstance, { store }: ApiContext): void {
  app.addContentTypeParser(
    "application/octet-stream",
    { parseAs: "buffer", bodyLimit: MAX_CIPHERTEXT_BYTES },
    (_request, body, done) => {
      done(null, body);
    },
  );

  app.get("/internal/v1/documents/:digest", async (request, reply) => {
    const text = await store.documents.getText(parameter(request, "digest"));
    return reply.type("text/plain; charset=utf-8").send(text);
  });

  app.post("/internal/v1/documents", { bodyLimit: MAX_DOCUMENTS_BYTES }, async (request) => {
    const { contents } = readInput(documentsSchema, request.body, "body");
    return { digests: await store.documents.putAll(contents) };
  });

  app.post("/internal/v1/fence", async (request) => {
    const refusal = await fenceRefusal(store, readInput(fenceSchema, request.body, "body"));
    return refusal === undefined ? {} : { refusal };
  });

  app.get("/internal/v1/decisions/:transaction", async (request) => {
    const decision = await store.decision(parameter(request, "transaction"));
    return decision === undefined ? {} : { value: decision.value };
  });

  app.put("/internal/v1/ciphertexts/:keyId/:hmac", async (request, reply) => {
    const ciphertext = z.instanceof(Uint8Array).parse(request.body);
    await store.sealedDocuments.put(sealedName(parameter(request, "keyId"), parameter(request, "hmac")), ciphertext);
    return reply.code(204).send();
  });

  app.get("/internal/v1/ciphertexts/:keyId/:hmac", async (request, reply) => {
    const found = await store.sealedDocuments.get(sealedName(parameter(request, "keyId"), parameter(request, "hmac")));
    return reply.type("application/octet-stream").send(Buffer.from(found));
  });
}

/** A ciphertext is found by key and fingerprint; which YANG type its text has does not matter here. */
function sealedName(keyId: string, hmac: string) {
  return { kind: "sealed", type: "string", keyId, hmac } as const;
}
