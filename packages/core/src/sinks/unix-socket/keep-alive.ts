import type { Socket } from "node:net";

/** Whether a connection's socket, whichever it is at the moment, keeps the process alive: while anybody holds it. */
export class KeepAlive {
  #socket: Socket | undefined;
  #holds = 0;

  /** The socket there is now. */
  follow(socket: Socket | undefined): void {
    this.#socket = socket;
    this.#apply();
  }

  /** Gives back what lets go; letting go twice does nothing. */
  hold(): () => void {
    let isHeld = true;
    this.#holds++;
    this.#apply();
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds--;
      this.#apply();
    };
  }

  #apply(): void {
    if (this.#holds > 0) this.#socket?.ref();
    else this.#socket?.unref();
  }
}
