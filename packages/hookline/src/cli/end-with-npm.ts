import { spawnSync } from "node:child_process";
import { canSeeProcesses, readProcess } from "../hub/auth/processes.js";

const LOOK_EVERY_MS = 500;

/**
 * npm ends only its shell when it gets SIGTERM, so the command behind it would run on without anyone who knows of it. A command that npm or
 * npx has started takes the end of either for the signal. A process that was started in any other way does not notice when its parent ends.
 */
export function endWithNpm(): void {
  const shell = process.ppid;
  const found = npmAbove(shell);
  if (found === undefined) return;
  const isLeft = () => process.ppid !== shell || (canSeeProcesses && readProcess(shell)?.parent !== found.parent);
  const timer = setInterval(() => {
    if (!isLeft()) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, LOOK_EVERY_MS);
  timer.unref();
}

/** Whether npm or npx has started this process, which ends with it. */
export function isStartedByNpm(): boolean {
  return process.env.npm_lifecycle_event !== undefined && npmAbove(process.ppid) !== undefined;
}

/** A shell that starts a single program may become that program: npm is its parent then. */
function npmAbove(shell: number): Parent | undefined {
  const found = readParent(shell);
  return found !== undefined && (isNpm(found.name) || isNpm(readParent(found.parent)?.name)) ? found : undefined;
}

interface Parent {
  readonly parent: number;
  readonly name: string;
}

function readParent(pid: number): Parent | undefined {
  if (canSeeProcesses) return readProcess(pid);
  const { stdout } = spawnSync("/bin/ps", ["-o", "ppid=,args=", "-p", String(pid)], { encoding: "utf8", cwd: "/" });
  const [, parent, name] = /^\s*(\d+)\s+(.*)/.exec(stdout ?? "") ?? [];
  return name === undefined ? undefined : { parent: Number(parent), name };
}

/** npm names its process after its command: `npm exec hookline up`. */
function isNpm(name: string | undefined): boolean {
  return name !== undefined && /^npm( |$)/.test(name);
}
