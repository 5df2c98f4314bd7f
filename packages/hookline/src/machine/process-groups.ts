import { type ChildProcess, spawn } from "node:child_process";

/** The process groups that we started and that have not ended. None of them may outlive this process. */
const groups = new Set<number>();
let reaper: ChildProcess | undefined;
let isWatchingExit = false;
/** Commands are short-lived: a shell for each of them would be a second process per event. */
const IDLE_MS = 5_000;
let dismissal: NodeJS.Timeout | undefined;

/**
 * Call this before starting a group: if anything slow ran between the start and `add`, a kill -9 in between would leave the group behind.
 */
export function expectGroup(): void {
  if (process.platform !== "win32") reaper ??= startReaper();
}

/** From now on this group ends with this process, however that ends. */
export function guardGroup(pid: number): void {
  groups.add(pid);
  if (!isWatchingExit) process.once("exit", killAll);
  isWatchingExit = true;
  tellReaper(`+ ${pid}`);
}

/** The group's leader has exited; its remaining processes are ended too. */
export function releaseGroup(pid: number): void {
  if (!groups.delete(pid)) return;
  signalGroup(pid, "SIGKILL");
  tellReaper(`- ${pid}`);
  if (groups.size > 0) return;
  clearTimeout(dismissal);
  dismissal = setTimeout(dismissReaper, IDLE_MS).unref();
}

/** Whether a process of the group is still alive; false on Windows, which has no groups. */
export function isGroupAlive(pid: number): boolean {
  return process.platform !== "win32" && signalGroup(pid, 0);
}

/** False if the group no longer exists. Signal 0 only checks. */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    // A negative pid means the whole group; Windows has no groups.
    return process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch {
    return false;
  }
}

function dismissReaper(): void {
  if (groups.size > 0) return;
  reaper?.stdin?.end();
  reaper = undefined;
}

function killAll(): void {
  for (const pid of groups) signalGroup(pid, "SIGKILL");
}

// After a kill -9 none of our code runs. A shell at the other end of a pipe sees the pipe close and ends the groups.
const REAPER = `
live=" "
while read -r what pid; do
  case $what in
    +) live="$live$pid " ;;
    -) case $live in *" $pid "*) live="\${live%% $pid *} \${live#* $pid }" ;; esac ;;
  esac
done
[ "$live" = " " ] || sleep 1
for pid in $live; do kill -s KILL -- "-$pid"; done 2>/dev/null
`;

function tellReaper(line: string): void {
  if (process.platform === "win32") return;
  if (reaper !== undefined) return void reaper.stdin?.write(`${line}\n`);
  reaper = startReaper();
  // A new shell, because the first has exited: it receives all groups again.
  for (const pid of groups) reaper.stdin?.write(`+ ${pid}\n`);
}

function startReaper(): ChildProcess {
  // In a separate session, so that a Ctrl-C in our terminal does not reach it first.
  const child = spawn("/bin/sh", ["-c", REAPER], { detached: true, cwd: "/", env: {}, stdio: ["pipe", "ignore", "ignore"] });
  // Without a shell the children still see their stdin close.
  child.on("error", () => {});
  child.stdin?.on("error", () => {});
  child.on("exit", () => {
    if (reaper === child) reaper = undefined;
  });
  child.unref();
  (child.stdin as unknown as { unref?(): void } | null)?.unref?.();
  return child;
}
