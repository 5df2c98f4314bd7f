import type { Channel } from "../protocol/channel.js";
import type { Message } from "../protocol/message.js";

/** So many messages may wait for a reader before the writer is paused, and go on at so many. */
const PAUSE_AT = 256;
const RESUME_AT = 64;

/** Sends to one side, and pauses the other side while this one reads slower than the other writes. */
export class Flow {
  readonly #to: Channel;
  readonly #from: { pause(): void; resume(): void };
  #unsent = 0;
  #isPaused = false;

  constructor(to: Channel, from: { pause(): void; resume(): void }) {
    this.#to = to;
    this.#from = from;
  }

  send(message: Message): void {
    this.#unsent++;
    if (this.#unsent >= PAUSE_AT && !this.#isPaused) {
      this.#isPaused = true;
      this.#from.pause();
    }
    void this.#to.send(message).then(() => this.#sent());
  }

  #sent(): void {
    this.#unsent--;
    if (!this.#isPaused || this.#unsent > RESUME_AT) return;
    this.#isPaused = false;
    this.#from.resume();
  }
}
