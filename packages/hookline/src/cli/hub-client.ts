import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import type { HubFile } from "@hookline/core/internal/machine";
import { errorText, readManaged } from "@hookline/core/internal/machine";
import { OPERATOR_FILE, readOperatorFile } from "../hub/auth/read-operator-file.js";
import { CONFIRM_HEADER, type ConfirmNeeded, type ErrorAnswer } from "../hub/protocol.js";
import { CliError } from "./cli-error.js";
import { EXIT } from "./exit-codes.js";
import { type FoundHub, findHub, RESTART, saysNoHub } from "./find-hub.js";
import { ask, type HubAnswer, type HubRequest, open, textOf } from "./hub-http.js";

/** Sends requests to the hub with the operator's token. */
export interface HubClient {
  readonly folder: string;
  readonly file: HubFile;
  get<T>(path: string, query?: URLSearchParams, timeoutMs?: number): Promise<T>;
  text(path: string): Promise<string>;
  post<T>(path: string, body?: string, type?: string, timeoutMs?: number): Promise<T>;
  /** What a person must confirm before the hub does this; nothing is done. `undefined` if the hub refuses it for another reason. */
  confirmation(path: string, body: string): Promise<ConfirmNeeded | undefined>;
  /** A stream of server-sent events, with status 200. */
  stream(path: string, headers: { readonly [name: string]: string }, signal: AbortSignal): Promise<IncomingMessage>;
}

/** Finds the hub and sends the operator's token only after the hub has proved itself. */
export async function connectHub(env: NodeJS.ProcessEnv): Promise<HubClient> {
  const hub = await findHub(env);
  const headers = { authorization: `Bearer ${tokenFor(hub)}` };
  const sendOnce = (request: HubRequest) => reached(ask(hub.address, { ...request, headers: { ...headers, ...request.headers } }));
  const send = async (request: HubRequest) => {
    const answer = await sendOnce(request);
    const needed = confirmIn(answer);
    if (needed === undefined) return checked(answer);
    const { confirmRequest } = await import("./protect/confirm.js");
    const { method = "GET", path, body = "" } = request;
    const header = await confirmRequest(needed, { method, path, body }, async () => {
      const next = await sendOnce(request);
      return confirmIn(next) ?? Promise.reject(refusal(next));
    });
    return checked(await sendOnce({ ...request, headers: { ...request.headers, [CONFIRM_HEADER]: header } }));
  };
  return {
    folder: hub.folder,
    file: hub.file,
    get: async <T>(path: string, query?: URLSearchParams, timeoutMs?: number) =>
      contentOf(await send({ path: withQuery(path, query), ...(timeoutMs !== undefined && { timeoutMs }) })) as T,
    text: async (path) => (await send({ path })).body,
    post: async <T>(path: string, body = "{}", type = "application/json", timeoutMs?: number) => {
      const request = { method: "POST", path, body, headers: { "content-type": type } } as const;
      return contentOf(await send({ ...request, ...(timeoutMs !== undefined && { timeoutMs }) })) as T;
    },
    confirmation: async (path, body) =>
      confirmIn(await sendOnce({ method: "POST", path, body, headers: { "content-type": "application/json" } })),
    async stream(path, more, signal) {
      const response = await reached(open(hub.address, { path, signal, headers: { ...headers, accept: "text/event-stream", ...more } }));
      if (response.statusCode === 200) return response;
      throw refusal({ status: response.statusCode ?? 0, body: await textOf(response) });
    },
  };
}

/** `undefined` if no hub runs. Throws if a hub runs and cannot be used. */
export function connectIfRunning(env: NodeJS.ProcessEnv): Promise<HubClient | undefined> {
  return connectHub(env).catch((error: unknown) => {
    if (saysNoHub(error)) return undefined;
    throw error;
  });
}

function tokenFor({ folder, file }: FoundHub): string {
  const found = readOperatorFile(folder);
  const path = join(folder, OPERATOR_FILE);
  if (found.state === "foreign" && folder === readManaged()?.run)
    throw new CliError("The hub of this machine is managed: only root and its operators can use this command.", {
      fix: "Use sudo, or let root add you to the group hookline-operators.",
    });
  if (found.state !== "found") {
    const reason = found.state === "none" ? "it does not exist" : found.reason;
    throw new CliError(`The operator's token in "${path}" cannot be used: ${reason}.`, {
      fix: { run: found.state === "none" ? RESTART : "hookline doctor" },
    });
  }
  if (found.file.instance === file.instance) return found.file.token;
  throw new CliError(`The operator's token in "${path}" belongs to another hub.`, { fix: { run: RESTART } });
}

function withQuery(path: string, query: URLSearchParams | undefined): string {
  return query === undefined || query.size === 0 ? path : `${path}?${query}`;
}

/** A hub that stops between the proof and the request counts as not running. */
async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    const isGone = code === "ECONNREFUSED" || code === "ENOENT" || code === "ECONNRESET";
    throw new CliError(`The hub closed the connection: ${errorText(cause)}.`, {
      fix: { run: "hookline status" },
      cause,
      ...(isGone && { exitCode: EXIT.notRunning }),
    });
  }
}

function checked(answer: HubAnswer): HubAnswer {
  if (answer.status < 200 || answer.status > 299) throw refusal(answer);
  return answer;
}

function contentOf(answer: HubAnswer): unknown {
  try {
    return answer.body === "" ? {} : JSON.parse(answer.body);
  } catch (cause) {
    throw new CliError("The hub's answer is not JSON.", { fix: { run: "hookline doctor" }, cause });
  }
}

/** What the hub needs to do what was asked, if a person must confirm it. */
function confirmIn({ status, body }: HubAnswer): ConfirmNeeded | undefined {
  if (status !== 401) return undefined;
  try {
    return (JSON.parse(body) as Partial<ErrorAnswer>).error?.confirm;
  } catch {
    return undefined;
  }
}

/** The hub refused a request. */
export class Refusal extends CliError {
  readonly status: number;
  readonly code: string | undefined;

  constructor(status: number, error: { readonly code?: string; readonly message?: string; readonly fix?: string }) {
    super(error.message ?? `The hub answered with status ${status}.`, {
      fix: error.fix ?? (status === 401 || status === 403 ? { run: "hookline doctor" } : undefined),
      // What the hub did not understand was on the command line.
      exitCode: status === 400 ? EXIT.usage : EXIT.failed,
    });
    this.status = status;
    this.code = error.code;
  }
}

function refusal({ status, body }: HubAnswer): Refusal {
  try {
    return new Refusal(status, (JSON.parse(body) as { readonly error?: object }).error ?? {});
  } catch {
    return new Refusal(status, {});
  }
}
