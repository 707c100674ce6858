import { afterEach, describe, expect, it } from "vitest";
import {
  attributeValue,
  childElements,
  findChild,
  textOf,
  type XmlElement,
  xmlElement,
} from "../../codec/xml/xml-element.ts";
import { isProviderError, lockOwner, type ProviderError } from "../../providers/error.ts";
import {
  type NetconfSession,
  openNetconfSession,
  type RpcEvent,
  type SessionOptions,
} from "../../providers/netconf/client/netconf-session.ts";
import { commit, editConfig, getConfig, getState, lock } from "../../providers/netconf/client/operations.ts";
import { type ScriptPeer, type ScriptServer, startScriptServer } from "../support/netconf-script-server.ts";

const base = "urn:ietf:params:xml:ns:netconf:base:1.0";
const v10 = "urn:ietf:params:netconf:base:1.0";
const v11 = "urn:ietf:params:netconf:base:1.1";
const usual = [
  v10,
  v11,
  "urn:ietf:params:netconf:capability:candidate:1.0",
  "urn:ietf:params:netconf:capability:writable-running:1.0",
];

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) {
    await step();
  }
});

function helloText(capabilities: readonly string[], sessionId: string): string {
  const list = capabilities.map((uri) => `<capability>${uri}</capability>`).join("");
  return `<hello xmlns="${base}"><capabilities>${list}</capabilities>${sessionId}</hello>`;
}

/** The start of a well-behaved server: hellos, then the framing that both offer. */
async function greet(peer: ScriptPeer, capabilities: readonly string[] = usual): Promise<void> {
  peer.send(helloText(capabilities, "<session-id>17</session-id>"));
  await peer.receive();
  if (capabilities.includes(v11)) {
    peer.useChunked();
  }
}

interface ReceivedRpc {
  readonly id: string;
  readonly operation: XmlElement;
}

async function receiveRpc(peer: ScriptPeer): Promise<ReceivedRpc> {
  const rpc = await peer.receive();
  const [operation] = childElements(rpc);
  if (operation === undefined) {
    throw new Error("an rpc without an operation");
  }
  return { id: attributeValue(rpc, "", "message-id") ?? "", operation };
}

function replyText(id: string, content: string): string {
  return `<rpc-reply xmlns="${base}" message-id="${id}">${content}</rpc-reply>`;
}

/** Answers everything with `content` until the client leaves; close-session ends the session. */
async function answerAll(peer: ScriptPeer, content: (rpc: ReceivedRpc) => string): Promise<void> {
  for (;;) {
    const rpc = await receiveRpc(peer);
    if (rpc.operation.name === "close-session") {
      peer.send(replyText(rpc.id, "<ok/>"));
      peer.end();
      return;
    }
    peer.send(replyText(rpc.id, content(rpc)));
  }
}

async function serve(script: (peer: ScriptPeer) => Promise<void>): Promise<ScriptServer> {
  const server = await startScriptServer(script);
  cleanUp.push(server.close);
  return server;
}

async function open(server: ScriptServer, options: SessionOptions = {}): Promise<NetconfSession> {
  const session = await openNetconfSession({
    ssh: {
      host: "127.0.0.1",
      port: server.port,
      credentials: { username: server.username, proof: { kind: "password", password: server.password } },
      hostKey: { kind: "pinned", sha256: server.hostKeySha256 },
    },
    ...options,
  });
  cleanUp.push(() => session.close());
  return session;
}

async function failure(work: Promise<unknown>): Promise<ProviderError> {
  try {
    await work;
  } catch (error) {
    if (isProviderError(error)) {
      return error;
    }
    throw error;
  }
  throw new Error("expected a ProviderError");
}

