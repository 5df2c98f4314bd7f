import type { IncomingMessage } from "node:http";
import { HookError } from "@hookline/core";
import { threadProgram } from "../../machine/thread-program.js";
import { Refused } from "../http/refused.js";
import { readBody } from "../http/request-body.js";
import { createThread } from "../ingest/thread.js";
import { type AgentContent, contentIn } from "./call-content.js";

/** A tool call may contain a whole file. To read, parse and hash more than this would hold up the questions of others (`npm run bench:waiting`). */
const MAX_BYTES = 8 * 1024 * 1024;
/** To read these in the hub's own thread takes about 2 ms. */
const HEAVY_BYTES = 256 * 1024;
/** How much may wait for the thread. More is refused, and so denied. */
const MAX_WAITING_BYTES = 256 * 1024 * 1024;

export interface CallReader {
  /** Reads the body of an agent's call: a large one in a thread of its own, so that the questions of others go on. */
  read(incoming: IncomingMessage): Promise<AgentContent>;
  /** How many were read in the hub's own thread, and how many in the other. */
  readonly counts: { here: number; thread: number };
  close(): Promise<void>;
}

export function createCallReader(): CallReader {
  const thread = createThread<Uint8Array, AgentContent>(threadProgram(new URL("./call-reader-worker.js", import.meta.url)), failed);
  const counts = { here: 0, thread: 0 };
  let waitingBytes = 0;

  async function inThread(bytes: Buffer): Promise<AgentContent> {
    const { length } = bytes;
    if (waitingBytes + length > MAX_WAITING_BYTES) throw new Refused(429, "HL_TOO_MANY", "The hub is reading too many large calls.");
    counts.thread++;
    waitingBytes += length;
    try {
      return await thread.ask(bytes, transferable(bytes));
    } finally {
      waitingBytes -= length;
    }
  }

  return {
    counts,
    async read(incoming) {
      try {
        const bytes = await readBody(incoming, MAX_BYTES);
        if (bytes.length > HEAVY_BYTES) return await inThread(bytes);
        counts.here++;
        return contentIn(bytes);
      } catch (error) {
        const isCutOff = incoming.destroyed && !incoming.complete;
        if (!(error instanceof Refused || error instanceof HookError) || isCutOff) throw error;
        // A client whose connection closes while it sends does not read the answer.
        await arrived(incoming);
        return { payload: undefined, fault: { code: error.code, message: error.message } };
      }
    },
    close: thread.close,
  };
}

/** A part of a larger buffer is copied: others use the rest of it. */
function transferable({ buffer, byteLength }: Buffer): readonly ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

function failed(why: string): HookError {
  return new HookError("HL_HUB_FAILED", `The thread that reads large calls failed: ${why}.`);
}

/** Discards the rest of a body. The server's request timeout limits it. */
function arrived(incoming: IncomingMessage): Promise<void> {
  if (incoming.complete) return Promise.resolve();
  return new Promise((resolve) => {
    incoming
      .once("end", resolve)
      .once("close", resolve)
      .once("error", () => resolve());
    incoming.resume();
  });
}
