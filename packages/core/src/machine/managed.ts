import { lstatSync, readFileSync, type Stats } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { HookError } from "../catalog/errors.js";

/** A hub that runs as a user of its own, for all users of the machine. `hookline service install --system` writes it. */
export interface Managed {
  /** The number of the hub's user. */
  readonly user: number;
  /** Its members may ask the hub. */
  readonly group: number;
  /** Its members may operate the hub, with a factor. */
  readonly operators: number;
  /** The folder of the sockets and of the files that clients read. */
  readonly run: string;
}

/** The folder of the managed hub's rules and hooks. Only root can write to it. */
export const MANAGED_CONFIG = "/etc/hookline";
export const MANAGED_FILE = "managed.json";
/** The folder of the clients of attached agents, and of the record of what is attached. */
export const MANAGED_CLIENTS = "/etc/hookline/clients";

const OTHERS_WRITE = 0o022;
const MAX_ID = 2 ** 32 - 2;

/** The managed hub of this machine; `undefined` if there is none. Throws `HL_STATE_FOLDER` if another user than root could have written the file. */
export function readManaged(): Managed | undefined {
  if (process.platform !== "linux") return undefined;
  const path = join(MANAGED_CONFIG, MANAGED_FILE);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  const fault = findRootFault(path) ?? (stats.isFile() ? undefined : "it is not a file");
  const managed = fault === undefined ? parse(readFileSync(path, "utf8")) : undefined;
  if (managed !== undefined) return managed;
  throw new HookError("HL_STATE_FOLDER", `The managed hub is not used, because of "${path}": ${fault ?? "it cannot be understood"}.`, {
    fix: { run: "sudo hookline service install --system" },
    failure: "untrusted",
  });
}

/** Whether this folder is `/etc/hookline` or below it: what is there belongs to root, and everyone can read it. */
export function isManagedConfig(folder: string): boolean {
  const [first] = relative(MANAGED_CONFIG, resolve(folder)).split("/");
  return process.platform === "linux" && first !== "..";
}

/** The managed hub, if this folder is its own or below it. */
export function managedAt(folder: string): Managed | undefined {
  const managed = readManaged();
  if (managed === undefined) return undefined;
  const [first] = relative(managed.run, resolve(folder)).split("/");
  return first === ".." ? undefined : managed;
}

/** Why a user other than root could change what is at this path; `undefined` if none can. `below`: the folder at which to stop. */
export function findRootFault(path: string, below = "/"): string | undefined {
  const full = resolve(path);
  for (let at = full; ; at = dirname(at)) {
    const stats = lstatSync(at, { throwIfNoEntry: false });
    const fault = stats === undefined ? `"${at}" does not exist` : rootFaultOf(at, stats);
    if (fault !== undefined) return fault;
    if (at === resolve(below) || at === "/") return undefined;
  }
}

/** Why a user other than root could change this file or folder itself. A link is refused: what it names can change without it. */
export function rootFaultOf(path: string, stats: Stats): string | undefined {
  if (stats.uid !== 0) return `"${path}" belongs to user ${stats.uid}, not to root`;
  if (stats.isSymbolicLink()) return `"${path}" is a symbolic link`;
  return (stats.mode & OTHERS_WRITE) === 0 ? undefined : `users other than root can write to "${path}"`;
}

function parse(text: string): Managed | undefined {
  const { v, user, group, operators, run } = Object(quietJson(text)) as { readonly [name: string]: unknown };
  const ids = [user, group, operators];
  if (v !== 1 || typeof run !== "string" || !run.startsWith("/") || !ids.every(isId)) return undefined;
  return { user: Number(user), group: Number(group), operators: Number(operators), run };
}

function isId(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= MAX_ID;
}

function quietJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
