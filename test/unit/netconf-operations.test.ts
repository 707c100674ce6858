import { afterEach, describe, expect, it } from "vitest";
import { formatXml } from "../../codec/xml/format-xml.ts";
import { attributeValue, childElements, xmlElement, xmlTextElement } from "../../codec/xml/xml-element.ts";
import { isProviderError } from "../../providers/error.ts";
import { type NetconfSession, openNetconfSession } from "../../providers/netconf/client/netconf-session.ts";
import {
  cancelCommit,
  commit,
  confirmCommit,
  confirmedCommit,
  copyConfig,
  discardChanges,
  editConfig,
  getConfig,
  getSchema,
  getState,
  killSession,
  lock,
  unlock,
  validate,
} from "../../providers/netconf/client/operations.ts";
import { startScriptServer } from "../support/netconf-script-server.ts";

const base = "urn:ietf:params:xml:ns:netconf:base:1.0";
const monitoring = "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring";
const capability = (rest: string): string => `urn:ietf:params:netconf:capability:${rest}`;
const everything = [
  "urn:ietf:params:netconf:base:1.0",
  capability("candidate:1.0"),
  capability("writable-running:1.0"),
  capability("startup:1.0"),
  capability("validate:1.1"),
  capability("rollback-on-error:1.0"),
  capability("confirmed-commit:1.1"),
  capability("with-defaults:1.0?basic-mode=explicit&amp;also-supported=report-all"),
  `${monitoring}?module=ietf-netconf-monitoring`,
];

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) {
    await step();
  }
});

interface Recorded {
  readonly session: NetconfSession;
  /** Operations as the server saw them, each as one text. */
  readonly received: string[];
}

/** A server that answers each operation with `content` and writes down what it got. */
async function recorder(capabilities: readonly string[], content = "<ok/>"): Promise<Recorded> {
  const received: string[] = [];
  const server = await startScriptServer(async (peer) => {
    const list = capabilities.map((uri) => `<capability>${uri}</capability>`).join("");
    peer.send(`<hello xmlns="${base}"><capabilities>${list}</capabilities><session-id>5</session-id></hello>`);
    await peer.receive();
    for (let name = ""; name !== "close-session"; ) {
      const rpc = await peer.receive();
      const [operation] = childElements(rpc);
      if (operation === undefined) {
        throw new Error("an rpc without an operation");
      }
      ({ name } = operation);
      const text = formatXml(operation);
      if (name !== "close-session") {
        received.push(text.kind === "ok" ? text.value : "");
      }
      peer.send(
        `<rpc-reply xmlns="${base}" message-id="${attributeValue(rpc, "", "message-id") ?? ""}">${content}</rpc-reply>`,
      );
    }
    peer.end();
  });
  cleanUp.push(server.close);
  const session = await openNetconfSession({
    ssh: {
      host: "127.0.0.1",
      port: server.port,
      credentials: { username: server.username, proof: { kind: "password", password: server.password } },
      hostKey: { kind: "pinned", sha256: server.hostKeySha256 },
    },
  });
  cleanUp.push(() => session.close());
  return { session, received };
}

/** The default namespace of an operation, which every expected text has. */
const at = (name: string): string => `<${name} xmlns="${base}"`;

type Send = (session: NetconfSession) => Promise<unknown>;

