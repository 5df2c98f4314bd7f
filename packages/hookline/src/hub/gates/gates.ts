import { findEvent, type HandlerInfo, HookError, type TransformResult } from "@hookline/core";
import { ANSWER_MARGIN_MS } from "@hookline/core/internal";
import { everyGate, everyTransform, type RemoteGate } from "@hookline/core/internal/wire";
import type { GateRequest, Gates, TransformRequest } from "../parts.js";
import { withContext, withoutContext } from "../policy/payload-context.js";
import type { ProjectScopes } from "../policy/project-scopes.js";
import type { AskedEvents } from "./asked-events.js";
import { covers } from "./covers.js";
import { createLeases } from "./leases.js";
import type { GateBus } from "./pause.js";
import { prefilterReader } from "./prefilter-data.js";

/** No call to the hub waits longer. */
export const MAX_CALL_MS = 600_000;

export interface RefreshableGates extends Gates {
  /** The bus does not report registrations, so code that changes the hub's guards calls this. */
  refresh(): void;
}

/** The hub's guards and transforms, for processes that ask from outside. The bus should be one with `onAsk: "return"`: who asked has the prompt. */
export function createGates(bus: GateBus, scopes?: Pick<ProjectScopes, "see">, asked?: Pick<AskedEvents, "add">): RefreshableGates {
  const listeners = new Set<() => void>();
  const decisions: Record<string, number> = {};
  const leases = createLeases(prefilterReader(bus));
  let isScheduled = false;

  function announce(): void {
    isScheduled = false;
    leases.renew();
    for (const listener of [...listeners]) listener();
  }

  return {
    list: () => gatesOf(bus.list()),
    leases,
    decisions,
    onChange(listener) {
      const own = (): void => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    refresh() {
      if (isScheduled) return;
      isScheduled = true;
      queueMicrotask(announce);
    },
    async decide({ event, payload, session, cwd, approver, eventId }: GateRequest, signal) {
      const known = withContext(payload, { session, cwd });
      checkPayload(event, known);
      scopes?.see(known);
      if (eventId !== undefined) asked?.add(eventId);
      const options = { signal, observers: eventId === undefined, ...(approver !== undefined && { approver }) };
      const decision = await bus.decide(event, known, options);
      decisions[decision.verdict] = (decisions[decision.verdict] ?? 0) + 1;
      const left = withoutContext(decision.payload, known, payload);
      return left === decision.payload ? decision : { ...decision, trail: decision.trail, payload: left };
    },
    async transform({ event, payload, value, session, cwd, eventId }: TransformRequest): Promise<TransformResult> {
      const known = withContext(payload, { session, cwd });
      checkPayload(event, known);
      scopes?.see(known);
      if (eventId !== undefined) asked?.add(eventId);
      return bus.transform(event, value, known);
    },
  };
}

/** Guards read fields, and of a call its tool's name and input. What has them elsewhere, or of another type, would pass them all unseen. Throws `HL_BAD_PAYLOAD`. */
function checkPayload(event: string, payload: unknown): void {
  if (!isRecord(payload)) throw new HookError("HL_BAD_PAYLOAD", `The payload of "${event}" must be an object.`, { fix: FIELDS, event });
  if (findEvent(event)?.name !== "tool:before") return;
  const { tool } = payload as { readonly tool?: { readonly name?: unknown; readonly input?: unknown; readonly args?: unknown } };
  const isWhole = typeof tool?.name === "string" && (tool.input === undefined ? tool.args === undefined : isRecord(tool.input));
  if (!isWhole)
    throw new HookError("HL_BAD_PAYLOAD", `The guards of "${event}" need the tool's name, a text, and its input, an object.`, {
      fix: "Send { tool: { name, input } }.",
      event,
    });
}

const FIELDS = "Send the fields that docs/reference/events.md lists for the event.";

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const askedNames = [...everyGate.filter((event) => !event.includes("*")), ...everyTransform];
// No list can hold every command's name, so who guards them all is a pattern here, too.
const gatePatterns = everyGate.filter((event) => event.includes("*"));

function gatesOf(handlers: readonly HandlerInfo[]): RemoteGate[] {
  const guards = handlers.filter(({ stage }) => stage !== "observe");
  const wide = gatePatterns.filter((pattern) => guards.some(({ event }) => covers(event, pattern)));
  const isWithin = (event: string): boolean => wide.some((pattern) => covers(pattern, event));
  const own = guards.map(({ event }) => event).filter((event) => isGate(event) && !isWithin(event));
  return [...new Set([...askedNames, ...wide, ...own])].flatMap((name) => {
    const asked = guards.filter(({ event }) => covers(event, name) || (wide.includes(name) && covers(name, event)));
    return asked.length === 0 ? [] : [{ event: name, timeoutMs: timeoutOf(asked), onFailure: failureOf(asked) }];
  });
}

/** Whether an event is a gate, or a pattern covers one. */
export function isGateIn(event: string): boolean {
  return isGate(event) || everyGate.some((name) => covers(event, name));
}

/** Also `command:git:*`, which is a part of a family. */
function isGate(event: string): boolean {
  return findEvent(event.replace("*", "x"))?.spec.kind === "gate";
}

function timeoutOf(handlers: readonly HandlerInfo[]): number {
  if (handlers.some(({ timeoutMs }) => timeoutMs === 0)) return MAX_CALL_MS;
  // They run one after the other. One margin is for the hub to say who is late, the other for its answer to arrive.
  const sum = handlers.reduce((total, { timeoutMs }) => total + timeoutMs, 2 * ANSWER_MARGIN_MS);
  return Math.min(MAX_CALL_MS, sum);
}

function failureOf(handlers: readonly HandlerInfo[]): "open" | "closed" {
  return handlers.every(({ onFailure }) => onFailure === "open") ? "open" : "closed";
}
