import type { HookConfig } from "../../config/config.js";
import { guardsOf } from "../guards-of.js";
import { listProjectHooks } from "../trust/project-hooks.js";
import type { Trust, TrustRow } from "../trust/trust.js";
import { readConfigHook } from "./config-hook.js";
import { type InstalledHook, rejected } from "./installed-hook.js";
import { readProjectHook } from "./project-hook.js";
import { readUserFolders } from "./user-folders.js";

export interface WhereHooksAre {
  /** Those of `hookline.toml`. */
  readonly config: readonly HookConfig[];
  /** The folder of the user's hook folders. */
  readonly folder: string;
  readonly trust: Trust;
  /** The projects whose hooks are wanted. */
  readonly projects: readonly string[];
}

/** Every hook there is, in the order they run: the file's, the user's folders, then the projects'. What is not trusted is listed, not opened. */
export async function findHooks({ config, folder, trust, projects }: WhereHooksAre): Promise<readonly InstalledHook[]> {
  const own = [...(await Promise.all(config.map(readConfigHook))), ...(await readUserFolders(folder))];
  const rows = projects.flatMap((project) => lookAt(project, trust));
  return [...rejectDoubles(own), ...(await Promise.all(rows.map((row) => readProjectHook(row, trust))))];
}

/** While the record of consent cannot be read, nobody has consented to anything. */
function lookAt(project: string, trust: Trust): readonly TrustRow[] {
  try {
    return trust.look(project);
  } catch (error) {
    const reason = (error as Error).message;
    return listProjectHooks(project).map((hook) => ({ hook, state: "untrusted", reason }));
  }
}

/** Of two with one name nobody could say which is meant; the first stays, and what the second guards stays closed. */
function rejectDoubles(hooks: readonly InstalledHook[]): InstalledHook[] {
  const first = new Map<string, InstalledHook>();
  return hooks.map((hook) => {
    if (hook.state === "disabled") return hook;
    const other = first.get(hook.id);
    if (other === undefined) {
      first.set(hook.id, hook);
      return hook;
    }
    const problem = `${hook.path}: another hook is called "${hook.name}" already: ${other.path}. Give this one another name.`;
    return rejected({ ...hook, id: `${hook.name} (${hook.path})`, broken: [...hook.broken, ...guardsOf(hook, hook.path)] }, problem);
  });
}
