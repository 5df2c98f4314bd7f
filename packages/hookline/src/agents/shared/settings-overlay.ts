import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { openFolder, replacePrivately } from "@hookline/core/internal/machine";
import { planEdit } from "../install/plan-edit.js";
import type { AgentDefinition } from "./definition.js";
import { openOverlay } from "./folder-overlay.js";
import type { RunRequest } from "./run-plan.js";

type Known = Pick<AgentDefinition, "id" | "title" | "install">;

export interface SettingsOverlay {
  /** The user's settings file, which stays as it is. */
  readonly path: string;
  /** Its text. Undefined if there is none. */
  readonly text: string | undefined;
  /** Moves the files of the run to the user's folder. Returns notes for the user. */
  close(): readonly string[];
}

/**
 * For an agent that finds its settings folder by an environment variable: makes the folder at `over`, for one run, with links to all of the user's
 * files except the settings, which are a copy that includes our hooks.
 */
export function openSettingsOverlay({ id, title, install }: Known, over: string, request: RunRequest): SettingsOverlay {
  const { env, cwd, entries, folder } = request;
  const path = install.settingsPath("user", env, cwd);
  const name = basename(path);
  const marks = [join(folder, `${id}.`), join(folder, `${id}-strict.`)];
  const wanted = { entries: install.file.entries(entries), syntax: install.file.syntax, marks };
  const { after = "", file } = planEdit(folder, { agent: id, scope: "user", path }, wanted);
  replacePrivately(openFolder(over), name, after);
  const overlay = openOverlay(dirname(path), over, [name]);
  return {
    path,
    text: file.text,
    close() {
      const lost = overlay.close().map((text) => `A file that ${title} wrote could not be moved to your folder: ${text}`);
      if (read(join(over, name)) === after) return lost;
      return [...lost, `${title} changed its settings in this run; that is not kept. Change them without "hookline run".`];
    },
  };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
