import { homedir } from "node:os";
import { join } from "node:path";
import { plainJson } from "../install/json-document.js";
import type { AgentInstall, EntryOptions, Environment, InstallTarget } from "../shared/definition.js";
import { events, type GeminiEvent } from "./events.js";

interface GeminiEntry {
  readonly type: "command";
  /** Shown in `/hooks`, where a person switches it off by this name; then it stands in `hooksConfig.disabled`. */
  readonly name: "hookline";
  readonly command: string;
  /** Milliseconds. */
  readonly timeout: number;
}

export type GeminiEntries = { readonly [event: string]: readonly [{ readonly matcher?: string; readonly hooks: readonly [GeminiEntry] }] };

/** Fires before every model call to see whether to compress; only a person's `/compress` is certain to. Compared letter by letter. */
const MATCHERS: { readonly [event: string]: string } = { PreCompress: "manual" };

export const install: AgentInstall = {
  targets: ["user", "project"],
  settingsPath,
  file: { syntax: { ...plainJson, comments: true }, entries: (options) => hookEntries(options) },
  cautions: ({ target, settings }) => [
    ...(isSwitchedOff(settings) ? ["Its settings switch hooks off (hooksConfig): none runs until that is taken out."] : []),
    ...(target === "project" ? ["It reads a project's settings only in a folder that you trust: it asks when it is started there."] : []),
  ],
};

/** For the settings of Gemini CLI, under `hooks`. It has no http hooks. */
export function hookEntries({ command, timeoutSeconds }: Omit<EntryOptions, "http">, also: readonly GeminiEvent[] = []): GeminiEntries {
  return Object.fromEntries(
    subscribedEvents(also).map((name) => [name, [group(name, command(name), timeoutSeconds(name) * 1000)]] as const),
  );
}

/** All that are not left alone, and those that somebody asks for. */
export function subscribedEvents(also: readonly GeminiEvent[] = []): GeminiEvent[] {
  return (Object.keys(events) as GeminiEvent[]).filter((name) => also.includes(name) || !("leftAlone" in events[name]));
}

/** Hooks are on unless `hooksConfig.enabled` is false: then none runs, and that is the person's own choice to undo. */
export function isSwitchedOff(settings: unknown): boolean {
  const config = fieldOf(settings, "hooksConfig");
  const disabled = fieldOf(config, "disabled");
  return fieldOf(config, "enabled") === false || (Array.isArray(disabled) && disabled.includes("hookline"));
}

export function settingsPath(target: InstallTarget, env: Environment, cwd: string): string {
  const home = env.GEMINI_CLI_HOME || env.HOME || homedir();
  return join(target === "project" ? cwd : home, ".gemini", "settings.json");
}

function group(name: GeminiEvent, command: string, timeout: number): GeminiEntries[string][0] {
  const matcher = MATCHERS[name];
  return { ...(matcher !== undefined && { matcher }), hooks: [{ type: "command", name: "hookline", command, timeout }] };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as { readonly [key: string]: unknown })[name] : undefined;
}
