import { type ChildProcess, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ManagedHooks } from "../../../packages/hookline/src/agents/shared/definition.ts";
import type { Mode } from "../../../packages/hookline/src/hub/mode.ts";
import { AGENT, HUB, ManagedMachine, OPERATORS, ROOT } from "../../support/managed-machine.ts";
import type { AgentDriver } from "../drivers.ts";
import { main, Stage } from "../stage.ts";
import type { Places } from "./ways.ts";

/** The machine on which an agent tries its ways. Paths are as this process reaches them; those in `places` are as the agent does. */
export interface Ground extends AsyncDisposable {
  readonly stage: Stage;
  /** Where the hub puts `hub.json` and `operator.json`. */
  readonly shared: string;
  readonly state: string;
  /** With these rules in force, and the agent attached. */
  prepare(rules: string): Promise<void>;
  startHub(): Promise<void>;
  stopHub(): Promise<void>;
  killHub(): Promise<void>;
  readonly isHubRunning: boolean;
  places(): Places;
  /** What is put back after a way, by name. */
  readonly kept: readonly (readonly [name: string, path: string])[];
  /** What the guards depend on besides. */
  readonly watched: readonly string[];
}

/** In the state folder: what the guards depend on. Everything else there changes as the hub works. */
const STATE_FILES = ["operator.json", "protect.json", "always-allow.json", "policy.json", "hub.json"];

/** The files of a user that can switch an agent's hooks off. */
function settingsFiles({ driver, home }: Stage): readonly string[] {
  const others = [".codex/config.toml", ".copilot/settings.json", ".pi/agent/settings.json"];
  const paths = [driver.settingsPath(home), ...others.map((name) => join(home, name))];
  return [...new Set(paths)];
}

export function openGround(driver: AgentDriver, mode: Mode, programs: string): Promise<Ground> {
  return mode === "managed" ? ManagedGround.open(driver, programs) : Promise.resolve(new OwnGround(new Stage(driver, true, programs)));
}

/** What an agent finds on the machine of one user, while the hub runs. */
export function placesOf(stage: Stage): Places {
  const { driver, home, project, socket, env } = stage;
  const { url, pid } = stage.hubFile();
  const state = join(home, "state", "hookline");
  return {
    home,
    project,
    socket,
    url,
    hubPid: pid,
    state,
    clients: join(state, "attach"),
    config: join(home, "config", "hookline"),
    settings: [driver.settingsPath(home)],
    node: process.execPath,
    hookline: `${process.execPath} ${main}`,
    path: env.PATH ?? "",
  };
}

/** One user's machine: the hub runs as the agent's user. */
class OwnGround implements Ground {
  readonly stage: Stage;

  constructor(stage: Stage) {
    this.stage = stage;
  }

  get state(): string {
    return join(this.stage.home, "state", "hookline");
  }

  get shared(): string {
    return this.state;
  }

  async prepare(rules: string): Promise<void> {
    this.stage.configure(rules);
    await this.stage.startHub();
    await this.stage.attach();
  }

  startHub(): Promise<void> {
    return this.stage.startHub();
  }

  async stopHub(): Promise<void> {
    await this.stage.hub.stop();
  }

  async killHub(): Promise<void> {
    await this.stage.hub.kill();
  }

  get isHubRunning(): boolean {
    return this.stage.hub.isRunning;
  }

  places(): Places {
    return placesOf(this.stage);
  }

  get kept(): readonly (readonly [name: string, path: string])[] {
    return [
      ["state", this.state],
      ["config", join(this.stage.home, "config")],
      ...settingsFiles(this.stage).map((path, index) => [`settings-${index}`, path] as const),
    ];
  }

  get watched(): readonly string[] {
    const { home, socket } = this.stage;
    return [
      join(home, "config"),
      join(this.state, "attach"),
      ...STATE_FILES.map((name) => join(this.state, name)),
      ...settingsFiles(this.stage),
      dirname(socket),
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stage[Symbol.asyncDispose]();
  }
}

/** A machine with a managed hub: it runs as a user of its own, and the agent as another one, both by number. */
class ManagedGround implements Ground {
  readonly stage: Stage;
  readonly #machine: ManagedMachine;
  #hub: ChildProcess | undefined;

  private constructor(stage: Stage, machine: ManagedMachine) {
    this.stage = stage;
    this.#machine = machine;
  }

