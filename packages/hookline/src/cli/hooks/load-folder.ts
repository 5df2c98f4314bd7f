import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { Bus } from "@hookline/core";
import { createShellHandler } from "../../extensions/command/shell-handler.js";
import { loadFolderHook } from "../../extensions/folder/folder-hook.js";
import { HOOK_FILE, readFolderManifest } from "../../extensions/folder/hook-yaml.js";
import type { HandlerSource, HookSpec } from "../../extensions/handler-source.js";
import { MANIFEST_NAME, readExtensionManifest } from "../../extensions/process/manifest.js";
import { programOf } from "../../extensions/process/manifest-program.js";
import { createProcessExtension } from "../../extensions/process/process-extension.js";
import { registerSource } from "../../extensions/register-source.js";
import { withoutAllow } from "../../extensions/trust/tightening.js";
import { defaultFailureMode } from "../../rules/default-failure.js";
import { everyPermission } from "./every-permission.js";
import type { KnownHook } from "./known-hook.js";

const SHELL_HANDLER = "handler.sh";

/** What a hook folder holds, read but not run. A project's may do what it names and can only tighten; a user's own may do everything. */
export async function loadFolder(folder: string, from: KnownHook["from"]): Promise<Omit<KnownHook, "from" | "fingerprint" | "path">> {
  const loaded = existsSync(join(folder, MANIFEST_NAME)) ? await loadProcess(folder) : await loadHookFolder(folder);
  const { name = basename(folder), kind, hooks, isEnabled, source, problems } = loaded;
  const state = !isEnabled ? "disabled" : source === undefined ? "rejected" : "active";
  return {
    name,
    kind,
    state,
    problems,
    ...summaryOf(hooks),
    ...(source !== undefined && { register: (bus: Bus) => register(bus, source, from) }),
  };
}

interface Loaded {
  readonly name?: string | undefined;
  readonly kind: "folder" | "process";
  readonly hooks: readonly HookSpec[];
  readonly isEnabled: boolean;
  readonly source: HandlerSource | undefined;
  readonly problems: readonly string[];
}

async function loadProcess(folder: string): Promise<Loaded> {
  const { manifest, problems } = await readExtensionManifest(folder);
  const isEnabled = manifest?.enabled ?? true;
  return {
    name: manifest?.name,
    kind: "process",
    hooks: manifest?.hooks ?? [],
    isEnabled,
    source: manifest !== undefined && isEnabled ? createProcessExtension({ program: programOf(manifest) }) : undefined,
    problems: problems.map(({ message }) => message),
  };
}

async function loadHookFolder(folder: string): Promise<Loaded> {
  if (!existsSync(join(folder, HOOK_FILE)))
    return {
      kind: "folder",
      hooks: [],
      isEnabled: true,
      source: undefined,
      problems: [`There is neither a ${HOOK_FILE} nor an ${MANIFEST_NAME}.`],
    };
  const script = join(folder, SHELL_HANDLER);
  const { manifest, source, problems } = existsSync(script) ? await loadScript(folder, script) : await loadFolderHook(folder);
  const texts = problems.map(({ message }) => message);
  return {
    name: manifest?.name,
    kind: "folder",
    hooks: manifest?.hooks ?? [],
    isEnabled: manifest?.enabled ?? true,
    source,
    problems: texts,
  };
}

async function loadScript(folder: string, script: string) {
  const { manifest, problems } = await readFolderManifest(folder);
  return { manifest, problems, source: manifest?.enabled === true ? createShellHandler(manifest, script) : undefined };
}

async function register(bus: Bus, source: HandlerSource, from: KnownHook["from"]): Promise<{ close(): Promise<void> }> {
  const limited = from === "project" ? withoutAllow(source) : source;
  const permissions = source.permissions ?? (from === "project" ? [] : everyPermission);
  registerSource(bus, limited, { permissions, onError: (error) => bus.onError(error) });
  return source;
}

function summaryOf(hooks: readonly HookSpec[]): Pick<KnownHook, "events" | "timeoutMs" | "onFailure"> {
  const [first] = hooks;
  if (first === undefined) return { events: [] };
  return {
    events: hooks.map(({ event }) => event),
    timeoutMs: first.timeoutMs ?? 5_000,
    onFailure: first.stage === "observe" ? "open" : (first.onFailure ?? defaultFailureMode(first.event)),
  };
}
