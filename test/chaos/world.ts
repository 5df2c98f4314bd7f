import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Claim, Counters } from "../faults/oracle.ts";
import { totalOf } from "../faults/oracle.ts";
import { Crew, type Member, type Publisher, type PublisherSettings, until } from "../faults/processes.ts";
import { killPublisher } from "../faults/settling.ts";
import { descendantsIn, openOf } from "../faults/system.ts";
import { CANARY } from "./canary.ts";
import { FakeClock } from "./clock.ts";
import { CutDisk } from "./cut-disk.ts";
import { Guards } from "./guards.ts";

export const PUBLISHERS = ["ts-durable", "ts-plain", "python", "http"] as const;
export type PublisherRole = (typeof PUBLISHERS)[number];
const OTHERS = ["webhook", "socket", "reader", "caller", "asker", "approver"] as const;
/** What runs beside the hub and is started again by us when it is killed. */
export const ROLES = [...PUBLISHERS, ...OTHERS] as const;
export type Role = (typeof ROLES)[number];

export interface ReceiverSettings {
  readonly log: string;
  /** Of a webhook. */
  readonly port?: number;
  /** Of a socket. */
  readonly path?: string;
}

/** A call that waits for a person, as the hub lists it. */
export interface Question {
  readonly id: string;
  readonly hash: string;
  readonly payload: unknown;
}

export function commandOf({ payload }: Question): string {
  return (payload as { tool: { input: { command: string } } }).tool.input.command;
}

export interface WorldOptions {
  readonly seed: number;
  /** Whether the hub and the publishers have a clock that can jump. It makes them slower. */
  readonly hasClock: boolean;
}

const DISK_MB = 96;
/** Longer than any run. */
const LIFETIME_MS = 4 * 3_600_000;
const python = fileURLToPath(new URL("../../packages/python/src", import.meta.url));

/** Everything that runs: a hub with guards and sinks, four publishers, two askers, a person, a reader and the far ends of the sinks. */
export class World implements AsyncDisposable {
  readonly crew = new Crew({ lifetimeMs: LIFETIME_MS });
  readonly guards = new Guards(this.crew);
  readonly disk: CutDisk | string;
  readonly clock: FakeClock | string;
  readonly seed: number;
  readonly #members = new Map<Role, Member>();
  readonly #publishers = new Map<PublisherRole, Publisher>();
  readonly #starts = new Map<Role, number>();
  /** Of publishers that were killed, with how many of the first were acknowledged by then. */
  readonly killed: { readonly claim: Claim; readonly acked: number }[] = [];
  /** What the first hub had open before it had clients. */
  atFirst: ReturnType<typeof openOf> = {};
  #hub: Member | undefined;
  #port = 0;
  /** How often a guard's process has ended since the hub started: the hub restarts each three times a minute. */
  guardEnds = 0;

  private constructor({ seed, hasClock }: WorldOptions) {
    this.seed = seed;
    this.disk = CutDisk.open(join(this.crew.folder, "disk"), DISK_MB);
    this.clock = hasClock ? FakeClock.open(this.crew.folder) : "this seed runs on the machine's clock";
    // Compiled once, the programs start sooner.
    const cache = fileURLToPath(new URL("../../node_modules/.cache/compiled", import.meta.url));
    Object.assign(this.crew.env, { NODE_COMPILE_CACHE: cache, PYTHONPATH: python, PYTHONDONTWRITEBYTECODE: "1" });
  }

