import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../packages/hookline/dist/cli/main.js", import.meta.url));

/** A user by numbers alone: nothing in /etc/passwd knows them. */
export interface Account {
  readonly uid: number;
  readonly groups: readonly number[];
}

export const HUB: Account = { uid: 7_990, groups: [7_990, 7_991] };
export const OPERATORS = 7_991;
/** An account that runs agents, one that may also operate, and one that may not even ask. */
export const AGENT: Account = { uid: 7_001, groups: [7_001, HUB.uid] };
export const OPERATOR: Account = { uid: 7_002, groups: [7_002, HUB.uid, OPERATORS] };
export const STRANGER: Account = { uid: 7_003, groups: [7_003] };
export const ROOT: Account = { uid: 0, groups: [0] };

/** Why there can be no such machine here; `undefined` if there can. */
export const noManagedMachine: string | undefined =
  process.platform !== "linux"
    ? "it needs Linux"
    : process.getuid?.() !== 0
      ? "it needs root"
      : spawnSync("unshare", ["--mount", "true"]).status === 0
        ? undefined
        : "it needs unshare --mount";

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The mounts of a machine of its own: what is written to /etc, /opt, /run, /var/lib and /home is gone with it. */
export class ManagedMachine implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "hl-managed-"));
  readonly #started = new Set<ChildProcess>();
  readonly #holder: ChildProcess;

  constructor() {
    const mounts = `set -e
mount --make-rprivate /
cp -a /etc "$1/etc"; mount --bind "$1/etc" /etc
for folder in /run /opt /var/lib /home; do mount -t tmpfs -o mode=755 hookline $folder; done
for uid in ${[AGENT, OPERATOR, STRANGER].map(({ uid }) => uid).join(" ")}; do mkdir -m 700 /home/$uid; chown $uid:$uid /home/$uid; done
echo ready; exec cat`;
    this.#holder = spawn("unshare", ["--mount", "sh", "-c", mounts, "sh", this.folder], { stdio: ["pipe", "pipe", "inherit"] });
  }

  async ready(): Promise<this> {
    await Promise.race([
      once(this.#holder.stdout as NodeJS.ReadableStream, "data"),
      once(this.#holder, "close").then(() => Promise.reject(new Error("The mounts failed."))),
    ]);
    return this;
  }

  /** Its root folder, as a process outside reaches it. */
  get root(): string {
    return `/proc/${this.#holder.pid}/root`;
  }

  /** The words that run a command on this machine, as this user. */
  words({ uid, groups: [group = uid, ...others] }: Account, ...command: readonly string[]): readonly [string, ...string[]] {
    const user = [
      "--reuid",
      String(uid),
      "--regid",
      String(group),
      ...(others.length > 0 ? ["--groups", others.join(",")] : ["--clear-groups"]),
    ];
    return ["nsenter", `--mount=/proc/${this.#holder.pid}/ns/mnt`, "--", "setpriv", ...user, "--", ...command];
  }

  env({ uid }: Account): NodeJS.ProcessEnv {
    return {
      PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
      HOME: uid === 0 ? "/root" : `/home/${uid}`,
      NO_COLOR: "1",
      LANG: "C.UTF-8",
    };
  }

  start(account: Account, command: readonly string[], env: NodeJS.ProcessEnv = this.env(account)): ChildProcess {
    const [program, ...args] = this.words(account, ...command);
    const child = spawn(program, args, { env, cwd: "/", stdio: ["pipe", "pipe", "pipe"] });
    this.#started.add(child);
    child.once("close", () => this.#started.delete(child));
    return child;
  }

  async run(
    account: Account,
    command: readonly string[],
    { input = "", env = {} }: { readonly input?: string; readonly env?: NodeJS.ProcessEnv } = {},
  ): Promise<Ended> {
    const child = this.start(account, command, { ...this.env(account), ...env });
    const said = { out: "", err: "" };
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (said.out += text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (said.err += text));
    child.stdin?.on("error", () => {}).end(input);
    const [code] = (await once(child, "close")) as [number | null];
    return { code, ...said };
  }

  /** A line for the shell. */
  sh(account: Account, line: string): Promise<Ended> {
    return this.run(account, ["/bin/sh", "-c", line]);
  }

  /** The command line of this checkout, as root. */
  checkout(...args: readonly string[]): Promise<Ended> {
    return this.checkoutWith({}, ...args);
  }

  checkoutWith(env: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<Ended> {
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    return this.run(ROOT, ["/usr/bin/env", ...variables, process.execPath, main, ...args]);
  }

  /** The installed command line. */
  hookline(account: Account, ...args: readonly string[]): Promise<Ended> {
    return this.run(account, ["/opt/hookline/bin/hookline", ...args]);
  }

  /** Starts the hub as systemd would: with the unit's command, variables, user and folders. */
  async startHub(): Promise<ChildProcess> {
    const { out: unit } = await this.sh(ROOT, "cat /etc/systemd/system/hookline.service");
    const valuesOf = (name: string): string[] => (new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1] ?? "").split(" ");
    const [mode = "", state = ""] = [valuesOf("RuntimeDirectoryMode")[0], valuesOf("StateDirectoryMode")[0]];
    await this.sh(
      ROOT,
      `install -d -m ${mode} -o ${HUB.uid} -g ${HUB.uid} /run/hookline; install -d -m ${state} -o ${HUB.uid} -g ${HUB.uid} /var/lib/hookline`,
    );
    const env = Object.fromEntries(valuesOf("Environment").map((pair) => pair.split("=") as [string, string]));
    const child = this.start(HUB, valuesOf("ExecStart"), env);
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text: string) => (said += text));
    for (;;) {
      if (child.exitCode !== null) throw new Error(`The hub ended: ${said}`);
      if ((await this.sh(ROOT, "test -e /run/hookline/hub.json")).code === 0) return child;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ending = [...this.#started].map((child) => once(child, "close"));
    for (const child of this.#started) child.kill("SIGKILL");
    await Promise.all(ending);
    this.#holder.stdin?.end();
    if (this.#holder.exitCode === null) await once(this.#holder, "close");
    rmSync(this.folder, { recursive: true, force: true });
  }
}