describe("what goes over the wire", () => {
  const filter = [xmlElement({ namespace: "urn:ex:if", name: "interfaces" })];

  it.each<readonly [string, Send, string]>([
    ["get", (s) => getState(s), `${at("get")}/>`],
    [
      "get with an empty filter, which selects nothing",
      (s) => getState(s, { filter: [] }),
      `${at("get")}><filter type="subtree"/></get>`,
    ],
    [
      "get-config",
      (s) => getConfig(s, { source: "candidate", filter, withDefaults: "report-all" }),
      `${at("get-config")}><source><candidate/></source><filter type="subtree"><interfaces xmlns="urn:ex:if"/></filter>` +
        '<with-defaults xmlns="urn:ietf:params:xml:ns:yang:ietf-netconf-with-defaults">report-all</with-defaults></get-config>',
    ],
  ])("%s", async (_title, send, expected) => {
    const { session, received } = await recorder(everything, "<data/>");
    await send(session);
    expect(received).toEqual([expected]);
  });

  it.each<readonly [string, Send, string]>([
    ["lock", (s) => lock(s, { target: "running" }), `${at("lock")}><target><running/></target></lock>`],
    ["unlock", (s) => unlock(s, { target: "startup" }), `${at("unlock")}><target><startup/></target></unlock>`],
    ["discard-changes", (s) => discardChanges(s), `${at("discard-changes")}/>`],
    [
      "validate",
      (s) => validate(s, { source: "candidate" }),
      `${at("validate")}><source><candidate/></source></validate>`,
    ],
    ["commit", (s) => commit(s), `${at("commit")}/>`],
    [
      "case 50: a confirmed commit that outlives its session",
      (s) => confirmedCommit(s, { timeoutSeconds: 600, persist: "job <77>" }),
      `${at("commit")}><confirmed/><confirm-timeout>600</confirm-timeout><persist>job &lt;77&gt;</persist></commit>`,
    ],
    [
      "prolonging it",
      (s) => confirmedCommit(s, { timeoutSeconds: 60, persist: "b", persistId: "a" }),
      `${at("commit")}><confirmed/><confirm-timeout>60</confirm-timeout><persist>b</persist><persist-id>a</persist-id></commit>`,
    ],
    [
      "case 50: confirming by id",
      (s) => confirmCommit(s, { persistId: "job-77" }),
      `${at("commit")}><persist-id>job-77</persist-id></commit>`,
    ],
    [
      "case 51: cancelling by id",
      (s) => cancelCommit(s, { persistId: "job-77" }),
      `${at("cancel-commit")}><persist-id>job-77</persist-id></cancel-commit>`,
    ],
    [
      "copy-config",
      (s) => copyConfig(s, { source: "running", target: "startup" }),
      `${at("copy-config")}><target><startup/></target><source><running/></source></copy-config>`,
    ],
    [
      "kill-session",
      (s) => killSession(s, { sessionId: 4 }),
      `${at("kill-session")}><session-id>4</session-id></kill-session>`,
    ],
  ])("%s", async (_title, send, expected) => {
    const { session, received } = await recorder(everything);
    await send(session);
    expect(received).toEqual([expected]);
  });

  it("case 16: each operation of an edit is in the NETCONF namespace, by one declaration for all", async () => {
    const entry = (id: string, operation: string) =>
      xmlElement({
        namespace: "urn:ex:pg",
        name: "pg",
        attributes: [{ namespace: base, name: "operation", prefix: "nc", value: operation }],
        children: [xmlTextElement({ namespace: "urn:ex:pg", name: "pg-id" }, id)],
      });
    const pgs = xmlElement({
      namespace: "urn:ex:pg",
      name: "pgs",
      children: [entry("4", "delete"), entry("", "create")],
    });
    const { session, received } = await recorder(everything);
    await editConfig(session, {
      target: "candidate",
      config: [pgs],
      defaultOperation: "none",
      testOption: "test-then-set",
      errorOption: "rollback-on-error",
    });
    expect(received).toEqual([
      `${at("edit-config")}><target><candidate/></target><default-operation>none</default-operation>` +
        "<test-option>test-then-set</test-option><error-option>rollback-on-error</error-option>" +
        `<config xmlns:nc="${base}"><pgs xmlns="urn:ex:pg"><pg nc:operation="delete"><pg-id>4</pg-id></pg>` +
        '<pg nc:operation="create"><pg-id/></pg></pgs></config></edit-config>',
    ]);
  });

  it("get-schema gives the text exactly as sent", async () => {
    const module = "module ex {\n  // <&]]&gt;\n}\n";
    const content = `<data xmlns="${monitoring}"><![CDATA[${module}]]></data>`;
    const { session, received } = await recorder(everything, content);
    expect(await getSchema(session, { identifier: "ex", version: "2024-01-02" })).toBe(module);
    expect(received).toEqual([
      `<get-schema xmlns="${monitoring}"><identifier>ex</identifier><version>2024-01-02</version></get-schema>`,
    ]);
  });
});

