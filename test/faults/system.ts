import { readdirSync, readFileSync, readlinkSync } from "node:fs";

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
}

/** Every process of this machine that we may look at. */
function processes(): Process[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const stat = textOf(`/proc/${name}/stat`);
    const [state = "", parent = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return stat === "" ? [] : [{ pid: Number(name), parent: Number(parent), state }];
  });
}

/** The processes below one that run in a folder. */
export function descendantsIn(root: number, folder: string): number[] {
  const all = processes();
  const below = new Set([root]);
  for (let size = 0; size < below.size; ) {
    size = below.size;
    for (const { pid, parent } of all) if (below.has(parent)) below.add(pid);
  }
  return [...below].filter((pid) => pid !== root && linkOf(`/proc/${pid}/cwd`) === folder);
}

/** Processes that have anything to do with a folder: started in it, with it in their arguments or their environment. */
export function processesOf(folder: string): { readonly pid: number; readonly command: string }[] {
  return processes().flatMap(({ pid, state }) => {
    if (pid === process.pid || state === "Z") return [];
    const command = textOf(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
    const has =
      linkOf(`/proc/${pid}/cwd`).startsWith(folder) || command.includes(folder) || textOf(`/proc/${pid}/environ`).includes(folder);
    return has ? [{ pid, command: command.slice(0, 120) }] : [];
  });
}

/** Open descriptors by kind, as the system sees them. */
export function openOf(pid: number): { readonly [kind: string]: number } {
  const counts: { [kind: string]: number } = {};
  for (const fd of readdirSync(`/proc/${pid}/fd`)) {
    const target = linkOf(`/proc/${pid}/fd/${fd}`);
    // Closed since the folder was read.
    if (target === "") continue;
    const kind = target.startsWith("socket:") ? "sockets" : target.startsWith("/") ? "files" : "others";
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** CPU time of a process in milliseconds; Linux counts it in ticks of 10 ms. */
export function cpuMsOf(pid: number): number {
  const stat = textOf(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return stat === "" ? 0 : (Number(fields[11]) + Number(fields[12])) * 10;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
