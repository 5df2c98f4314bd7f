import { createServer, connect as dial, type Socket } from "node:net";

/** Stands between hosts and a server on loopback, and cuts or stalls what passes through it. */
export class CutProxy {
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #server = createServer((from) => this.#join(from));
  #port = 0;
  #isStalled = false;
  cuts = 0;

  async listen(port: number): Promise<string> {
    this.#port = port;
    if (!this.#server.listening) await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    return `nats://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  }

  /** Ends every connection without a word. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
    this.cuts++;
  }

  /** Nothing passes, and neither side is told: a partition. */
  stall(isStalled: boolean): void {
    this.#isStalled = isStalled;
    for (const pair of this.#pairs)
      for (const socket of pair)
        if (isStalled) socket.pause();
        else socket.resume();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #join(from: Socket): void {
    const to = dial(this.#port, "127.0.0.1");
    const pair = [from, to] as const;
    this.#pairs.add(pair);
    for (const [one, other] of [pair, [to, from] as const]) {
      one.on("data", (bytes) => other.write(bytes));
      one.on("error", () => {});
      one.on("close", () => {
        other.destroy();
        this.#pairs.delete(pair);
      });
      if (this.#isStalled) one.pause();
    }
  }
}
