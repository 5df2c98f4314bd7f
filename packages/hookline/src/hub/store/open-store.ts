import { Worker } from "node:worker_threads";
import { errorText, HookError } from "@hookline/core";
import { Correlator } from "@hookline/core/internal/wire";
import { threadProgram } from "../../machine/thread-program.js";
import type { ChainHead, EventOrigin, SessionRow, TranscriptHeadRow } from "../protocol.js";
import type { HandlerTotals } from "./handler-reader.js";
import type { StoreFailure, StoreReply, StoreRequest } from "./messages.js";
import type { StoredOverview } from "./overview.js";
import { packRows } from "./packed-rows.js";
import type { Found, Share } from "./reader.js";
import type { RetentionLimits } from "./retention.js";
import { toRow } from "./row.js";
import { refuseNewerStore } from "./schema.js";
import { charsOf, isLastPage, MAX_PAGE_CHARS, type Store, type StoredEvent, type StoreStats, type TimePage } from "./store.js";
import { finishRestore, refuseLostDatabase, type StoreFault } from "./store-files.js";
import { isCorrupt } from "./store-health.js";
import type { UsageFound } from "./usage-table.js";
import type { Marks } from "./writer.js";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 10_000;
/** A thread that died is not missed for long, and one that dies at once is not begun for each question. */
const REOPEN_MS = 1_000;

/** A request without the number that pairs it with its answer. */
type Question = StoreRequest extends infer R ? (R extends { call: number } ? Omit<R, "call"> : never) : never;

export interface StoreOptions {
  /** A file of that many bytes beside the store, given up when the disk is full. Default 4 MiB; 0 for none. */
  readonly ballastBytes?: number;
  /** Told when the store's files are removed, replaced or damaged. */
  readonly onFault?: (fault: StoreFault) => void;
  /** Told of what failed beside the questions. */
  readonly onProblem?: (text: string) => void;
  /** Told of what takes long while the store opens, and every few seconds that it goes on. */
  readonly onProgress?: ((text: string) => void) | undefined;
}

