import type { ClientRequest } from "node:http";
import type { Socket } from "node:net";
import { HookError } from "@hookline/core";
import { readAnswer } from "./read-answer.js";
import { lost, noAnswer, unreachable } from "./url-errors.js";

/**
 * Sends a request and reads its answer. `undefined` when the server had closed a kept connection before it answered a byte.
 * Rejects with a HookError, or with the signal's reason.
 */
export function exchange(request: ClientRequest, body: Buffer, signal: AbortSignal): Promise<string | undefined> {
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
      reject(noAnswer("It wants to speak another protocol than HTTP (status 101). Give the URL of a plain HTTP endpoint."));
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

/** Watches how far a request comes, which says what an error means. */
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
      // Without Node's error: it carries the bytes that could not be parsed.
      if (error.code?.startsWith("HPE_")) return noAnswer(`What it sent is not HTTP: ${error.message}. Check the URL's port.`);
      return isConnected ? lost(error) : unreachable(error);
    },
  };
}
