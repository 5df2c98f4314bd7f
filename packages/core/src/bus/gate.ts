import type { Actor } from "../catalog/actor.js";
import { errorText, HookError } from "../catalog/errors.js";
import { deepEqual } from "../match/deep-equal.js";
import { admitGuard } from "./admission.js";
import { boundAgain } from "./again-limit.js";
import { type Answer, nameReason } from "./answer.js";
import { answerFaults } from "./answer-faults.js";
import { readAnswer } from "./answers.js";
import { answererOf, BUS_ACTOR, requestApproval } from "./approval.js";
import { Chain } from "./chain.js";
import { CheckedVersions, MAX_ROUNDS } from "./checked-versions.js";
import { DecisionRecord, isSet } from "./decision.js";
import { messageOf } from "./describe-error.js";
import { keepEffects } from "./effects.js";
import { type BusEvent, hasCall } from "./event.js";
import { complain, crashed, givenUp, recordFailure } from "./failures.js";
import { type JudgedParts, judge } from "./judged-parts.js";
import { LatestAnswers } from "./latest-answers.js";
import { observeStage } from "./observe.js";
import { whenSettled } from "./promises.js";
import type { Registration } from "./registration.js";
import { type Relayed, relayedBy } from "./relayed.js";
import { rewritten } from "./rewrite.js";
import type { Roster, Slot } from "./slot.js";
import { tell } from "./taps.js";
import type { ApprovalReply, Approver, Ask, DecideOptions, Decision, TrailAction, Verdict } from "./types.js";

/** Why a call must not happen: a handler's verdict, a person's, or a failure (`cause`). */
interface Denial {
  readonly reason: string | undefined;
  readonly actor?: Actor | undefined;
  readonly registration?: Registration;
  readonly cause?: HookError | undefined;
  readonly endLoop?: boolean;
}

/** One `decide`: rewriters, then guards, again and again until every guard has passed the payload that will run. */
export class Gate extends Chain<Decision> {
  readonly #roster: Roster;
  readonly #handlers: readonly Registration[];
  readonly #versions: CheckedVersions;
  readonly #answers = new LatestAnswers();
  /** Handlers for once that this gate has called: to it they belong, and it may show them a rewrite. */
  readonly #usedUp = new Set<Registration>();
  /** The handler whose matcher the fast path has asked already: asked twice, it could say no the second time. */
  #matched = -1;
  #isStopped = false;
  /** The host's own handlers are not asked any more; guards of the hub are, whatever the bus says about its own. */
  #isHostDone = false;
  /** Rewrites are copied as the payload is. */
  #isCopying: boolean;
  /** What of the payload is not simply frozen. */
  #parts: JudgedParts | undefined;
  #denial: Denial | undefined;
  #approvals = 0;
  #approval: { readonly version: number; readonly reply: ApprovalReply } | undefined;
  #approver: Approver | undefined;
  /** Created when the approver is asked: an AbortController costs more than the rest of a gate. */
  #asking: AbortController | undefined;

  constructor(slot: Slot, event: BusEvent, roster: Roster) {
    super(slot, event, true);
    this.#roster = roster;
    this.#handlers = roster.deciders;
    this.#isCopying = slot.isCopying;
    this.#versions = new CheckedVersions(roster.deciders);
    if (slot.core.taps.length > 0) event.stamp();
  }

  /** What the caller wants for this decision alone. */
  under(options: DecideOptions | undefined): this {
    this.#approver = options?.approver;
    if (options?.copy === false) this.#isCopying = false;
    return this.cancelOn(options?.signal);
  }

  /** What is special about the payload. */
  knowing(parts: JudgedParts): this {
    this.#parts = parts;
    return this;
  }

  /** There is nothing to ask: the payload cannot be judged. */
  refusing(cause: HookError): this {
    this.slot.core.report(cause);
    this.#denial = { reason: errorText(cause), cause };
    this.#isStopped = true;
    return this;
  }