/** Opens the store in a thread of its own: a commit that waits for the disk never holds up the hub. */
export async function openStore(path: string, options: StoreOptions = {}): Promise<Store> {
  const { ballastBytes = 4 * 1024 * 1024, onFault = () => {}, onProblem = () => {}, onProgress } = options;
  finishRestore(path);
  refuseLostDatabase(path);
  refuseNewerStore(path);
  const progress = repeated(onProgress);
  const line = new StoreThread(path, { ballastBytes, onFault, onProblem, onProgress: progress.tell });
  const opened = line.ask({ type: "lastPlace" }).finally(progress.end);
  await opened.catch((cause: unknown) => {
    const first = cause instanceof HookError ? (cause.cause ?? cause) : cause;
    const why = first instanceof Error ? first.message : String(first);
    if (isCorrupt(first)) throw damaged(`The store "${path}" is damaged: ${why}.`);
    throw new HookError("HL_STORE_FAILED", `The store "${path}" cannot be opened: ${why.replace(/\.$/, "")}.`, {
      fix: { run: "hookline doctor" },
      cause,
    });
  });
  return {
    append: async (events, marks) => line.ask({ type: "append", rows: packRows(events.map(toRow)), marks }) as Promise<number[]>,
    async page(filter, { limit = DEFAULT_LIMIT, before } = {}) {
      const events = await inShares({ limit: clamp(limit) }, (share) => line.ask({ type: "page", filter, before, share }));
      return { events, cursor: isLastPage(events, clamp(limit)) ? undefined : events.at(-1)?.place };
    },
    after: (place, filter, limit, maxChars) =>
      inShares({ limit: clamp(limit), maxChars }, (share) => line.ask({ type: "after", filter, place, share })),
    inTime: (filter, { order, limit, from }) => line.ask({ type: "inTime", filter, order, limit: clamp(limit), from }) as Promise<TimePage>,
    family: (session, limit) => line.ask({ type: "family", session, limit }) as Promise<string[]>,
    get: (id) => line.ask({ type: "get", id }) as Promise<StoredEvent | undefined>,
    idsThatBegin: (begins, limit) => line.ask({ type: "idsThatBegin", begins, limit }) as Promise<string[]>,
    provedBy: (id) => line.ask({ type: "provedBy", id }) as Promise<EventOrigin | undefined>,
    identify: (origin) => line.ask({ type: "identify", origin }) as Promise<void>,
    ownerOf: (instance) => line.ask({ type: "ownerOf", instance }) as Promise<string | undefined>,
    sessions: (limit = DEFAULT_LIMIT, of = {}) => line.ask({ type: "sessions", limit: clamp(limit), of }) as Promise<SessionRow[]>,
    session: (id) => line.ask({ type: "session", id }) as Promise<SessionRow | undefined>,
    watchedSince: (sessions) => line.ask({ type: "watchedSince", sessions }) as Promise<{ [session: string]: number }>,
    counts: (since) => line.ask({ type: "counts", since }) as Promise<Record<string, number>>,
    overview: (range) => line.ask({ type: "overview", range }) as Promise<StoredOverview>,
    usage: (bounds) => line.ask({ type: "usage", bounds }) as Promise<UsageFound>,
    tools: () => line.ask({ type: "tools" }) as Promise<string[]>,
    handlers: (range) => line.ask({ type: "handlers", range }) as Promise<HandlerTotals[]>,
    fired: (handlers) => line.ask({ type: "fired", handlers }) as Promise<void>,
    stats: () => line.ask({ type: "stats" }) as Promise<StoreStats>,
    chainHead: () => line.ask({ type: "chainHead" }) as Promise<ChainHead>,
    holdsHead: (head) => line.ask({ type: "holdsHead", head }) as Promise<boolean>,
    transcriptHeads: (id) => line.ask({ type: "transcriptHeads", id }) as Promise<TranscriptHeadRow[]>,
    lastPlace: () => line.ask({ type: "lastPlace" }) as Promise<number>,
    cursor: (name) => line.ask({ type: "cursor", name }) as Promise<number | undefined>,
    cursors: (prefix) => line.ask({ type: "cursors", prefix }) as Promise<Marks>,
    setCursor: (name, place) => line.ask({ type: "setCursor", name, place }) as Promise<void>,
    fact: (name) => line.ask({ type: "fact", name }) as Promise<string | undefined>,
    setFact: (name, value) => line.ask({ type: "setFact", name, value }) as Promise<void>,
    keepWithin: (limits) => line.keepWithin(limits),
    async retain(limits) {
      let total = 0;
      for (let gone = 1; gone > 0; total += gone) gone = (await line.ask({ type: "retain", limits })) as number;
      return total;
    },
    retainSome: (limits) => line.ask({ type: "retain", limits }) as Promise<number>,
    excess: (limits) => line.ask({ type: "excess", limits }) as Promise<number>,
    async erase(erasure) {
      let total = 0;
      for (let gone = 1; gone > 0; total += gone) gone = (await line.ask({ type: "erase", erasure })) as number;
      return total;
    },
    scrub: () => line.ask({ type: "scrub" }) as Promise<string[]>,
    indexed: () => line.ask({ type: "indexed" }) as Promise<void>,
    close: () => line.close(),
  };
}

/** A search that takes long, with pauses in which the store's thread writes what waits. */
async function inShares({ limit, maxChars = MAX_PAGE_CHARS }: Share, search: (share: Share) => Promise<unknown>): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (let share: Share = { limit, maxChars }; ; ) {
    const { events: found, rest } = (await search(share)) as Found;
    events.push(...found);
    if (rest === undefined) return events;
    share = { limit: limit - events.length, maxChars: maxChars - charsOf(events), rest };
  }
}

interface ThreadOptions {
  readonly ballastBytes: number;
  readonly onFault: (fault: StoreFault) => void;
  readonly onProblem: (text: string) => void;
  readonly onProgress: (text: string) => void;
}

/** Questions to the store's thread and their answers. A thread that dies fails everything that waits for it; a while later there is another. */
class StoreThread {
  readonly #open: (mustExist: boolean) => Worker;
  readonly #onFault: (fault: StoreFault) => void;
  readonly #requests = new Correlator<{ readonly id: number }, unknown>();
  #worker: Worker;
  #calls = 0;
  #gone: Error | undefined;
  #goneAt = 0;
  #isClosed = false;