describe("hellos", () => {
  it("case 01: content with the marker passes in base:1.1", async () => {
    const server = await serve(async (peer) => {
      await greet(peer);
      await answerAll(peer, () => '<data><note xmlns="urn:ex:n" text="end ]]>]]> mark"/><!-- ]]>]]> --></data>');
    });
    const session = await open(server);
    expect(session).toMatchObject({ sessionId: 17, framing: "chunked" });
    const { data } = await getConfig(session, { source: "running" });
    expect(attributeValue(childElements(data)[0] as XmlElement, "", "text")).toBe("end ]]>]]> mark");
    await session.close();
    expect(server.sessions()).toBe(1);
  });

  it("case 01: a server with base:1.0 only gets end-of-message framing for the whole session, and an escaped marker", async () => {
    let wire = "";
    let value = "";
    const server = await serve(async (peer) => {
      await greet(
        peer,
        usual.filter((uri) => uri !== v11),
      );
      await answerAll(peer, ({ operation }) => {
        wire = peer.received().toString("utf8");
        value = textOf(findChild(findChild(operation, base, "config") as XmlElement, "urn:ex:d", "d") as XmlElement);
        return "<ok/>";
      });
    });
    const session = await open(server);
    expect(session.framing).toBe("end-of-message");
    const d = xmlElement({ namespace: "urn:ex:d", name: "d", children: [{ kind: "text", value: "x ]]>]]> y" }] });
    await editConfig(session, { target: "candidate", config: [d] });
    expect(value).toBe("x ]]>]]> y");
    expect(wire).toContain("x ]]&gt;]]&gt; y");
    expect(wire.split("]]>]]>")).toHaveLength(3);
  });

  it("case 07: the wire after the hello has the exact grammar", async () => {
    let wire = "";
    const server = await serve(async (peer) => {
      await greet(peer);
      await answerAll(peer, () => {
        wire = peer.received().toString("utf8");
        return "<data/>";
      });
    });
    await getState(await open(server));
    const rpc = `<rpc xmlns="${base}" message-id="1"><get/></rpc>`;
    const [, afterHello] = wire.split("]]>]]>");
    expect(afterHello).toBe(`\n#${String(rpc.length)}\n${rpc}\n##\n`);
  });

  it("case 07: a spare LF after the hello ends the session, unless the profile names that quirk", async () => {
    const withSpareLineFeed = (rest: (peer: ScriptPeer) => Promise<void>): Promise<ScriptServer> =>
      serve(async (peer) => {
        peer.sendRaw(`${helloText(usual, "<session-id>1</session-id>")}]]>]]>\n`);
        await peer.receive();
        peer.useChunked();
        await rest(peer);
      });
    const strict = await withSpareLineFeed(async (peer) => {
      const { id } = await receiveRpc(peer);
      peer.send(replyText(id, "<data/>"));
      await peer.gone;
    });
    expect((await failure(getState(await open(strict)))).code).toBe("ProtocolError");
    const answering = await withSpareLineFeed((peer) => answerAll(peer, () => "<data/>"));
    const tolerant = await open(answering, { lineFeedAfterHello: "ignore-one" });
    expect((await getState(tolerant)).data.name).toBe("data");
  });

  it("a reply that comes in one read with the hello is read in the new framing", async () => {
    const server = await serve(async (peer) => {
      await peer.receive();
      peer.sendRaw(`${helloText(usual, "<session-id>1</session-id>")}]]>]]>\n#4\n<x/>\n##\n`);
      await peer.gone;
    });
    const session = await open(server);
    expect((await session.ended).message).toContain("does not send {}x");
  });

  it.each([
    ["no session id", helloText(usual, "")],
    ["no common base", helloText(["urn:ietf:params:netconf:base:2.0"], "<session-id>1</session-id>")],
    ["another message", "<rpc-reply/>"],
    ["no namespace", helloText(usual, "<session-id>1</session-id>").replace(` xmlns="${base}"`, "")],
    [
      "case 13: a document type",
      `<!DOCTYPE hello [<!ENTITY f SYSTEM "file:///etc/hostname">]>${helloText(usual, "<session-id>1</session-id>")}`,
    ],
    ["no XML", "Welcome!"],
  ])("refuses a hello with %s", async (_title, hello) => {
    const server = await serve(async (peer) => {
      peer.sendRaw(`${hello}]]>]]>`);
      await peer.gone;
    });
    expect((await failure(open(server))).code).toBe("ProtocolError");
  });

  it("gives up on a server that never says hello, and on one that leaves instead", async () => {
    const silent = await serve(({ gone }) => gone);
    expect(await failure(open(silent, { helloTimeoutMs: 100 }))).toMatchObject({
      code: "Unreachable",
      retryable: true,
    });
    const leaving = await serve(async (peer) => {
      await peer.receive();
      peer.end();
    });
    expect((await failure(open(leaving))).code).toBe("Unreachable");
  });
});

