import { inertText } from "@hookline/core/internal/text";
import { type ParseError, parse as parseJsonc } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { type AgentDialect, type Environment, findNative } from "./definition.js";
import { variablesIn } from "./env-file.js";
import { isObject, type Json } from "./native-payload.js";

/**
 * What decides whether an agent's hooks run as they were written, besides the hooks themselves. A cloned repository can bring most of these files.
 */
export interface AgentSurface {
  /** Variables in these files with which a hook does not run, or runs as something else. */
  readonly variables: readonly SurfaceVariable[];
  /** Every file that the agent reads for a session in this folder. Files that are missing are in the list, too. */
  files(place: SurfacePlace): readonly SurfaceFile[];
  /** Settings that its options hold. */
  given?(args: readonly string[], cwd: string): readonly GivenSettings[];
}

export interface SurfaceVariable {
  readonly name: string;
  /** The variable is enough: it works without a value, too. So managed settings cannot close it with an empty one. */
  readonly isFlag?: boolean;
}

interface SurfacePlace {
  readonly env: Environment;
  readonly cwd: string;
}

export interface SurfaceFile {
  readonly path: string;
  /** `project`: the folder brings it. `user`: it counts in every folder. */
  readonly level: "project" | "user";
  readonly syntax: "json" | "toml" | "env";
  /** Where its variables are: the names that lead to them. */
  readonly variablesAt?: readonly string[];
  /** Where its hooks are. They run beside Hookline's. */
  readonly hooksAt?: readonly string[];
}

/** The value of an option, or the file that it names. */
interface GivenSettings extends SurfaceFile {
  /** The settings themselves. Missing if they are in the file. */
  readonly text?: string;
}

/**
 * `silences`: Hookline's hooks may not run. `unreadable`: it cannot be known whether they do. `rewrites`: another hook may change a call that was
 * judged. `malformed`: the agent cannot read the file either, or reads it in another way.
 */
export interface SurfaceFinding {
  readonly kind: "silences" | "unreadable" | "rewrites" | "malformed";
  readonly path: string;
  /** One sentence that names the file and the key. */
  readonly text: string;
}

/**
 * The loader of programs reads these in each program that an agent starts, also in the shell of a hook. Each was tried on Claude Code and Gemini CLI,
 * those of macOS were not. With LD_DEBUG=help and LD_TRACE_LOADED_OBJECTS, a program prints something, and ends as if all were well.
 */
export const LOADER_VARIABLES: readonly SurfaceVariable[] = [
  { name: "LD_PRELOAD" },
  { name: "LD_AUDIT" },
  { name: "LD_LIBRARY_PATH" },
  { name: "LD_DEBUG" },
  { name: "LD_TRACE_LOADED_OBJECTS", isFlag: true },
  { name: "DYLD_INSERT_LIBRARIES" },
  { name: "DYLD_LIBRARY_PATH" },
];

/** Of a hook's command, as much is shown. */
const SHOWN = 80;

interface SurfaceAgent extends Pick<AgentDialect, "events" | "nameOf" | "title"> {
  readonly variables: readonly SurfaceVariable[];
}

/** What one of the files says, read as the agent reads it. `isOurs`: whether Hookline wrote an entry of this file. */
export function findingsIn(agent: SurfaceAgent, file: SurfaceFile, text: string, isOurs: (entry: unknown) => boolean): SurfaceFinding[] {
  // Some agents read UTF-16, too.
  if (text.includes("\0")) return [unreadable(file.path, "It is not a text in UTF-8.")];
  if (file.syntax === "env") return variablesIn(text, agent.variables).map((name) => silences(file.path, name));
  const read = readValue(text, file.syntax);
  if ("fault" in read) return [unreadable(file.path, read.fault)];
  const variables = valueAt(read.value, file.variablesAt);
  const hooks = valueAt(read.value, file.hooksAt);
  return [
    ...(isObject(variables) ? agent.variables.filter((one) => isSet(variables, one)) : []).map(({ name }) =>
      silences(file.path, [...(file.variablesAt ?? []), name].join(".")),
    ),
    ...(isObject(hooks) ? Object.entries(hooks).flatMap(([event, list]) => rewriters(agent, file.path, { event, list, isOurs })) : []),
    ...(read.isMalformed ? [malformed(agent.title, file.path)] : []),
  ];
}

export function unreadable(path: string, fault: string): SurfaceFinding {
  return { kind: "unreadable", path, text: `${inertText(path)} may switch hooks off, and Hookline cannot read it: ${fault}` };
}

function silences(path: string, key: string): SurfaceFinding {
  const text = `"${key}" in ${inertText(path)} can keep Hookline's hooks from running: remove it, then start the agent again.`;
  return { kind: "silences", path, text };
}

function malformed(title: string, path: string): SurfaceFinding {
  return {
    kind: "malformed",
    path,
    text: `${inertText(path)} is malformed, so ${title} may read something else there than Hookline does.`,
  };
}

interface HookList {
  readonly event: string;
  readonly list: unknown;
  readonly isOurs: (entry: unknown) => boolean;
}

/** Hooks of the project that can answer a call with another input, at the same time as ours or after it. */
function rewriters(agent: SurfaceAgent, path: string, { event, list, isOurs }: HookList): SurfaceFinding[] {
  const native = findNative(agent, event);
  if (native?.event !== "tool:before" || !native.can.includes("modify") || !Array.isArray(list)) return [];
  return list
    .filter((entry) => !isOurs(entry))
    .flatMap((entry) => (isObject(entry) && Array.isArray(entry.hooks) ? entry.hooks : [entry]))
    .map((handler) => ({
      kind: "rewrites",
      path,
      text: `The hook ${nameOf(handler)} for ${event} in ${inertText(path)} may rewrite a call after Hookline has judged it.`,
    }));
}

function nameOf(handler: unknown): string {
  const { command, bash, powershell, url, prompt, type } = (isObject(handler) ? handler : {}) as Json;
  const name = [command, bash, powershell, url, prompt, type].find((one) => typeof one === "string" && one !== "") ?? "?";
  const text = inertText(String(name));
  return `"${text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}"`;
}

/** An agent turns values of other types into texts. */
function isSet(variables: Json, { name, isFlag = false }: SurfaceVariable): boolean {
  if (!Object.hasOwn(variables, name)) return false;
  const { [name]: value } = variables;
  return isFlag || typeof value !== "string" || value.trim() !== "";
}

type Read = { readonly value: unknown; readonly isMalformed: boolean } | { readonly fault: string };

/** Of a malformed file, as much as can be read: a reader that takes comments, or the last good part, sees that. */
function readValue(text: string, syntax: "json" | "toml"): Read {
  const plain = text.replace(/^\ufeff/, "");
  if (plain.trim() === "") return { value: {}, isMalformed: false };
  try {
    if (syntax === "toml") return { value: parseToml(plain), isMalformed: false };
    return readJson(plain);
  } catch (error) {
    // Nothing can be read of malformed TOML, by the agent either.
    if (syntax === "toml" && !(error instanceof RangeError)) return { value: {}, isMalformed: true };
    return { fault: `${(error as Error).message.split("\n", 1)[0]}.` };
  }
}

function readJson(text: string): Read {
  try {
    return { value: JSON.parse(text), isMalformed: false };
  } catch {
    const errors: ParseError[] = [];
    const value: unknown = parseJsonc(text, errors, { allowTrailingComma: true });
    return { value, isMalformed: errors.length > 0 };
  }
}

function valueAt(value: unknown, path: readonly string[] | undefined): unknown {
  if (path === undefined) return undefined;
  return path.reduce((inner: unknown, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined), value);
}