  readonly #onProblem: (text: string) => void;
  readonly #onProgress: (text: string) => void;
  #limits: RetentionLimits | undefined;

  constructor(path: string, { ballastBytes, onFault, onProblem, onProgress }: ThreadOptions) {
    this.#onFault = onFault;
    this.#onProblem = onProblem;
    this.#onProgress = onProgress;
    this.#open = (mustExist) =>
      new Worker(threadProgram(new URL("./store-worker.js", import.meta.url)), {
        workerData: { path, ballastBytes, mustExist },
        execArgv: [],
      });
    this.#worker = this.#start();
  }

  ask(question: Question): Promise<unknown> {
    if (this.#gone !== undefined && !this.#isClosed && performance.now() - this.#goneAt >= REOPEN_MS) this.#worker = this.#start();
    if (this.#gone !== undefined) return Promise.reject(this.#gone);
    return this.#requests.ask({ id: ++this.#calls }, ({ id }) => this.#worker.postMessage({ ...question, call: id }));
  }

  async keepWithin(limits: RetentionLimits): Promise<void> {
    this.#limits = limits;
    await this.ask({ type: "keepWithin", limits });
  }

  async close(): Promise<void> {
    const isOver = this.#isClosed || this.#gone !== undefined;
    this.#isClosed = true;
    if (isOver) return;
    const exited = new Promise((resolve) => this.#worker.once("exit", resolve));
    const answer = this.ask({ type: "close" });
    await answer;
    await exited;
  }

  #start(): Worker {
    this.#gone = undefined;
    // A thread that takes over from one that died must find its file: an empty one would hide that the other is gone.
    const worker = this.#open(this.#calls > 0);
    worker.on("message", (reply: StoreReply) => this.#answered(reply));
    worker.on("error", (error) => this.#end(worker, `The store failed: ${errorText(error)}.`, error));
    worker.on("exit", () => this.#end(worker, "The store is closed."));
    // Its answer is not needed.
    if (this.#limits !== undefined) worker.postMessage({ type: "keepWithin", limits: this.#limits, call: 0 } satisfies StoreRequest);
    return worker;
  }

  #answered(reply: StoreReply): void {
    if ("fault" in reply) this.#onFault(reply.fault);
    else if ("problem" in reply) this.#onProblem(reply.problem);
    else if ("progress" in reply) this.#onProgress(reply.progress);
    else if ("error" in reply) this.#requests.fail(reply.call, toError(reply.error));
    else this.#requests.answer(reply.call, reply.result);
  }

  #end(worker: Worker, message: string, cause?: unknown): void {
    if (worker !== this.#worker) return;
    // The thread ends after an error, so its end need not be reported again.
    const gone = this.#gone ?? new HookError("HL_STORE_FAILED", message, { cause });
    this.#gone = gone;
    this.#goneAt = performance.now();
    this.#requests.failAll(() => gone);
  }
}

const REPEAT_MS = 5_000;

/** Says again and again what still goes on: a long step must not look like a program that hangs. */
function repeated(tell: (text: string) => void = () => {}): { tell(text: string): void; end(): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    tell(text) {
      clearInterval(timer);
      const start = Date.now();
      tell(text);
      timer = setInterval(() => tell(`${text} (${Math.round((Date.now() - start) / 1_000)} s)`), REPEAT_MS).unref();
    },
    end: () => clearInterval(timer),
  };
}

function clamp(limit: number): number {
  return Math.min(MAX_LIMIT, Math.max(1, Math.trunc(limit)));
}

function toError({ message, isDiskFull, isDamaged }: StoreFailure): HookError {
  if (isDamaged) return damaged(`The store is damaged: ${message}.`);
  if (!isDiskFull) return new HookError("HL_STORE_FAILED", `The store failed: ${message}.`);
  return new HookError("HL_DISK_FULL", "The disk is full: nothing more can be stored until there is room.", { failure: "overloaded" });
}

function damaged(message: string): HookError {
  return new HookError("HL_STORE_DAMAGED", message, { fix: { run: "hookline doctor --repair" } });
}
