import { didYouMean, findEvent, HookError } from "@hookline/core";
import { parseToml } from "../../../config/parse-toml.js";
import { isObject, type JsonObject } from "../dialects/read-document.js";
import { readCondition } from "./codewhale-condition.js";
import { findMatchFault, type Imported, type ImportedHook, type ImportProblem } from "./imported-hook.js";

const DEFAULT_TIMEOUT_S = 30;
const events: ReadonlyMap<string, string> = new Map([
  ["session_start", "session:start"],
  ["session_end", "session:end"],
  ["message_submit", "prompt:submit"],
  ["tool_call_before", "tool:before"],
  ["tool_call_after", "tool:after"],
  ["mode_change", "mode:change"],
  ["on_error", "session:error"],
  ["shell_env", "tool:env"],
  ["stop", "finish:before"],
  ["subagent_stop", "worker:completed"],
  ["pre_compact", "compact:before"],
  ["notification", "notification:sent"],
]);
const KNOWN = ["event", "command", "condition", "timeout_secs", "background", "continue_on_error", "name"];

/** Reads the `[[hooks.hooks]]` of a codewhale configuration. One bad entry is left out alone. Throws `HL_IMPORT` for what is no TOML. */
export function importCodewhale(text: string): Imported {
  const parsed = parseToml(text);
  if ("message" in parsed) throw new HookError("HL_IMPORT", `${parsed.line}:${parsed.column}: ${parsed.message}`);
  const settings = parsed.document.hooks ?? {};
  if (!isObject(settings)) throw new HookError("HL_IMPORT", `"hooks" must be a table.`);
  const hooks: ImportedHook[] = [];
  const problems: ImportProblem[] = [];
  for (const [index, entry] of (Array.isArray(settings.hooks) ? settings.hooks : []).entries()) {
    const read = readEntry(entry, settings, uniqueName(entry, index, hooks));
    if (typeof read === "string") problems.push({ key: `hooks.hooks[${index}]`, message: read });
    else hooks.push(read);
  }
  return { hooks, problems };
}

/** The hook, or why it is none. */
function readEntry(entry: unknown, settings: JsonObject, name: string): ImportedHook | string {
  if (!isObject(entry)) return "It must be a table.";
  const event = events.get(String(entry.event));
  if (event === undefined)
    return `There is no event for ${JSON.stringify(entry.event ?? null)}.${didYouMean(String(entry.event), events.keys())}`;
  if (typeof entry.command !== "string" || entry.command.trim() === "") return `"command" must be text that is not empty.`;
  const unknown = Object.keys(entry).find((key) => !KNOWN.includes(key));
  if (unknown !== undefined) return `"${unknown}" is not understood, and without it the hook would do something else.`;
  const seconds = settings.default_timeout_secs ?? entry.timeout_secs ?? DEFAULT_TIMEOUT_S;
  if (typeof seconds !== "number" || !(seconds > 0)) return `"timeout_secs" must be a number of seconds above 0.`;
  const narrowed = readCondition(entry.condition);
  if (typeof narrowed === "string") return narrowed;
  const fault = narrowed.match === undefined ? undefined : findMatchFault(narrowed.match);
  if (fault !== undefined) return `Its condition cannot be used: ${fault}`;
  return {
    name,
    event,
    ...narrowed,
    command: entry.command,
    shell: true,
    dialect: "codewhale",
    ...(typeof settings.working_dir === "string" && { cwd: settings.working_dir }),
    timeoutMs: seconds * 1_000,
    ...modeOf(entry, event),
    ...(settings.enabled === false && { enabled: false }),
  };
}

function modeOf({ background, continue_on_error: goesOn = true }: JsonObject, event: string): Pick<ImportedHook, "onFailure" | "stage"> {
  const spec = findEvent(event)?.spec;
  if (background === true) return spec?.kind === "gate" ? { stage: "observe" } : {};
  return spec?.outcomes.includes("block") === true ? { onFailure: goesOn === false ? "closed" : "open" } : {};
}

function uniqueName(entry: unknown, index: number, taken: readonly ImportedHook[]): string {
  const given = isObject(entry) && typeof entry.name === "string" && entry.name.trim() !== "" ? entry.name : `codewhale-${index + 1}`;
  return taken.some(({ name }) => name === given) ? `${given}-${index + 1}` : given;
}
