import { existsSync, readFileSync } from "node:fs";
import { createBus, type Decision, findEvent, HookError, resolveEvent } from "@hookline/core";
import type { InstalledHook } from "../../extensions/installed/installed-hook.js";
import { registerSource } from "../../extensions/register-source.js";
import { samplePayload, sampleValues } from "../../extensions/samples.js";
import { ruleRegex } from "../../rules/regex/rule-regex.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";
import { inert, inertJson } from "../format/inert.js";
import type { Terminal } from "../terminal.js";
import { findKnownHooks } from "./find-hooks.js";
import type { HooksOptions } from "./options.js";
import { pickHook } from "./pick-hook.js";

interface Asked {
  readonly event: string;
  readonly payload: object;
}

/** `hookline hooks test <hook> --event <name|file>`: the real path, on a sample. */
export async function testHook(terminal: Terminal, options: HooksOptions, [name]: readonly string[]): Promise<number> {
  const hook = pickHook(await findKnownHooks(terminal.env, options.project), name, "test");
  const source = hook.state === "active" ? hook.open?.() : undefined;
  if (source === undefined)
    throw new CliError(`The hook "${hook.name}" is ${hook.state} and does not run.`, {
      next: hook.from === "project" ? "hookline hooks trust" : "hookline hooks doctor",
    });
  const asked = readAsked(options.event ?? firstEvent(hook));
  const errors: HookError[] = [];
  const bus = createBus({ source: "hooks-test", onAsk: "return", regex: ruleRegex, onError: (error) => void errors.push(error) });
  registerSource(bus, source, { owner: hook.id, permissions: hook.permissions, onError: (error) => void errors.push(error) });
  try {
    const startedAt = performance.now();
    const result = await dispatch(bus, asked);
    const report = {
      hook: hook.name,
      event: asked.event,
      ms: Number((performance.now() - startedAt).toFixed(1)),
      ...result,
      errors: errors.map(describe),
    };
    if (options.json === true) terminal.print(inertJson(JSON.stringify(report, undefined, 2)));
    else for (const [label, text] of rowsOf(report)) terminal.print(`${terminal.paint("dim", label.padEnd(9))} ${inert(text)}`);
    return exitCodeOf(report);
  } finally {
    await source.close();
  }
}

function firstEvent({ hooks }: InstalledHook): string {
  const { event: first } = hooks[0] ?? { event: "tool:before" };
  if (!first.includes("*")) return first;
  return first.startsWith("tool") || first === "*" ? "tool:before" : first.replace("*", "sample");
}

/** A name in any spelling, or a file that holds `{ event, payload }`. */
function readAsked(given: string): Asked {
  const known = findEvent(given);
  if (known !== undefined) return { event: known.name, payload: samplePayload(known.name) };
  if (!existsSync(given)) return { event: resolveEvent(given).name, payload: {} };
  try {
    const { event, payload } = JSON.parse(readFileSync(given, "utf8")) as { readonly event?: unknown; readonly payload?: unknown };
    const name = resolveEvent(String(event)).name;
    return { event: name, payload: typeof payload === "object" && payload !== null ? payload : samplePayload(name) };
  } catch (cause) {
    throw new CliError(`"${given}" holds no event: write { "event": "tool:before", "payload": { … } }.`, { exitCode: EXIT.usage, cause });
  }
}

interface Result {
  readonly verdict: string;
  readonly reason?: string | undefined;
  readonly failure?: string | undefined;
  /** What the agent would see besides. */
  readonly injections?: readonly string[];
  readonly payload?: unknown;
  readonly value?: unknown;
  readonly again?: string | undefined;
  readonly wasAsked: boolean;
}

async function dispatch(bus: ReturnType<typeof createBus>, { event, payload }: Asked): Promise<Result> {
  const wasAsked = () => bus.stats().some(({ calls }) => calls > 0);
  const { kind } = resolveEvent(event).spec;
  if (kind === "gate") return { ...ofDecision(await bus.decide(event as "tool:before", payload as never)), wasAsked: wasAsked() };
  if (kind === "observe") {
    await bus.emit(event as "agent:start", payload as never);
    return { verdict: "seen", wasAsked: wasAsked() };
  }
  const before = sampleValues[event as keyof typeof sampleValues];
  const { value, injections } = await bus.transform(event as "tool:result", before, payload as never);
  return { verdict: value === before ? "unchanged" : "replaced", value, injections, wasAsked: wasAsked() };
}

function ofDecision({ verdict, reason, cause, injections, modified, payload, again }: Decision<unknown>): Omit<Result, "wasAsked"> {
  return { verdict, reason, failure: cause?.failure ?? cause?.code, injections, again: again?.reason, ...(modified && { payload }) };
}

type Report = Result & { readonly hook: string; readonly event: string; readonly ms: number; readonly errors: readonly string[] };

function rowsOf({
  event,
  verdict,
  reason,
  failure,
  ms,
  injections = [],
  payload,
  value,
  again,
  wasAsked,
  errors,
}: Report): (readonly [string, string])[] {
  const rows: (readonly [string, string | undefined])[] = [
    ["event", event],
    ["verdict", wasAsked ? verdict : `${verdict}: the hook was not asked, for it does not match this event`],
    ["reason", reason],
    ["failure", failure],
    ["time", `${ms} ms`],
    ["again", again],
    ...injections.map((text) => ["inject", text] as const),
    ["payload", payload === undefined ? undefined : JSON.stringify(payload)],
    ["value", value === undefined ? undefined : JSON.stringify(value)],
    ...errors.map((text) => ["error", text] as const),
  ];
  return rows.filter((row): row is readonly [string, string] => row[1] !== undefined);
}

function describe(error: HookError): string {
  return error.cause instanceof HookError ? error.cause.message : error.message;
}

function exitCodeOf({ verdict, failure, errors }: Report): number {
  if (failure !== undefined || errors.length > 0) return EXIT.failed;
  return verdict === "deny" ? EXIT.denied : EXIT.ok;
}
