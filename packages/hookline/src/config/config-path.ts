import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { MANAGED_CONFIG, readManaged } from "@hookline/core/internal/machine";

/** On a machine with a managed hub `/etc/hookline/hookline.toml`; else `hookline/hookline.toml` in `$XDG_CONFIG_HOME`, else in `~/.config`; on Windows in the application data. */
export function configPath(env: NodeJS.ProcessEnv = process.env): string {
  if (readManaged() !== undefined) return join(MANAGED_CONFIG, "hookline.toml");
  const { XDG_CONFIG_HOME: config = "", APPDATA: data = "" } = env;
  if (isUsable(config)) return join(config, "hookline", "hookline.toml");
  if (process.platform === "win32" && isUsable(data)) return join(data, "hookline", "hookline.toml");
  return join(homeOf(env), ".config", "hookline", "hookline.toml");
}

/** Resolves a path of the file: from the file's own folder, or from the home folder after `~/`. */
export function resolvePath(folder: string, path: string, env: NodeJS.ProcessEnv = process.env): string {
  return path === "~" || path.startsWith("~/") ? join(homeOf(env), path.slice(1)) : resolve(folder, path);
}

// By the XDG specification, a relative path is invalid and ignored.
function isUsable(path: string): boolean {
  return isAbsolute(path) && !path.includes("\0");
}

function homeOf({ HOME: home = "" }: NodeJS.ProcessEnv): string {
  return process.platform !== "win32" && isUsable(home) ? home : homedir();
}
