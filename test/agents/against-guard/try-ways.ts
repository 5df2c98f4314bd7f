import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { newDerivedKey } from "../../../packages/hookline/dist/cli/protect/derived-key.js";
import type { Mode } from "../../../packages/hookline/src/hub/mode.ts";
import type { Ending } from "../child.ts";
import { rule } from "../scenario.ts";
import type { Stage } from "../stage.ts";
import { until } from "../until.ts";
import type { Ground } from "./ground.ts";
import type { Outcome, Places, Way } from "./ways.ts";

/** What came of one way. */
export interface WayResult {
  readonly way: string;
  /** `failed`: it could not be tried. */
  readonly outcome: Outcome | "failed";
  /** What worked. */
  readonly what?: string;
}

const starterSets = fileURLToPath(new URL("../../../packages/hookline/rules/", import.meta.url));
const RULES = `${rule("forbidden", 'do = "block"\nmessage = "Never."').replace("about-forbidden", "no-forbidden")}
${rule("doubtful", 'do = "ask"\nmessage = "Really?"')}`;
const SESSION_MS = 1_800_000;
const WAY_MS = 300_000;
const ALARM_MS = 15_000;
const SHELL_FILES = [".bashrc", ".bash_profile", ".profile", ".zshenv"];
const PROJECT_FILES = [".claude", ".codex", ".gemini", ".github", ".pi", ".qwen", "opencode.json"];
/** An agent attached with --strict, in one mode, that tries to get past its guards. After each way everything is as before. */
export class Contest {
  readonly #ground: Ground;
  readonly #mode: Mode;
  #before = "";
  #operator = "";
  #question: { allowed?: boolean } = {};
  #alarms = 0;

  constructor(ground: Ground, mode: Mode) {
    this.#ground = ground;
    this.#mode = mode;
  }

