/// <reference lib="esnext.disposable" preserve="true" />

import { HookError } from "../catalog/errors.js";
import { catalog, customEvent } from "../catalog/events.js";
import { coversBlockable, isBlockable, isPattern, resolveEvent, spelledOut } from "../catalog/names.js";
import { checkPath } from "../catalog/payload-paths.js";
import { excerpt } from "../match/bad-match.js";
import { compileMatch, type PathUse, type Predicate, pathsIn } from "../match/compile.js";
import { compileToolFilter } from "../match/tool-filter.js";
import { closest, thisInstead } from "../text/did-you-mean.js";
import type { BusCore } from "./core.js";
import { fastGates } from "./decide.js";
import { asHookError, typeName } from "./describe-error.js";
import { approvals } from "./gate-approval.js";
import { checkHandlerOptions } from "./options.js";
import { checkPermissions } from "./permissions.js";
import { type AnyHandler, Registration } from "./registration.js";
import { DEFAULT_HANDLER_TIMEOUT_MS } from "./time-limits.js";
import { toolRuns } from "./tool-runs.js";
import type { FailureMode, HandlerOptions } from "./types.js";

/** Unregisters exactly one handler; calling it twice is fine. */
export interface Off {
  (): void;
  [Symbol.dispose](): void;
}

/** Checks everything that can be wrong with a registration now, so that dispatch never has to. */
export function register(core: BusCore, written: string, handler: AnyHandler, given: HandlerOptions): Off {
  return prepare(core, written, handler, given)();
}

/** The same in two steps: the second one puts the handler on the bus, and finds no other fault than a name that is taken. */
export function prepare(core: BusCore, written: string, handler: AnyHandler, given: HandlerOptions): () => Off {
  const event = spelledOut(written);
  const isWildcard = isPattern(event);
  const name = isWildcard ? event : resolveEvent(event).name;
  const where = `on("${name}")`;
  if (typeof handler !== "function")
    throw new HookError("HL_BAD_HANDLER", `${where}: the handler must be a function, not ${typeName(handler)}.`, { event: name });
  const options = checkHandlerOptions(given, where);
  checkPermissions(name, isWildcard, options.owner, options.permissions);
  const registration = createRegistration(core, name, isWildcard, handler, options, false);
  checkMatchPaths(core, name, options);
  return () => {
    refuseDuplicate(core, name, options);
    if (options.signal?.aborted !== true) core.add(registration);
    if (!isWildcard) hintAtCatalogue(core, name);
    return createOff(core, registration, options.signal);
  };
}

/** An event of one's own may have any name, but one letter beside the catalogue's it is more likely a mistake that guards nothing. */
function hintAtCatalogue(core: BusCore, name: string): void {
  if (resolveEvent(name).spec !== customEvent) return;
  const meant = closest(name, Object.keys(catalog), 2);
  if (meant === undefined) return;
  core.report(new HookError("HL_UNKNOWN_EVENT", `"${name}" is taken for an event of your own.${thisInstead(meant)}`, { event: name }));
}

/** The sentinel: a guard of every gate that runs before all others. */
export function createSentinel(core: BusCore, handler: AnyHandler, given: HandlerOptions): Registration {
  if (typeof handler !== "function")
    throw new HookError("HL_BAD_HANDLER", `setSentinel: the handler must be a function or null, not ${typeName(handler)}.`);
  const options = checkHandlerOptions(given, "setSentinel");
  for (const key of ["stage", "priority", "once", "owner", "actor", "permissions", "signal"] as const) {
    if (options[key] === undefined) continue;
    throw new HookError("HL_BAD_OPTION", `setSentinel takes no "${key}": the sentinel is the host's guard and runs before all others.`);
  }
  const sentinel = createRegistration(core, "*", true, handler, { name: "sentinel", ...options }, true);
  checkMatchPaths(core, "*", options);
  return sentinel;
}

