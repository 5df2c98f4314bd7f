import { validateHeaderName, validateHeaderValue } from "node:http";
import { errorText, HookError, type HookEvent } from "@hookline/core";
import { createCredentialHider } from "@hookline/core/internal/sinks";
import { callTimeout, createDeadline } from "../call-deadline.js";
import type { Dialect } from "../command/dialects/dialect.js";
import { findDialect, readOutput } from "../command/dialects/find-dialect.js";
import { createSlots, type Slots } from "../command/slots.js";
import { failureModeOf } from "../guards-of.js";
import type { OwnedSource, SourceAnswer, SourceState } from "../handler-source.js";
import { wholeEvent } from "../whole-event.js";
import { createUrlClient, type UrlClient } from "./url-client.js";
import { noAnswer, reasonOf, unsendable } from "./url-errors.js";
import { parseUrlTarget, type UrlHeaders, type UrlSpec, type UrlTarget } from "./url-spec.js";

/**
 * Creates a handler that asks a server about each event and reads its answer in the server's dialect. Throws for a URL that must not be
 * called.
 */
export function createUrlSource(spec: UrlSpec): OwnedSource {
  const target = parseUrlTarget({ ...spec, what: `The url of the hook "${spec.name}"` });
  if (typeof spec.headers === "object") checkUrlHeaders(spec.headers);
  const slots = createSlots({ maxRunning: spec.maxRunning ?? 64, maxWaiting: spec.maxWaiting ?? 256 });
  const asker = { spec, target, slots, client: createUrlClient(target), dialect: findDialect(spec.dialect ?? "own") };
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  let state: SourceState = "loaded";
  return {
    name: spec.name,
    kind: "url",
    hooks: spec.hooks,
    ...(spec.description !== undefined && { description: spec.description }),
    ...(spec.path !== undefined && { path: spec.path }),
    async handle(event, hook) {
      const timeoutMs = callTimeout(hook, spec);
      const isClosed = hook !== undefined && failureModeOf(hook) === "closed";
      const call = askInTime(asker, { event, isClosed, timeoutMs, closed: closing.signal });
      running.add(call);
      try {
        const answer = await call;
        state = "running";
        return answer;
      } catch (error) {
        const failed = named(error, asker, event);
        // The caller no longer waits for the answer, which is not the server's fault.
        if (failed.failure !== "cancelled") state = "degraded";
        throw failed;
      } finally {
        running.delete(call);
      }
    },
    health: () => ({ state: closing.signal.aborted ? "stopped" : state }),
    async close() {
      closing.abort(new HookError("HL_CANCELLED", "It was switched off.", { failure: "disabled" }));
      await Promise.allSettled(running);
      asker.client.destroy();
    },
  };
}

interface Asker {
  readonly spec: UrlSpec;
  readonly target: UrlTarget;
  readonly slots: Slots;
  readonly client: UrlClient;
  readonly dialect: Dialect;
}

interface Call {
  readonly event: HookEvent;
  /** The hook is a guard that denies when it fails. */
  readonly isClosed: boolean;
  readonly timeoutMs: number;
  readonly closed: AbortSignal;
}

async function askInTime(asker: Asker, call: Call): Promise<SourceAnswer> {
  const deadline = createDeadline(call.timeoutMs);
  const signal = AbortSignal.any([call.closed, deadline.signal, call.event.signal]);
  try {
    const release = await asker.slots.take(signal);
    if (release === undefined) throw signal.aborted ? signal.reason : overloaded(asker.slots);
    return await ask(asker, call, signal).finally(release);
  } finally {
    deadline.clear();
  }
}

async function ask({ spec, target, client, dialect }: Asker, call: Call, signal: AbortSignal): Promise<SourceAnswer> {
  const { event } = call;
  const body = Buffer.from(JSON.stringify(dialect.write(wholeEvent(event))));
  const headers = await orAbort(readUrlHeaders(spec.headers), signal);
  try {
    return readVerdict(dialect, call, await client.post({ headers, body }, signal));
  } catch (error) {
    // A server may return what it received.
    const hideCredentials = createCredentialHider([...target.secrets, ...Object.values(headers)]);
    throw error instanceof HookError
      ? new HookError(error.code, hideCredentials(error.message), { fix: error.fix, failure: error.failure })
      : error;
  }
}

function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function readVerdict(dialect: Dialect, { event, isClosed }: Call, text: string): SourceAnswer {
  try {
    return readOutput(dialect, event, { exitCode: 0, stdout: text, stderr: "" }, isClosed) as SourceAnswer;
  } catch (error) {
    throw error instanceof HookError ? noAnswer(error.message, error.fix, error.failure) : error;
  }
}

function overloaded({ running, waiting }: Slots): HookError {
  const message = `${running} requests are in progress and ${waiting} are waiting, which is the limit.`;
  return new HookError("HL_URL_OVERLOADED", message, { failure: "overloaded" });
}

/** The same error, prefixed with the names of the hook, the server and the event. */
function named(error: unknown, { spec: { name }, target: { label } }: Asker, event: HookEvent): HookError {
  const known = error instanceof HookError ? error : unnamed(error, event);
  const message = `The hook "${name}", which asks ${label}, failed on "${event.name}". ${known.message}`;
  return new HookError(known.code, message, { fix: known.fix, event: event.name, handler: name, failure: known.failure ?? "crash" });
}

function unnamed(error: unknown, event: HookEvent): HookError {
  if (event.signal.aborted) return new HookError("HL_CANCELLED", "The caller no longer waits for the answer.", { failure: "cancelled" });
  return new HookError("HL_URL_REQUEST", errorText(error), { failure: "crash" });
}

/** The headers for one request. Rejects with `HL_URL_REQUEST`, which quotes no value. */
async function readUrlHeaders(headers: UrlSpec["headers"] = {}): Promise<UrlHeaders> {
  if (typeof headers !== "function") return headers;
  let given: UrlHeaders;
  try {
    given = await headers();
  } catch (error) {
    throw unsendable(`Its headers cannot be read: ${reasonOf(error)}`);
  }
  checkUrlHeaders(given);
  return given;
}

/** Throws `HL_URL_REQUEST` for a header that cannot or must not be sent. */
function checkUrlHeaders(headers: UrlHeaders): void {
  for (const [name, value] of Object.entries(headers)) {
    const fault = faultOf(name, value);
    if (fault !== undefined) throw unsendable(`Its header ${JSON.stringify(name.slice(0, 60))} ${fault}`);
  }
}

// Hookline sets the framing headers itself: conflicting ones allow request smuggling.
const OWN_HEADERS = /^(host|content-(type|length|encoding)|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer)$/i;

function faultOf(name: string, value: string): string | undefined {
  if (OWN_HEADERS.test(name)) return "is set by the hook itself";
  try {
    validateHeaderName(name);
  } catch {
    return "has an invalid name";
  }
  try {
    validateHeaderValue(name, value);
    return typeof value === "string" ? undefined : "has a value that is not text";
  } catch {
    return "has no value, or one with a line break or another character that cannot be sent";
  }
}
