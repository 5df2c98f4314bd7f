import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** No process of a scenario lives longer, whatever becomes of the scenario. */
const LIFETIME_MS = 600_000;
/** Times all limits of waiting, for a machine that has much else to do. */
const PATIENCE = Number(process.env.HOOKLINE_PATIENCE ?? 1);
const ANSWER_MS = 90_000 * PATIENCE;

interface MemberOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly hasChannel: boolean;
  readonly lifetimeMs?: number;
}

/** A child that can be asked things. */
export class Member {
  readonly child: ChildProcess;
  readonly ended: Promise<Ending>;
  #output = { stdout: "", stderr: "" };
  #waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  #asked = 0;
  readonly #name: string;

  constructor([command = "", ...args]: readonly string[], { env, hasChannel, lifetimeMs = LIFETIME_MS }: MemberOptions) {
    this.child = spawn(command, args, { env, stdio: ["pipe", "pipe", "pipe", ...(hasChannel ? (["ipc"] as const) : [])] });
    this.#name = args.join(" ").slice(0, 200);
    running.add(this.child);
    const timer = setTimeout(() => this.child.kill("SIGKILL"), lifetimeMs);
    for (const key of ["stdout", "stderr"] as const)
      this.child[key]?.setEncoding("utf8").on("data", (text: string) => (this.#output[key] += text));
    this.child.stdin?.on("error", () => {});
    this.child.on("message", (message) => this.#hear(message as { id: number; result?: never; error?: string }));
    this.ended = new Promise((resolve) => {
      const end = (code: number | null, signal: NodeJS.Signals | null): void => {
        clearTimeout(timer);
        running.delete(this.child);
        for (const { reject } of this.#waiting.values())
          reject(new Error(`It ended (${code ?? signal}). ${this.#output.stderr.slice(-2_000)}`));
        this.#waiting.clear();
        resolve({ code, signal, ...this.#output });
      };
      this.child.on("close", end).on("error", () => end(null, null));
    });
  }

  get pid(): number {
    return this.child.pid as number;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  get stdout(): string {
    return this.#output.stdout;
  }

  get stderr(): string {
    return this.#output.stderr;
  }

  /** Every program answers each question once; `ready` is the answer to number 0. */
  ask<T>(question: string, details: object = {}, timeoutMs = ANSWER_MS): Promise<T> {
    const id = question === "ready" ? 0 : ++this.#asked;
    if (!this.isRunning) return Promise.reject(new Error(`It has ended. ${this.stderr.slice(-2_000)}`));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`No answer of ${this.#name} to "${question}". ${this.stderr.slice(-2_000)}`)),
        timeoutMs,
      );
      const settle =
        <V>(act: (value: V) => void) =>
        (value: V): void => {
          clearTimeout(timer);
          act(value);
        };
      this.#waiting.set(id, { resolve: settle(resolve as (result: never) => void), reject: settle(reject) });
      if (id > 0) this.child.send({ id, do: question, ...details }, (error) => error !== null && settle(reject)(error));
    });
  }

  /** Gone for good when it resolves. */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<Ending> {
    this.child.kill(signal);
    return this.ended;
  }

  #hear({ id, result, error }: { id: number; result?: never; error?: string }): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result as never);
    else waiting?.reject(new Error(error));
  }
}

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** The processes of one scenario and the folders they share. All are gone when it is. */
export class Crew implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "hl-f-"));
  readonly env: NodeJS.ProcessEnv;
  readonly #members: Member[] = [];
  readonly #lifetimeMs: number;

  /** No process of it lives longer than `lifetimeMs`; default ten minutes. */
  constructor({ lifetimeMs = LIFETIME_MS } = {}) {
    this.#lifetimeMs = lifetimeMs;
    const [state, run, config] = ["state", "run", "config"].map((name) => join(this.folder, name)) as [string, string, string];
    for (const path of [state, run, config]) mkdirSync(path, { mode: 0o700 });
    const { NODE_OPTIONS: _, HOOKLINE_FORWARD: __, VITEST: ___, ...rest } = process.env;
    this.env = { ...rest, HOME: this.folder, XDG_STATE_HOME: state, XDG_RUNTIME_DIR: run, XDG_CONFIG_HOME: config };
  }

  get state(): string {
    return join(this.folder, "state", "hookline");
  }

  get store(): string {
    return join(this.state, "events.db");
  }

  socket(name: "line" | "http"): string {
    return join(this.folder, "run", "hookline", `${name}.sock`);
  }

  /** Starts one of `programs/`; `through` comes before the command. */
  start(program: string, settings: object = {}, { hasChannel = true, through = [] as readonly string[] } = {}): Member {
    const path = fileURLToPath(new URL(`./programs/${program}.ts`, import.meta.url));
    return this.startProgram([...through, process.execPath, path, JSON.stringify(settings)], hasChannel);
  }

  /** Starts any program that answers as those of `programs/` do. */
  startProgram(command: readonly string[], hasChannel = true): Member {
    const member = new Member(command, { env: this.env, hasChannel, lifetimeMs: this.#lifetimeMs });
    this.#members.push(member);
    return member;
  }

  /** A hub that is up. */
  async startHub(settings: object = {}, through: readonly string[] = []): Promise<Member> {
    const hub = this.start("hub", settings, { through });
    await hub.ask("ready");
    return hub;
  }

  async startPublisher(settings: PublisherSettings, through: readonly string[] = []): Promise<Publisher> {
    const member = this.start("publisher", settings, { through });
    await member.ask("ready");
    return { settings, member };
  }

  /** A process whose first call is this one, and what came of it. */
  async startCaller(settings: CallerSettings & { readonly first: string }, through: readonly string[] = []) {
    const member = this.start("caller", settings, { through });
    return { member, ...(await member.ask<FirstCall>("ready")) };
  }

  /** The command line. */
  hookline(...args: string[]): Member {
    const main = fileURLToPath(new URL("../../packages/hookline/dist/cli/main.js", import.meta.url));
    return this.startProgram([process.execPath, main, ...args], false);
  }

  configure(toml: string, files: { readonly [name: string]: string } = {}): void {
    const folder = join(this.folder, "config", "hookline");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const [name, text] of Object.entries({ ...files, "hookline.toml": toml }))
      writeFileSync(join(folder, name), text, { mode: 0o600 });
  }

  hubFile(): { readonly url: string; readonly token: string; readonly line: string; readonly pid: number; readonly instance: string } {
    return JSON.parse(readFileSync(join(this.state, "hub.json"), "utf8"));
  }

  operatorToken(): string {
    return (JSON.parse(readFileSync(join(this.state, "operator.json"), "utf8")) as { token: string }).token;
  }

  /** Asks the hub as its operator. */
  async get<T>(path: string): Promise<T> {
    const answer = await fetch(`${this.hubFile().url}${path}`, {
      headers: { authorization: `Bearer ${this.operatorToken()}` },
      signal: AbortSignal.timeout(10_000),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  /** What waits to be collected. */
  spooled(): string[] {
    const folder = join(this.state, "spool");
    return existsSync(folder) ? readdirSync(folder).filter((name) => /\.(ndjson|live)$/.test(name)) : [];
  }

  /** All that is in the spool, whatever it is. */
  leftInSpool(): string[] {
    return readdirSync(join(this.state, "spool"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#members.map((member) => (member.isRunning ? member.kill() : member.ended)));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface CallerSettings {
  /** A command that is asked about at once. */
  readonly first?: string;
  /** How long the hub has to answer. Default 400. */
  readonly timeoutMs?: number;
  /** Its name among the sources. Default `caller`. */
  readonly name?: string;
  /** What its commands begin with, in turn. By default every fourth is forbidden. */
  readonly words?: readonly string[];
  /** How many calls wait at a time, and how long each of them rests. Default 8, and 2 ms. */
  readonly callers?: number;
  readonly everyMs?: number;
  /** A secret that every call carries. */
  readonly secret?: string;
  /** A file with what was let through. */
  readonly log?: string;
}

interface FirstCall {
  readonly verdict: string;
  readonly reason?: string;
  /** The codes of what was reported meanwhile. */
  readonly reports: readonly string[];
}

export interface PublisherSettings {
  readonly name: string;
  readonly seed: number;
  /** Events of one burst, about, and the time between two. */
  readonly burst: number;
  readonly everyMs: number;
  readonly durable?: boolean;
  readonly maxCount?: number;
  readonly minChars?: number;
  /** A file that always holds how many emits have returned. */
  readonly progress?: string;
}

export interface Publisher {
  readonly settings: PublisherSettings;
  readonly member: Member;
}

/** Waits until something holds; says what it waited for when it does not. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const end = performance.now() + timeoutMs * PATIENCE;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Waited ${timeoutMs * PATIENCE} ms in vain: ${what}.`);
    await pause(10);
  }
}
