import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { faultListSchema } from "./fault-schema.ts";
import { type Simulator, SimulatorError } from "./simulator.ts";

export interface ControlServer {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/**
 * The back door of a device that runs as a process of its own, on a free loopback port:
 *
 * - `GET /rpcs`, `DELETE /rpcs`: the operations received; `GET /sessions`
 * - `GET /faults`, `PUT /faults` (a JSON list that replaces all), `GET /faults/ID` (how many operations it holds), `POST /faults/ID/release`
 * - `GET /running`, `/candidate`, `/startup`: XML
 * - `POST /edit` (XML; `?locks=ignored`): somebody changes running without NETCONF
 * - `PUT /network` (`"reachable"` or `"unreachable"`), `POST /reboot`
 *
 * Answers JSON but for the datastores; 400 with `message` for what the simulator cannot do, 409 with `message` and `errors` for what the device
 * refuses, 404 for other paths.
 */
export async function startControlServer(simulator: Simulator): Promise<ControlServer> {
  const server = createServer((request, response) => {
    void respond(simulator, request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

type Answer =
  | { readonly kind: "json"; readonly status: number; readonly body: unknown }
  | { readonly kind: "xml"; readonly text: string };

async function respond(simulator: Simulator, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = await answerTo(simulator, request).catch(failureAnswer);
  switch (answer.kind) {
    case "json":
      response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
      return;
    case "xml":
      response.writeHead(200, { "content-type": "application/xml" }).end(answer.text);
      return;
  }
}

function failureAnswer(error: unknown): Answer {
  if (error instanceof SimulatorError && error.errors.length > 0) {
    return json(409, { message: error.message, errors: error.errors });
  }
  return json(400, { message: error instanceof Error ? error.message : String(error) });
}

async function answerTo(simulator: Simulator, request: IncomingMessage): Promise<Answer> {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  const [, first = "", id = "", action = ""] = url.pathname.split("/").map(decodeURIComponent);
  const what = `${request.method ?? ""} /${[first, id === "" ? "" : "ID", action].filter((part) => part !== "").join("/")}`;
  const done = json(200, {});
  switch (what) {
    case "GET /rpcs":
      return json(200, simulator.rpcs());
    case "DELETE /rpcs":
      simulator.clearRpcs();
      return done;
    case "GET /sessions":
      return json(200, simulator.sessions());
    case "GET /faults":
      return json(200, simulator.faults());
    case "PUT /faults":
      simulator.setFaults(faultListSchema.parse(JSON.parse(await bodyOf(request))));
      return done;
    case "GET /faults/ID":
      return json(200, { held: simulator.heldBy(id) });
    case "POST /faults/ID/release":
      simulator.releaseFault(id);
      return done;
    case "GET /running":
    case "GET /candidate":
    case "GET /startup":
      return { kind: "xml", text: simulator.configXml(first as "running" | "candidate" | "startup") };
    case "POST /edit": {
      const locks = url.searchParams.get("locks") === "ignored" ? "ignored" : "respected";
      simulator.edit(await bodyOf(request), { locks });
      return done;
    }
    case "PUT /network": {
      const state: unknown = JSON.parse(await bodyOf(request));
      if (state !== "reachable" && state !== "unreachable") throw new SimulatorError("reachable or unreachable");
      await simulator.setNetwork(state);
      return done;
    }
    case "POST /reboot":
      simulator.reboot();
      return done;
    default:
      return json(404, { message: `there is no ${what}` });
  }
}

function json(status: number, body: unknown): Answer {
  return { kind: "json", status, body };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}
