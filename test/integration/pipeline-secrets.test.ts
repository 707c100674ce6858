/** A configuration secret: it reaches the device, and nobody who reads what Tenure keeps ever sees it. */
import { execFile } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client, Connection } from "@temporalio/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resolveTemporalProgram } from "../../runtime/temporal/resolve-temporal.ts";
import type { Simulator } from "../../simulator/simulator.ts";
import { type Site, TWO_PORTS, mtuService, startSite } from "../support/pipeline-site.ts";

const PATH = "/tenure-demo-system:system/management/shared-secret";
/** Neither text may occur inside another word of the test. */
const FIRST = "wanderfalke-0417";
const SECOND = "zaunkoenig-2290";
const CHANGED = "eisvogel-7731xx";

const systemXml = (secret: string) =>
  `<system xmlns="urn:tenure:demo:system"><management><shared-secret>${secret}</shared-secret></management></system>`;

let site: Site;
beforeAll(async () => {
  site = await startSite();
}, 60_000);
afterAll(() => site.stop());

/** Relative names of all files below the folder whose bytes contain one of the texts. */
async function filesWith(folder: string, texts: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name)).catch(() => Buffer.alloc(0));
    if (texts.some((text) => bytes.includes(text))) found.push(entry.name);
  }
  return found;
}

interface Histories {
  readonly count: number;
  /** Every payload of every event, decoded. */
  readonly text: string;
}

async function allHistories(): Promise<Histories> {
  const connection = await Connection.connect({ address: site.temporal.address });
  const parts: string[] = [];
  let count = 0;
  try {
    for await (const { workflowId, runId } of new Client({ connection }).workflow.list()) {
      const { stdout } = await promisify(execFile)(
        resolveTemporalProgram().path,
        [
          "workflow",
          "show",
          "--workflow-id",
          workflowId,
          "--run-id",
          runId,
          "--address",
          site.temporal.address,
          "-o",
          "json",
        ],
        { maxBuffer: 64 * 1024 * 1024 },
      );
      count += 1;
      parts.push(stdout);
      for (const [, data = ""] of stdout.matchAll(/"data": "([A-Za-z0-9+/=]*)"/gu))
        parts.push(Buffer.from(data, "base64").toString());
    }
  } finally {
    await connection.close();
  }
  return { count, text: parts.join("\n") };
}

const secretOn = (device: Simulator): string | undefined =>
  /<shared-secret>([^<]*)</u.exec(device.configXml("running"))?.[1];

test("is sealed in goal, plan, journal, documents and histories, and is written back when drift is enforced", async () => {
  const [r1, r2] = [
    await site.start("r1", { initialConfigXml: `${TWO_PORTS}${systemXml(FIRST)}` }),
    await site.start("r2", { initialConfigXml: `${TWO_PORTS}${systemXml(FIRST)}` }),
  ];
  for (const device of [r1, r2]) {
    await site.add({ name: device.name, address: `127.0.0.1:${String(device.port)}` });
    expect(await site.importOf(device.name)).toMatchObject([{ kind: "imported" }]);
  }

  // The goal holds a fingerprint of {key, device, path, value}: the same text on another device looks different.
  const sealedOn = async (device: string) =>
    /"shared-secret":(\{[^}]*\}|[^,}]*)/u.exec(await site.goal(device))?.[1] ?? "";
  expect(await sealedOn("r1")).toMatch(/[0-9a-f]{64}/u);
  expect(await sealedOn("r2")).toMatch(/[0-9a-f]{64}/u);
  expect(await sealedOn("r1")).not.toBe(await sealedOn("r2"));
  expect(await site.drift(["r1", "r2"])).toMatchObject([{ kind: "in-sync" }, { kind: "in-sync" }]);

  // Somebody changes it: found, planned without showing either text, written back.
  r1.edit(systemXml(CHANGED));
  expect(await site.drift(["r1"])).toMatchObject([{ kind: "drift", operations: 1 }]);
  const enforce = await site.createPlan({ devices: ["r1"], direction: "enforce" });
  expect((await site.section(enforce, "r1")).operations).toMatchObject([{ op: "replace", path: PATH }]);
  const shown = await site.api.getText(`/plans/${enforce.plan}/netconf`);
  expect(shown).toContain("shared-secret");
  expect(await site.apply(enforce)).toMatchObject({ state: "applied" });
  expect(secretOn(r1)).toBe(FIRST);

  // The device refuses it, and repeats it in its own words.
  r1.edit(systemXml(CHANGED));
  const action = { kind: "fail", tag: "invalid-value", message: `${FIRST} is too weak` } as const;
  r1.setFaults([{ id: "repeats the secret", operation: "edit-config", occurrence: 1, action }]);
  const refused = await site.apply(await site.createPlan({ devices: ["r1"], direction: "enforce" }));
  expect(refused.state).toBe("aborted");
  expect(JSON.stringify(refused)).toContain("(secret) is too weak");
  r1.setFaults([]);

  // It goes with the subtree that holds it, and comes back.
  r1.edit(
    `<system xmlns="urn:tenure:demo:system" xmlns:nc="urn:ietf:params:xml:ns:netconf:base:1.0" nc:operation="delete"/>`,
  );
  expect(secretOn(r1)).toBeUndefined();
  expect(await site.apply(await site.createPlan({ devices: ["r1"], direction: "enforce" }))).toMatchObject({
    state: "applied",
  });
  expect(secretOn(r1)).toBe(FIRST);

  // A new one is accepted into desired state, and enforced from there.
  r1.edit(systemXml(SECOND));
  expect(await site.apply(await site.createPlan({ devices: ["r1"], direction: "accept" }))).toMatchObject({
    state: "applied",
  });
  r1.edit(systemXml(CHANGED));
  expect(await site.apply(await site.createPlan({ devices: ["r1"], direction: "enforce" }))).toMatchObject({
    state: "applied",
  });
  expect(secretOn(r1)).toBe(SECOND);

  // A change elsewhere is verified with the secret in view.
  const change = await site.put(mtuService({ name: "beside", definition: "mtu", mtu: 9000, targets: ["r1"] }));
  expect(await site.apply(change)).toMatchObject({ state: "applied" });
  expect(secretOn(r1)).toBe(SECOND);

  const texts = [FIRST, SECOND, CHANGED];
  expect(texts.some((text) => shown.includes(text))).toBe(false);
  expect(await filesWith(site.folder, texts)).toEqual([]);
  const histories = await allHistories();
  expect(histories.count).toBeGreaterThan(10);
  // The decoding works: ids that do travel are there.
  expect(histories.text).toContain(enforce.digest);
  expect(texts.filter((text) => histories.text.includes(text))).toEqual([]);
  expect(site.worker().errors()).not.toMatch(new RegExp(texts.join("|"), "u"));
}, 90_000);

test("a literal at a secret path is refused with its place", async () => {
  await site.imported(["s1"]);
  const text = `kind: definition
name: secret
version: "1"
rules:
  - path: ${PATH}
    value: "in clear text"
---
kind: service
name: literal
definition: secret
targets: [s1]
`;
  const view = await site.submit(text);
  expect(view).toMatchObject({
    kind: "failed",
    error: {
      code: "Refused",
      diagnostics: [
        {
          code: "rule-secret-literal",
          // The rule, and the instance that applies it.
          places: [
            { kind: "source", position: { source: "services.yaml", line: 6, column: 12 } },
            { kind: "source", position: { source: "services.yaml", line: 8, column: 1 } },
          ],
        },
      ],
    },
  });
});
