import { connect, type Socket } from "node:net";
import { createNonce, prove } from "@hookline/core/internal/machine";
import type { HubFrame } from "@hookline/core/internal/wire";

/** A forwarder that does only what it is told: the line protocol from outside. */
export class LineClient {
  readonly frames: HubFrame[] = [];
  readonly socket: Socket;
  isClosed = false;
  #rest = "";
  #wake: (() => void)[] = [];

  constructor(path: string) {
    this.socket = connect(path);
    this.socket.on("data", (chunk) => this.#read(String(chunk)));
    this.socket.on("error", () => {});
    this.socket.on("close", () => {
      this.isClosed = true;
      this.#rouse();
    });
  }

  static async attached(path: string, token: string, instance = "i1"): Promise<LineClient> {
    const client = new LineClient(path);
    const { instance: hub, nonce } = await client.hello();
    const source = { app: "agent", host: "h", pid: process.pid, instance };
    client.say({ type: "login", proof: prove(token, "client", hub, nonce), source });
    await client.next((frame) => frame.type === "welcome");
    return client;
  }

  async hello(nonce = createNonce()): Promise<Extract<HubFrame, { type: "proof" }>> {
    this.say({ type: "hello", v: 1, nonce });
    return (await this.next((frame) => frame.type === "proof")) as Extract<HubFrame, { type: "proof" }>;
  }

  say(...lines: (object | string)[]): void {
    this.socket.write(lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
  }

  /** The first frame, of those that came and those to come, that is the one. */
  async next(isIt: (frame: HubFrame) => boolean): Promise<HubFrame> {
    for (;;) {
      const found = this.frames.find(isIt);
      if (found !== undefined) return found;
      if (this.isClosed) throw new Error(`closed after ${JSON.stringify(this.frames)}`);
      await this.#change();
    }
  }

  async closed(): Promise<void> {
    while (!this.isClosed) await this.#change();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#wake.push(resolve));
  }

  #rouse(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() as string;
    for (const line of lines) this.frames.push(JSON.parse(line) as HubFrame);
    this.#rouse();
  }
}
