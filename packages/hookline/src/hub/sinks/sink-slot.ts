import { isDeepStrictEqual } from "node:util";
import type { SinkConfig } from "../../config/config.js";
import type { SinkRow } from "../parts.js";
import { Feed, type FeedOptions } from "./feed.js";

export interface SlotOptions extends FeedOptions {
  /** How long a feed may take to end while the others go on. */
  readonly endMs: number;
}

/** The feeds of one name, one after the other: they share a place in the store, and may share a file or a receiver. */
export class SinkSlot {
  readonly #options: SlotOptions;
  #wanted: SinkConfig | undefined;
  #feed: Feed;
  /** While the feed ends. What is wanted by then comes after it. */
  #ending: Promise<void> | undefined;

  constructor(config: SinkConfig, options: SlotOptions) {
    this.#options = options;
    this.#wanted = config;
    this.#feed = new Feed(config, options);
  }

  get row(): SinkRow {
    return this.#feed.row;
  }

  /** Undefined for one that is gone. */
  get config(): SinkConfig | undefined {
    return this.#wanted;
  }

  wake(latest: number): void {
    this.#feed.wake(latest);
  }

  /** A sink whose settings are the same is left alone. */
  adopt(config: SinkConfig): void {
    const before = this.#wanted;
    this.#wanted = config;
    if (this.#ending !== undefined || isDeepStrictEqual(before, config)) return;
    if (before === undefined) this.#goOn();
    else this.#ending = this.#feed.handOver(this.#options.endMs).then(() => this.#goOn());
  }

  /** Sends what there is by now, in the background. */
  leave(): void {
    this.#wanted = undefined;
    this.#ending ??= this.#feed.retire(this.#options.endMs).then(() => this.#goOn());
  }

  close(deadlineMs: number): Promise<void> {
    this.#wanted = undefined;
    this.#ending ??= this.#feed.close(deadlineMs).then(() => this.#goOn());
    return this.#ending;
  }

  #goOn(): void {
    this.#ending = undefined;
    if (this.#wanted !== undefined) this.#feed = new Feed(this.#wanted, this.#options, this.#feed.place);
  }
}