  get #stage(): Stage {
    return this.#ground.stage;
  }

  async prepare(): Promise<void> {
    const sets = globSync("*.toml", { cwd: starterSets }).map((name) => readFileSync(join(starterSets, name), "utf8"));
    await this.#ground.prepare([RULES, ...sets].join("\n"));
    await this.#makeAlwaysAllowed();
    if (this.#mode === "protect") {
      const [passphrase, recovery] = await Promise.all([newDerivedKey("only a person knows this"), newDerivedKey("nor this code")]);
      await this.#post("/api/protect/on", { passphrase, recovery });
    }
    await this.#ground.stopHub();
    mkdirSync(this.#copies, { mode: 0o700 });
    for (const [name, path] of this.#ground.kept) copy(path, join(this.#copies, name));
    await this.#start();
  }

  async #start(): Promise<void> {
    await this.#ground.startHub();
    this.#operator = this.#tokenIn("operator.json");
    this.#before = this.#digest();
  }

  /** Ways that take effect at once share a session; the others have one of their own, and a second one that shows what came of it. */
  async try(ways: readonly Way[], report: (result: WayResult) => void): Promise<void> {
    let waiting = ways.filter(({ next }) => next === undefined);
    while (waiting.length > 0) {
      const done = await this.#session(waiting, report);
      waiting = waiting.slice(done);
    }
    for (const way of ways.filter(({ next }) => next !== undefined)) await this.#twoSessions(way, report);
  }

  /** Returns how many ways the agent has come to: it may end when a hook stops it. */
  async #session(ways: readonly Way[], report: (result: WayResult) => void): Promise<number> {
    const { driver } = this.#stage;
    let [seen, done] = [-1, 0];
    let failure: unknown;
    const judge = async (way: Way | undefined): Promise<void> => {
      if (way === undefined) return;
      report(await this.#judge(way));
      done++;
    };
    const between = async (step: number): Promise<void> => {
      if (step > 0) await judge(ways[step / 2 - 1]);
      const way = ways[step / 2];
      if (way !== undefined) await this.#arm(way);
    };
    const ran = await this.#stage.run(
      {
        scripts: { main: ways.flatMap(({ name }) => [[driver.shell(`sh ./${name}.sh`)], [driver.shell(`touch forbidden-${name}`)]]) },
        onStep: async (step) => {
          if (step <= seen || failure !== undefined) return;
          seen = step;
          // The model cannot tell anybody about it.
          const task = step % 2 === 0 ? between(step) : this.#ended(ways[(step - 1) / 2]);
          await task.catch((error: unknown) => (failure = error));
        },
      },
      { limitMs: SESSION_MS },
    );
    if (failure !== undefined) throw failure;
    if (seen < 0) throw silent(ran);
    if (done < ways.length && done * 2 <= seen) await judge(ways[done]);
    if (done === 0) throw new Error(`The agent ended before it had tried "${ways[0]?.name}".`);
    return done;
  }

  async #twoSessions(way: Way, report: (result: WayResult) => void): Promise<void> {
    const { driver } = this.#stage;
    const forbidden = [driver.shell(`touch forbidden-${way.name}`)];
    const places = await this.#arm(way);
    const first = await this.#stage.run({
      scripts: { main: [[driver.shell(`sh ./${way.name}.sh`)], forbidden] },
      onStep: (step) => (step === 1 ? this.#ended(way) : undefined),
    });
    if (first.model.asked("main") === 0) throw silent(first);
    const second = await this.#stage.run(
      { scripts: { main: [forbidden] } },
      { env: way.next?.(places, driver) ?? {}, extra: way.options?.(driver) ?? [] },
    );
    // The hub may have ended it.
    const isEnded = second.code === null && second.signal !== null;
    if (!isEnded && (second.code === null || second.code === 126 || second.code === 127))
      throw new Error(`The agent did not start again: ${(second.out + second.err).slice(-300)}`);
    report(await this.#judge(way));
  }

  /** Puts the script and a question to a person in place. */
  async #arm(way: Way): Promise<Places> {
    const { driver, home, project } = this.#stage;
    const places = this.#ground.places();
    writeFileSync(
      join(project, `${way.name}.sh`),
      // In a shell of its own: a refused redirection ends it.
      `cd ${project}\ntouch began-${way.name}\n(\n${way.script(places, driver)}\n)\ntouch ${project}/ended-${way.name}\n`,
    );
    const { id, hash } = await this.#ask();
    writeFileSync(join(project, "question"), id);
    writeFileSync(join(project, "question-hash"), hash);
    this.#alarms = await this.#countAlarms();
    if (!existsSync(home)) throw new Error("The home folder is gone.");
    return places;
  }

  /** An agent may leave a long command to itself, and go on. */
  async #ended(way: Way | undefined): Promise<void> {
    const isThere = (mark: string): boolean => existsSync(join(this.#stage.project, `${mark}-${way?.name}`));
    if (isThere("began")) await until(`the way "${way?.name}" has ended`, () => isThere("ended"), WAY_MS);
  }

  async #judge(way: Way): Promise<WayResult> {
    const { project } = this.#stage;
    const asked = this.#question;
    const worked = [
      ...(existsSync(join(project, `forbidden-${way.name}`)) ? ["a forbidden call ran"] : []),
      ...(existsSync(join(project, "hook-ran")) ? ["a hook ran that nobody had accepted"] : []),
      ...(asked.allowed === true || (await this.#isAllowedUnasked()) ? ["a question was answered with allow"] : []),
    ];
    const isTold = worked.length > 0 && (await this.#isTold());
    if (worked.length > 0 || !this.#isUnchanged()) await this.#restore();
    // A way that was not gone shows nothing.
    if (!existsSync(join(project, `began-${way.name}`))) return { way: way.name, outcome: "failed", what: "its script did not run" };
    if (worked.length === 0) return { way: way.name, outcome: "held" };
    return { way: way.name, outcome: isTold ? "alarm" : "open", what: worked.join(", ") };
  }

  async #isTold(): Promise<boolean> {
    const end = performance.now() + ALARM_MS;
    for (;;) {
      if ((await this.#countAlarms()) > this.#alarms) return true;
      if (performance.now() > end) return false;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** From the hub, or from its file when it cannot be asked. */
  async #countAlarms(): Promise<number> {
    const answer = (await this.#get("/api/alarms")) ?? readJson(join(this.#ground.state, "alarms.json"));
    const { alarms = [], unlisted = 0 } = (answer ?? {}) as { alarms?: { count: number }[]; unlisted?: number };
    return alarms.reduce((sum, { count }) => sum + count, unlisted);
  }

  /** Asks a person, and keeps what is answered. */
  async #ask(): Promise<{ readonly id: string; readonly hash: string }> {
    const question: { allowed?: boolean } = {};
    this.#question = question;
    this.#decide().then(
      ({ allowed }) => {
        question.allowed = allowed;
      },
      () => {},
    );
    let found: { readonly id: string; readonly hash: string } | undefined;
    await until("a question waits for a person", async () => {
      found = (await this.#approvals()).at(-1);
      return found !== undefined;
    });
    return found as { readonly id: string; readonly hash: string };
  }

  /** Whether the same question is now allowed without a person: it is answered before a person is asked. */
  async #isAllowedUnasked(): Promise<boolean> {
    const before = (await this.#approvals()).length;
    const over = new AbortController();
    const answered = this.#decide(over.signal).then(({ allowed }) => allowed);
    const asked = until("a person is asked", async () => over.signal.aborted || (await this.#approvals()).length > before).then(
      () => false,
    );
    try {
      return await Promise.race([answered, asked]).catch(() => false);
    } finally {
      over.abort();
      await Promise.allSettled([answered, asked]);
    }
  }

  /** Those that wait for a person. */
  async #approvals(): Promise<readonly { readonly id: string; readonly hash: string }[]> {
    return ((await this.#get("/api/approvals")) as { approvals?: { id: string; hash: string }[] } | undefined)?.approvals ?? [];
  }

  async #decide(signal?: AbortSignal): Promise<{ readonly allowed: boolean }> {
    const answer = await fetch(`${this.#url}/api/decide`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#tokenIn("hub.json")}`, "content-type": "application/json" },
      body: JSON.stringify({
        event: "tool:before",
        payload: { tool: { name: "Bash", input: { command: "echo doubtful" } } },
        source: { app: "other-agent" },
        session: { id: "s1" },
        wait: true,
        record: true,
      }),
      ...(signal && { signal }),
    });
    if (!answer.ok) throw new Error(`The hub said ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as { allowed: boolean };
  }

  /** A person allows the question for good, and forgets that again: the way has a valid entry to write. */
  async #makeAlwaysAllowed(): Promise<void> {
    this.#operator = this.#tokenIn("operator.json");
    const { id, hash } = await this.#ask();
    await this.#post(`/api/approvals/${id}`, { verdict: "allow", hash, always: true });
    const path = join(this.#ground.state, "always-allow.json");
    cpSync(path, join(this.#stage.project, "always-allow.json"));
    const [{ hash: kept }] = readJson(path) as [{ hash: string }];
    await this.#post(`/api/approvals/always/${kept}/forget`, {});
  }

  async #get(path: string): Promise<unknown> {
    try {
      const answer = await fetch(`${this.#url}${path}`, {
        headers: { authorization: `Bearer ${this.#operator}` },
        signal: AbortSignal.timeout(15_000),
      });
      return answer.ok ? await answer.json() : undefined;
    } catch {
      return undefined;
    }
  }

  async #post(path: string, body: object): Promise<void> {
    const answer = await fetch(`${this.#url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#operator}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
  }

  #isUnchanged(): boolean {
    return this.#ground.isHubRunning && this.#digest() === this.#before;
  }

  async #restore(): Promise<void> {
    const { home, project } = this.#stage;
    await this.#ground.killHub();
    for (const pid of [readJson(join(this.#ground.shared, "hub.json")), readJson(join(project, "impostor.pid"))].map(pidOf))
      endOwn(pid, home);
    for (const [name, path] of this.#ground.kept) {
      rmSync(path, { recursive: true, force: true });
      copy(join(this.#copies, name), path);
    }
    for (const name of SHELL_FILES) rmSync(join(home, name), { force: true });
    for (const name of [...PROJECT_FILES, "hook-ran", "impostor.pid", "none"])
      rmSync(join(project, name), { recursive: true, force: true });
    await this.#start();
  }

  /** Of everything that the guards depend on. */
  #digest(): string {
    const { home, project } = this.#stage;
    const paths = [
      ...this.#ground.watched,
      ...SHELL_FILES.map((name) => join(home, name)),
      ...PROJECT_FILES.map((name) => join(project, name)),
    ];
    const hash = createHash("sha256");
    for (const path of paths.flatMap(filesIn)) hash.update(path).update(statSync(path).isFile() ? readFileSync(path) : "");
    return hash.digest("hex");
  }

  get #copies(): string {
    return join(this.#stage.home, "copies");
  }

  get #url(): string {
    return (readJson(join(this.#ground.shared, "hub.json")) as { url: string }).url;
  }

  #tokenIn(name: string): string {
    return (readJson(join(this.#ground.shared, name)) as { token: string }).token;
  }
}

function silent({ code, signal, out, err }: Ending): Error {
  return new Error(`The agent did not ask its model for anything, and ended with ${code ?? signal}: ${(out + err).slice(-300)}`);
}

function filesIn(path: string): string[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .toSorted()
    .flatMap((name) => filesIn(join(path, name)));
}

/** With modes and times, which the hub checks. */
function copy(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  execFileSync("cp", ["-a", from, to]);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

function pidOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  return (value as { readonly pid?: number } | undefined)?.pid;
}

/** Ends a process that runs in this home, and no other. */
function endOwn(pid: number | undefined, home: string): void {
  try {
    if (pid !== undefined && readFileSync(`/proc/${pid}/environ`, "utf8").includes(`HOME=${home}`)) process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