function createRegistration(
  core: BusCore,
  event: string,
  isWildcard: boolean,
  handler: AnyHandler,
  options: HandlerOptions,
  isSentinel: boolean,
): Registration {
  const { owner, match, tool, description, path, permissions, health, index, concern, actor: kind = "guard" } = options;
  if (isWildcard || resolveEvent(event).spec.kind === "gate") for (const part of [fastGates, approvals, toolRuns]) part.prepare();
  const id = core.nextId++;
  const name = options.name ?? uniqueName(core, handler, id);
  return new Registration({
    id,
    event,
    isPattern: isWildcard,
    isSentinel,
    handler,
    predicate: compileFor(event, options, core),
    name,
    stage: options.stage ?? "guard",
    priority: options.priority ?? 0,
    timeoutMs: options.timeoutMs ?? core.options.timeoutMs ?? DEFAULT_HANDLER_TIMEOUT_MS,
    onFailure: options.onFailure ?? defaultMode(core, event, options.stage),
    saysOnFailure: options.onFailure !== undefined,
    once: options.once ?? false,
    suspend: options.suspend ?? true,
    owner,
    actor: { kind, name, ...(owner !== undefined && { owner }) },
    match,
    index,
    concern,
    tool,
    toolFilter: tool === undefined ? undefined : compileToolFilter(tool),
    description,
    path,
    permissions,
    health,
  });
}

/** A guard that could have denied has not let the call pass; elsewhere there is nothing to deny. */
function defaultMode(core: BusCore, event: string, stage = "guard"): FailureMode {
  const canBlock = isPattern(event) ? coversBlockable(event) : isBlockable(resolveEvent(event).spec);
  return stage === "guard" && canBlock ? (core.options.onFailure ?? "closed") : "open";
}

function compileFor(event: string, { match, tool, name, regex }: HandlerOptions, core: BusCore): Predicate | undefined {
  try {
    return compileMatch({ match, tool }, regex ?? core.regex);
  } catch (error) {
    const wrong = asHookError(error);
    if (wrong === undefined) throw error;
    throw new HookError(wrong.code, `on("${event}"): ${wrong.message}`, {
      event,
      handler: name,
      position: wrong.position,
      cause: wrong.cause,
    });
  }
}

function uniqueName(core: BusCore, handler: AnyHandler, id: number): string {
  const base = typeof handler.name === "string" && handler.name !== "" ? handler.name : "handler";
  const names = new Set([...core.registrations.values()].map(({ parts }) => parts.name));
  let name = `${base}#${id}`;
  while (names.has(name)) name += "'";
  return name;
}

function refuseDuplicate(core: BusCore, event: string, { name, owner }: HandlerOptions): void {
  if (name === undefined || !core.isTaken({ event, name, owner })) return;
  const whose = owner === undefined ? "" : ` of "${owner}"`;
  throw new HookError(
    "HL_DUPLICATE_HANDLER",
    `A handler "${name}"${whose} is already registered on "${event}". Unregister it first, or use another name.`,
    { event, handler: name, owner },
  );
}

function createOff(core: BusCore, registration: Registration, signal: AbortSignal | undefined): Off {
  const off = (): void => void core.remove(registration);
  signal?.addEventListener("abort", off, { once: true });
  registration.release = () => signal?.removeEventListener("abort", off);
  return Object.assign(off, { [Symbol.dispose]: off });
}

/** Refuses a match whose path no payload has: it would never fire. A path that cannot be checked is reported. */
function checkMatchPaths(core: BusCore, event: string, options: HandlerOptions): void {
  const { match, tool, name, matchEvents } = options;
  for (const use of pathsIn({ match, tool })) {
    const fault = checkPath(use.path, [event, ...(matchEvents ?? [])]);
    if (fault === undefined || (fault.severity === "warning" && matchEvents !== undefined)) continue;
    const place = use.place;
    const message = `on("${event}"): ${describeUse(use)}${fault.message}${place === undefined ? "" : excerpt(place)}`;
    const error = new HookError("HL_UNKNOWN_PATH", message, { event, handler: name, position: place?.at });
    if (fault.severity === "error") throw error;
    core.report(error);
  }
}

/** The reader of a path that does not exist. */
function describeUse({ key }: PathUse): string {
  return key === undefined ? "" : `"${key}" looks at the tool. `;
}