  /** Takes over from the fast path: the handlers before `index` have passed, or did not match. Whether that one matches may be known, too. */
  takeOver(index: number, unmatched: number, isMatched = false): this {
    if (isMatched) this.#matched = index;
    for (let i = 0; i < index; i++) this.step(this.#handlers[i] as Registration, isSet(unmatched, i) ? "no-match" : "pass");
    this.#versions.startAt(index);
    return this;
  }

  /** What the handler now due has answered on the fast path. */
  heard(returned: unknown, durationMs?: number): this {
    this.answered(this.#due(), returned, durationMs);
    return this;
  }

  /** How the handler now due has failed on the fast path. */
  sawFailure(error: HookError, durationMs?: number): this {
    this.failed(this.#due(), error, durationMs);
    return this;
  }

  protected override next(): Registration | undefined {
    while (!this.#isStopped) {
      for (let index = this.#versions.next(); index >= 0; index = this.#versions.next()) {
        if (this.#admits(index)) return this.#handlers[index];
        if (this.#isStopped) return undefined;
      }
      if (this.#denial !== undefined || this.#versions.isSettled) return undefined;
      if (!this.#versions.startRound()) this.#denyFight();
      this.round = this.#versions.round;
    }
    return undefined;
  }

  protected override answered(registration: Registration, returned: unknown, durationMs: number | undefined): void {
    if (this.#undoesWrite()) return this.failed(registration, crashed(registration, this.slot, new TypeError(WRITTEN)), durationMs);
    const relayed = relayedBy(registration, returned);
    const answer = readAnswer(returned);
    this.#answers.forget(registration);
    if (answer === undefined) return this.step(registration, "pass", durationMs, undefined, undefined, relayed);
    const wrong = this.#examine(registration, answer);
    nameReason(answer, relayed?.actor ?? registration.parts.actor);
    const rewrite = answer.rewrite === undefined || this.#denial !== undefined ? undefined : this.#rewritten(answer.rewrite);
    const malformed = rewrite instanceof HookError ? this.#refuseRewrite(registration, rewrite) : undefined;
    const cause = wrong ?? malformed;
    if (cause !== undefined) {
      this.step(registration, "deny", durationMs, errorText(cause), cause, relayed);
      return this.#deny({ reason: reasonOf(cause), actor: registration.parts.actor, registration, cause });
    }
    this.step(registration, actionOf(answer), durationMs, answer.reason, undefined, relayed);
    if (rewrite !== undefined && "payload" in rewrite) this.#rewrite(registration, rewrite);
    this.#carryOut(registration, answer, relayed);
  }

  protected override failed(registration: Registration, error: HookError, durationMs: number | undefined): void {
    const { onFailure, name, actor } = registration.parts;
    this.#undoesWrite();
    if (this.slot.canBlock)
      error.note = onFailure === "open" ? 'Nothing is blocked by that: its onFailure is "open".' : this.#adviceFor(registration);
    recordFailure(registration, this.slot, error, false);
    this.#answers.forget(registration);
    this.step(registration, "failed", durationMs, errorText(error), error, relayedBy(registration, error.cause));
    if (onFailure === "abort") {
      const { failure } = error;
      return this.abort(
        new HookError("HL_ABORTED", error.message, { fix: error.fix, event: this.slot.name, handler: name, failure, cause: error }),
      );
    }
    if (onFailure !== "closed" || !this.slot.canBlock) return;
    this.#deny({ reason: reasonOf(error), actor, registration, cause: error });
  }

  protected override ended(): void {
    if (this.#denial !== undefined) return this.#conclude("deny");
    const asks = this.#answers.asks(this.#handlers);
    const isApproved = this.#approval?.version === this.#versions.version;
    if (asks.length > 0 && !isApproved) return this.#ask(asks);
    this.#conclude(isApproved || this.#first("allow") !== undefined ? "allow" : "pass");
  }

  protected override cancelled(reason: unknown, waiting: Registration | undefined): void {
    this.#asking?.abort(reason);
    const cause = givenUp(this.slot, reason, waiting?.parts.name);
    this.#denial = { reason: errorText(cause), actor: cause.failure === "timeout" ? waiting?.parts.actor : undefined, cause };
    this.#conclude("deny");
  }

  #due(): Registration {
    const index = this.#versions.next();
    this.#versions.checked(index);
    return this.#handlers[index] as Registration;
  }

  #admits(index: number): boolean {
    const registration = this.#handlers[index] as Registration;
    if (this.#isHostDone && !isOfHub(registration)) {
      this.#versions.checked(index);
      return false;
    }
    this.#undoesWrite();
    const admission = index === this.#matched ? "yes" : admitGuard(registration, this.event, !this.#usedUp.has(registration));
    this.#matched = -1;
    this.#versions.checked(index);
    if (admission === "yes") {
      if (registration.parts.once) this.#usedUp.add(registration);
      return true;
    }
    this.#answers.forget(registration);
    if (admission instanceof HookError) this.refuse(registration, admission);
    else this.step(registration, admission === "spent" ? "not-reached" : admission);
    return false;
  }

  /** Whether a handler has written to what cannot be frozen. If so, it is what it was before again. */
  #undoesWrite(): boolean {
    if (this.#parts?.isWritten(this.event.payload) !== true) return false;
    this.event = this.event.sibling(this.#parts.fresh());
    return true;
  }

  /** A guard that failed on a payload without a call need not be at fault. */
  #adviceFor(registration: Registration): string | undefined {
    const { slot, event } = this;
    if (!slot.name.startsWith("tool:") || hasCall(event.payload)) return adviceFor(registration, slot);
    return "The payload has no { tool: { name, input } } to judge.";
  }

  /** Reports what is wrong with an answer; gives the error that denies, if it does. */
  #examine(registration: Registration, answer: Answer): HookError | undefined {
    const { slot } = this;
    let denial: HookError | undefined;
    for (const { error, isDecisive, once } of answerFaults(answer, slot)) {
      if (isDecisive) answer.verdict = answer.rewrite = undefined;
      const denies = slot.canBlock && (isDecisive || registration.parts.onFailure !== "open");
      if (denies && !isDecisive) error.note = adviceFor(registration, slot);
      const named = complain(error, registration, slot, once);
      if (denies) denial ??= named;
    }
    return denial;
  }

  #refuseRewrite(registration: Registration, error: HookError): HookError | undefined {
    const named = complain(error, registration, this.slot);
    return this.slot.canBlock ? named : undefined;
  }

  /** The payload that a rewrite asks for. Its content is copied before it is looked at: it could say another thing at the second look. */
  #rewritten(rewrite: NonNullable<Answer["rewrite"]>): Rewritten | HookError {
    if (!this.#isCopying) return rewritten(this.event.payload, rewrite);
    try {
      const { value } = rewrite;
      const result = rewritten(this.event.payload, {
        ...rewrite,
        value: typeof value === "object" && value !== null ? judge(value).payload : value,
      });
      return result instanceof HookError ? result : judge(result.payload as object);
    } catch (error) {
      return new HookError("HL_BAD_MODIFY", `the new payload ${messageOf(error)}`, { failure: "invalid_verdict" });
    }
  }

  #rewrite(registration: Registration, { payload, parts }: Rewritten): void {
    if (!this.#adopt(payload, parts, registration)) return;
    if (this.slot.core.options.onModify === "stop" && !isOfHub(registration)) this.#isHostDone = true;
  }

  #carryOut(registration: Registration, answer: Answer, relayed: Relayed | undefined): void {
    const { verdict, reason, endLoop } = answer;
    this.#answers.note(registration, answer, this.#versions.version, relayed);
    if (verdict === "block") this.#deny({ reason, actor: relayed?.actor ?? registration.parts.actor, registration, endLoop });
    const stops = this.slot.core.options.onAsk === "stop" && this.#approver === undefined && !isOfHub(registration);
    if (verdict === "ask" && stops) this.#isHostDone = true;
  }

  /** False when the payload is what it was. */
  #adopt(payload: unknown, parts: JudgedParts | undefined, author?: Registration): boolean {
    if (deepEqual(payload, this.event.payload)) return false;
    this.#parts = parts;
    this.event = this.event.sibling(payload);
    this.#versions.changed(author);
    return true;
  }

  #deny(denial: Denial): void {
    if (denial.registration !== undefined) denial.registration.denies++;
    this.#denial ??= denial;
    if (this.slot.core.options.runAll !== true) this.#isStopped = true;
  }

  #denyFight(): void {
    const { name } = this.slot;
    const [first] = this.#versions.rewriters;
    const names = this.#versions.rewriters.map(({ parts }) => `"${parts.name}"`).join(" and ") || "the approver";
    const message = `Guards of "${name}" kept rewriting each other's payload for ${MAX_ROUNDS} rounds: ${names}. Move one to stage "rewrite".`;
    const cause = new HookError("HL_REWRITE_LOOP", message, { event: name, handler: first?.parts.name });
    this.slot.core.report(cause);
    this.#isStopped = true;
    if (this.slot.canBlock) this.#denial ??= { reason: message, actor: first?.parts.actor, cause };
  }

  #ask(asks: readonly Ask[]): void {
    const { generation, event, slot } = this;
    const { core } = slot;
    const approver = this.#approver ?? ((core.options.onAsk ?? "resolve") === "resolve" ? core.approver : null);
    if (approver === null) return this.#conclude("ask");
    this.#approvals++;
    this.#asking ??= new AbortController();
    const asked = { event, asks, approver };
    whenSettled(
      requestApproval(slot, asked, this.#asking.signal),
      (reply) => {
        if (generation === this.generation) this.#replied(reply as ApprovalReply | HookError);
      },
      (thrown) => {
        const cause = new HookError("HL_APPROVER_FAILED", `The approver failed: ${messageOf(thrown)}`, { failure: "crash", cause: thrown });
        if (generation === this.generation) this.#replied(cause);
      },
    );
  }

  #replied(reply: ApprovalReply | HookError): void {
    const cause = reply instanceof HookError ? reply : undefined;
    const [action, reason] = reply instanceof HookError ? (["failed", errorText(reply)] as const) : [reply.verdict, reply.reason];
    const actor = answererOf(reply);
    this.steps.push({ actor, stage: "approval", round: this.round, action, reason, failure: cause?.failure });
    if (cause !== undefined) this.slot.core.report(cause);
    if (action === "allow") this.#accept(reply as ApprovalReply);
    else this.#denial = { reason, actor, cause };
    this.#versions.restart();
    this.round = this.#versions.round;
    this.proceed();
  }