  static async open(driver: AgentDriver, programs: string): Promise<Ground> {
    const machine = await new ManagedMachine().ready();
    // The user cannot enter root's home, where the programs are.
    const installed = dirname(dirname(programs));
    const mounted = await machine.sh(ROOT, `mkdir -p /opt/agents && mount --bind '${installed}' /opt/agents`);
    if (mounted.code !== 0) throw new Error(`The agents could not be mounted: ${mounted.err}`);
    const stage: Stage = new Stage(driver, true, "/opt/agents/node_modules/.bin", {
      node: "/opt/hookline/bin",
      // Another mount namespace begins in its root folder.
      words: (command) => machine.words(AGENT, "/bin/sh", "-c", 'cd "$0" && exec "$@"', stage.project, ...command),
    });
    return new ManagedGround(stage, machine);
  }

  get state(): string {
    return this.#reached("/var/lib/hookline");
  }

  get shared(): string {
    return this.#reached("/run/hookline");
  }

  async prepare(rules: string): Promise<void> {
    const { driver, home } = this.stage;
    await this.#root("checkout", "service", "install", "--system", "--ids", `${HUB.uid}:${HUB.uid}:${OPERATORS}`);
    await this.#machine.run(ROOT, ["/usr/bin/tee", "/etc/hookline/hookline.toml"], { input: rules });
    // As `attach --managed` demands of an agent that starts its hooks in the user's login shell. All other accounts are numbers alone.
    if (driver.definition.install.hasUsersShell === true)
      await this.#machine.sh(ROOT, `echo agent:x:${AGENT.uid}:${AGENT.uid}::${home}:/bin/sh >> /etc/passwd`);
    await this.startHub();
    await this.#root("hookline", "attach", "--managed", driver.id);
    execFileSync("chown", ["-R", `${AGENT.uid}:${AGENT.uid}`, home]);
  }

  async #root(which: "checkout" | "hookline", ...args: readonly string[]): Promise<void> {
    const ended = which === "checkout" ? await this.#machine.checkout(...args) : await this.#machine.hookline(ROOT, ...args);
    if (ended.code !== 0) throw new Error(`hookline ${args.join(" ")}: ${ended.err}`);
  }

  async startHub(): Promise<void> {
    // A hub that was killed leaves it behind.
    await this.#machine.sh(ROOT, "rm -f /run/hookline/hub.json");
    this.#hub = await this.#machine.startHub();
  }

  async stopHub(): Promise<void> {
    await this.#end("SIGTERM");
  }

  async killHub(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const hub = this.#hub;
    if (hub === undefined || !this.isHubRunning) return;
    const ended = new Promise((resolve) => hub.once("close", resolve));
    hub.kill(signal);
    await ended;
  }

  get isHubRunning(): boolean {
    return this.#hub !== undefined && this.#hub.exitCode === null && this.#hub.signalCode === null;
  }

  places(): Places {
    const { driver, home, project, env } = this.stage;
    const { url, pid } = JSON.parse(readFileSync(join(this.shared, "hub.json"), "utf8")) as { url: string; pid: number };
    return {
      home,
      project,
      socket: "/run/hookline/http.sock",
      url,
      hubPid: pid,
      state: "/run/hookline",
      clients: "/etc/hookline/clients",
      config: "/etc/hookline",
      settings: [this.#settings, driver.settingsPath(home)],
      node: "/opt/hookline/bin/node",
      hookline: "/opt/hookline/bin/hookline",
      path: env.PATH ?? "",
    };
  }

  get #settings(): string {
    return (this.stage.driver.definition.install.managed as ManagedHooks).path;
  }

  get kept(): readonly (readonly [name: string, path: string])[] {
    return settingsFiles(this.stage).map((path, index) => [`settings-${index}`, path] as const);
  }

  get watched(): readonly string[] {
    return [
      ...settingsFiles(this.stage),
      this.#reached("/etc/hookline"),
      this.#reached(dirname(this.#settings)),
      ...STATE_FILES.flatMap((name) => [join(this.state, name), join(this.shared, name)]),
      join(this.shared, "attach"),
    ];
  }

  #reached(path: string): string {
    return join(this.#machine.root, path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#machine[Symbol.asyncDispose]();
    await this.stage[Symbol.asyncDispose]();
  }
}
