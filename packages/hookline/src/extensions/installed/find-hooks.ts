import type { HookConfig } from "../../config/config.js";
import { guardsOf } from "../guards-of.js";
import { listProjectHooks } from "../trust/project-hooks.js";
import type { Trust, TrustRow } from "../trust/trust.js";
import { readConfigHook } from "./config-hook.js";
import { type InstalledHook, rejected } from "./installed-hook.js";
import { readProjectHook } from "./project-hook.js";
import { unreadableRecord } from "./unreadable-record.js";
import { readUserFolders } from "./user-folders.js";

export interface WhereHooksAre {
  /** The hooks of `hookline.toml`. */
  readonly config: readonly HookConfig[];
  /** The folder of the user's hook folders. */
  readonly folder: string;
  readonly trust: Trust;
  /** The projects whose hooks to include. */
  readonly projects: readonly string[];
}

/**
 * All hooks in the order in which they run: those of the file, the user's folders, then the projects'. Untrusted hooks are listed but not
 * opened.
 */
export async function findHooks({ config, folder, trust, projects }: WhereHooksAre): Promise<readonly InstalledHook[]> {
  const own = await findOwnHooks({ config, folder });
  try {
    return [...own, ...(await findProjectHooks({ trust, projects }))];
  } catch (error) {
    // While the record of consent cannot be read, no hook counts as trusted.
    const rows = projects.flatMap(listProjectHooks).map((hook): TrustRow => ({ hook, state: "untrusted" }));
    return [...own, unreadableRecord(trust.path, error as Error), ...(await Promise.all(rows.map((row) => readProjectHook(row, trust))))];
  }
}

export async function findOwnHooks({ config, folder }: Pick<WhereHooksAre, "config" | "folder">): Promise<readonly InstalledHook[]> {
  return rejectDoubles([...(await Promise.all(config.map(readConfigHook))), ...(await readUserFolders(folder))]);
}

/** Throws `HL_TRUST_STORE` while the record of consent cannot be read. */
export async function findProjectHooks({ trust, projects }: Pick<WhereHooksAre, "trust" | "projects">): Promise<readonly InstalledHook[]> {
  const rows = projects.flatMap((project) => inOrder(trust.look(project)));
  return Promise.all(rows.map((row) => readProjectHook(row, trust)));
}

/** A hook that was removed from the project keeps its position: the rules first, then by name. */
function inOrder(rows: readonly TrustRow[]): readonly TrustRow[] {
  const rank = ({ hook }: TrustRow): string => `${hook.kind === "config" ? 0 : 1} ${hook.name}`;
  return [...rows].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** Two hooks with one name would be ambiguous: the first stays, and what the second guards stays closed. */
function rejectDoubles(hooks: readonly InstalledHook[]): InstalledHook[] {
  const first = new Map<string, InstalledHook>();
  return withOwnIds(hooks).map((hook) => {
    const other = hook.state === "disabled" ? undefined : first.get(hook.name);
    if (hook.state !== "disabled" && other === undefined) first.set(hook.name, hook);
    if (other === undefined) return hook;
    const problem = `${hook.path}: another hook already has the name "${hook.name}": ${other.path}. Give this one another name.`;
    const { file, line } = hook.entry ?? { file: hook.path };
    return rejected({ ...hook, broken: [...hook.broken, ...guardsOf(hook, file, line)] }, problem);
  });
}

/** Enabled hooks come first: a disabled hook must not take their name. */
function withOwnIds(hooks: readonly InstalledHook[]): InstalledHook[] {
  const inUse = new Set(hooks.flatMap(({ id, state }) => (state === "disabled" ? [] : [id])));
  const seen = new Set<string>();
  return hooks.map((hook) => {
    const isTaken = seen.has(hook.id) || (hook.state === "disabled" && inUse.has(hook.id));
    seen.add(hook.id);
    return isTaken ? { ...hook, id: `${hook.name} (${hook.path})` } : hook;
  });
}
