import { createIdSource } from "../bus/event-id.js";
import { relay, relayedIn } from "../bus/relayed.js";
import type { HookEvent, TrailStep } from "../bus/types.js";
import { HookError } from "../catalog/errors.js";
import type { OutcomeKind } from "../catalog/events.js";
import type { Outcome } from "../catalog/outcomes.js";
import { inertText } from "../text/inert-text.js";
import { type Frame, isOversize } from "../wire/frames.js";
import type { HubLink } from "./hub-link.js";
import { MAX_LINE_BYTES } from "./line-protocol.js";
import { wholePayloadText } from "./payload-text.js";
import { readRemoteVerdict, readSteps, readTransformed } from "./remote-verdict.js";

type Outcomes = readonly Outcome<OutcomeKind>[];

interface Question {
  readonly id: string;
  /** The frame up to its deadline. */
  readonly text: string;
  readonly deadlineAt: number;
  answer(outcomes: Outcomes): void;
  fail(error: HookError): void;
  /** The hub has said that it will not be in time, and what its guards did so far. */
  late(guard: string | undefined, steps: readonly TrailStep[]): void;
}

export interface Asking {
  readonly kind: "gate" | "transform";
  readonly timeoutMs: number;
  /** The gate is closed only as long as a hub's files are there. */
  readonly endsWithFiles: boolean;
}

/** What is known of a hub that is not attached. */
export interface Absence {
  /** There has been no hub for so long that waiting for one is of no use. */
  isHopeless(timeoutMs: number): boolean;
  /** Why, without a full stop. */
  why(): string;
}

/** A guard's name, in words that are shown. */
const MAX_NAME = 200;
/** Past this many bytes the kernel has not taken, another question would only wait behind them. */
const MAX_UNWRITTEN = 8 * 1024 * 1024;

/** Questions to the hub, any number at a time, each answered by its id, once. Those a lost link leaves are asked again over the next. */
export class GateQuestions {
  readonly counters = { asked: 0, answered: 0, failed: 0, stray: 0 };
  readonly #ids = createIdSource();
  readonly #waiting = new Map<string, Question>();
  readonly #absence: Absence;
  #link: HubLink | undefined;

  constructor(absence: Absence) {
    this.#absence = absence;
  }

