import type { IncomingMessage, ServerResponse } from "node:http";
import { HookError } from "@hookline/core";
import { fixText } from "@hookline/core/internal";
import { afterReading } from "../connection/reading-time.js";
import type { ErrorAnswer } from "../protocol.js";
import { Refused } from "./refused.js";

/** What a route gives back. `sent`: it has written to the response itself. */
export type Answer = TextAnswer | "sent";
export interface TextAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string | Uint8Array;
  readonly headers?: { readonly [name: string]: string };
}

/** On every answer: it is data for the client that asked, and not for a web page. */
export const SECURITY_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ["Cache-Control", "no-store"],
  ["Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["Referrer-Policy", "no-referrer"],
  ["X-Content-Type-Options", "nosniff"],
];

export const JSON_TYPE = "application/json; charset=utf-8";

export function json(value: unknown, status = 200): TextAnswer {
  return { status, type: JSON_TYPE, text: JSON.stringify(value) };
}

/** The store cannot take or give events now. */
const STORE_CODES: ReadonlySet<string> = new Set(["HL_DISK_FULL", "HL_STORE_FAILED", "HL_STORE_DAMAGED"]);

/** The answer to whatever went wrong. Any other error is the hub's own fault, and its details stay in the hub. */
export function answerOf(error: unknown): TextAnswer {
  if (error instanceof Refused) {
    const { status, headers, confirm } = error;
    const body = bodyOf(error);
    return { ...json(confirm === undefined ? body : { error: { ...body.error, confirm } }, status), headers };
  }
  if (error instanceof HookError && STORE_CODES.has(error.code)) {
    return { ...json(bodyOf(error), 503), headers: { "Retry-After": "5" } };
  }
  const message = "The hub failed at this request. Its log says why.";
  return json({ error: { code: "HL_HUB_FAILED", message } } satisfies ErrorAnswer, 500);
}

function bodyOf({ code, message, fix }: HookError): ErrorAnswer {
  return { error: { code, message, ...(fix !== undefined && { fix: fixText(fix) }) } };
}

export function writeSecurityHeaders(outgoing: ServerResponse): void {
  for (const [name, value] of SECURITY_HEADERS) outgoing.setHeader(name, value);
}

/** Writes an answer, and ends the connection of a peer that does not take it in time. */
export function send(incoming: IncomingMessage, outgoing: ServerResponse, { answer, timeoutMs }: Sending): void {
  if (outgoing.headersSent || outgoing.destroyed) return;
  const { status, type, text, headers = {} } = answer;
  const isUnread = hasBody(incoming) && !incoming.complete;
  // The hub does not wait for the rest of a rejected body, so the connection cannot be used again.
  if (isUnread) outgoing.setHeader("Connection", "close");
  outgoing.writeHead(status, { ...headers, "Content-Type": type, "Content-Length": Buffer.byteLength(text) });
  if (isUnread) linger(incoming, outgoing, text);
  else outgoing.end(text);
  outgoing.once(
    "close",
    afterReading(timeoutMs, () => outgoing.socket?.destroy()),
  );
}

interface Sending {
  readonly answer: TextAnswer;
  readonly timeoutMs: number;
}

const LINGER_MS = 500;

/** To hang up on a peer that still sends is to reset the connection, and it may never see the answer. */
function linger(incoming: IncomingMessage, outgoing: ServerResponse, text: string | Uint8Array): void {
  outgoing.write(text);
  const end = (): void => void outgoing.end();
  const timer = setTimeout(end, LINGER_MS).unref();
  incoming.once("close", () => {
    clearTimeout(timer);
    end();
  });
  incoming.resume();
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
