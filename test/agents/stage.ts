import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { EventsAnswer } from "../../packages/hookline/src/hub/protocol.ts";
import { Child, type Ending } from "./child.ts";
import { type AgentDriver, putFiles, type RunOptions } from "./drivers.ts";
import { type FakeModel, type FakeModelOptions, startFakeModel } from "./fake-model/fake-model.ts";
import { until } from "./until.ts";

const HUB_MS = 1_200_000;
const COMMAND_MS = 120_000;
const AGENT_MS = 240_000;
/** The command line. */
export const main = fileURLToPath(new URL("../../packages/hookline/dist/cli/main.js", import.meta.url));

const homes = new Set<string>();
process.on("exit", () => homes.forEach(clear));

/** What an agent did. */
export interface AgentRun extends Ending {
  readonly model: FakeModel;
}

interface StageRunOptions extends Omit<RunOptions, "modelUrl"> {
  /** Variables besides those of the person and of the agent. */
  readonly env?: NodeJS.ProcessEnv;
  readonly limitMs?: number;
  /** Started with `hookline run`, as strict as the stage. */
  readonly isOneRun?: boolean;
}

/** Where the agent runs as another user. */
interface Other {
  /** The folder of Node. */
  readonly node?: string;
  /** What runs a command as that user. */
  readonly words?: (command: readonly string[]) => readonly string[];
}

export type StoredEvent = EventsAnswer["events"][number] & {
  readonly payload: { readonly [key: string]: unknown };
};

/** A person's machine for one scenario: a home with an agent, a project, a hub. All of it is gone when it is. */
export class Stage implements AsyncDisposable {
  readonly driver: AgentDriver;
  readonly isStrict: boolean;
  readonly home = mkdtempSync(join(tmpdir(), "hl-a-"));
  readonly project = join(this.home, "project");
  readonly env: NodeJS.ProcessEnv;
  readonly #words: (command: readonly string[]) => readonly string[];
  readonly #open: AsyncDisposable[] = [];
  #hub: Child | undefined;
  #port = "0";

  constructor(driver: AgentDriver, isStrict: boolean, programs: string, other: Other = {}) {
    const { node = dirname(process.execPath), words = (command) => command } = other;
    this.driver = driver;
    this.#words = words;
    this.isStrict = isStrict;
    const { home } = this;
    homes.add(home);
    for (const name of ["project", "run", "tmp"]) mkdirSync(join(home, name), { mode: 0o700 });
    putFiles(home, driver.settings);
    this.env = {
      PATH: [programs, node, "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"].join(":"),
      HOME: home,
      TMPDIR: join(home, "tmp"),
      LANG: "C.UTF-8",
      TERM: "dumb",
      XDG_RUNTIME_DIR: join(home, "run"),
      XDG_STATE_HOME: join(home, "state"),
      XDG_CONFIG_HOME: join(home, "config"),
      XDG_CACHE_HOME: join(home, "cache"),
      XDG_DATA_HOME: join(home, "data"),
    };
  }

  get socket(): string {
    return join(this.home, "run", "hookline", "http.sock");
  }

  get hub(): Child {
    if (this.#hub === undefined) throw new Error("There is no hub.");
    return this.#hub;
  }

  /** Writes hookline.toml, and files beside it. */
  configure(toml: string, files: { readonly [path: string]: string } = {}): void {
    putFiles(join(this.home, "config", "hookline"), { ...files, "hookline.toml": toml });
  }

  /** On any port; one that comes after another has that one's. */
  async startHub(): Promise<void> {
    this.#hub = this.#add(
      new Child(process.execPath, [main, "up", "--port", this.#port], { env: this.env, cwd: this.project, limitMs: HUB_MS }),
    );
    await until("the hub is up", () => {
      if (!this.hub.isRunning) throw new Error(`The hub ended: ${this.hub.err}`);
      return existsSync(this.#hubFile) && this.hubFile().pid === this.hub.pid;
    });
    this.#port = new URL(this.hubFile().url).port;
  }

  /** What the hub says of itself. */
  hubFile(): { readonly url: string; readonly pid: number } {
    return JSON.parse(readFileSync(this.#hubFile, "utf8"));
  }

  /** The command line. */
  hookline(...args: string[]): Promise<Ending> {
    return this.#add(new Child(process.execPath, [main, ...args], { env: this.env, cwd: this.project, limitMs: COMMAND_MS })).ended;
  }

  /** `hookline attach`, as a person types it. */
  async attach(...flags: readonly string[]): Promise<Ending> {
    const ending = await this.hookline("attach", this.driver.id, ...(this.isStrict ? ["--strict"] : []), ...flags);
    if (ending.code !== 0) throw new Error(`hookline attach failed: ${ending.err}`);
    return ending;
  }

  /** Runs the agent with a model that does as it is told. */
  async run(
    play: FakeModelOptions,
    { env: more = {}, limitMs = AGENT_MS, isOneRun = false, ...options }: StageRunOptions = {},
  ): Promise<AgentRun> {
    const { driver } = this;
    const model = this.#add(await startFakeModel(play));
    const env = { ...this.env, ...driver.env(model.url), ...more };
    driver.prepare?.(this.home, model.url);
    const [command = "", ...args] = this.#words([
      ...(isOneRun ? [process.execPath, main, "run", ...(this.isStrict ? ["--strict"] : []), "--"] : []),
      driver.program,
      ...driver.args("Please do script:main", { modelUrl: model.url, ...options }),
    ]);
    const child = this.#add(new Child(command, args, { env, cwd: this.project, limitMs }));
    const ending = await child.ended;
    this.#endLeftover();
    if (ending.isLate) throw new Error(`The agent was not done after ${limitMs} ms: ${(ending.out + ending.err).slice(-500)}`);
    return { ...ending, model };
  }

  #endLeftover(): void {
    const pid = this.driver.leftover?.(this.home);
    try {
      if (pid !== undefined) process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }

  /** Whether a command has left its file. */
  has(marker: string): boolean {
    return existsSync(join(this.project, marker));
  }

  /** What the hub has stored, oldest first. */
  async events(query: { readonly [key: string]: string } = {}): Promise<StoredEvent[]> {
    const state = join(this.home, "state", "hookline");
    const { token } = JSON.parse(readFileSync(join(state, "operator.json"), "utf8")) as { token: string };
    const answer = await fetch(`${this.hubFile().url}/api/events?${new URLSearchParams({ limit: "500", ...query })}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(60_000),
    });
    if (!answer.ok) throw new Error(`The hub said ${answer.status}: ${await answer.text()}`);
    return ((await answer.json()) as { events: StoredEvent[] }).events.toReversed();
  }

  /** How many calls the hub was not asked about, as `hookline agents` says. */
  async missed(): Promise<number> {
    const { out } = await this.hookline("agents", "--json");
    const rows = JSON.parse(out) as { agent: string; missed: number }[];
    return rows.find(({ agent }) => agent === this.driver.id)?.missed ?? 0;
  }

  /** Keeps something until the stage is cleared. */
  keep<T extends AsyncDisposable>(thing: T): T {
    return this.#add(thing);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const thing of this.#open.toReversed()) await thing[Symbol.asyncDispose]();
    clear(this.home);
    homes.delete(this.home);
  }

  get #hubFile(): string {
    return join(this.home, "state", "hookline", "hub.json");
  }

  #add<T extends AsyncDisposable>(thing: T): T {
    this.#open.push(thing);
    return thing;
  }
}

function clear(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
