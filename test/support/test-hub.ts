import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HubFile, prove, removeGatesFile, removeHubFile, writeGatesFile, writeHubFile } from "@hookline/core/internal/machine";
import { LineReader, MAX_LINE_BYTES, type RemoteGate } from "@hookline/core/internal/wire";
import { decodeEnvelope, type Envelope } from "@hookline/core/sinks";

type Json = { readonly [key: string]: unknown };

export interface TestHubOptions {
  readonly instance?: string;
  readonly gates?: readonly RemoteGate[];
  /** What it does with a question. Default: nothing. */
  readonly onGate?: (gate: Json, answer: (verdict: Json) => void) => void;
  /** Which envelopes it refuses. */
  readonly refuses?: (envelope: Envelope) => boolean;
  /** Proves itself with another token than hub.json has. */
  readonly isSquatter?: boolean;
  /** Accepts and says nothing. */
  readonly isMute?: boolean;
  /** Takes nothing, and says so. */
  readonly bye?: string;
  /** Leaves no `gates.json` beside its `hub.json`. */
  readonly hasNoGatesFile?: boolean;
  /** Another socket than `line.sock`, for two hubs at once. */
  readonly socket?: string;
}

/** A folder for a hub's state that goes with its scope. */
export function hubFolder(): Disposable & { readonly path: string; readonly state: string; readonly spool: string } {
  const path = mkdtempSync(join(tmpdir(), "hl-"));
  const state = join(path, "state");
  mkdirSync(state, { mode: 0o700 });
  return { path, state, spool: join(state, "spool"), [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** A hub that keeps events in memory and speaks the line's protocol, well or badly. */
export class TestHub implements AsyncDisposable {
  readonly file: HubFile;
  /** In the order they came, those that came again included. */
  readonly received: Envelope[] = [];
  /** By id, as a store would have them. */
  readonly stored = new Map<string, Envelope>();
  readonly frames: Json[] = [];
  /** All that came before anybody had proved anything, and after. */
  rawBytes = "";
  connections = 0;
  /** Reads and stores, but acknowledges nothing. */
  isAckHeld = false;
  options: TestHubOptions;
  readonly #folder: string;
  readonly #server: Server;
  readonly #sessions = new Set<Session>();

  static async start(folder: string, options: TestHubOptions = {}): Promise<TestHub> {
    const hub = new TestHub(folder, options);
    rmSync(hub.file.line, { force: true });
    await new Promise<void>((resolve) => hub.#server.listen(hub.file.line, resolve));
    const { gates = [], hasNoGatesFile = false } = options;
    if (!hasNoGatesFile) writeGatesFile(folder, { instance: hub.file.instance, gates });
    writeHubFile(folder, hub.file);
    return hub;
  }

  private constructor(folder: string, options: TestHubOptions) {
    const instance = options.instance ?? `hub-${Math.random().toString(36).slice(2)}`;
    this.#folder = folder;
    this.options = options;
    this.file = {
      url: "http://127.0.0.1:4665",
      line: join(folder, options.socket ?? "line.sock"),
      http: join(folder, "http.sock"),
      token: `token-of-${instance}-0123456789`,
      pid: process.pid,
      startedAt: new Date().toISOString(),
      instance,
    };
    this.#server = createServer((socket) => {
      this.connections++;
      const session = new Session(this, socket);
      this.#sessions.add(session);
      socket.on("close", () => this.#sessions.delete(session));
    });
  }

  get token(): string {
    return this.options.isSquatter === true ? "a-token-that-was-guessed" : this.file.token;
  }

  get attached(): number {
    return [...this.#sessions].filter(({ isUp }) => isUp).length;
  }

  numbers(): number[] {
    return this.received.map(({ seq }) => seq);
  }

  /** To everybody who is attached. */
  say(frame: Json): void {
    for (const session of this.#sessions) if (session.isUp) session.say(frame);
  }

  acknowledge(): void {
    this.isAckHeld = false;
    for (const session of this.#sessions) session.acknowledge();
  }

  /** Stops or goes on reading, as a stopped process would. */
  freeze(isFrozen: boolean): void {
    for (const { socket } of this.#sessions)
      if (isFrozen) socket.pause();
      else socket.resume();
  }

  /** Ends every connection without a word. */
  cut(): void {
    for (const { socket } of this.#sessions) socket.destroy();
  }

  /** Gone as after `kill -9`: nothing is said, and the files stay, the socket's as well. */
  async die(): Promise<void> {
    const { line } = this.file;
    if (existsSync(line)) renameSync(line, `${line}.kept`);
    await this.#end();
    if (existsSync(`${line}.kept`)) renameSync(`${line}.kept`, line);
  }

  async #end(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cut();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async stop(): Promise<void> {
    removeHubFile(this.#folder, this.file.instance);
    removeGatesFile(this.#folder, this.file.instance);
    this.say({ type: "bye", reason: "stopping" });
    await this.#end();
  }
}

class Session {
  readonly socket: Socket;
  isUp = false;
  readonly #hub: TestHub;
  readonly #reader: LineReader;
  #lines = 0;

  constructor(hub: TestHub, socket: Socket) {
    this.#hub = hub;
    this.socket = socket;
    this.#reader = new LineReader({ maxBytes: MAX_LINE_BYTES, onLine: (line) => this.#read(line), onFault: () => socket.destroy() });
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      hub.rawBytes += chunk.toString();
      if (hub.options.isMute !== true) this.#reader.push(chunk);
    });
  }

  say(frame: Json): void {
    this.socket.write(`${JSON.stringify(frame)}\n`);
  }

  acknowledge(): void {
    if (this.#lines > 0) this.say({ type: "ack", n: this.#lines });
  }

  #read(line: string): void {
    if (line.startsWith('{"v":')) return this.#take(decodeEnvelope(line));
    const frame = JSON.parse(line) as Json;
    this.#hub.frames.push(frame);
    const { instance } = this.#hub.file;
    if (frame.type === "hello")
      this.say({ type: "proof", v: 1, instance, proof: prove(this.#hub.token, "hub", instance, String(frame.nonce)), nonce: NONCE });
    if (frame.type === "login") this.#login(frame);
    if (frame.type === "gate") this.#hub.options.onGate?.(frame, (verdict) => this.say({ type: "verdict", id: frame.id, ...verdict }));
  }

  #login({ proof }: Json): void {
    const { file, options } = this.#hub;
    const isGood = proof === prove(this.#hub.token, "client", file.instance, NONCE);
    if (!isGood || options.bye !== undefined) {
      this.socket.end(`${JSON.stringify({ type: "bye", reason: isGood ? options.bye : "bad_token" })}\n`);
      return;
    }
    this.isUp = true;
    this.say({ type: "welcome", instance: file.instance, gates: options.gates ?? [] });
  }

  #take(envelope: Envelope): void {
    const hub = this.#hub;
    const n = ++this.#lines;
    if (hub.options.refuses?.(envelope) === true) this.say({ type: "refused", n, code: "HL_BAD_ENVELOPE", reason: "not wanted" });
    else {
      hub.received.push(envelope);
      if (!hub.stored.has(envelope.id)) hub.stored.set(envelope.id, envelope);
    }
    if (!hub.isAckHeld) this.say({ type: "ack", n });
  }
}

const NONCE = "0123456789abcdef";
