import type { SendOptions } from "../protocol/channel.js";
import type { Message } from "../protocol/message.js";

/** So many messages may wait for a reader before the writer is paused, and go on at so many. */
const PAUSE_AT = 256;
const RESUME_AT = 64;

/** Where messages go. Resolves when it can take more. */
type Send = (message: Message, options?: SendOptions) => Promise<void>;

/** Sends to one side, and pauses the side that causes it while the first reads slower than this one writes. Both may be one: a server that asks and never reads. */
export class Flow {
  readonly #to: Send;
  readonly #from: { pause(): void; resume(): void };
  #unsent = 0;
  #isPaused = false;

  constructor(to: Send, from: { pause(): void; resume(): void }) {
    this.#to = to;
    this.#from = from;
  }

  send(message: Message, options?: SendOptions): void {
    this.#unsent++;
    if (this.#unsent >= PAUSE_AT && !this.#isPaused) {
      this.#isPaused = true;
      this.#from.pause();
    }
    void this.#to(message, options).then(() => this.#sent());
  }

  #sent(): void {
    this.#unsent--;
    if (!this.#isPaused || this.#unsent > RESUME_AT) return;
    this.#isPaused = false;
    this.#from.resume();
  }
}
