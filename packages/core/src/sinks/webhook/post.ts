import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestPlain } from "node:http";
import { Agent as HttpsAgent, request as requestSecure } from "node:https";
import type { LookupFunction } from "node:net";

/** What of a response matters. A webhook ignores the body. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** Its beginning, if it is long. */
  readonly body: Buffer;
}

export interface Message {
  /** Default POST. */
  readonly method?: "POST" | "PATCH" | "PUT" | "GET" | "DELETE";
  /** Of the same host: another path and query than those of the poster's URL. */
  readonly target?: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: Buffer;
}

export interface Poster {
  /** Rejects when no whole answer came: connection, time, signal. Follows no redirect. */
  post(message: Message, signal: AbortSignal): Promise<Answer>;
  /** Ends every connection. */
  destroy(): void;
}

export interface PosterOptions {
  readonly url: URL;
  readonly lookup: LookupFunction;
  readonly timeoutMs: number;
}

/** A larger body is cut off: it costs the connection, not our memory and time. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Posts to one address over connections that are kept. */
export function createPoster({ url, lookup, timeoutMs }: PosterOptions): Poster {
  const isSecure = url.protocol === "https:";
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });

  function open({ method = "POST", target, headers, body }: Message): ClientRequest {
    const path = target === undefined ? {} : { path: target };
    const options = { method, agent, lookup, headers: { ...headers, "content-length": body.length }, ...path };
    return isSecure ? requestSecure(url, options) : requestPlain(url, options);
  }

  async function post(message: Message, signal: AbortSignal): Promise<Answer> {
    // One clock for the whole exchange: a peer that sends a byte a second would never trigger an idle timeout.
    const deadline = createDeadline(signal, timeoutMs);
    try {
      for (;;) {
        const request = open(message);
        const answer = await deadline.watch(request, exchange(request, message.body));
        if (answer !== "stale") return answer;
      }
    } finally {
      deadline.clear();
    }
  }
  return { post, destroy: () => agent.destroy() };
}

/** `stale` when the peer had closed a kept connection before it saw the request. */
function exchange(request: ClientRequest, body: Buffer): Promise<Answer | "stale"> {
  return new Promise((resolve, reject) => {
    request.on("response", (response) => readAnswer(response, resolve, reject));
    request.on("error", (error) => (isStale(request, error) ? resolve("stale") : reject(error)));
    // Nothing else is said when the peer switches protocols.
    request.on("close", () => reject(new Error("the connection ended before the answer did")));
    request.end(body);
  });
}

function readAnswer(response: IncomingMessage, resolve: (answer: Answer) => void, reject: (error: Error) => void): void {
  const chunks: Buffer[] = [];
  const done = () =>
    resolve({ status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"], body: Buffer.concat(chunks) });
  let size = 0;
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= MAX_RESPONSE_BYTES) return;
    done();
    response.destroy();
  });
  response.on("end", done);
  response.on("error", reject);
}

function isStale(request: ClientRequest, error: NodeJS.ErrnoException): boolean {
  return request.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
}

interface Deadline {
  /** The exchange, with its request destroyed at the deadline or the signal. */
  watch<T>(request: ClientRequest, exchange: Promise<T>): Promise<T>;
  clear(): void;
}

function createDeadline(signal: AbortSignal, timeoutMs: number): Deadline {
  let end: (error: Error) => void = () => {};
  const onAbort = () => end(new Error("the caller aborted it"));
  const timer = setTimeout(() => end(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  timer.unref();
  signal.addEventListener("abort", onAbort, { once: true });

  function watch<T>(request: ClientRequest, exchange: Promise<T>): Promise<T> {
    const ended = new Promise<never>((_, reject) => {
      end = (error) => {
        reject(error);
        request.destroy(error);
      };
    });
    if (signal.aborted) onAbort();
    return Promise.race([exchange, ended]);
  }
  function clear(): void {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
  return { watch, clear };
}