  /** A payload the approver edited is a rewrite like any other: every guard looks again. */
  #accept(reply: ApprovalReply): void {
    const { name } = this.slot;
    if (reply.payload !== undefined) {
      const result = this.#rewritten({ as: "payload", value: reply.payload });
      if (result instanceof HookError) {
        const cause = new HookError(result.code, `The approver edited "${name}" badly: ${result.message}.`, {
          event: name,
          failure: "invalid_verdict",
        });
        this.#denial = { reason: cause.message, actor: answererOf(reply), cause };
        return;
      }
      this.#adopt(result.payload, result.parts);
    }
    this.#approval = { version: this.#versions.version, reply };
    if (this.#approvals > MAX_ROUNDS) this.#denyFight();
  }

  #conclude(verdict: Verdict): void {
    const { slot, event } = this;
    const parts = this.#parts;
    const decision = new DecisionRecord(verdict, parts?.judged ?? event.payload, this.#handlers, 0, this.steps);
    if (parts !== undefined && parts.opaque.length > 0) decision.opaque = parts.opaque;
    decision.modified = this.#versions.version > 0;
    this.#explain(decision);
    if (verdict === "ask") decision.asks = this.#answers.asks(this.#handlers);
    const denier = verdict === "deny" ? (this.#denial?.registration ?? null) : undefined;
    keepEffects(decision, event, this.#handlers, (registration) => this.#answers.effectsOf(registration), denier);
    boundAgain(decision, slot, event);
    if (this.#roster.observers.length > 0 && decision.allowed) observeStage(this.#roster.observers, event);
    if (slot.core.taps.length > 0) {
      tell(slot, event, (tap) => tap.dispatched?.(event, { kind: "gate", decision }));
      decision.forgetCopy();
    }
    this.done(decision);
  }

  /** Fills in who decided and why. */
  #explain(decision: DecisionRecord): void {
    if (decision.verdict === "deny") {
      const { reason, actor = BUS_ACTOR, cause, endLoop = false } = this.#denial as Denial;
      Object.assign(decision, { reason, by: actor.name, actor, cause, endLoop });
      return;
    }
    const isApproved = decision.verdict === "allow" && this.#approval?.version === this.#versions.version;
    const reply = isApproved ? this.#approval?.reply : undefined;
    const answer = this.#first(decision.verdict === "ask" ? "ask" : "allow");
    decision.reason = reply === undefined ? answer?.reason : reply.reason;
    decision.actor = reply === undefined ? answer?.actor : answererOf(reply);
    decision.by = decision.actor?.name;
    const again = this.#first("again");
    if (again !== undefined) decision.again = { reason: again.reason, by: again.actor.name };
    const handled = this.#first("handled");
    if (handled !== undefined) decision.handled = { output: handled.output, by: handled.actor.name };
  }

  #first(verdict: NonNullable<Answer["verdict"]>): ReturnType<LatestAnswers["first"]> {
    return this.#answers.first(verdict, this.#handlers, this.#versions.version);
  }
}

/** What a rewrite has made of the payload. */
interface Rewritten {
  readonly payload: unknown;
  readonly parts?: JudgedParts | undefined;
}

const WRITTEN = "it wrote to a Map, a Set, a Date or bytes of the payload, where it must return a rewrite";

/** What the hub says holds for every process that it guards, however that process treats its own handlers. */
function isOfHub({ parts }: Registration): boolean {
  return parts.actor.kind === "hub";
}

/** Where neither handler nor bus chose that a failure denies, the handler may be a logger that was not meant as a guard. */
function adviceFor({ parts }: Registration, { core }: Slot): string | undefined {
  const isChosen = parts.saysOnFailure || parts.isSentinel || core.options.onFailure !== undefined;
  return isChosen ? undefined : 'If it only watches, register it with stage: "observe".';
}

/** The failure's own words name the handler. */
function reasonOf(error: HookError): string {
  const text = errorText(error);
  return error.note === undefined ? text : `${text.replace(/\.$/, "")}. ${error.note}`;
}

function actionOf(answer: Answer): TrailAction {
  if (answer.verdict !== undefined) return answer.verdict === "block" ? "deny" : answer.verdict;
  if (answer.rewrite !== undefined) return "modify";
  return answer.effects[0]?.kind ?? "ignored";
}
