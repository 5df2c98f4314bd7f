import { errorText, HookError } from "../catalog/errors.js";
import { deepEqual } from "../match/deep-equal.js";
import { boundAgain } from "./again-limit.js";
import { type Answer, nameReason } from "./answer.js";
import { answerFaults } from "./answer-faults.js";
import { answererOf, BUS_ACTOR } from "./answerer.js";
import { readAnswer } from "./answers.js";
import type { Answered } from "./approval.js";
import { Chain } from "./chain.js";
import { CheckedVersions } from "./checked-versions.js";
import { DecisionRecord, isSet } from "./decision.js";
import { adviceFor, adviceOnFailure, type Denial, denialBy, endlessRewrites } from "./denial.js";
import { keepEffects } from "./effects.js";
import type { BusEvent } from "./event.js";
import { complain, crashed, givenUp, recordFailure } from "./failures.js";
import { GateApproval } from "./gate-approval.js";
import { GuardAdmission, isOfHub } from "./guard-admission.js";
import type { JudgedParts } from "./judged-parts.js";
import { LatestAnswers } from "./latest-answers.js";
import { observeStage } from "./observe.js";
import type { Registration } from "./registration.js";
import { type Relayed, relayedBy } from "./relayed.js";
import { type Rewritten, rewritten } from "./rewrite.js";
import type { Roster, Slot } from "./slot.js";
import { tell } from "./taps.js";
import type { ApprovalReply, Approver, Ask, DecideOptions, Decision, TrailAction, Verdict } from "./types.js";

/** One `decide`: rewriters, then guards, again and again until every guard has passed the payload that will run. */
export class Gate extends Chain<Decision> {
  readonly #roster: Roster;
  readonly #handlers: readonly Registration[];
  readonly #versions: CheckedVersions;
  readonly #answers = new LatestAnswers();
  readonly #admission = new GuardAdmission();
  #isStopped = false;
  /** Rewrites are copied as the payload is. */
  #isCopying: boolean;
  /** What of the payload is not simply frozen. */
  #parts: JudgedParts | undefined;
  #denial: Denial | undefined;
  #approval: GateApproval | undefined;
  #approver: Approver | undefined;

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
    if (isMatched) this.#admission.matched = this.#handlers[index];
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
      if (!this.#versions.startRound()) this.#denyEndless();
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
    const malformed = rewrite instanceof HookError ? complain(rewrite, registration, this.slot) : undefined;
    const cause = wrong ?? (this.slot.canBlock ? malformed : undefined);
    if (cause !== undefined) {
      this.step(registration, "deny", durationMs, errorText(cause), cause, relayed);
      return this.#deny(denialBy(registration, cause));
    }
    this.step(registration, actionOf(answer), durationMs, answer.reason, undefined, relayed);
    if (rewrite !== undefined && "payload" in rewrite) this.#rewrite(registration, rewrite);
    this.#carryOut(registration, answer, relayed);
  }

  protected override failed(registration: Registration, error: HookError, durationMs: number | undefined): void {
    const { onFailure, name } = registration.parts;
    this.#undoesWrite();
    if (this.slot.canBlock) error.note = adviceOnFailure(registration, this.slot, this.event.payload);
    recordFailure(registration, this.slot, error, false);
    this.#answers.forget(registration);
    this.step(registration, "failed", durationMs, errorText(error), error, relayedBy(registration, error.cause));
    if (onFailure === "abort") {
      const { failure } = error;
      return this.abort(
        new HookError("HL_ABORTED", error.message, { fix: error.fix, event: this.slot.name, handler: name, failure, cause: error }),
      );
    }
    if (onFailure === "closed" && this.slot.canBlock) this.#deny(denialBy(registration, error));
  }

