import { createIdSource } from "../../bus/event-id.js";
import { HookError } from "../../catalog/errors.js";
import type { NdjsonConnection } from "../../wire/connection.js";
import { describeAddress } from "../../wire/connection-options.js";
import { connectionLost } from "../../wire/link.js";
import { type ConnectionTimers, onAbort } from "../../wire/timers.js";
import { readVerdict, type VerdictFrame } from "../../wire/verdict-frame.js";

interface Question<T> {
  readonly type: "gate" | "approval";
  readonly event: string;
  /** What else the frame says. */
  readonly fields: { readonly [key: string]: unknown };
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The answer in a verdict, in a box because no opinion is one too; nothing when the verdict is of no use here. */
  readonly read: (verdict: VerdictFrame) => { readonly answer: T } | undefined;
}

export interface Questions {
  /** Resolves with the listener's answer. Rejects with a HookError that says how it failed; whoever asks decides what that means. */
  ask<T>(question: Question<T>): Promise<T>;
  readonly pending: number;
}

interface Waiting {
  hear(verdict: VerdictFrame): boolean;
  fail(error: HookError): void;
}

/** Questions to the peer of a connection, any number at a time, each answered by its id, once. */
export function createQuestions(connection: NdjsonConnection, timers: ConnectionTimers): Questions {
  // Ids of our own, for one event may be asked about twice, and no verdict may fit a question of another process.
  const ids = createIdSource();
  const waiting = new Map<string, Waiting>();

  connection.onFrame((frame) => {
    const verdict = readVerdict(frame);
    return verdict !== undefined && waiting.get(verdict.id)?.hear(verdict) === true;
  });
  connection.onState((state, cause) => {
    if (state !== "down" && state !== "closed") return;
    for (const { fail } of [...waiting.values()]) fail(asLost(cause));
  });

  function ask<T>({ type, event, fields, timeoutMs, signal, read }: Question<T>): Promise<T> {
    const id = ids.next();
    return new Promise<T>((resolve, reject) => {
      const line = JSON.stringify({ type, id, event, ...fields, deadlineMs: timeoutMs });
      const undo = [
        connection.hold(),
        timers.after(timeoutMs, () => fail(unanswered(describeAddress(connection.address), event, timeoutMs))),
      ];
      function end(): void {
        waiting.delete(id);
        for (const step of undo) step();
      }
      function fail(error: HookError): void {
        end();
        reject(error);
      }
      function hear(verdict: VerdictFrame): boolean {
        const found = read(verdict);
        if (found === undefined) return false;
        end();
        resolve(found.answer);
        return true;
      }
      waiting.set(id, { hear, fail });
      undo.push(onAbort(signal, (reason) => fail(cancelled(event, reason))));
      if (waiting.has(id)) void put(line, signal).then((error) => error && fail(error));
    });
  }

  async function put(line: string, signal: AbortSignal): Promise<HookError | undefined> {
    // A question is worth a try although the pause is not over.
    connection.connect();
    const result = await connection.write([line], signal);
    return result.status === "sent" ? undefined : asLost(result.cause);
  }

  function asLost(cause: unknown): HookError {
    return cause instanceof HookError && cause.failure !== undefined ? cause : connectionLost(connection.address, "it was given up", cause);
  }

  return {
    ask,
    get pending() {
      return waiting.size;
    },
  };
}

function unanswered(address: string, event: string, timeoutMs: number): HookError {
  const message = `The listener on "${address}" did not answer "${event}" within ${timeoutMs} ms.`;
  return new HookError("HL_TIMEOUT", message, { event, failure: "timeout" });
}

function cancelled(event: string, cause: unknown): HookError {
  return new HookError("HL_CANCELLED", `The question about "${event}" was cancelled.`, { event, failure: "cancelled", cause });
}