describe("what a server must offer first", () => {
  const without = (name: string): readonly string[] => everything.filter((uri) => !uri.includes(name));

  it.each<readonly [string, string, Send]>([
    [":candidate", "candidate", (s) => getConfig(s, { source: "candidate" })],
    [":candidate", "candidate", (s) => editConfig(s, { target: "candidate", config: [] })],
    [":candidate", "candidate", (s) => lock(s, { target: "candidate" })],
    [":candidate", "candidate", (s) => commit(s)],
    [":candidate", "candidate", (s) => discardChanges(s)],
    [":candidate", "candidate", (s) => validate(s, { source: "candidate" })],
    [":startup", "startup", (s) => copyConfig(s, { source: "running", target: "startup" })],
    [":writable-running", "writable-running", (s) => editConfig(s, { target: "running", config: [] })],
    [":writable-running", "writable-running", (s) => copyConfig(s, { source: "candidate", target: "running" })],
    [":validate", "validate", (s) => validate(s, { source: "running" })],
    [":validate", "validate", (s) => editConfig(s, { target: "candidate", config: [], testOption: "test-then-set" })],
    [
      ":rollback-on-error",
      "rollback-on-error",
      (s) => editConfig(s, { target: "candidate", config: [], errorOption: "rollback-on-error" }),
    ],
    [":confirmed-commit", "confirmed-commit", (s) => confirmedCommit(s, { timeoutSeconds: 60 })],
    [":confirmed-commit:1.1", "confirmed-commit", (s) => confirmCommit(s, { persistId: "a" })],
    [":with-defaults with trim", "", (s) => getState(s, { withDefaults: "trim" })],
    [":with-defaults with explicit", "with-defaults", (s) => getState(s, { withDefaults: "explicit" })],
    ["ietf-netconf-monitoring", monitoring, (s) => getSchema(s, { identifier: "ex" })],
  ])("%s", async (missing, name, send) => {
    const { session, received } = await recorder(name === "" ? everything : without(name));
    await expect(send(session)).rejects.toMatchObject({
      code: "CapabilityMissing",
      details: [{ fieldPath: "capability", description: missing }],
    });
    expect(received).toEqual([]);
  });

  it("confirmed-commit 1.0 knows no persist, and validate 1.0 no test-only", async () => {
    const older = [
      ...without("confirmed-commit").filter((uri) => !uri.includes("validate")),
      capability("confirmed-commit:1.0"),
      capability("validate:1.0"),
    ];
    const { session, received } = await recorder(older);
    await confirmedCommit(session, { timeoutSeconds: 60 });
    const refused: readonly Send[] = [
      (s) => confirmedCommit(s, { timeoutSeconds: 60, persist: "a" }),
      (s) => confirmCommit(s, { persistId: "a" }),
      (s) => cancelCommit(s),
      (s) => editConfig(s, { target: "candidate", config: [], testOption: "test-only" }),
    ];
    for (const send of refused) {
      await expect(send(session)).rejects.toMatchObject({ code: "CapabilityMissing" });
    }
    expect(received).toHaveLength(1);
  });
});

describe("arguments that make no sense", () => {
  it.each([0, -1, 1.5, Number.NaN, 4_294_967_296])(
    "case 51: a confirm time-out of %s is refused",
    async (timeoutSeconds) => {
      const { session, received } = await recorder(everything);
      await expect(confirmedCommit(session, { timeoutSeconds, persist: "a" })).rejects.toMatchObject({
        code: "InvalidArgument",
      });
      expect(received).toEqual([]);
    },
  );

  it.each([0, 5])("case 49: session %d cannot be killed", async (sessionId) => {
    const { session, received } = await recorder(everything);
    const error: unknown = await killSession(session, { sessionId }).catch((reason: unknown) => reason);
    expect(isProviderError(error) && error.code).toBe("InvalidArgument");
    expect(received).toEqual([]);
  });
});
