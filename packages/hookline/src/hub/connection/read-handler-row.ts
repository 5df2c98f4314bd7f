import { readActor } from "@hookline/core/internal";
import type { HandlerRow } from "../protocol.js";

type Fields = { readonly [name: string]: unknown };

const MAX = { name: 200, text: 2_000, list: 100 };
const LAST_MS = 8.64e15;

/** A handler as a process tells of it, for clients to believe its types: what is wrong is left out or made plain, what is long is cut. Nothing for what is not a handler. */
export function readHandlerRow(value: unknown): HandlerRow | undefined {
  if (!isFields(value)) return undefined;
  const { id, event, name, health, stats } = value;
  if (typeof id !== "number" || !Number.isSafeInteger(id) || typeof event !== "string" || typeof name !== "string") return undefined;
  return {
    id,
    event: event.slice(0, MAX.name),
    name: name.slice(0, MAX.name),
    owner: text(value.owner, MAX.name),
    actor: readActor(value.actor) ?? guardCalled(name.slice(0, MAX.name), text(value.owner, MAX.name)),
    description: text(value.description),
    path: text(value.path),
    priority: number(value.priority) ?? 0,
    stage: oneOf(value.stage, ["rewrite", "guard", "observe"]) ?? "observe",
    onFailure: oneOf(value.onFailure, ["open", "closed", "abort"]) ?? "open",
    timeoutMs: count(value.timeoutMs) ?? 0,
    once: value.once === true,
    tool: text(value.tool, MAX.name) ?? texts(value.tool),
    match: text(value.match),
    permissions: texts(value.permissions),
    ...(isFields(health) && { health: readHealth(health) }),
    ...(isFields(stats) && { stats: readStats(stats) }),
  };
}

/** A process of an earlier version does not say what kind of actor its handlers are. */
function guardCalled(name: string, owner: string | undefined): HandlerRow["actor"] {
  return { kind: "guard", name, ...(owner !== undefined && { owner }) };
}

function readHealth({ state, restarts }: Fields): NonNullable<HandlerRow["health"]> {
  const known = count(restarts);
  return { state: text(state, MAX.name) ?? "unknown", ...(known !== undefined && { restarts: known }) };
}

function readStats(stats: Fields): NonNullable<HandlerRow["stats"]> {
  return {
    calls: count(stats.calls) ?? 0,
    failures: count(stats.failures) ?? 0,
    timeouts: count(stats.timeouts) ?? 0,
    denies: count(stats.denies) ?? 0,
    p50Ms: count(stats.p50Ms),
    p99Ms: count(stats.p99Ms),
    lastFiredAt: count(stats.lastFiredAt),
    neverFired: stats.neverFired === true,
    suspendedUntil: count(stats.suspendedUntil),
  };
}

function text(value: unknown, most = MAX.text): string | undefined {
  return typeof value === "string" ? value.slice(0, most) : undefined;
}

function texts(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .slice(0, MAX.list)
    .map((one) => text(one, MAX.name))
    .filter((one) => one !== undefined);
}

function number(value: unknown): number | undefined {
  return typeof value === "number" && Math.abs(value) <= LAST_MS ? value : undefined;
}

/** A number, a length or a time: none is below 0, and none is later than a clock can show. */
function count(value: unknown): number | undefined {
  const known = number(value);
  return known !== undefined && known >= 0 ? known : undefined;
}

function oneOf<T extends string>(value: unknown, known: readonly T[]): T | undefined {
  return known.find((one) => one === value);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
