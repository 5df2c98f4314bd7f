import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "../serve.ts";

// Many clients of a stream in one process: bare sockets, so that they cost next to nothing beside the hub.
const MARK = '"at":"';
const TIME_LENGTH = 24;
/** Milliseconds behind are counted up to here. */
const MAX_LAG = 10_000;

class Watcher {
  readonly lags = new Uint32Array(MAX_LAG + 1);
  received = 0;
  isOpen = true;
  #rest = "";

  constructor(socket: Socket) {
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => this.#read(chunk));
    socket.on("error", () => {});
    socket.on("close", () => {
      this.isOpen = false;
    });
  }

  reset(): void {
    this.lags.fill(0);
    this.received = 0;
  }

  #read(chunk: string): void {
    const now = Date.now();
    const text = this.#rest + chunk;
    let from = 0;
    for (let found = text.indexOf(MARK); found >= 0; found = text.indexOf(MARK, from)) {
      const end = found + MARK.length + TIME_LENGTH;
      if (end > text.length) break;
      this.#count(now - timeOf(text.slice(found + MARK.length, end)));
      from = end;
    }
    this.#rest = text.slice(Math.max(from, text.length - MARK.length - TIME_LENGTH));
  }

  #count(lag: number): void {
    const index = Math.min(MAX_LAG, Math.max(0, lag));
    this.lags[index] = (this.lags[index] ?? 0) + 1;
    this.received++;
  }
}

const times = new Map<string, number>();

// A hundred clients see the same time.
function timeOf(text: string): number {
  let time = times.get(text);
  if (time === undefined) {
    if (times.size > 1_000) times.clear();
    time = Date.parse(text);
    times.set(text, time);
  }
  return time;
}

function open(address: { path: string } | { host: string; port: number }, token: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(address, () => {
      socket.write(
        `GET /api/stream HTTP/1.1\r\nHost: ${"port" in address ? `${address.host}:${address.port}` : "localhost"}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      );
      resolve(socket);
    });
    socket.once("error", reject);
  });
}

function p99(lags: Uint32Array, total: number): number {
  let seen = 0;
  for (const [lag, count] of lags.entries()) {
    seen += count;
    if (seen >= total * 0.99) return lag;
  }
  return MAX_LAG;
}

const watchers: Watcher[] = [];
let stalled: Socket | undefined;

const methods = {
  async open(count: number, url: string, token: string): Promise<void> {
    const { hostname, port } = new URL(url);
    for (let number = 0; number < count; number++) watchers.push(new Watcher(await open({ host: hostname, port: Number(port) }, token)));
  },
  /** One that says what it wants and then never reads. */
  async openStalled(path: string, token: string): Promise<void> {
    stalled = await open({ path }, token);
    stalled.pause();
  },
  closeStalled: () => void stalled?.destroy(),
  reset(): void {
    for (const watcher of watchers) watcher.reset();
  },
  /** When each has got so many, or after a while. */
  async result(expected: number): Promise<{ received: number[]; p99s: number[]; open: number }> {
    for (let wait = 0; wait < 100 && watchers.some(({ received }) => received < expected); wait++) await sleep(50);
    return {
      received: watchers.map(({ received }) => received),
      p99s: watchers.map(({ lags, received }) => p99(lags, received)),
      open: watchers.filter(({ isOpen }) => isOpen).length,
    };
  },
};
export type WatchersMethods = typeof methods;
serve(methods);