  static async start(options: WorldOptions): Promise<World> {
    const world = new World(options);
    try {
      await world.#begin();
      return world;
    } catch (error) {
      await world[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #begin(): Promise<void> {
    await Promise.all([this.startRole("webhook"), this.startRole("socket")]);
    this.crew.configure(this.config);
    await this.startHub();
    // Guards run from their first call on.
    await (await this.crew.startCaller({ first: "fine-first 1", timeoutMs: 30_000 })).member.kill();
    this.atFirst = openOf(this.hub.pid);
    await Promise.all([...PUBLISHERS, "reader", "caller", "asker", "approver"].map((role) => this.startRole(role as Role)));
  }

  /** `hookline.toml` as it should be. */
  get config(): string {
    const retry = "retry = { baseMs = 50, maxMs = 500 }";
    return `[[sink]]
type = "jsonl"
name = "file"
path = "${this.file("sink.jsonl")}"
from = "start"

[[sink]]
type = "webhook"
name = "webhook"
url = "http://127.0.0.1:${this.#port}/"
from = "start"
${retry}

[[sink]]
type = "unix-socket"
name = "socket"
path = "${this.file("sink.sock")}"
ackTimeoutMs = 3000
from = "start"
${retry}

[[rule]]
name = "people"
event = "tool:before"
match = "tool.input.command =~ '^ask-'"
do = "ask"
message = "May it?"
`;
  }

  file(name: string): string {
    return join(this.crew.folder, name);
  }

  /** The folder of the store. */
  get data(): string {
    return typeof this.disk === "string" ? this.crew.state : this.disk.path;
  }

  get hub(): Member {
    if (this.#hub === undefined) throw new Error("There is no hub.");
    return this.#hub;
  }

  async startHub(): Promise<void> {
    const options = typeof this.disk === "string" ? {} : { data: this.disk.path };
    this.guardEnds = 0;
    this.#hub = await this.crew.startHub(options, this.#through);
  }

  member(role: Role): Member {
    const found = this.#members.get(role);
    if (found === undefined) throw new Error(`There is no ${role}.`);
    return found;
  }

  publisher(role: PublisherRole): Publisher {
    const found = this.#publishers.get(role);
    if (found === undefined) throw new Error(`There is no ${role}.`);
    return found;
  }

  /** kill -9, and whether it did end by that. It is not started again. */
  async killRole(role: Role): Promise<boolean> {
    const member = this.member(role);
    const publisher = this.#publishers.get(role as PublisherRole);
    if (publisher !== undefined) {
      const claim = await killPublisher(publisher);
      this.killed.push({ claim: { ...claim, ...(role === "python" && { wasKilled: true }) }, acked: claim.owed ?? 0 });
    }
    return (await member.kill()).signal === "SIGKILL";
  }

  /** Starts another in the place of the one before, and sets it to work. */
  async startRole(role: Role): Promise<void> {
    const number = (this.#starts.get(role) ?? 0) + 1;
    this.#starts.set(role, number);
    const member = this.#spawn(role, number);
    this.#members.set(role, member);
    const ready = await member.ask<{ port?: number }>("ready");
    if (role === "webhook") this.#port = ready.port ?? 0;
    if (role !== "webhook" && role !== "socket" && role !== "reader" && role !== "approver") await member.ask("go");
  }

  #spawn(role: Role, number: number): Member {
    switch (role) {
      case "webhook":
        return this.#own("receiver", { log: this.file("webhook.log"), port: this.#port });
      case "socket":
        return this.#own("receiver", { log: this.file("socket.log"), path: this.file("sink.sock") });
      case "reader":
        return this.crew.start("reader");
      case "approver":
        return this.#own("approver", { log: this.file("approver.log") });
      case "caller": {
        const words = ["fine", "fine", "fine", "forbidden"].map((word) => `${word}-${number}`);
        return this.#caller({
          name: "caller",
          words,
          callers: 3,
          everyMs: 80,
          timeoutMs: 3_000,
          secret: CANARY,
          log: this.file("caller.log"),
        });
      }
      case "asker": {
        const words = ["ask-yes", "ask-no"].map((word) => `${word}-${number}`);
        return this.#caller({
          name: "asker",
          words,
          callers: 2,
          everyMs: 100,
          timeoutMs: 3_000,
          secret: CANARY,
          log: this.file("asker.log"),
        });
      }
      default:
        return this.#spawnPublisher(role, number);
    }
  }

  #spawnPublisher(role: PublisherRole, number: number): Member {
    const name = `${role}-${number}`;
    const base = { name, seed: this.seed * 1_000 + PUBLISHERS.indexOf(role) * 100 + number, burst: 2, everyMs: 120 };
    const settings: PublisherSettings = {
      ...base,
      progress: this.file(`${name}.progress`),
      durable: role === "ts-durable" || role === "python",
    };
    writeFileSync(settings.progress as string, "0");
    const member = this.#startPublisher(role, settings);
    this.#publishers.set(role, { settings, member });
    return member;
  }

  #startPublisher(role: PublisherRole, settings: PublisherSettings): Member {
    if (role === "http") return this.#own("http-publisher", settings);
    if (role !== "python") return this.crew.start("publisher", settings, { through: this.#through });
    const program = fileURLToPath(new URL("programs/publisher.py", import.meta.url));
    return this.crew.startProgram([...this.#through, "python3", program, JSON.stringify(settings)]);
  }

  #own(program: string, settings: object): Member {
    const path = fileURLToPath(new URL(`programs/${program}.ts`, import.meta.url));
    return this.crew.startProgram([process.execPath, path, JSON.stringify(settings)]);
  }

  #caller(settings: object): Member {
    return this.crew.start("caller", settings, { through: this.#through });
  }

  get #through(): readonly string[] {
    return typeof this.clock === "string" ? [] : this.clock.through;
  }

  /** The processes of a guard. */
  guardProcesses(name: Parameters<Guards["folder"]>[0]): number[] {
    return descendantsIn(this.hub.pid, this.guards.folder(name));
  }

  /** What each publisher may claim of a store that is looked at now: what was acknowledged must be there, all that was emitted may be. */
  async acknowledged(): Promise<Claim[]> {
    const live = await Promise.all(
      [...this.#publishers.values()].map(async ({ member, settings: { name, seed } }): Promise<Claim> => {
        const { emitted, counters } = await member.ask<{ emitted: number; counters: Partial<Counters> }>("counters");
        const isPrefix = (counters.spooled ?? 0) === 0 && totalOf(counters.dropped ?? {}) === 0;
        return { name, seed, emitted, wasKilled: true, owed: isPrefix ? (counters.acked ?? 0) : 0 };
      }),
    );
    return [...live, ...this.killed.map(({ claim, acked }) => ({ ...claim, owed: acked }))];
  }

  /** The hub takes events again. */
  async goesOn(): Promise<void> {
    const { stored } = await this.hub.ask<{ stored: number }>("counters");
    await until("the hub stores something", async () => (await this.hub.ask<{ stored: number }>("counters")).stored > stored);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { disk, crew } = this;
    for (const member of [...this.#members.values(), ...(this.#hub === undefined ? [] : [this.#hub])]) {
      member.child.kill("SIGKILL");
      await member.ended;
    }
    if (typeof disk !== "string") disk.close();
    await crew[Symbol.asyncDispose]();
  }
}
