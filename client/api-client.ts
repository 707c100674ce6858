/** Talks to the process that owns the graph: where it listens and its token stand in the data folder. */
import { ACTOR_HEADER, type ApiErrorBody } from "../contract/api.ts";
import { readApiAccess } from "../runtime/api-access.ts";
import { CliError } from "./cli-error.ts";

export type Query = Readonly<Record<string, string | number | undefined>>;

/** Paths begin below `/v1`. Every method rejects with a CliError: what the API answered, or `not-running`. */
export interface ApiClient {
  get<T>(path: string, query?: Query): Promise<T>;
  getText(path: string, query?: Query): Promise<string>;
  post<T>(path: string, body?: object): Promise<T>;
  delete<T>(path: string): Promise<T>;
}

export interface ApiClientOptions {
  readonly dataFolder: string;
  readonly actor: string;
}

/** Longer than the API waits for anything itself. */
const TIMEOUT_MS = 90_000;

export function createApiClient({ dataFolder, actor }: ApiClientOptions): ApiClient {
  async function call(
    method: string,
    path: string,
    more: { readonly query?: Query | undefined; readonly body?: object | undefined },
  ): Promise<Response> {
    // Asked at each call: after a restart the owner has another port and token.
    const access = await readApiAccess(dataFolder);
    if (access === undefined) throw notRunning(`no Tenure has run on data folder ${dataFolder} yet`);
    const url = new URL(`/v1${path}`, access.address);
    for (const [name, value] of Object.entries(more.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    let response: Response;
    try {
      response = await fetch(url, {
        method,
        headers: {
          authorization: `Bearer ${access.token}`,
          [ACTOR_HEADER]: encodeURIComponent(actor),
          ...(more.body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(more.body === undefined ? {} : { body: JSON.stringify(more.body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      throw notRunning(`nobody answers at ${access.address} (data folder ${dataFolder})`, error);
    }
    if (!response.ok) throw new CliError(await errorBody(response));
    return response;
  }

  return {
    get: async <T>(path: string, query?: Query) => (await (await call("GET", path, { query })).json()) as T,
    getText: async (path, query) => (await call("GET", path, { query })).text(),
    post: async <T>(path: string, body?: object) => (await (await call("POST", path, { body })).json()) as T,
    delete: async <T>(path: string) => (await (await call("DELETE", path, {})).json()) as T,
  };
}

function notRunning(message: string, cause?: unknown): CliError {
  const remedy = "start `tenure up`, or set TENURE_HOME to the data folder of the one that runs";
  return new CliError({ code: "not-running", message, remedy }, cause);
}

async function errorBody(response: Response): Promise<ApiErrorBody> {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as Partial<ApiErrorBody>;
    if (typeof body.code === "string" && typeof body.message === "string")
      return { ...body, code: body.code, message: body.message };
  } catch {
    // Something else than our API answered there.
  }
  return { code: "bad-answer", message: `the address answered ${response.status}: ${text.slice(0, 200)}` };
}
