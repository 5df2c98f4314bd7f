import { createIdSource } from "../bus/event-id.js";
import { relay, relayedIn } from "../bus/relayed.js";
import type { HookEvent } from "../bus/types.js";
import { HookError } from "../catalog/errors.js";
import type { OutcomeKind } from "../catalog/events.js";
import type { Outcome } from "../catalog/outcomes.js";
import { bytesText } from "../text/bytes-text.js";
import { type Encoded, encodeJson, type Loss, lossText } from "../text/encode-json.js";
import { inertText } from "../text/inert-text.js";
import { Correlator } from "../wire/correlator.js";
import { readSteps } from "../wire/decision-summary.js";
import { type Frame, isOversize } from "../wire/frames.js";
import { MAX_LINE_BYTES } from "../wire/hub-protocol.js";
import { readHubVerdict, readTransformed } from "../wire/verdict.js";
import type { GateCounters } from "./hub-connection.js";
import type { HubLink } from "./hub-link.js";
import { readMarkers } from "./read-markers.js";

type Outcomes = readonly Outcome<OutcomeKind>[];

interface Question {
  readonly id: string;
  readonly event: string;
  readonly asking: Asking;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The frame up to its deadline, and what it does not say. */
  readonly encoded: Encoded;
  readonly deadlineAt: number;
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
/** Of bytes in a payload. In base64 they leave room in a line. */
const MAX_BYTES = 1024 * 1024;
/** Past this many bytes the kernel has not taken, another question would only wait behind them. */
const MAX_UNWRITTEN = 8 * 1024 * 1024;

/** Questions to the hub. Those a lost link leaves are asked again over the next. */
export class GateQuestions {
  readonly #correlator: Correlator<Question, Outcomes>;
  readonly #ids = createIdSource();
  readonly #absence: Absence;
  #link: HubLink | undefined;

  constructor(absence: Absence) {
    this.#absence = absence;
    this.#correlator = new Correlator({
      expired: ({ event, asking }) => this.#unanswered(event, asking),
      cancelled: ({ event }, cause) => cancelled(event, cause),
    });
  }

  get counters(): GateCounters {
    const { asked, answered, failed, late, duplicate, unsolicited } = this.#correlator.counters;
    return { asked, answered, failed, stray: late + duplicate + unsolicited };
  }

  attach(link: HubLink): void {
    this.#link = link;
    for (const question of this.#correlator.requests()) this.#put(question, link);
  }

  detach(): void {
    this.#link = undefined;
  }

  /** Asks in the name of a handler. Rejects when there is no answer, so that the failure mode of the registration decides. */
  async ask(event: HookEvent, asking: Asking): Promise<Outcomes | undefined> {
    const id = this.#ids.next();
    const { timeoutMs } = asking;
    const { name, signal } = event;
    const deadlineAt = performance.now() + timeoutMs;
    const question = { id, event: name, asking, timeoutMs, signal, deadlineAt, encoded: encode(id, event, asking.kind) };
    const outcomes = await this.#correlator.ask(question, () => this.#send(question));
    return outcomes.length === 0 && relayedIn(outcomes) === undefined ? undefined : outcomes;
  }

  hear(frame: Frame): void {
    const question = this.#correlator.find(frame.id);
    if (question === undefined) return void this.#correlator.ignore(frame.id);
    const { id, event, asking } = question;
    if (frame.type === "late") {
      const guard = typeof frame.by === "string" ? inertText(frame.by.slice(0, MAX_NAME)) : undefined;
      const error = relay(this.#unanswered(event, asking, guard), { steps: readSteps(frame.trail) });
      return void this.#correlator.fail(id, error);
    }
    const outcomes = asking.kind === "transform" ? readTransformed(withValue(frame)) : readHubVerdict(frame);
    if (outcomes === undefined) this.#correlator.fail(id, malformed());
    else this.#correlator.answer(id, outcomes);
  }

  close(): void {
    this.#correlator.failAll(
      () => new HookError("HL_CANCELLED", "The connection to the hub was closed before it answered.", { failure: "cancelled" }),
    );
  }

  #send(question: Question): void {
    const { event, asking, encoded } = question;
    const { text, lost } = encoded;
    if (lost.length > 0) throw notWhole(event, lost);
    if (isOversize(text, MAX_LINE_BYTES - 64)) throw tooLarge(event);
    if (this.#link !== undefined) this.#put(question, this.#link);
    else if (this.#absence.isHopeless(asking.timeoutMs)) throw this.#unanswered(event, asking);
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
  #put({ id, encoded, deadlineAt }: Question, link: HubLink): void {
    if (link.unwritten > MAX_UNWRITTEN) return void this.#correlator.fail(id, overloaded());
    const left = Math.max(1, Math.ceil(deadlineAt - performance.now()));
    link.write(`${encoded.text},"deadlineMs":${left}}\n`);
  }
}

/** Secrets stay in: the guard must see what will run, and the connection leads to a hub that has proved itself. */
function encode(id: string, { id: eventId, name, payload, value, session }: HookEvent, kind: Asking["kind"]): Encoded {
  const content = encodeJson(payload, { maxBytes: MAX_BYTES });
  const carried = kind === "gate" ? undefined : encodeValue(value);
  const { id: sessionId, parentId } = session ?? {};
  const place = typeof sessionId === "string" ? { id: sessionId, ...(typeof parentId === "string" && { parentId }) } : undefined;
  const where = place === undefined ? "" : `,"session":${JSON.stringify(place)}`;
  const what = carried === undefined ? "" : `,"value":${carried.text}`;
  return {
    text: `{"type":"${kind}","id":"${id}","eventId":"${eventId}","event":${JSON.stringify(name)},"payload":${content.text}${what}${where}`,
    lost: [...content.lost, ...(carried?.lost ?? [])],
  };
}

function withValue(frame: Frame): Frame {
  return Object.hasOwn(frame, "value") ? { ...frame, value: readMarkers(frame.value) } : frame;
}

/** Bytes that are text are sent as that text, so that a rule can put another text in its place. */
function encodeValue(value: unknown): Encoded {
  const text = value instanceof Uint8Array ? bytesText(value).text : undefined;
  return encodeJson(text ?? value ?? null, { maxBytes: MAX_BYTES });
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

function notWhole(event: string, lost: readonly Loss[]): HookError {
  const message = `The hub cannot be asked about "${event}", because it would not see all of it: the payload has ${lossText(lost)}.`;
  return new HookError("HL_NOT_WHOLE", message, { event, failure: "invalid_verdict" });
}

function overloaded(): HookError {
  return new HookError("HL_LIMIT", "The hub is not reading, and its send queue is full.", {
    fix: { run: "hookline status" },
    failure: "overloaded",
  });
}

function malformed(): HookError {
  return new HookError("HL_INVALID_VERDICT", "The hub's answer could not be parsed. The hub may be a different version.", {
    fix: { run: "hookline status" },
    failure: "protocol_error",
  });
}

function cancelled(event: string, cause: unknown): HookError {
  return new HookError("HL_CANCELLED", `The question about "${event}" was cancelled.`, { event, failure: "cancelled", cause });
}
