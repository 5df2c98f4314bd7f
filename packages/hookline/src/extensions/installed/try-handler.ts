import { type Bus, createBus, type Decision, errorText, findEvent, HookError } from "@hookline/core";
import { resolveEvent, samplePayload, sampleValues } from "@hookline/core/internal";
import { ruleRegex } from "../../rules/regex/rule-regex.js";

export interface Asked {
  readonly event: string;
  readonly payload: object;
}

/** The result of a handler for an event. */
export interface Trial {
  readonly event: string;
  readonly ms: number;
  readonly verdict: string;
  readonly reason?: string | undefined;
  readonly failure?: string | undefined;
  /** What else the agent would see. */
  readonly injections?: readonly string[];
  readonly reminders?: readonly string[];
  readonly payload?: unknown;
  readonly value?: unknown;
  readonly again?: string | undefined;
  readonly wasAsked: boolean;
  readonly errors: readonly string[];
  /** Remarks that are not failures. */
  readonly notes?: readonly string[];
}

/** A sample of an event, in any spelling. Throws `HL_UNKNOWN_EVENT`. */
export function sampleOf(event: string): Asked {
  const name = eventIn(findEvent(event)?.name ?? resolveEvent(event).name);
  return { event: name, payload: samplePayload(name) };
}

/** An event that a name or pattern covers. */
export function eventIn(pattern: string): string {
  if (!pattern.includes("*")) return pattern;
  return pattern.startsWith("tool") || pattern === "*" ? "tool:before" : pattern.replace("*", "sample");
}

/** Registers a handler alone on a bus and sends it an event, through the same code as a real event but without observers. */
export async function tryHandler(asked: Asked, register: (bus: Bus, onError: (error: HookError) => void) => void): Promise<Trial> {
  const errors: HookError[] = [];
  const onError = (error: HookError): void => void errors.push(error);
  const bus = createBus({ source: "hooks-test", enabled: true, onAsk: "return", regex: ruleRegex, onError });
  register(bus, onError);
  const startedAt = performance.now();
  const result = await dispatch(bus, asked);
  const ms = Number((performance.now() - startedAt).toFixed(1));
  const wasAsked = bus.stats().some(({ calls }) => calls > 0);
  return { event: asked.event, ms, ...result, wasAsked, errors: errors.map(describe) };
}

type Result = Omit<Trial, "event" | "ms" | "wasAsked" | "errors">;

async function dispatch(bus: Bus, { event, payload }: Asked): Promise<Result> {
  const { kind } = resolveEvent(event).spec;
  if (kind === "gate") return ofDecision(await bus.decide(event, payload));
  if (kind === "observe") {
    const { injections, reminders } = await bus.tellObservers(event, payload);
    return { verdict: "seen", injections, reminders: bodiesOf(reminders) };
  }
  const before = sampleValues[event as keyof typeof sampleValues];
  const { value, injections, reminders } = await bus.transform(event, before, payload);
  return { verdict: value === before ? "unchanged" : "replaced", value, injections, reminders: bodiesOf(reminders) };
}

function ofDecision({ verdict, reason, cause, injections, reminders, modified, payload, again }: Decision<unknown>): Result {
  const failure = cause?.failure ?? cause?.code;
  return { verdict, reason, failure, injections, reminders: bodiesOf(reminders), again: again?.reason, ...(modified && { payload }) };
}

function bodiesOf(reminders: Decision["reminders"]): string[] {
  return reminders.map(({ spec }) => spec.body);
}

function describe(error: HookError): string {
  return errorText(error.cause instanceof HookError ? error.cause : error);
}
