import { HookError, type HookEvent } from "@hookline/core";
import { callTimeout, createDeadline } from "../call-deadline.js";
import { failureModeOf } from "../guards-of.js";
import type { OwnedSource, SourceAnswer } from "../handler-source.js";
import { childEnvironment } from "../process/child-environment.js";
import { wholeEvent } from "../whole-event.js";
import type { CommandAnswer, Dialect } from "./dialects/dialect.js";
import { fieldsOf } from "./dialects/event-fields.js";
import { findDialect, readOutput } from "./dialects/find-dialect.js";
import { type CommandSpec, checkedProgram, checkProgram, isFolder, programOf } from "./program.js";
import { runProgram } from "./run-program.js";
import { createSlots, type Slots } from "./slots.js";

/** Creates a handler that starts a command for each event and reads its answer in the command's dialect. */
export function createCommandSource(spec: CommandSpec): OwnedSource {
  const slots = createSlots({ maxRunning: spec.maxRunning ?? 16, maxWaiting: spec.maxWaiting ?? 64 });
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  let state: "loaded" | "running" | "degraded" = "loaded";
  return {
    name: spec.name,
    kind: "command",
    hooks: spec.hooks,
    ...(spec.description !== undefined && { description: spec.description }),
    ...(spec.path !== undefined && { path: spec.path }),
    async handle(event, hook) {
      const isClosed = hook !== undefined && failureModeOf(hook) === "closed";
      const call = ask(spec, slots, { event, isClosed, timeoutMs: callTimeout(hook, spec), closed: closing.signal });
      running.add(call);
      try {
        const answer = (await call) as SourceAnswer;
        state = "running";
        return answer;
      } catch (error) {
        state = "degraded";
        throw named(error, spec, event);
      } finally {
        running.delete(call);
      }
    },
    // Nothing starts before an event, but a command that cannot start is reported now.
    async start() {
      spec.check?.();
      const { PATH } = { ...childEnvironment(process.env, spec.env), ...spec.setEnv };
      checkProgram(programOf(spec), spec.cwd === undefined || spec.cwd === "event" ? spec.folder : spec.cwd, PATH);
    },
    health: () => ({ state: closing.signal.aborted ? "stopped" : state }),
    async close() {
      closing.abort(new HookError("HL_CANCELLED", "It was switched off.", { failure: "disabled" }));
      await Promise.allSettled(running);
    },
  };
}

interface Call {
  readonly event: HookEvent;
  /** The hook is a guard that denies when it fails. */
  readonly isClosed: boolean;
  readonly timeoutMs: number;
  readonly closed: AbortSignal;
}

async function ask(spec: CommandSpec, slots: Slots, { event, isClosed, timeoutMs, closed }: Call): Promise<CommandAnswer> {
  const deadline = createDeadline(timeoutMs);
  const signal = AbortSignal.any([deadline.signal, event.signal, closed]);
  const release = await slots.take(signal);
  if (release === undefined) throw closed.aborted ? closed.reason : overloaded(slots);
  const dialect = findDialect(spec.dialect ?? "own");
  try {
    const told = wholeEvent(event);
    const checked = spec.check?.();
    const output = await runProgram(checkedProgram(spec, checked), {
      cwd: workingFolder(spec, event),
      env: environmentOf(spec, dialect, told),
      input: `${JSON.stringify(dialect.write(told))}\n`,
      signal,
    });
    // What a program says whose files were exchanged after the first check is not an answer.
    if (checked !== undefined) spec.check?.(checked);
    return readOutput(dialect, event, output, isClosed);
  } finally {
    release();
    // Its background processes keep their deadline; this process does not wait for them.
    deadline.unref();
  }
}

function workingFolder({ cwd, folder }: CommandSpec, event: HookEvent): string {
  if (cwd !== "event") return cwd ?? folder;
  const there = fieldsOf(event).cwd;
  return there !== undefined && isFolder(there) ? there : folder;
}

function environmentOf(spec: CommandSpec, dialect: Dialect, event: HookEvent): { [name: string]: string } {
  const variables = Object.entries(dialect.variables?.(event) ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    ...childEnvironment(process.env, spec.env),
    ...Object.fromEntries(variables),
    HOOKLINE_EVENT: event.name,
    HOOKLINE_HOOK: spec.name,
    ...spec.setEnv,
  };
}

function overloaded({ running, waiting }: Slots): HookError {
  return new HookError("HL_COMMAND_OVERLOADED", `${running} calls are running and ${waiting} are waiting, which is the limit.`, {
    failure: "overloaded",
  });
}

/** The same error, prefixed with the names of the hook and the event. */
function named(error: unknown, { name, command }: CommandSpec, event: HookEvent): HookError {
  const known = error instanceof HookError ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return new HookError(
    known?.code ?? "HL_COMMAND_FAILED",
    `The command "${command}" of the hook "${name}" failed on "${event.name}". ${message}`,
    {
      fix: known?.fix,
      event: event.name,
      handler: name,
      failure: known?.failure ?? "crash",
      cause: known?.cause ?? error,
    },
  );
}
