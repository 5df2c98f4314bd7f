import { errorText, HookError } from "@hookline/core";
import { ANSWER_MARGIN_MS, withheldValue } from "@hookline/core/internal";
import {
  type HubVerdictFrame,
  type LateFrame,
  lateFrame,
  type TransformedFrame,
  transformedFrame,
  verdictFrame,
} from "@hookline/core/internal/wire";
import { MAX_CALL_MS } from "../gates/gates.js";
import { HUB_ACTOR } from "../ingest/own-source.js";
import type { GateRequest, Gates, TransformRequest } from "../parts.js";

/** Questions of one process at a time, and what they may weigh together. */
const MAX_OPEN = 1_000;
const MAX_OPEN_CHARS = 32 * 1024 * 1024;

interface Frame {
  readonly [key: string]: unknown;
}

/** A question that waits for its answer. */
interface Open {
  readonly abort: AbortController;
  readonly type: unknown;
}

const TWICE = "Two questions with one id wait for an answer, so the hub judges neither.";

/** The process that asks, and the folder it works in. */
type Asking = Pick<GateRequest, "source" | "cwd">;

/** Where one process asks the hub's guards and transforms. Many questions at a time; each is answered once, or told who is late when its time is nearly up. */
export function createGateQuestions(gates: Gates, tell: (answer: HubVerdictFrame | TransformedFrame | LateFrame) => void) {
  const open = new Map<string, Open>();
  let openChars = 0;

  /** `chars`: how long the question is. */
  function ask(frame: Frame, who: Asking, chars: number): void {
    const { id, deadlineMs, type } = frame;
    if (typeof id !== "string" || id.length > 256) return;
    const other = open.get(id);
    if (other !== undefined) return refuseBoth(id, type, other);
    const request = readRequest(frame, who);
    const isTooMuch = request === undefined || open.size >= MAX_OPEN || openChars + chars > MAX_OPEN_CHARS;
    // A value cannot be denied: the failure mode of the process that asked decides.
    if (isTooMuch && type === "transform") return tell({ type: "late", id });
    if (isTooMuch) return tell(refusalFrame(id, "The hub could not read the question, or has too many.", "HL_LIMIT"));
    const abort = new AbortController();
    open.set(id, { abort, type });
    openChars += chars;
    const timer = setTimeout(() => abort.abort(LATE), limitOf(deadlineMs));
    const answered =
      type === "transform" ? transform(id, { ...request, value: frame.value }, abort.signal) : answer(id, request, abort.signal);
    void answered.finally(() => {
      clearTimeout(timer);
      open.delete(id);
      openChars -= chars;
    });
  }

  /** The answer to one could be taken for the answer to the other, so neither is judged. */
  function refuseBoth(id: string, type: unknown, other: Open): void {
    const refuse = (kind: unknown) => tell(kind === "transform" ? { type: "late", id } : refusalFrame(id, TWICE, "HL_LIMIT"));
    if (!other.abort.signal.aborted) refuse(other.type);
    other.abort.abort();
    refuse(type);
  }

  async function answer(id: string, request: GateRequest, signal: AbortSignal): Promise<void> {
    try {
      const decision = await gates.decide(request, signal);
      if (!signal.aborted) return tell(verdictFrame(id, decision));
      // Without a verdict, the failure mode of the process that asked decides.
      if (signal.reason === LATE) tell(lateFrame(id, decision));
    } catch (error) {
      if (signal.aborted) return;
      const reason = error instanceof Error ? errorText(error) : "The hub's guards failed.";
      tell(refusalFrame(id, reason, error instanceof HookError ? error.code : "HL_HANDLER_FAILED"));
    }
  }

  async function transform(id: string, request: TransformRequest, signal: AbortSignal): Promise<void> {
    const late = new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true }));
    const result = await Promise.race([gates.transform(request).catch(() => undefined), late]);
    if (result === undefined) return !signal.aborted || signal.reason === LATE ? tell({ type: "late", id }) : undefined;
    try {
      tell(transformedFrame(id, request.value, result));
    } catch {
      // A new value that is not JSON cannot be sent, and the old one must not go on in its place.
      tell({ type: "transformed", id, value: withheldValue(request.event, "what the hub's handlers made of it is not JSON") });
    }
  }

  return {
    ask,
    close(): void {
      for (const { abort } of open.values()) abort.abort();
    },
  };
}

function readRequest({ event, eventId, payload, session }: Frame, who: Asking): GateRequest | undefined {
  if (typeof event !== "string" || payload === undefined) return undefined;
  const { id, parentId } = (session ?? {}) as { readonly id?: unknown; readonly parentId?: unknown };
  const place = typeof id === "string" ? { session: { id, ...(typeof parentId === "string" && { parentId }) } } : {};
  return { event, payload, ...who, ...place, ...(typeof eventId === "string" && { eventId }) };
}

const LATE = new HookError("HL_TIMEOUT", "The process that asked is no longer waiting.", { failure: "timeout" });

function limitOf(deadlineMs: unknown): number {
  const limit = typeof deadlineMs === "number" && deadlineMs > 0 ? Math.min(deadlineMs, MAX_CALL_MS) : MAX_CALL_MS;
  // The process owns the deadline, and hears who is late before it gives up.
  return limit - Math.min(ANSWER_MARGIN_MS, limit / 4);
}

/** A deny by the hub itself. */
export function refusalFrame(id: string, reason: string, cause: string): HubVerdictFrame {
  return { type: "verdict", id, verdict: "deny", decision: "deny", reason, by: HUB_ACTOR.name, actor: HUB_ACTOR, cause };
}