describe("replies", () => {
  it("match by message-id only, in any order", async () => {
    const server = await serve(async (peer) => {
      await greet(peer);
      const first = await receiveRpc(peer);
      const second = await receiveRpc(peer);
      for (const { id, operation } of [second, first]) {
        peer.send(replyText(id, `<data><echo xmlns="urn:ex:e">${operation.name}</echo></data>`));
      }
      await answerAll(peer, () => "<ok/>");
    });
    const session = await open(server);
    const [state, config] = await Promise.all([getState(session), getConfig(session, { source: "running" })]);
    expect(childElements(state.data).map(textOf)).toEqual(["get"]);
    expect(childElements(config.data).map(textOf)).toEqual(["get-config"]);
  });

  it("case 11: a late reply is never given to the next request: the session ends with the time-out", async () => {
    let allow: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      allow = resolve;
    });
    const operations: string[] = [];
    const server = await serve(async (peer) => {
      await greet(peer);
      const { id, operation } = await receiveRpc(peer);
      operations.push(operation.name);
      await late;
      peer.sendRaw(`\n#${String(replyText(id, "<data/>").length)}\n${replyText(id, "<data/>")}\n##\n`);
      await expect(receiveRpc(peer)).rejects.toThrow("gone");
    });
    const session = await open(server);
    expect(await failure(getState(session, { timeoutMs: 100 }))).toMatchObject({
      code: "Unreachable",
      retryable: true,
    });
    allow();
    const next = await failure(lock(session, { target: "running" }));
    expect(next.code).toBe("Unreachable");
    expect(next.message).toContain("nothing was sent");
    await session.close();
    expect(operations).toEqual(["get"]);
  });

  it("case 11: a notification between goes to its own stream", async () => {
    const server = await serve(async (peer) => {
      await greet(peer);
      await answerAll(peer, () => {
        peer.send(
          '<notification xmlns="urn:ietf:params:xml:ns:netconf:notification:1.0"><eventTime>t</eventTime></notification>',
        );
        return "<data/>";
      });
    });
    const notifications: string[] = [];
    const session = await open(server, { onNotification: ({ name }) => notifications.push(name) });
    expect((await getState(session)).data.name).toBe("data");
    expect(notifications).toEqual(["notification"]);
  });

  it.each([
    ["no message-id", `<rpc-reply xmlns="${base}"><ok/></rpc-reply>`],
    [
      "a message-id in the wrong namespace",
      `<rpc-reply xmlns="${base}" xmlns:n="${base}" n:message-id="1"><ok/></rpc-reply>`,
    ],
    ["an id nobody used", replyText("99", "<ok/>")],
    ["another root", `<rpc xmlns="${base}" message-id="1"><get/></rpc>`],
    ["a second hello", helloText(usual, "<session-id>1</session-id>")],
    ["case 13: a document type", `<!DOCTYPE a>${replyText("1", "<data/>")}`],
    ["case 13: an entity", replyText("1", "<data>&nbsp;</data>")],
    ["XML that is cut off", replyText("1", "<data>").slice(0, -5)],
  ])("case 11: a reply with %s fails the session", async (_title, reply) => {
    const server = await serve(async (peer) => {
      await greet(peer);
      await receiveRpc(peer);
      peer.send(reply);
      await peer.gone;
    });
    const session = await open(server);
    expect((await failure(getState(session))).code).toBe("ProtocolError");
    expect((await session.ended).code).toBe("ProtocolError");
  });

  it("shows the server's words when it could not read the request at all", async () => {
    const server = await serve(async (peer) => {
      await greet(peer);
      await receiveRpc(peer);
      peer.send(
        `<rpc-reply xmlns="${base}"><rpc-error><error-tag>malformed-message</error-tag></rpc-error></rpc-reply>`,
      );
      await peer.gone;
    });
    expect((await failure(getState(await open(server)))).message).toContain("malformed-message");
  });

  it("case 03: text arrives whole when the server cuts inside of characters", async () => {
    const server = await serve(async (peer) => {
      await greet(peer);
      const { id } = await receiveRpc(peer);
      const bytes = Buffer.from(replyText(id, '<data><d xmlns="urn:ex:d">日本 🛰</d></data>'));
      for (const octet of bytes) {
        peer.sendRaw(Buffer.concat([Buffer.from("\n#1\n"), Buffer.of(octet)]));
      }
      peer.sendRaw("\n##\n");
      await answerAll(peer, () => "<ok/>");
    });
    const { data } = await getConfig(await open(server), { source: "running" });
    expect(childElements(data).map(textOf)).toEqual(["日本 🛰"]);
  });

  it("data that has a reader goes to it while it arrives, and nowhere else", async () => {
    const server = await serve(async (peer) => {
      await greet(peer);
      const entries = '<d xmlns="urn:ex:d" a="1">x<e/></d>';
      await answerAll(peer, () => `<data>${entries}${entries}</data><note xmlns="urn:ex:n">kept</note>`);
    });
    const session = await open(server);
    const events: string[] = [];
    const dataReader = {
      open: ({ namespace, name }: { readonly namespace: string; readonly name: string }) =>
        events.push(`<${namespace} ${name}>`),
      text: (text: string) => events.push(text),
      close: () => events.push("</>"),
    };
    const { data } = await getConfig(session, { source: "running", dataReader });
    expect(data).toMatchObject({ name: "data", children: [] });
    const entry = ["<urn:ex:d d>", "x", "<urn:ex:d e>", "</>", "</>"];
    expect(events).toEqual([...entry, ...entry]);
    // Another request of the same session has its data in the reply.
    const { data: whole } = await getConfig(session, { source: "running" });
    expect(childElements(whole).map(textOf)).toEqual(["x", "x"]);
    expect(events).toHaveLength(10);
  });

  it("case 12: a reading that breaks off is an error, whatever came before", async () => {
    const server = await serve(async (peer) => {
      await greet(peer);
      const { id } = await receiveRpc(peer);
      peer.send(replyText(id, `<data>${'<d xmlns="urn:ex:d"/>'.repeat(50)}</data>`).slice(0, -40));
      await peer.gone;
    });
    let opened = 0;
    const dataReader = { open: () => (opened += 1), text: () => undefined, close: () => undefined };
    const session = await open(server);
    expect((await failure(getConfig(session, { source: "running", dataReader }))).code).toBe("ProtocolError");
    expect(opened).toBeGreaterThan(40);
  });

  it("case 03: octets that are not UTF-8 fail the session", async () => {
    const server = await serve(async (peer) => {
      await greet(peer);
      const { id } = await receiveRpc(peer);
      peer.sendRaw(Buffer.concat([Buffer.from("\n#1\n"), Buffer.of(0xe6), Buffer.from("\n##\n")]));
      expect(id).toBe("1");
      await peer.gone;
    });
    expect((await failure(getState(await open(server)))).message).toContain("UTF-8");
  });

  it("case 12: a limit is named together with the device, and ends the session", async () => {
    const server = await serve(async (peer) => {
      await greet(peer);
      await receiveRpc(peer);
      peer.send(replyText("1", `<data>${"x".repeat(2000)}</data>`));
      await peer.gone;
    });
    const byMessage = await failure(getState(await open(server, { limits: { maxMessageBytes: 1500 } })));
    const byText = await failure(getState(await open(server, { limits: { xml: { maxTextLength: 1500 } } })));
    for (const [error, limit] of [
      [byMessage, "maxMessageBytes"],
      [byText, "maxTextLength"],
    ] as const) {
      expect(error.code).toBe("LimitExceeded");
      expect(error.message).toContain(limit);
      expect(error.message).toContain(`127.0.0.1:${String(server.port)}`);
    }
  });
});

