import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestPlain, STATUS_CODES } from "node:http";
import { Agent as HttpsAgent, request as requestSecure } from "node:https";
import type { Socket } from "node:net";
import { HookError } from "@hookline/core";
import { lost, noAnswer, unreachable } from "./url-errors.js";
import type { UrlHeaders, UrlTarget } from "./url-spec.js";

interface Question {
  readonly headers: UrlHeaders;
  readonly body: Buffer;
}

export interface UrlClient {
  /** The text of the answer. Rejects with a HookError, or with the signal's reason. */
  post(question: Question, signal: AbortSignal): Promise<string>;
  /** Closes every connection. */
  destroy(): void;
}

/** Idle connections are closed after this time. They do not keep the process alive. */
const IDLE_MS = 60_000;

/** Posts to one address over kept connections, so that a request costs one round trip. */
export function createUrlClient({ url, lookup }: UrlTarget): UrlClient {
  const isSecure = url.protocol === "https:";
  const settings = { keepAlive: true, timeout: IDLE_MS };
  const agent = isSecure ? new HttpsAgent(settings) : new HttpAgent(settings);

  function attempt(by: typeof agent | false, { headers, body }: Question, signal: AbortSignal): Promise<string | undefined> {
    const all = { accept: "application/json", "user-agent": "hookline", ...headers, ...framing(body) };
    const options = { method: "POST", agent: by, lookup, headers: all };
    return exchange(isSecure ? requestSecure(url, options) : requestPlain(url, options), body, signal);
  }

  return {
    async post(question, signal) {
      // A server may close a kept connection while a request is on its way. It may have read the request, but sending it again is harmless:
      // without a byte of an answer nothing was decided, and it is the same event with the same id. It is sent again once, outside the
      // pool, which may hold another dead connection: a server that dies on a request is not asked again and again.
      const answer = (await attempt(agent, question, signal)) ?? (await attempt(false, question, signal));
      if (answer === undefined) throw lost("it was closed");
      return answer;
    },
    destroy: () => agent.destroy(),
  };
}

function framing(body: Buffer): UrlHeaders {
  return { "content-type": "application/json", "content-length": String(body.length), "accept-encoding": "identity" };
}

/**
 * Sends a request and reads its answer. `undefined` if the server closed a kept connection before the first byte of its answer. Rejects
 * with a HookError, or with the signal's reason.
 */
function exchange(request: ClientRequest, body: Buffer, signal: AbortSignal): Promise<string | undefined> {
  const progress = follow(request);
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      reject(signal.reason);
      request.destroy();
    };
    let isAnswering = false;
    request.on("response", (response) => {
      isAnswering = true;
      readAnswer(response).then(resolve, reject);
    });
    request.on("upgrade", (_, socket) => {
      reject(noAnswer("It switched to another protocol than HTTP (status 101).", "Give the URL of a plain HTTP endpoint."));
      socket.destroy();
    });
    request.on("error", (error) => (progress.isStale(error) ? resolve(undefined) : reject(progress.explain(error))));
    request.on("close", () => {
      signal.removeEventListener("abort", onAbort);
      if (!isAnswering) reject(lost("it was closed"));
    });
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    request.end(body);
  });
}

interface Progress {
  isStale(error: NodeJS.ErrnoException): boolean;
  explain(error: NodeJS.ErrnoException): HookError;
}

/** Tracks how far a request gets, which determines what an error means. */
function follow(request: ClientRequest): Progress {
  let connection: { readonly socket: Socket; readonly bytesBefore: number } | undefined;
  let isConnected = false;
  request.once("socket", (socket) => {
    connection = { socket, bytesBefore: socket.bytesRead };
    isConnected = request.reusedSocket;
    if (!isConnected) socket.once("encrypted" in socket ? "secureConnect" : "connect", () => (isConnected = true));
  });
  const hasHeard = () => connection !== undefined && connection.socket.bytesRead > connection.bytesBefore;
  return {
    isStale: ({ code }) => request.reusedSocket && (code === "ECONNRESET" || code === "EPIPE") && !hasHeard(),
    explain(error) {
      if (error instanceof HookError) return error;
      // Without Node's error as the cause: it carries the bytes that could not be parsed.
      if (error.code?.startsWith("HPE_")) return noAnswer(`What it sent is not HTTP: ${error.message}.`, "Check the URL's port.");
      return isConnected ? lost(error) : unreachable(error);
    },
  };
}

const MAX_BYTES = 1_048_576;

/** The JSON of the answer as text; empty if there is none. Rejects with a HookError for everything else. */
async function readAnswer(response: IncomingMessage): Promise<string> {
  const fault = faultInHead(response);
  if (fault !== undefined) {
    response.destroy();
    throw fault;
  }
  const body = await readBody(response);
  const text = decode(body);
  if (text.trim() === "" && !saysItsLength(response))
    throw noAnswer("Its answer is empty and has no length, so it may have been cut off.", "Send 204, or `content-length: 0`.");
  if (body.length > 0) checkJson(text, response);
  return text;
}

function faultInHead({ statusCode: status = 0, headers }: IncomingMessage): HookError | undefined {
  if (status >= 300 && status < 400)
    return noAnswer(`It answered ${named(status)}, and redirects are not followed.`, "Give the final URL.");
  if (status !== 200 && status !== 204)
    return noAnswer(`It answered ${named(status)}. Only 200 and 204 are answers.`, "Fix the server or the URL.");
  const encoding = headers["content-encoding"];
  return encoding === undefined || /^identity$/i.test(encoding)
    ? undefined
    : noAnswer("Its answer is compressed, which was not asked for.");
}

function named(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ""}`.trim();
}

function readBody(response: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= MAX_BYTES) return;
      reject(noAnswer(`Its answer is longer than ${MAX_BYTES} bytes.`, "Send the verdict alone.", "invalid_verdict"));
      response.destroy();
    });
    response.on("end", () => (response.complete ? resolve(Buffer.concat(chunks)) : reject(lost("half a body"))));
    response.on("error", (error) => reject(lost(error)));
    response.on("close", () => reject(lost("half a body")));
  });
}

// Without a length, a body ends with the connection, and a server that died before its first byte looks the same.
function saysItsLength({ statusCode, headers }: IncomingMessage): boolean {
  return statusCode === 204 || headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

function decode(body: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw noAnswer("Its answer is not UTF-8.");
  }
}

function checkJson(text: string, { headers }: IncomingMessage): void {
  if (!/^\s*application\/json\s*(;|$)/i.test(headers["content-type"] ?? ""))
    throw noAnswer("Its answer is not declared as JSON.", "Send it with `content-type: application/json`, or send no body.");
  try {
    if (text.trim() !== "") JSON.parse(text);
  } catch {
    // Without the parser's error, which quotes the answer.
    throw noAnswer("Its answer is not one JSON document.", "Send the verdict alone.");
  }
}
