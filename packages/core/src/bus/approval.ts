import { readActor } from "../catalog/actor.js";
import { errorText, HookError } from "../catalog/errors.js";
import { answererOf } from "./answerer.js";
import { InFlight, unwatch, watchFor } from "./deadlines.js";
import { asHookError, messageOf } from "./describe-error.js";
import type { BusEvent } from "./event.js";
import { observe } from "./observe.js";
import type { Rewritten } from "./rewrite.js";
import type { Slot } from "./slot.js";
import { DEFAULT_APPROVAL_TIMEOUT_MS } from "./time-limits.js";
import type { ApprovalReply, ApprovalRequest, Approver, Ask } from "./types.js";

export interface Asked {
  readonly event: BusEvent;
  readonly asks: readonly Ask[];
  readonly approver: Approver | undefined;
  /** The payload that the approver edited, as the gate would take it from a guard. */
  readonly edited: (payload: unknown) => Rewritten | HookError;
}

/** What came of a question. An error means deny. */
export interface Answered {
  readonly reply: ApprovalReply | HookError;
  /** The payload that the approver wants instead. */
  readonly edit?: Rewritten | HookError | undefined;
}

/** Asks the approver, bounded in time. Never rejects: what goes wrong comes back as an error and means deny. */
export async function requestApproval(slot: Slot, asked: Asked, cancel: AbortSignal): Promise<Answered> {
  const { core } = slot;
  const timeoutMs = core.options.askTimeoutMs ?? DEFAULT_APPROVAL_TIMEOUT_MS;
  const { event, asks, approver } = asked;
  const [first] = asks as readonly [Ask];
  const { session } = event;
  const request: ApprovalRequest = {
    id: newApprovalId(),
    event: slot.name,
    eventId: event.id,
    payload: event.payload,
    session,
    reason: first.reason,
    by: first.by,
    actor: first.actor,
    asks,
    expiresAt: Date.now() + timeoutMs,
  };
  // While this part was loaded.
  if (cancel.aborted) return { reply: cancelledAsk(request) };
  const isReported = approver === undefined || !reportsItself(approver);
  if (isReported) observe(core.slot("approval:requested"), { session, approval: request }, event.depth + 1);
  const reply = await answerOf(approver, request, timeoutMs, cancel);
  if (isReported) observe(core.slot("permission:replied"), { session, approval: replyOf(request, reply) }, event.depth + 1);
  return { reply, edit: editIn(reply, slot, asked) };
}

function editIn(reply: ApprovalReply | HookError, { name: event }: Slot, { edited }: Asked): Rewritten | HookError | undefined {
  if (reply instanceof HookError || reply.verdict !== "allow" || reply.payload === undefined) return undefined;
  const edit = edited(reply.payload);
  if (!(edit instanceof HookError)) return edit;
  return new HookError(edit.code, `The approver edited "${event}" badly: ${edit.message}.`, { event, failure: "invalid_verdict" });
}

/** What `permission:replied` says of an answer. */
export function replyOf({ id, event, eventId }: Pick<ApprovalRequest, "id" | "event" | "eventId">, reply: ApprovalReply | HookError) {
  const about = { id, event, eventId };
  const actor = answererOf(reply);
  if (reply instanceof HookError) return { ...about, verdict: "deny", reason: errorText(reply), actor, cause: reply.code };
  const { verdict, reason, by } = reply;
  return { ...about, verdict, reason, by, actor };
}

/**
 * The id of the event that tells of the question of an approval, or of its answer. The process that asks and the hub both report them, because
 * either may be gone before its report is stored; they use this id, so the store keeps one. Undefined for other events, and for an id of another kind.
 */
export function approvalEventId(event: string, approvalId: unknown): string | undefined {
  if (!isApprovalId(approvalId)) return undefined;
  if (event === "approval:requested") return `requested-${approvalId}`;
  return event === "permission:replied" ? `replied-${approvalId}` : undefined;
}

/** Whether it is the id of an approval as `newApprovalId` makes them. Version 1 gave other ids. */
export function isApprovalId(id: unknown): id is string {
  return typeof id === "string" && ID.test(id);
}

const REPORTS = Symbol.for("hookline.approver.reports");

/** Marks an approver that tells of the question and of the answer itself, so that the bus need not: the question is then told of once. */
export function reportingApprover(approver: Approver): Approver {
  return Object.defineProperty(approver, REPORTS, { value: true });
}