describe("errors of the device", () => {
  const error = (tag: string, more = ""): string => `<rpc-error><error-tag>${tag}</error-tag>${more}</rpc-error>`;

  async function answering(content: string): Promise<NetconfSession> {
    return open(
      await serve(async (peer) => {
        await greet(peer);
        await answerAll(peer, () => content);
      }),
    );
  }

  it("case 10: a wrapped error fails the request and leaves the session usable", async () => {
    const session = await answering(
      `<r xmlns="urn:ex:v" xmlns:nc="${base}"><nc:rpc-error><nc:error-tag>invalid-value</nc:error-tag></nc:rpc-error></r>`,
    );
    expect(await failure(commit(session))).toMatchObject({
      code: "DeviceRejected",
      reports: [{ tag: "invalid-value" }],
    });
    expect((await failure(commit(session))).code).toBe("DeviceRejected");
  });

  it("case 10: a warning before an ok is kept and is no failure; with an error behind it the request fails", async () => {
    const warning = error("operation-failed", "<error-severity>warning</error-severity>");
    expect((await commit(await answering(`${warning}<ok/>`))).warnings).toMatchObject([{ severity: "warning" }]);
    expect((await commit(await answering(warning))).warnings).toHaveLength(1);
    const rejected = await failure(commit(await answering(`${warning}${error("invalid-value")}`)));
    expect(rejected.reports.map(({ tag }) => tag)).toEqual(["invalid-value"]);
  });

  it("case 49: a denied lock names its owner", async () => {
    const info = "<error-info><session-id>146959354</session-id></error-info>";
    const denied = await failure(lock(await answering(error("lock-denied", info)), { target: "running" }));
    expect(denied).toMatchObject({ code: "LockDenied", retryable: true });
    expect(lockOwner(denied)).toBe(146959354);
  });

  it("a rejected edit of running is an unknown outcome unless the server rolls back", async () => {
    const rejecting = await answering(error("invalid-value"));
    expect((await failure(editConfig(rejecting, { target: "running", config: [] }))).code).toBe("OutcomeUnknown");
    expect((await failure(editConfig(rejecting, { target: "candidate", config: [] }))).code).toBe("DeviceRejected");
  });

  it("a reply with neither ok nor error is none: unknown for a commit", async () => {
    const session = await answering("");
    expect((await failure(commit(session))).code).toBe("OutcomeUnknown");
    expect((await failure(lock(session, { target: "running" }))).code).toBe("ProtocolError");
    expect((await failure(getState(session))).code).toBe("ProtocolError");
  });
});

