import { once } from "node:events";
import ssh2, { type ClientChannel } from "ssh2";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { FrameDecoder, encodeMessage } from "../../codec/netconf/framing.ts";
import { type Simulator, startSimulator } from "../../simulator/simulator.ts";

const base = "urn:ietf:params:xml:ns:netconf:base:1.0";
const module = `module bells { namespace "urn:bells"; prefix b; leaf bell { type string; } }`;

/** What the server says, octet by octet, to a client that says anything. */
class RawClient {
  readonly #client = new ssh2.Client();
  readonly #decoder = new FrameDecoder();
  #channel: ClientChannel | undefined;
  #ended: "yes" | "no" = "no";

  async connect(simulator: Simulator): Promise<string> {
    this.#client.connect({ host: simulator.host, port: simulator.port, username: "ops", password: "pw" });
    this.#client.on("error", () => undefined);
    this.#client.on("close", () => (this.#ended = "yes"));
    await once(this.#client, "ready");
    this.#channel = await new Promise<ClientChannel>((resolve, reject) => {
      this.#client.subsys("netconf", (error, channel) => {
        if (error === undefined) resolve(channel);
        else reject(error);
      });
    });
    this.#channel.on("data", (bytes: Buffer) => this.#decoder.push(bytes));
    this.#channel.on("close", () => (this.#ended = "yes"));
    return this.message();
  }

  write(text: string | Uint8Array): void {
    this.#channel?.write(text);
  }

  hello(version: "1.0" | "1.1", more = ""): void {
    this.write(
      `<hello xmlns="${base}"><capabilities><capability>urn:ietf:params:netconf:base:${version}</capability></capabilities>${more}</hello>]]>]]>`,
    );
    if (version === "1.1") this.#decoder.useChunked();
  }

  send(text: string): void {
    const framed = encodeMessage(text, this.#decoder.framing);
    if (framed.kind === "framed") this.write(framed.bytes);
  }

  /** The next message, or `ended` when the session ends without one. */
  async message(): Promise<string> {
    const limit = Date.now() + 10_000;
    for (;;) {
      const frame = this.#decoder.next();
      if (frame.kind === "message") return Buffer.from(frame.bytes).toString("utf8");
      if (frame.kind !== "incomplete") throw new Error(frame.kind);
      if (this.#ended === "yes") return "ended";
      if (Date.now() > limit) throw new Error("no message");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  end(): void {
    this.#client.destroy();
  }
}

let simulator: Simulator;
const clients: RawClient[] = [];

beforeAll(async () => {
  const modules = [{ name: "bells.yang", text: module }];
  simulator = await startSimulator({ name: "bells", modules, users: [{ name: "ops", password: "pw" }] });
});
afterEach(() => {
  for (const client of clients.splice(0)) client.end();
});
afterAll(() => simulator.stop());

async function client(version: "1.0" | "1.1"): Promise<RawClient> {
  const raw = new RawClient();
  clients.push(raw);
  await raw.connect(simulator);
  raw.hello(version);
  return raw;
}
const rpc = (inside: string, attributes = `message-id="1"`): string =>
  `<rpc xmlns="${base}" ${attributes}>${inside}</rpc>`;

describe("what goes over the wire", () => {
  test("case 07: an rpc that arrives together with the hello is read in chunks", async () => {
    const raw = new RawClient();
    clients.push(raw);
    expect(await raw.connect(simulator)).toMatch(/<session-id>\d+<\/session-id>/u);
    const chunked = encodeMessage(rpc(`<get-config><source><running/></source></get-config>`), "chunked");
    raw.hello("1.1");
    raw.write(chunked.kind === "framed" ? chunked.bytes : "");
    expect(await raw.message()).toContain(`message-id="1"`);
  });

  test("several requests at once are answered in order, with all their attributes", async () => {
    const raw = await client("1.0");
    for (const id of ["a", "b"]) {
      raw.send(rpc(`<discard-changes/>`, `message-id="${id}" xmlns:x="urn:x" x:trace="${id}&lt;"`));
    }
    for (const id of ["a", "b"]) {
      expect(await raw.message()).toBe(
        `<rpc-reply xmlns="${base}" xmlns:x="urn:x" message-id="${id}" x:trace="${id}&lt;"><ok/></rpc-reply>`,
      );
    }
  });

  test.each([
    ["no message-id", rpc("<discard-changes/>", ""), "missing-attribute"],
    ["no operation", rpc(""), "missing-element"],
    ["two operations", rpc("<discard-changes/><commit/>"), "bad-element"],
    ["an unknown operation", rpc("<dance/>"), "operation-not-supported"],
    ["an operation of nobody", rpc(`<commit xmlns="urn:nobody"/>`), "operation-not-supported"],
    ["an unknown parameter", rpc("<commit><maybe/></commit>"), "unknown-element"],
    ["a datastore that is not offered", rpc("<lock><target><startup/></target></lock>"), "unknown-element"],
    ["no datastore", rpc("<lock/>"), "missing-element"],
    [
      "running, which is not writable",
      rpc("<edit-config><target><running/></target><config/></edit-config>"),
      "operation-not-supported",
    ],
    [
      "no time at all to confirm",
      rpc("<commit><confirmed/><confirm-timeout>0</confirm-timeout></commit>"),
      "invalid-value",
    ],
    ["a persist without confirmed", rpc("<commit><persist>a</persist></commit>"), "missing-element"],
    ["an xpath filter", rpc(`<get><filter type="xpath" select="/"/></get>`), "bad-attribute"],
    ["its own session to kill", rpc("<kill-session><session-id>0</session-id></kill-session>"), "invalid-value"],
  ])("%s is an error, and the session goes on", async (_what, message, tag) => {
    const raw = await client("1.1");
    raw.send(message);
    expect(await raw.message()).toContain(`<error-tag>${tag}</error-tag>`);
    raw.send(rpc("<discard-changes/>"));
    expect(await raw.message()).toContain("<ok/>");
  });

  test.each([
    ["1.1", "<rpc>", "malformed-message"],
    ["1.1", "<!DOCTYPE a><a/>", "malformed-message"],
    ["1.0", "<rpc>", "ended"],
  ] as const)("base %s: %s ends the session with %s", async (version, message, answer) => {
    const raw = await client(version);
    raw.send(message);
    expect(await raw.message()).toContain(answer);
    expect(await raw.message()).toBe("ended");
  });

  test("a broken chunk, and a hello with a session-id, end the session without a word", async () => {
    const broken = await client("1.1");
    broken.write("\n#05\nhello\n##\n");
    expect(await broken.message()).toBe("ended");
    const rude = new RawClient();
    clients.push(rude);
    await rude.connect(simulator);
    rude.hello("1.0", "<session-id>4</session-id>");
    expect(await rude.message()).toBe("ended");
    expect(simulator.sessions()).toEqual([]);
  });

  test("close-session is answered before the end", async () => {
    const raw = await client("1.1");
    raw.send(rpc("<close-session/>"));
    expect(await raw.message()).toContain("<ok/>");
    expect(await raw.message()).toBe("ended");
  });
});
