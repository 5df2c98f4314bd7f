import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { CliError } from "./cli-error.js";

// Not imported: an import reads every export of node:http, and the lazy ones among them cost 30 ms of a start.
const { request } = process.getBuiltinModule("node:http");

export interface HubRequest {
  readonly method?: "GET" | "POST";
  readonly path: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface HubAnswer {
  readonly status: number;
  readonly body: string;
}

/** Where HTTP requests go: a socket in a private folder, or an address on loopback. */
export type Address = Pick<RequestOptions, "socketPath" | "host" | "port"> & { readonly headers: { readonly host: string } };

const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** Sends a request and reads the whole answer. Rejects if there is no answer. */
export async function ask(address: Address, { timeoutMs = DEFAULT_TIMEOUT_MS, ...rest }: HubRequest): Promise<HubAnswer> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  try {
    const response = await open(address, { ...rest, signal: deadline.signal });
    return { status: response.statusCode ?? 0, body: await textOf(response) };
  } catch (error) {
    if (deadline.signal.aborted) throw new CliError(`No answer within ${timeoutMs} ms.`, { cause: error });
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Sends a request and returns its answer as a stream, which may have no end. */
export function open(address: Address, { method = "GET", path, headers, body, signal }: HubRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent: ClientRequest = request({
      ...address,
      method,
      path,
      headers: { ...address.headers, ...headers, ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }) },
      agent: false,
      ...(signal && { signal }),
    });
    sent.on("response", resolve).on("error", reject);
    sent.end(body);
  });
}

// With events, because the iterator of a stream takes milliseconds to load.
export function textOf(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) response.destroy(new CliError("The hub's answer is too long. Request fewer events."));
      else chunks.push(chunk);
    });
    response.on("end", () => resolve(Buffer.concat(chunks).toString("utf8"))).on("error", reject);
  });
}