describe("case 45: what is known when no reply comes", () => {
  const endings: readonly (readonly [string, (peer: ScriptPeer) => Promise<void> | void])[] = [
    ["the server is silent", ({ gone }) => gone],
    [
      "the server closes the channel",
      (peer) => {
        peer.end();
      },
    ],
    [
      "the connection breaks",
      (peer) => {
        peer.drop();
      },
    ],
    [
      "the reply is cut off",
      (peer) => {
        peer.sendRaw(`\n#500\n<rpc-reply xmlns="${base}" message-id="1"><ok/>`);
        peer.end();
      },
    ],
    [
      "the reply is malformed",
      (peer) => {
        peer.send("<rpc-reply");
      },
    ],
    [
      "the framing is broken",
      (peer) => {
        peer.sendRaw("ok");
      },
    ],
    [
      "the reply has another id",
      (peer) => {
        peer.send(replyText("7", "<ok/>"));
      },
    ],
  ];
  const config: readonly XmlElement[] = [];
  const requests: readonly (readonly [
    string,
    (session: NetconfSession) => Promise<unknown>,
    "unknown" | "harmless",
  ])[] = [
    ["commit", (session) => commit(session), "unknown"],
    ["an edit of running", (session) => editConfig(session, { target: "running", config }), "unknown"],
    ["an edit of candidate", (session) => editConfig(session, { target: "candidate", config }), "harmless"],
    ["get-config", (session) => getConfig(session, { source: "running" }), "harmless"],
    ["lock", (session) => lock(session, { target: "running" }), "harmless"],
  ];

  it.each(
    endings.flatMap(([how, end]) => requests.map(([what, send, effect]) => [how, what, end, send, effect] as const)),
  )("%s: %s", async (_how, _what, end, send, effect) => {
    const server = await serve(async (peer) => {
      await greet(peer);
      await receiveRpc(peer);
      await end(peer);
      await peer.gone;
    });
    const session = await open(server, { requestTimeoutMs: 300 });
    const error = await failure(send(session));
    if (effect === "unknown") {
      expect(error).toMatchObject({ code: "OutcomeUnknown", retryable: false });
    } else {
      expect(["Unreachable", "ProtocolError"]).toContain(error.code);
    }
    // Nothing goes out on a session of which nobody knows the state.
    expect((await failure(commit(session))).message).toContain("nothing was sent");
  });
});