  protected override ended(): void {
    if (this.#denial !== undefined) return this.#conclude("deny");
    const asks = this.#answers.asks(this.#handlers);
    const isApproved = this.#approved !== undefined;
    if (asks.length > 0 && !isApproved) return this.#ask(asks);
    this.#conclude(isApproved || this.#first("allow") !== undefined ? "allow" : "pass");
  }

  protected override cancelled(reason: unknown, waiting: Registration | undefined): void {
    this.#approval?.cancel(reason);
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
    this.#versions.checked(index);
    if (this.#admission.isLeftOut(registration)) return false;
    this.#undoesWrite();
    const admission = this.#admission.admit(registration, this.event);
    if (admission === "yes") return true;
    this.#answers.forget(registration);
    this.leaveOut(registration, admission);
    return false;
  }

  /** Whether a handler has written to what cannot be frozen. If so, it is what it was before again. */
  #undoesWrite(): boolean {
    if (this.#parts?.isWritten(this.event.payload) !== true) return false;
    this.event = this.event.sibling(this.#parts.fresh());
    return true;
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

  #rewritten(rewrite: NonNullable<Answer["rewrite"]>): Rewritten | HookError {
    return rewritten(this.event.payload, rewrite, this.#isCopying);
  }

  #rewrite(registration: Registration, { payload, parts }: Rewritten): void {
    if (!this.#adopt(payload, parts, registration)) return;
    if (this.slot.core.options.onModify === "stop" && !isOfHub(registration)) this.#admission.isHostDone = true;
  }

  #carryOut(registration: Registration, answer: Answer, relayed: Relayed | undefined): void {
    const { verdict, reason, endLoop } = answer;
    this.#answers.note(registration, answer, this.#versions.version, relayed);
    if (verdict === "block") this.#deny({ reason, actor: relayed?.actor ?? registration.parts.actor, registration, endLoop });
    const stops = this.slot.core.options.onAsk === "stop" && this.#approver === undefined && !isOfHub(registration);
    if (verdict === "ask" && stops) this.#admission.isHostDone = true;
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

  #denyEndless(): void {
    const denial = endlessRewrites(this.slot, this.#versions);
    this.slot.core.report(denial.cause as HookError);
    this.#isStopped = true;
    if (this.slot.canBlock) this.#denial ??= denial;
  }

  #ask(asks: readonly Ask[]): void {
    const { generation, event, slot } = this;
    const { core } = slot;
    const approver = this.#approver ?? ((core.options.onAsk ?? "resolve") === "resolve" ? core.approver : null);
    if (approver === null) return this.#conclude("ask");
    this.#approval ??= new GateApproval();
    const edited = (payload: unknown): Rewritten | HookError => this.#rewritten({ as: "payload", value: payload });
    void this.#approval.ask(slot, { event, asks, approver, edited }).then((answered) => {
      if (generation === this.generation) this.#replied(answered);
    });
  }

  #replied({ reply, edit }: Answered): void {
    const cause = reply instanceof HookError ? reply : undefined;
    const [action, reason] = reply instanceof HookError ? (["failed", errorText(reply)] as const) : [reply.verdict, reply.reason];
    const actor = answererOf(reply);
    this.steps.push({ actor, stage: "approval", round: this.round, action, reason, failure: cause?.failure });
    if (cause !== undefined) this.slot.core.report(cause);
    if (action !== "allow") this.#denial = { reason, actor, cause };
    else if (edit instanceof HookError) this.#denial = { reason: edit.message, actor, cause: edit };
    else this.#accept(reply as ApprovalReply, edit);
    this.#versions.restart();
    this.round = this.#versions.round;
    this.proceed();
  }

  /** A payload the approver edited is a rewrite like any other: every guard looks again. */
  #accept(reply: ApprovalReply, edit: Rewritten | undefined): void {
    if (edit !== undefined) this.#adopt(edit.payload, edit.parts);
    this.#approval?.grant(this.#versions.version, reply);
    if (this.#approval?.isEndless === true) this.#denyEndless();
  }

  /** A person's yes to the payload as it is. */
  get #approved(): ApprovalReply | undefined {
    return this.#approval?.grantedFor(this.#versions.version);
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
    const reply = decision.verdict === "allow" ? this.#approved : undefined;
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

const WRITTEN = "it wrote to a Map, a Set, a Date or bytes of the payload, where it must return a rewrite";

function actionOf(answer: Answer): TrailAction {
  if (answer.verdict !== undefined) return answer.verdict === "block" ? "deny" : answer.verdict;
  if (answer.rewrite !== undefined) return "modify";
  return answer.effects[0]?.kind ?? "ignored";
}
