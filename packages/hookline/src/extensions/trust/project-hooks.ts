import { lstatSync, readdirSync, realpathSync, type Stats } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Where a project keeps its hooks, one folder each. The project's own hookline.toml is beside it. */
const PROJECT_FOLDER = ".hookline";
const HOOKS_FOLDER = join(PROJECT_FOLDER, "hooks");
export const CONFIG_NAME = "hookline.toml";
/** A name that no hook folder can have. */
export const CONFIG_KEY = `${PROJECT_FOLDER}/${CONFIG_NAME}`;
const MAX_HOOKS = 1_000;
const TAKEN = "it has the name of the project's own file. Give it another name";

/** A hook of a project by name: none of its files has been opened. */
export interface ProjectHook {
  readonly name: string;
  /** A folder with a handler, or the project's own hookline.toml. */
  readonly kind: "folder" | "config";
  /** The project's folder, with every link resolved. */
  readonly project: string;
  /** The hook's own folder, or the file. */
  readonly path: string;
  /** Why it cannot be a hook, whatever it contains. */
  readonly fault?: string;
}

/** Lists a project's hooks, sorted. Looks at names and kinds (`lstat`, `readdir`) and opens no file. */
export function listProjectHooks(projectFolder: string): readonly ProjectHook[] {
  const project = resolveProject(projectFolder);
  // A link in the path would let a repository present another folder as its own.
  if (!isFolder(join(project, PROJECT_FOLDER))) return [];
  const config = join(project, PROJECT_FOLDER, CONFIG_NAME);
  const folder = join(project, HOOKS_FOLDER);
  return [
    ...(look(config) === undefined
      ? []
      : [{ name: CONFIG_NAME, kind: "config" as const, project, path: config, ...faultOf(config, "file") }]),
    ...(isFolder(folder) ? namesIn(folder) : []).map((name) => {
      const path = join(folder, name);
      const fault = name === CONFIG_NAME ? { fault: TAKEN } : faultOf(path, "folder");
      return { name, kind: "folder" as const, project, path, ...fault };
    }),
  ];
}

/** The unique name of a hook within the consents of a project. */
export function keyOf({ kind, name }: Pick<ProjectHook, "kind" | "name">): string {
  return kind === "config" ? CONFIG_KEY : name;
}

/** A hook according to its consent, whether or not the project still has it. */
export function hookOfKey(project: string, key: string): ProjectHook {
  if (key === CONFIG_KEY) return { name: CONFIG_NAME, kind: "config", project, path: join(project, CONFIG_KEY) };
  return { name: key, kind: "folder", project, path: join(project, HOOKS_FOLDER, key) };
}

/** The project of a folder: the nearest parent that belongs to this user and has hooks; otherwise the folder itself. */
export function findProject(folder: string): string {
  const start = resolveProject(folder);
  for (let at = start; dirname(at) !== at; at = dirname(at)) {
    const stats = look(join(at, PROJECT_FOLDER));
    if (stats?.isDirectory() === true && (at === start || stats.uid === process.geteuid?.())) return at;
  }
  return start;
}

/** The project's path as consents record it. */
export function resolveProject(projectFolder: string): string {
  try {
    return realpathSync(projectFolder);
  } catch {
    return resolve(projectFolder);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith("."))
      .sort()
      .slice(0, MAX_HOOKS);
  } catch {
    return [];
  }
}

function faultOf(path: string, kind: "file" | "folder"): { readonly fault: string } | undefined {
  const stats = look(path);
  if (kind === "folder" ? stats?.isDirectory() : stats?.isFile()) return undefined;
  return { fault: stats === undefined ? "it cannot be seen" : stats.isSymbolicLink() ? "it is a symbolic link" : `it is not a ${kind}` };
}

function isFolder(path: string): boolean {
  return look(path)?.isDirectory() === true;
}

function look(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}
