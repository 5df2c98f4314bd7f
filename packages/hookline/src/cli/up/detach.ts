import { closeSync, constants, existsSync, fstatSync, openSync, readSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openWritableFolder, readHubFile, stateFolder } from "@hookline/core/internal/machine";
import { inertLines } from "@hookline/core/internal/text";
import type { Config } from "../../config/config.js";
import { DEFAULT_PORT } from "../../hub/lifecycle/listen-on-port.js";
import { CliError } from "../cli-error.js";
import type { UpOptions } from "../commands/up.js";
import { type FoundHub, findHub } from "../find-hub.js";
import { createProgress } from "../progress.js";
import type { Terminal } from "../terminal.js";
import { MAIN } from "./run-demo.js";
import { holderOf, waitingText } from "./wait-for-old.js";

const LOG_FILE = "hub.log";
const MAX_LOG_BYTES = 1_000_000;
const TAIL_BYTES = 4_000;
/** A machine that has just booted, or is busy, takes its time. */
const PATIENCE_MS = 120_000;
const LOOK_EVERY_MS = 50;

/** Starts the hub as a process of its own and waits until it has proved itself. */
export async function startDetached(options: UpOptions, terminal: Terminal): Promise<{ readonly hub: FoundHub; readonly isNew: boolean }> {
  const folder = openWritableFolder(stateFolder(terminal.env));
  const config = await readGiven(options.config, terminal);
  const log = openLog(join(folder, LOG_FILE));
  try {
    const [before, known] = [holderOf(terminal.env), instanceIn(folder)];
    const child = spawnHub(options, { folder, log: log.fd, env: terminal.env });
    if (before !== undefined && options.takeOver !== true) terminal.say(waitingText(before));
    if (terminal.isInteractive) terminal.say(terminal.paintTalk("dim", "Starting the hub …"));
    const started = await waitForHub(child, { known, log }, terminal);
    if (started.isNew && (options.port ?? config?.hub.port) === undefined) tellPort(started.hub.file.url, terminal);
    return started;
  } catch (error) {
    const said = tailOf(log);
    if (said !== "") terminal.say(said);
    throw error;
  } finally {
    closeSync(log.fd);
  }
}

/** Throws for a file with which a hub does not start. The running hub reports its other faults. */
async function readGiven(config: string | undefined, { env }: Terminal): Promise<Config | undefined> {
  const [{ readConfig }, { configPath }] = await Promise.all([
    import("../../hub/lifecycle/read-config.js"),
    import("../../config/config-path.js"),
  ]);
  const path = configPath(env);
  return config !== undefined || existsSync(path) ? (await readConfig(config ?? path, () => {})).config : undefined;
}

function tellPort(url: string, { say, paintTalk }: Terminal): void {
  const { port } = new URL(url);
  if (port !== String(DEFAULT_PORT))
    say(`${paintTalk("yellow", "!")} Another program uses port ${DEFAULT_PORT}; the hub listens on ${port}.`);
}

/** The hub that hub.json names, whether it runs or not. */
function instanceIn(folder: string): string | undefined {
  const found = readHubFile(folder);
  return found.state === "found" ? found.file.instance : undefined;
}

interface Child {
  readonly pid: number | undefined;
  readonly ended: string | undefined;
  kill(): void;
}

function spawnHub(options: UpOptions, { folder, log, env }: { folder: string; log: number; env: NodeJS.ProcessEnv }): Child {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const flags = (["port", "host", "data", "config"] as const).flatMap((name) =>
    options[name] === undefined ? [] : [`--${name}`, String(options[name])],
  );
  if (options.remoteApprovals === true) flags.push("--remote-approvals");
  if (options.takeOver === true) flags.push("--take-over");
  if (options.interim === true) flags.push("--interim");
  // The parent process has already reported hooks without consent.
  const child = spawn(process.execPath, [MAIN, "up", "--skip-untrusted", ...flags], {
    detached: true,
    windowsHide: true,
    // Not the current folder, which may be removed later.
    cwd: folder,
    env: { ...env, FORCE_COLOR: "0" },
    stdio: ["ignore", "ignore", log],
  });
  const state = { pid: child.pid, ended: undefined as string | undefined, kill: () => void child.kill("SIGKILL") };
  child.on("error", (error) => (state.ended = error.message));
  child.on("exit", (code, signal) => (state.ended = signal === null ? `exit code ${code}` : signal));
  child.unref();
  return state;
}

async function waitForHub(
  child: Child,
  { known, log }: { readonly known: string | undefined; readonly log: Log },
  terminal: Terminal,
): Promise<{ readonly hub: FoundHub; readonly isNew: boolean }> {
  const { env } = terminal;
  const progress = createProgress(terminal);
  let said = "";
  for (let end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(LOOK_EVERY_MS)) {
    const tail = tailOf(log);
    // A hub that brings its store up to date says so every few seconds.
    if (tail !== said) [said, end] = [tail, Date.now() + PATIENCE_MS];
    if (said !== "") progress.show(said.split("\n").at(-1) ?? "");
    const hasEnded = child.ended !== undefined;
    const hub = await findHub(env).catch(() => undefined);
    // If two hubs start at once, the other may have won; this one then logs that and exits. A hub that was there before is stopping.
    const isThere = hub !== undefined && (hasEnded || hub.file.instance !== known);
    if (isThere || hasEnded) progress.end();
    if (isThere) return { hub, isNew: !hasEnded };
    if (hasEnded) throw notStarted(child, log);
  }
  progress.end();
  // A hub that has not answered by now must not stay behind.
  child.kill();
  throw new CliError(`The hub (process ${child.pid}) did not answer within ${PATIENCE_MS / 1000} s and was killed.`, {
    fix: { run: "hookline doctor" },
  });
}

/** The hub's own messages, with their fixes, are printed above. Only a hub that printed nothing needs the doctor. */
function notStarted({ ended }: Child, log: Log): CliError {
  if (tailOf(log) === "")
    return new CliError(`The hub did not start: it ended with ${ended} and printed nothing.`, { fix: { run: "hookline doctor" } });
  return new CliError(`The hub did not start: it ended with ${ended}. Its messages are above.`);
}

interface Log {
  readonly fd: number;
  /** Where the lines of this start begin. */
  readonly start: number;
}

function openLog(path: string): Log {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
  const fd = openSync(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600);
  return { fd, start: fstatSync(fd).size };
}

function tailOf({ fd, start }: Log): string {
  const from = Math.max(start, fstatSync(fd).size - TAIL_BYTES);
  const buffer = Buffer.alloc(TAIL_BYTES);
  return inertLines(buffer.toString("utf8", 0, readSync(fd, buffer, 0, TAIL_BYTES, from)).trimEnd());
}
