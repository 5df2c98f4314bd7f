// Does what the conformance suite tells it, with the TypeScript client: a JSON command a line on stdin, a JSON answer a line on stdout.
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { type Bus, createBus, type Decision, HookError } from "@hookline/core";
import { connectToHub, type ForwardOptions, type HubConnection } from "@hookline/core/forward";

interface Command {
  readonly id: number;
  readonly do: string;
  readonly [key: string]: unknown;
}

const errors: string[] = [];
let bus: Bus;
let line: HubConnection;

const special: { readonly [kind: string]: () => unknown } = {
  cycle: () => {
    const value: Record<string, unknown> = {};
    value.self = value;
    return value;
  },
  deep: () => Array.from({ length: 70 }).reduce<unknown>((value) => [value], "end"),
  nan: () => Number.NaN,
  bytes: () => new Uint8Array([97, 98, 99]),
  big: () => 2n ** 60n,
  surrogate: () => "a\ud800b",
  function: () => built,
  long: () => "x".repeat(400_000),
  huge: () => "x".repeat(5_000_000),
  wide: () => Object.fromEntries(Array.from({ length: 200 }, (_, index) => [String(index), index])),
};

function built(value: unknown, index = 0): unknown {
  if (Array.isArray(value)) return value.map((member) => built(member, index));
  if (typeof value !== "object" || value === null) return value === "$n" ? index : value;
  if ("$special" in value) return special[String(value.$special)]?.();
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, built(member, index)]));
}

/** A bus takes the session from the payload. */
function payloadOf(given: unknown, session: unknown, index = 0): Record<string, unknown> {
  const payload = built(given ?? {}, index) as Record<string, unknown>;
  return typeof session === "string" ? { session: { id: session }, ...payload } : payload;
}

function withoutSession(payload: unknown, session: unknown): unknown {
  if (typeof session !== "string" || typeof payload !== "object" || payload === null) return payload;
  const { session: _, ...rest } = payload as Record<string, unknown>;
  return rest;
}

function decisionOf(decision: Decision, session: unknown): object {
  const { verdict, allowed, modified, injections, reminders, endLoop, reason, by, cause, payload } = decision;
  const said = { verdict, allowed, modified, injections, reminders: reminders.map(({ spec }) => spec), endLoop, reason, by };
  return { ...said, payload: withoutSession(payload, session), cause: codeOf(cause) };
}

/** The bus wraps what its handler for the hub throws. */
function codeOf(cause: unknown): string | undefined {
  if (!(cause instanceof HookError)) return undefined;
  return codeOf(cause.cause) ?? cause.code;
}

async function run(command: Command): Promise<object> {
  const { event, session, times = 1, payload, context, value, options = {}, seconds = 20 } = command;
  const name = String(event);
  if (command.do === "start") return start(String(command.source), options as Readonly<Record<string, unknown>>);
  if (command.do === "emit") {
    for (let index = 0; index < Number(times); index++) bus.emit(name as "agent:step", payloadOf(payload, session, index));
    return {};
  }
  if (command.do === "decide")
    return decisionOf(await bus.decide(name as "tool:before", (payload === null ? null : payloadOf(payload, session)) as never), session);
  if (command.do === "transform") {
    const result = await bus.transform(name as "tool:result", built(value), payloadOf(context, session) as never);
    return { value: result.value, injections: result.injections };
  }
  if (command.do === "flush") return { isSettled: await line.flush(Number(seconds) * 1_000) };
  if (command.do === "look") return { state: line.state, errors, counters: line.counters };
  await line.close();
  return {};
}

function start(source: string, given: Readonly<Record<string, unknown>>): object {
  const { queueCount, gateEvents, gateTimeoutMs, askTimeoutMs, ...rest } = given;
  const onError = (error: Error): void => void (error instanceof HookError && errors.push(error.code));
  bus = createBus({ source, onError, ...(askTimeoutMs !== undefined && { askTimeoutMs: Number(askTimeoutMs) }) });
  const gates = {
    ...(gateEvents !== undefined && { events: gateEvents as string[] }),
    ...(gateTimeoutMs !== undefined && { timeoutMs: Number(gateTimeoutMs) }),
  };
  const queue = queueCount === undefined ? {} : { queue: { maxCount: Number(queueCount) } };
  line = connectToHub(bus, { ...(rest as ForwardOptions), ...queue, gates });
  return { instance: bus.source.instance, state: line.state };
}

const endings: { readonly [how: string]: () => void } = {
  kill: () => void process.kill(process.pid, "SIGKILL"),
  term: () => void process.kill(process.pid, "SIGTERM"),
  exit: () => process.exit(7),
  exception: () => {
    throw new Error("nobody catches this");
  },
  natural: () => input.close(),
};

const input = createInterface({ input: process.stdin });
input.on("line", (text) => {
  const command = JSON.parse(text) as Command;
  if (command.do === "end") return endings[String(command.how)]?.();
  void run(command).then(
    (result) => say({ id: command.id, result }),
    (error: unknown) => say({ id: command.id, error: error instanceof HookError ? error.code : String(error) }),
  );
});

function say(answer: object): void {
  writeSync(1, `${JSON.stringify(answer)}\n`);
}
