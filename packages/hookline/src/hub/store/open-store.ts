import { Worker } from "node:worker_threads";
import { type Envelope, encodeEnvelope } from "@hookline/core/sinks";
import type { StoreReply, StoreRequest } from "./messages.js";
import type { StoredRow } from "./reader.js";
import type { AppendResult, SessionSummary, Store, StoredEvent, StoreStats } from "./store.js";
import type { Row } from "./writer.js";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 10_000;

/** A request without the number that pairs it with its answer. */
type Question = StoreRequest extends infer R ? (R extends { call: number } ? Omit<R, "call"> : never) : never;

/** Opens the store in a thread of its own: a commit that waits for the disk never holds up the hub. */
export async function openStore(path: string): Promise<Store> {
  const line = new StoreLine(path);
  await line.ask({ type: "stats" });
  return {
    append: (envelopes) => line.ask({ type: "append", rows: envelopes.map(toRow) }) as Promise<AppendResult>,
    async page(filter, { limit = DEFAULT_LIMIT, before } = {}) {
      const rows = (await line.ask({ type: "page", filter, limit: clamp(limit), before })) as StoredRow[];
      return { events: rows.map(toEvent), cursor: rows.length < clamp(limit) ? undefined : rows.at(-1)?.place };
    },
    async after(place, filter, limit) {
      return ((await line.ask({ type: "after", place, filter, limit: clamp(limit) })) as StoredRow[]).map(toEvent);
    },
    async get(id) {
      const row = (await line.ask({ type: "get", id })) as StoredRow | undefined;
      return row === undefined ? undefined : toEvent(row);
    },
    sessions: (limit = DEFAULT_LIMIT) => line.ask({ type: "sessions", limit: clamp(limit) }) as Promise<SessionSummary[]>,
    counts: (since) => line.ask({ type: "counts", since }) as Promise<Record<string, number>>,
    stats: () => line.ask({ type: "stats" }) as Promise<StoreStats>,
    retain: (limits) => line.ask({ type: "retain", limits }) as Promise<number>,
    indexed: () => line.ask({ type: "indexed" }) as Promise<void>,
    close: () => line.close(),
  };
}

/** Questions to the store's thread and their answers. A thread that dies fails everything that waits for it. */
class StoreLine {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  #calls = 0;
  #gone: Error | undefined;

  constructor(path: string) {
    this.#worker = new Worker(new URL("./store-worker.js", import.meta.url), { workerData: { path }, execArgv: [] });
    this.#worker.on("message", (reply: StoreReply) => this.#answered(reply));
    this.#worker.on("error", (error) => this.#end(error instanceof Error ? error : new Error(String(error))));
    this.#worker.on("exit", () => this.#end(new Error("The store is closed.")));
  }

  ask(question: Question): Promise<unknown> {
    if (this.#gone !== undefined) return Promise.reject(this.#gone);
    const call = ++this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
      this.#worker.postMessage({ ...question, call });
    });
  }

  async close(): Promise<void> {
    if (this.#gone !== undefined) return;
    const exited = new Promise((resolve) => this.#worker.once("exit", resolve));
    await this.ask({ type: "close" });
    await exited;
  }

  #answered(reply: StoreReply): void {
    const waiting = this.#waiting.get(reply.call);
    this.#waiting.delete(reply.call);
    if ("error" in reply) waiting?.reject(new Error(reply.error));
    else waiting?.resolve(reply.result);
  }

  #end(error: Error): void {
    this.#gone ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#gone);
    this.#waiting.clear();
  }
}

function clamp(limit: number): number {
  return Math.min(MAX_LIMIT, Math.max(1, Math.trunc(limit)));
}

function toRow(envelope: Envelope): Row {
  const { id, at, event, source, session, decision, payload } = envelope;
  const name = (payload as { tool?: { name?: unknown } } | null | undefined)?.tool?.name;
  return {
    id,
    at: Date.parse(at),
    event,
    app: source.app,
    instance: source.instance,
    session: session?.id ?? null,
    tool: typeof name === "string" ? name : null,
    verdict: decision?.verdict ?? null,
    body: encodeEnvelope(envelope),
  };
}

// What is in the store was checked when it came in, so it is only parsed.
function toEvent({ place, body }: StoredRow): StoredEvent {
  return { place, envelope: JSON.parse(body) as Envelope };
}