  attach(link: HubLink): void {
    this.#link = link;
    for (const question of this.#waiting.values()) this.#put(question, link);
  }

  detach(): void {
    this.#link = undefined;
  }

  /** Asks in the name of a handler. Rejects when there is no answer, so that the failure mode of the registration decides. */
  ask(event: HookEvent, asking: Asking): Promise<Outcomes | undefined> {
    const { timeoutMs } = asking;
    this.counters.asked++;
    return new Promise((resolve, reject) => {
      const id = this.#ids.next();
      const timer = setTimeout(() => fail(this.#unanswered(event.name, asking)), timeoutMs).unref();
      const end = (): boolean => {
        clearTimeout(timer);
        forget();
        return this.#waiting.delete(id);
      };
      const fail = (error: HookError): void => {
        this.counters.failed++;
        end();
        reject(error);
      };
      const answer = (outcomes: Outcomes): void => {
        this.counters.answered++;
        end();
        resolve(outcomes.length === 0 && relayedIn(outcomes) === undefined ? undefined : outcomes);
      };
      const { signal } = event;
      const listener = (): void => fail(cancelled(event.name, signal.reason));
      const forget = (): void => signal.removeEventListener("abort", listener);
      if (signal.aborted) return listener();
      signal.addEventListener("abort", listener, { once: true });
      const text = textOf(id, event, asking.kind);
      if (text === undefined) return fail(tooDeep(event.name));
      const late: Question["late"] = (guard, steps) => fail(relay(this.#unanswered(event.name, asking, guard), { steps }));
      const question: Question = { id, text, deadlineAt: performance.now() + timeoutMs, answer, fail, late };
      if (isOversize(question.text, MAX_LINE_BYTES - 64)) return fail(tooLarge(event.name));
      this.#waiting.set(id, question);
      if (this.#link !== undefined) this.#put(question, this.#link);
      else if (this.#absence.isHopeless(timeoutMs)) fail(this.#unanswered(event.name, asking));
    });
  }

  hear(frame: Frame): void {
    const question = typeof frame.id === "string" ? this.#waiting.get(frame.id) : undefined;
    if (question === undefined) {
      this.counters.stray++;
      return;
    }
    if (frame.type === "late")
      return question.late(typeof frame.by === "string" ? inertText(frame.by.slice(0, MAX_NAME)) : undefined, readSteps(frame.trail));
    const outcomes = frame.type === "transformed" ? readTransformed(frame) : readRemoteVerdict(frame);
    if (outcomes === undefined) question.fail(malformed());
    else question.answer(outcomes);
  }

  close(): void {
    for (const question of [...this.#waiting.values()])
      question.fail(new HookError("HL_CANCELLED", "The line to the hub was closed before it answered.", { failure: "cancelled" }));
  }

  #unanswered(event: string, { timeoutMs, endsWithFiles }: Asking, guard?: string): HookError {
    if (this.#link !== undefined) {
      const who = guard === undefined ? "The hub" : `The hub's guard "${guard}"`;
      const late = `${who} did not answer "${event}" within ${timeoutMs} ms.`;
      return new HookError("HL_TIMEOUT", late, { fix: { run: "hookline status" }, event, failure: "timeout" });
    }
    const fix = endsWithFiles ? "Run: hookline up; to go on without a hub: hookline down" : { run: "hookline up" };
    const message = `The hub cannot be asked about "${event}": ${this.#absence.why()}.`;
    return new HookError("HL_HUB_UNREACHABLE", message, { fix, event, failure: "crash" });
  }

  /** At once, whatever else waits to be sent. */
  #put({ text, deadlineAt, fail }: Question, link: HubLink): void {
    if (link.unwritten > MAX_UNWRITTEN) return fail(overloaded());
    const left = Math.max(1, Math.ceil(deadlineAt - performance.now()));
    link.write(`${text},"deadlineMs":${left}}\n`);
  }
}

/** Secrets stay in: the guard must see what will run, and the line leads to a hub that has proved itself. */
function textOf(id: string, { id: eventId, name, payload, value, session }: HookEvent, kind: Asking["kind"]): string | undefined {
  const text = wholePayloadText(payload);
  const carried = kind === "gate" ? "" : valueText(value);
  if (text === undefined || carried === undefined) return undefined;
  const { id: sessionId, parentId } = session ?? {};
  const place = typeof sessionId === "string" ? { id: sessionId, ...(typeof parentId === "string" && { parentId }) } : undefined;
  const where = place === undefined ? "" : `,"session":${JSON.stringify(place)}`;
  const what = carried === "" ? "" : `,"value":${carried}`;
  return `{"type":"${kind}","id":"${id}","eventId":"${eventId}","event":${JSON.stringify(name)},"payload":${text}${what}${where}`;
}

/** Bytes are sent as the text that they are; bytes within a value cannot be, and a handler that sees a part would pass what it has not seen. */
function valueText(value: unknown): string | undefined {
  const text = wholePayloadText(value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : (value ?? null));
  return text?.includes('"$hookline":"bytes"') ? undefined : text;
}

function tooLarge(event: string): HookError {
  return new HookError(
    "HL_FRAME_TOO_LARGE",
    `The payload of "${event}" is too large to ask the hub about: ${MAX_LINE_BYTES} bytes at most.`,
    {
      event,
      failure: "overloaded",
    },
  );
}

function tooDeep(event: string): HookError {
  const why = `The payload of "${event}" is nested deeper than 64 levels, holds bytes, or cannot be read whole, so the hub cannot be asked about it.`;
  return new HookError("HL_TOO_DEEP", why, { event, failure: "invalid_verdict" });
}

function overloaded(): HookError {
  return new HookError("HL_LIMIT", "The hub does not read, and too much waits for it.", {
    fix: { run: "hookline status" },
    failure: "overloaded",
  });
}

function malformed(): HookError {
  return new HookError("HL_INVALID_VERDICT", "The hub's answer cannot be understood: not the same version?", {
    fix: { run: "hookline status" },
    failure: "protocol_error",
  });
}

function cancelled(event: string, cause: unknown): HookError {
  return new HookError("HL_CANCELLED", `The question about "${event}" was cancelled.`, { event, failure: "cancelled", cause });
}
