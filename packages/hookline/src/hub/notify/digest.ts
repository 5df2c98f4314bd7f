import { readPrivateJson, writePrivateJson } from "@hookline/core/internal/machine";
import { backoffDelay } from "@hookline/core/internal/wire";
import type { Envelope } from "@hookline/core/sinks";
import type { NotifyConfig } from "../../config/config.js";
import type { Message } from "../../notify/message.js";
import { quietForMs } from "../../notify/quiet-hours.js";
import type { Channel } from "../../notify/target.js";
import { eventLine } from "./question-message.js";

/** What was gathered for one message. */
interface Gathered {
  readonly lines: readonly string[];
  readonly count: number;
  /** When the first of it came. */
  readonly since: number;
}

const MAX_LINES = 20;
const RETRY = { baseMs: 1_000, maxMs: 60_000, jitter: 0 };

/** Gathers events, and tells of them in one message when the time is up and it is not quiet. What is gathered is on disk before it counts as taken. */
export class Digest {
  readonly #config: NotifyConfig;
  readonly #state: string;
  readonly #stop = new AbortController();
  #gathered: Gathered | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  lastError: string | undefined;

  readonly #open: () => Channel;

  constructor(config: NotifyConfig, state: string, open: () => Channel) {
    this.#config = config;
    this.#state = state;
    this.#open = open;
    this.#gathered = readGathered(readPrivateJson(state, this.#file));
    this.#schedule();
  }

  /** The name may hold anything but spaces. */
  get #file(): string {
    return `notify-${Buffer.from(this.#config.name).toString("hex")}.json`;
  }

  add(envelopes: readonly Envelope[]): void {
    const { lines, count, since } = this.#gathered ?? { lines: [], count: 0, since: Date.now() };
    const next = { lines: [...lines, ...envelopes.map(eventLine)].slice(0, MAX_LINES), count: count + envelopes.length, since };
    writePrivateJson(this.#state, this.#file, next);
    this.#gathered = next;
    this.#schedule();
  }

  close(): void {
    this.#stop.abort();
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#gathered === undefined || this.#timer !== undefined || this.#stop.signal.aborted) return;
    const due = Math.max(Date.now(), this.#gathered.since + this.#config.digestMs);
    const { quietHours } = this.#config;
    const at = due + (quietHours === undefined ? 0 : quietForMs(quietHours, due));
    this.#wait(at - Date.now());
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => void this.#flush(), Math.min(Math.max(0, ms), 2 ** 31 - 1)).unref();
  }

  async #flush(): Promise<void> {
    const told = this.#gathered;
    if (told === undefined) return;
    const result = await this.#send(messageOf(told));
    this.#timer = undefined;
    if (this.#stop.signal.aborted) return;
    if (result !== undefined) {
      this.lastError = result;
      return this.#wait(backoffDelay(this.#failures++, RETRY));
    }
    this.#failures = 0;
    this.lastError = undefined;
    this.#forget(told);
    this.#schedule();
  }

  /** Why it was not sent. */
  async #send(message: Message): Promise<string | undefined> {
    let channel: Channel | undefined;
    try {
      channel = this.#open();
      const result = await channel.send(message, this.#stop.signal);
      return result.status === "sent" ? undefined : String((result.cause as Error)?.message ?? result.cause);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      channel?.close();
    }
  }

  /** Keeps what came while the message was on its way. */
  #forget(told: Gathered): void {
    const now = this.#gathered;
    const lines = now?.lines.slice(told.lines.length) ?? [];
    const count = (now?.count ?? 0) - told.count;
    this.#gathered = count > 0 ? { lines, count, since: Date.now() } : undefined;
    try {
      writePrivateJson(this.#state, this.#file, this.#gathered ?? null);
    } catch (error) {
      this.lastError = `A restart may send this message twice: ${(error as Error).message}`;
    }
  }
}

function messageOf({ lines, count }: Gathered): Message {
  const more = count - lines.length;
  return {
    title: count === 1 ? "1 event" : `${count} events`,
    text: [...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join("\n"),
    isUrgent: false,
  };
}

function readGathered(value: unknown): Gathered | undefined {
  const { lines, count, since } = Object(value) as { readonly [Key in keyof Gathered]?: unknown };
  const isRead =
    Array.isArray(lines) && lines.every((line) => typeof line === "string") && typeof count === "number" && typeof since === "number";
  return isRead ? { lines, count, since } : undefined;
}
