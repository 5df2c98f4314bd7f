// The light entry: the command line loads it before every command that operates.
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename } from "node:path";

/** A process, as Linux identifies it. A pid is used again; together with its start it is not. */
export interface ProcessId {
  readonly pid: number;
  /** Clock ticks from the start of the machine to the start of the process. */
  readonly startedAt: number;
}

interface ProcessState extends ProcessId {
  readonly parent: number;
  readonly name: string;
  /** The session it belongs to: all programs of a terminal, unless they have left it. */
  readonly session: number;
  /** A terminal controls it: a person can have typed the command. */
  readonly hasTerminal: boolean;
}

/** Processes are known on Linux only. Elsewhere the hub cannot tell which process asks. */
export const canSeeProcesses: boolean = process.platform === "linux" && existsSync("/proc/self/stat");

const EXITED: readonly string[] = ["Z", "X", "x"];
const MAX_ANCESTORS = 256;
const MAX_COMMAND = 200;
const TRIES = 3;

/** `undefined` for a process that has exited. */
export function readProcess(pid: number): ProcessState | undefined {
  const text = read(`/proc/${pid}/stat`);
  // The name is in parentheses, and may contain some itself.
  const end = text.lastIndexOf(")");
  const [state = "X", parent, ...rest] = text.slice(end + 2).split(" ");
  if (end === -1 || EXITED.includes(state)) return undefined;
  return {
    pid,
    parent: Number(parent),
    startedAt: Number(rest[17]),
    name: text.slice(text.indexOf("(") + 1, end),
    session: Number(rest[1]),
    hasTerminal: rest[2] !== "0",
  };
}

export function isRunning({ pid, startedAt }: ProcessId): boolean {
  return readProcess(pid)?.startedAt === startedAt;
}

/** The process, its parent, and so on up to the first process. `undefined` if it has exited. */
export function chainOf(pid: number): readonly ProcessState[] | undefined {
  for (let tries = 0; tries < TRIES; tries++) {
    const chain = readChain(pid);
    const [first] = chain;
    const again = readProcess(pid);
    if (first === undefined || again === undefined) return undefined;
    // A parent that exited meanwhile, or a pid that was used again, would make the chain another process's.
    if (again.startedAt === first.startedAt && again.parent === first.parent && isOrdered(chain)) return chain;
  }
  return undefined;
}

function readChain(pid: number): ProcessState[] {
  const chain: ProcessState[] = [];
  for (let next = pid; next > 0 && chain.length < MAX_ANCESTORS; ) {
    const found = readProcess(next);
    if (found === undefined) break;
    chain.push(found);
    next = found.parent;
  }
  return chain;
}

function isOrdered(chain: readonly ProcessState[]): boolean {
  const isWhole = (chain.at(-1)?.parent ?? 0) === 0;
  return isWhole && chain.every(({ startedAt }, index) => startedAt >= (chain[index + 1]?.startedAt ?? 0));
}

/** How many clock ticks ago the machine started. Linux counts 100 a second for programs. */
export function ticksNow(): number {
  return Math.round(Number(read("/proc/uptime").split(" ")[0]) * 100);
}

/** The time of that many ticks after the start of the machine, in milliseconds since 1970. */
export function timeOfTicks(ticks: number): number {
  return Date.now() - (ticksNow() - ticks) * 10;
}

/** Differs from one start of the machine to the next. */
export function bootId(): string {
  return read("/proc/sys/kernel/random/boot_id").trim();
}

export function userOf(pid: number): number | undefined {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
}

/** The groups of a process, its own first; empty if it has exited. */
export function groupsOf(pid: number): readonly number[] {
  const text = read(`/proc/${pid}/status`);
  // The second number is the one that counts for permissions.
  const [, group = ""] = /^Gid:\t\d+\t(\d+)/m.exec(text) ?? [];
  const [, others = ""] = /^Groups:\t?([\d ]*)$/m.exec(text) ?? [];
  return [group, ...others.split(" ")].filter((number) => number !== "").map(Number);
}

/** Whether the machine's own list of groups has the user in this group. A group that only a directory server knows has no members here. */
export function isMember(user: number, group: number): boolean {
  const rows = (path: string) =>
    read(path)
      .split("\n")
      .map((line) => line.split(":"));
  const accounts = rows("/etc/passwd").filter(([, , uid]) => uid === String(user));
  const names = accounts.map(([name]) => name);
  const isOwn = accounts.some(([, , , gid]) => gid === String(group));
  return (
    isOwn ||
    rows("/etc/group").some(([, , gid, members = ""]) => gid === String(group) && members.split(",").some((name) => names.includes(name)))
  );
}

/** The path of the executable; `undefined` for a process of another user. */
export function programOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, "");
  } catch {
    return undefined;
  }
}

/** The folder that a process works in; `undefined` for a process of another user. */
export function folderOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

/** The mount namespace of a process, as a name to compare; `undefined` for a process of another user. */
export function mountsOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch {
    return undefined;
  }
}

/** The variables that a process was started with; `undefined` for a process of another user. */
export function variablesOf(pid: number): NodeJS.ProcessEnv | undefined {
  try {
    const lines = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    return Object.fromEntries(lines.filter((line) => line.includes("=")).map((line) => line.split(/=(.*)/s).slice(0, 2)));
  } catch {
    return undefined;
  }
}

/** The processes that run now. */
export function listProcesses(): readonly number[] {
  return readdirSync("/proc").map(Number).filter(Number.isSafeInteger);
}

export function argumentsOf(pid: number): readonly string[] {
  return read(`/proc/${pid}/cmdline`).split("\0").slice(0, -1);
}

/** The first words of the command line. Later ones may hold secrets. */
export function commandOf(pid: number): string {
  return argumentsOf(pid).slice(0, 3).join(" ").slice(0, MAX_COMMAND);
}

const SOL_SOCKET = 1;
const SO_PEERCRED = 17;

/** Programs that read who is connected to a Unix socket: Node cannot. They get it as descriptor 3, and not stdin: a child's stdin is made blocking, and the hub shares that state. */
const PERL = `open(S,"+<&=",3) or exit 1; my $c=getsockopt(S,${SOL_SOCKET},${SO_PEERCRED}) or exit 1; print join " ",unpack("iII",$c)`;
const PYTHON = `import socket,struct;print(*struct.unpack("iII",socket.socket(fileno=3).getsockopt(${SOL_SOCKET},${SO_PEERCRED},12)))`;
const READERS: readonly { readonly program: string; readonly args: readonly string[] }[] = [
  ...["/usr/bin/perl", "/usr/local/bin/perl"].map((program) => ({ program, args: ["-T", "-f", "-e", PERL] })),
  ...["/usr/bin/python3", "/usr/local/bin/python3"].map((program) => ({ program, args: ["-IS", "-c", PYTHON] })),
];

/** `undefined` on a system without Perl and Python. There, commands that operate reach the hub over TCP. */
export function peerReader(): (typeof READERS)[number] | undefined {
  return READERS.find(({ program }) => existsSync(program));
}

let shells: ReadonlySet<string> | undefined;

/** Whether a process runs one of the system's shells. Agents start their hooks through one. */
export function isShell({ pid, name }: Pick<ProcessState, "pid" | "name">): boolean {
  shells ??= new Set(
    [
      "/bin/sh",
      ...read("/etc/shells")
        .split("\n")
        .filter((line) => line.startsWith("/")),
    ].flatMap(realPath),
  );
  const program = programOf(pid);
  // Of another user's process, only the name can be read.
  return program === undefined ? [...shells].some((shell) => basename(shell) === name) : shells.has(program);
}

function realPath(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
