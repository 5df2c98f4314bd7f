import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { CommandHookConfig, ExtensionHookConfig, HookConfig, ModuleHookConfig, UrlHookConfig } from "../../config/config.js";
import { readSecret } from "../../config/read-secret.js";
import { assumedGuard } from "../../config/schema/broken-guard.js";
import { everyPermission } from "../../rules/default-failure.js";
import { createCommandSource } from "../command/command-source.js";
import { deriveSource } from "../derive-source.js";
import { guardsOf } from "../guards-of.js";
import type { HookSpec, OpenSource } from "../handler-source.js";
import { given } from "../hook-fields.js";
import { createModuleSource } from "../module/module-source.js";
import { sharedNames } from "../shared-names.js";
import { createUrlSource } from "../url/url-source.js";
import { checkRegistration } from "./check-registration.js";
import { versionOf } from "./folder-version.js";
import { readHookFolder } from "./hook-folder.js";
import { type InstalledHook, rejected } from "./installed-hook.js";

/** A `[[hook]]` of `hookline.toml`, read but not run. */
export async function readConfigHook(hook: HookConfig): Promise<InstalledHook> {
  return hook.kind === "extension" ? readExtension(hook) : readAnswering(hook);
}

type Answering = ModuleHookConfig | CommandHookConfig | UrlHookConfig;

function readAnswering(hook: Answering): InstalledHook {
  const { name, kind, enabled, file, line } = hook;
  const hooks = hooksOf(hook);
  const version = [keyOf(hook), ...filesOf(hook).map(versionOf)].join("\n");
  const shared = {
    id: name,
    name,
    kind,
    from: "user",
    path: `${file}:${line}`,
    entry: { file, line },
    hooks,
    problems: [],
    ...spokenWith(hook),
    broken: [],
    version,
  } as const;
  if (enabled === false) return { ...shared, state: "disabled", permissions: [] };
  try {
    const open = openerOf(hook, hooks);
    const taken = checkRegistration(open(), everyPermission, file);
    const fault = faultOf(hook);
    if (fault !== undefined) return rejected({ ...shared, broken: guardsOf({ name, hooks }, file, line) }, fault);
    return { ...shared, ...taken, state: "active", permissions: everyPermission, open: (_, check) => open(check) };
  } catch (error) {
    return rejected({ ...shared, broken: guardsOf({ name, hooks }, file, line) }, `${file}:${line}: ${(error as Error).message}`);
  }
}

function spokenWith(hook: Answering): Pick<InstalledHook, "dialect" | "remarks"> {
  const { events, file, line } = hook;
  const dialect = "dialect" in hook && hook.dialect !== "own" ? hook.dialect : undefined;
  const remarks = sharedNames(events, "hermes").map((text) => `${file}:${line}: ${text}`);
  return { ...given({ dialect }), ...(remarks.length > 0 && { remarks }) };
}

/** The files and folders besides `hookline.toml` that define a hook. */
export function filesOf(hook: HookConfig): string[] {
  if (hook.kind === "module") return [hook.module];
  if (hook.kind === "extension") return [hook.folder];
  return hook.kind === "url" && typeof hook.url === "object" && "file" in hook.url ? [hook.url.file] : [];
}

/** What is visibly missing before the first event. */
function faultOf(hook: Answering): string | undefined {
  if (hook.kind !== "module" || existsSync(hook.module)) return undefined;
  return `${hook.file}:${hook.line}: the module "${hook.module}" of the hook "${hook.name}" does not exist. Create it, or change "module".`;
}

/** Reads everything that can fail now, because opening an instance later must not fail. */
function openerOf(hook: Answering, hooks: readonly HookSpec[]): OpenSource {
  const { name, description } = hook;
  const shared = { name, hooks, ...given({ description }) };
  switch (hook.kind) {
    case "module":
      return (check) => createModuleSource({ ...shared, check, module: hook.module, export: hook.export, style: "module" });
    case "command": {
      const { command, args, shell, dialect, cwd, env, setEnv, file } = hook;
      const spec = { ...shared, command, folder: dirname(file), path: file, ...given({ args, shell, dialect, cwd, env, setEnv }) };
      return (check) => createCommandSource({ ...spec, check });
    }
    case "url": {
      const { url, headers = {}, dialect, file } = hook;
      const read = () => Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, readSecret(value, `headers.${key}`)]));
      const spec = { ...shared, url: readSecret(url, "url"), headers: read, path: file, ...given({ dialect }) };
      return () => createUrlSource(spec);
    }
  }
}

function hooksOf({ events, match, tool, priority, stage, timeoutMs, onFailure, canary }: Answering): HookSpec[] {
  return events.map((event) => ({ event, ...given({ match, tool, priority, stage, timeoutMs, onFailure, canary }) }));
}

async function readExtension(hook: ExtensionHookConfig): Promise<InstalledHook> {
  const { name: id, isNamed = false, enabled, folder, config, file, line } = hook;
  const path = `${file}:${line}`;
  const version = `${keyOf(hook)}\n${versionOf(folder)}`;
  const { open, ...content } = await readHookFolder(folder, {
    permissions: "everything",
    ...(config !== undefined && { settings: config }),
  });
  const name = isNamed ? id : content.name;
  // It is unknown what a missing extension would have guarded.
  const isNothing = content.hooks.length === 0 && content.broken.length === 0;
  const broken = isNothing ? assumedGuard(name ?? id, file) : content.broken;
  const found = { ...content, broken, id, name, from: "user", path, entry: { file, line }, version } as const;
  if (enabled === false) return { ...found, state: "disabled", problems: [], broken: [] };
  return open === undefined ? found : { ...found, open: (onProblem, check) => deriveSource(open(onProblem, check), { name }) };
}

/** A hook that moves to another line is the same hook. */
function keyOf({ line: _, ...hook }: HookConfig): string {
  return JSON.stringify(hook);
}