describe("deadline and cancelling", () => {
  async function silentAfterHello(): Promise<{ readonly server: ScriptServer; readonly received: XmlElement[] }> {
    const received: XmlElement[] = [];
    const server = await serve(async (peer) => {
      await greet(peer);
      try {
        for (;;) {
          received.push(await peer.receive());
        }
      } catch {
        // The client has left, which is what the tests are about.
      }
    });
    return { server, received };
  }

  it("nothing is sent after the deadline, not even a good-bye", async () => {
    const { server, received } = await silentAfterHello();
    const session = await open(server, { deadline: performance.now() + 1500 });
    const first = await failure(commit(session));
    expect(first).toMatchObject({ code: "OutcomeUnknown" });
    expect(first.message).toContain("deadline");
    expect(await failure(commit(session))).toMatchObject({ code: "Cancelled" });
    await session.close();
    await server.close();
    expect(received).toHaveLength(1);
    expect((await failure(open(server, { deadline: performance.now() }))).code).toBe("Cancelled");
  });

  it("an abort ends what is under way and lets nothing more out", async () => {
    const { server, received } = await silentAfterHello();
    const controller = new AbortController();
    const session = await open(server, { signal: controller.signal });
    const outcomes = Promise.all([failure(commit(session)), failure(getState(session))]);
    await expect.poll(() => received.length, { timeout: 5000, interval: 5 }).toBe(2);
    controller.abort();
    expect((await outcomes).map(({ code }) => code)).toEqual(["OutcomeUnknown", "Cancelled"]);
    expect((await failure(getState(session))).code).toBe("Cancelled");
    await session.close();
    await server.close();
    expect(received).toHaveLength(2);
  });
});

describe("order and events", () => {
  it("tells of each request right before it is sent and after its reply, rejections included", async () => {
    const seen: string[] = [];
    const server = await serve(async (peer) => {
      await greet(peer);
      await answerAll(peer, ({ operation }) => {
        seen.push(`server ${operation.name}`);
        return operation.name === "lock" ? "<rpc-error><error-tag>lock-denied</error-tag></rpc-error>" : "<data/>";
      });
    });
    const onRpc = ({ phase, operation, messageId }: RpcEvent): void => {
      seen.push(`${phase} ${operation} ${messageId}`);
    };
    const session = await open(server, { onRpc });
    await getState(session);
    await failure(lock(session, { target: "running" }));
    await session.close();
    await session.close();
    expect(seen).toEqual([
      "sending get 1",
      "server get",
      "replied get 1",
      "sending lock 2",
      "server lock",
      "replied lock 2",
      "sending close-session 3",
      "replied close-session 3",
    ]);
    expect((await session.ended).message).toContain("closed");
  });

  it("a request that cannot be written is refused before anything is sent", async () => {
    const seen: RpcEvent[] = [];
    const server = await serve(async (peer) => {
      await greet(peer);
      await answerAll(peer, () => "<ok/>");
    });
    const session = await open(server, { onRpc: (event) => seen.push(event) });
    const config = [xmlElement({ namespace: "urn:ex:d", name: "d", children: [{ kind: "text", value: "\u0007" }] })];
    expect((await failure(editConfig(session, { target: "candidate", config }))).code).toBe("InvalidArgument");
    expect(seen).toEqual([]);
    await editConfig(session, { target: "candidate", config: [] });
    expect(seen).toHaveLength(2);
  });

  it("a good-bye that gets no answer does not hold the caller for long", async () => {
    const server = await serve(async (peer) => {
      await greet(peer);
      await receiveRpc(peer);
      peer.drop();
    });
    const session = await open(server);
    await session.close();
    expect((await session.ended).code).toBe("Unreachable");
  });

  it("ten megabytes arrive", async () => {
    const value = "abcdefghij".repeat(1_000_000);
    const server = await serve(async (peer) => {
      await greet(peer);
      await answerAll(peer, () => `<data><d xmlns="urn:ex:d">${value}</d></data>`);
    });
    const { data } = await getConfig(await open(server), { source: "running" });
    expect(childElements(data).map((element) => textOf(element) === value)).toEqual([true]);
  });
});
