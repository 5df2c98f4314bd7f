import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ConnectionShare } from "../connection/connection-share.js";
import { afterArrivals, createStallLog } from "../connection/reading-time.js";
import type { ErrorAnswer } from "../protocol.js";
import { answerOf, hasBody, JSON_TYPE, SECURITY_HEADERS, send, writeSecurityHeaders } from "./answer.js";
import { Refused } from "./refused.js";

/** Answers what never becomes a request, and holds the number of connections and the time of each within bounds. */
export function guardConnections(
  server: Server,
  limits: { readonly maxConnections: number; readonly checkEveryMs: number },
): { readonly open: number } {
  const share = new ConnectionShare<Duplex>(limits.maxConnections);
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.on("connection", (socket) => {
    shares.set(socket, share);
    socket.once("close", () => share.left(socket));
    const left = share.take(socket);
    if (left === undefined) return;
    // What comes unasked after an answer would be taken for the next one.
    if (latest.has(left)) left.destroy();
    else end(left, 503, { code: "HL_TOO_MANY", message: "The hub has too many connections." });
  });
  countReadingTime(server, limits.checkEveryMs);
  server.on("request", (request, response) => latest.set(request.socket, response));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const answer = latest.get(socket);
    // After an answer that ends the connection, or in the middle of one, another would be taken for a part of it.
    if (answer?.headersSent && !(answer.shouldKeepAlive && answer.writableFinished)) return finish(answer, socket);
    const { status, error: fault } = answers[error.code ?? ""] ?? malformed;
    end(socket, status, fault);
  });
  // Without a listener Node ends such a connection without a word.
  server.on("connect", (_request, socket) => end(socket, 405, { code: "HL_WRONG_METHOD", message: "The hub is not a proxy." }));
  server.on("checkExpectation", (request, response) => {
    const refused = new Refused(417, "HL_BAD_REQUEST", "The hub does not support this Expect header.");
    writeSecurityHeaders(response);
    send(request, response, { answer: answerOf(refused), timeoutMs: 1_000 });
  });
  return share;
}

const shares = new WeakMap<Duplex, ConnectionShare<Duplex>>();

/** The sender has shown a token: once its request is whole, the connection keeps its place until the answer is out. */
export function keepPlace(incoming: IncomingMessage, answer: ServerResponse): void {
  const { socket } = incoming;
  const share = shares.get(socket);
  if (hasBody(incoming)) incoming.once("end", () => share?.speaks(socket));
  else share?.speaks(socket);
  answer.once("close", () => share?.rests(socket));
}

/** Node looks at both times whenever it checks. It also ends a connection that rests for too long, and would not look whether a request came. */
function countReadingTime(server: Server, checkEveryMs: number): void {
  const stalls = createStallLog(checkEveryMs);
  server.once("close", () => stalls.close());
  for (const name of ["headersTimeout", "requestTimeout"] as const) {
    const ms = server[name];
    Object.defineProperty(server, name, { get: () => ms + stalls.within(ms) });
  }
  server.on("timeout", (socket: Socket) => {
    const { bytesRead } = socket;
    afterArrivals(() => {
      if (socket.bytesRead === bytesRead) socket.destroy();
    });
  });
}

type Fault = ErrorAnswer["error"];

const malformed = { status: 400, error: { code: "HL_BAD_REQUEST", message: "The request is not well-formed HTTP." } };
const answers: { readonly [code: string]: { readonly status: number; readonly error: Fault } } = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, error: { code: "HL_REQUEST_TIMEOUT", message: "The request did not arrive whole in time." } },
  HPE_HEADER_OVERFLOW: { status: 431, error: { code: "HL_BODY_TOO_LARGE", message: "The request's headers are too large." } },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    error: { code: "HL_BODY_TOO_LARGE", message: "The body's chunk extensions are too large." },
  },
};

const REASONS: { readonly [status: number]: string } = {
  400: "Bad Request",
  405: "Method Not Allowed",
  408: "Request Timeout",
  413: "Content Too Large",
  431: "Request Header Fields Too Large",
  503: "Service Unavailable",
};

/** Lets out what is left of an answer, but does not wait long for a peer to take it. */
function finish(answer: ServerResponse, socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), FINISH_MS).unref();
  socket.once("close", () => clearTimeout(timer));
  socket.once("finish", () => socket.destroy());
  answer.end();
  socket.end();
}

const FINISH_MS = 1_000;

/** Says why and hangs up. A peer that has an answer under way, or takes nothing, is only hung up on. */
function end(socket: Duplex, status: number, error: Fault): void {
  if (!socket.writable || socket.writableLength > 0) return void socket.destroy();
  const body = bodyOf(error);
  const headers = [...SECURITY_HEADERS, ["Content-Type", JSON_TYPE], ["Content-Length", Buffer.byteLength(body)], ["Connection", "close"]];
  const retry = status === 503 ? [["Retry-After", "1"]] : [];
  const head = [`HTTP/1.1 ${status} ${REASONS[status]}`, ...[...headers, ...retry].map(([name, value]) => `${name}: ${value}`)].join(
    "\r\n",
  );
  socket.on("error", () => {});
  socket.end(`${head}\r\n\r\n${body}`, () => socket.destroy());
}

function bodyOf(error: Fault): string {
  return JSON.stringify({ error } satisfies ErrorAnswer);
}
