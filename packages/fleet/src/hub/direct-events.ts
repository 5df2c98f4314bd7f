import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { subjects } from "../nats/subjects.js";

/** What waits to be stored. Hosts send the rest again. */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Events that hosts of a part give straight to this hub, because the stream takes none or the hub has confirmed none for a while: a cluster
 * that loses the leader of a stream or of a consumer needs 4 to 9 s to elect another.
 */
export class DirectEvents {
  readonly #take: (messages: readonly Msg[]) => Promise<void>;
  readonly #subscription: { unsubscribe(): void };
  #queue: Msg[] = [];
  #bytes = 0;
  #isTaking = false;

  /** `take` stores messages; those for which it rejects come again. */
  constructor(connection: NatsConnection, part: string, take: (messages: readonly Msg[]) => Promise<void>) {
    this.#take = take;
    this.#subscription = connection.subscribe(subjects.directOfPart(part), { callback: (_, message) => this.#add(message) });
  }

  close(): void {
    this.#subscription.unsubscribe();
    this.#queue = [];
  }

  #add(message: Msg): void {
    if (this.#bytes + message.data.length > MAX_BYTES) return;
    this.#queue.push(message);
    this.#bytes += message.data.length;
    if (!this.#isTaking) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isTaking = true;
    while (this.#queue.length > 0) {
      // Messages that came together are stored together.
      await new Promise((resolve) => setImmediate(resolve));
      const messages = this.#queue;
      [this.#queue, this.#bytes] = [[], 0];
      await this.#take(messages).catch(() => {});
    }
    this.#isTaking = false;
  }
}