function reportsItself(approver: Approver): boolean {
  return (approver as { readonly [REPORTS]?: unknown })[REPORTS] === true;
}

/** Without letters that look alike: it is typed in a terminal. */
const LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";
const ID_LENGTH = 10;

// Marked pure, so that bundlers leave it out of what does not use it.
const ID = /* @__PURE__ */ new RegExp(`^[${LETTERS}]{${ID_LENGTH}}$`);

export function newApprovalId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(ID_LENGTH)), (byte) => LETTERS.charAt(byte % LETTERS.length)).join("");
}

async function answerOf(
  approver: Approver | undefined,
  request: ApprovalRequest,
  timeoutMs: number,
  cancel: AbortSignal,
): Promise<ApprovalReply | HookError> {
  if (approver === undefined) {
    return refusal("HL_NO_APPROVER", request, "there is no approver");
  }
  const controller = new AbortController();
  const limit = new ApprovalLimit(request, controller, cancel);
  watchFor(limit, timeoutMs);
  try {
    const reply = await Promise.race([limit.over, ask(approver, request, controller.signal)]);
    return (
      asHookError(reply) ??
      readReply(reply as ApprovalReply) ??
      refusal("HL_APPROVER_FAILED", request, 'the approver must return { verdict: "allow" } or { verdict: "deny" }')
    );
  } catch (error) {
    return refusal("HL_APPROVER_FAILED", request, `the approver failed: ${messageOf(error)}`, error);
  } finally {
    limit.end();
  }
}

// Its own async function, so that an approver that throws at once is a rejection like any other.
async function ask(approver: Approver, request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalReply> {
  return approver(request, signal);
}

/** The end of the wait: by time or by the caller. */
class ApprovalLimit extends InFlight {
  readonly over: Promise<HookError>;
  readonly #request: ApprovalRequest;
  readonly #controller: AbortController;
  readonly #cancel: AbortSignal;
  #finish: (error: HookError) => void = () => {};

  constructor(request: ApprovalRequest, controller: AbortController, cancel: AbortSignal) {
    super(true);
    this.#request = request;
    this.#controller = controller;
    this.#cancel = cancel;
    this.over = new Promise((resolve) => {
      this.#finish = resolve;
    });
    cancel.addEventListener("abort", this.#cancelled, { once: true });
  }

  override expire(): void {
    this.#stop(refusal("HL_APPROVAL_TIMEOUT", this.#request, "no person answered in time"));
  }

  end(): void {
    unwatch(this);
    this.#cancel.removeEventListener("abort", this.#cancelled);
  }

  #cancelled = (): void => this.#stop(cancelledAsk(this.#request));

  #stop(error: HookError): void {
    this.#finish(error);
    this.#controller.abort(error);
  }
}

/** Its fields, each read once: a getter cannot change what was checked. */
function readReply(reply: ApprovalReply | null | undefined): ApprovalReply | undefined {
  const { verdict, reason, by, actor, payload } = reply ?? ({} as ApprovalReply);
  if (verdict !== "allow" && verdict !== "deny") return undefined;
  const known = readActor(actor);
  return {
    verdict,
    ...(reason !== undefined && { reason: String(reason) }),
    ...(by !== undefined && { by: String(by) }),
    ...(known !== undefined && { actor: known }),
    ...(payload !== undefined && { payload }),
  };
}

function cancelledAsk(request: ApprovalRequest): HookError {
  return refusal("HL_CANCELLED", request, "the caller cancelled");
}

function refusal(code: keyof typeof FAILURES, request: ApprovalRequest, why: string, cause?: unknown): HookError {
  const asked = request.reason === undefined ? "" : ` ("${request.reason}")`;
  const fix = code === "HL_NO_APPROVER" ? 'Call bus.setApprover(…), or create the bus with onAsk: "return".' : asHookError(cause)?.fix;
  return new HookError(code, `"${request.by}" asked for approval of "${request.event}"${asked}, but ${why}.`, {
    fix,
    event: request.event,
    handler: request.by,
    failure: FAILURES[code],
    cause,
  });
}

const FAILURES = {
  HL_NO_APPROVER: undefined,
  HL_APPROVER_FAILED: "crash",
  HL_APPROVAL_TIMEOUT: "timeout",
  HL_CANCELLED: "cancelled",
} as const;
