import { HookError } from "../catalog/errors.js";
import { deepEqual } from "../match/deep-equal.js";
import { admitGuard } from "./admission.js";
import { boundAgain } from "./again.js";
import { type Answer, readAnswer } from "./answers.js";
import { requestApproval } from "./approval.js";
import { Chain } from "./chain.js";
import { DecisionRecord, type Step } from "./decision.js";
import { messageOf } from "./describe-error.js";
import { type ByHandler, keepEffects } from "./effects.js";
import type { BusEvent } from "./event.js";
import { complain, recordFailure } from "./failures.js";
import { deepFreeze } from "./freeze.js";
import { observeStage } from "./observe.js";
import type { Registration } from "./registration.js";
import { rewritten } from "./rewrite.js";
import { objections } from "./scrutiny.js";
import type { Slot } from "./slot.js";
import { tell } from "./taps.js";
import type { ApprovalReply, Decision, Verdict } from "./types.js";

/** Times the guards look again at each other's rewrites, and people at theirs, before the call is denied. */
const MAX_ROUNDS = 8;
const UNSEEN = -1;

/** What a handler last said, and of which version of the payload it said it. */
interface Standing {
  readonly verdict: NonNullable<Answer["verdict"]>;
  readonly reason: string | undefined;
  readonly output: unknown;
  readonly version: number;
}
interface Denial {
  readonly reason: string | undefined;
  readonly by: string | undefined;
  readonly registration: Registration | undefined;
  readonly cause: HookError | undefined;
  readonly endLoop: boolean;
}

/** One `decide`: rewriters, then guards, again and again until every guard has passed the payload that will run. */
export class Gate extends Chain<Decision> {
  readonly #handlers: readonly Registration[];
  readonly #deciders: number;
  /** The payload's version each handler has looked at. */
  readonly #seen: number[];
  #index = 0;
  #version = 0;
  #isStopped = false;
  #denial: Denial | undefined;
  #standing: Map<Registration, Standing> | undefined;
  #effects: ByHandler | undefined;
  /** Who rewrote in this round: the ones to name when they never agree. */
  #rewriters: Registration[] = [];
  #approvals = 0;
  #approvedVersion = UNSEEN;
  #approvedBy: ApprovalReply | undefined;
  /** Made when somebody is asked: an AbortController costs more than the rest of a gate. */
  #asking: AbortController | undefined;

  constructor(slot: Slot, event: BusEvent, handlers: readonly Registration[], deciders: number) {
    super(slot, event, true);
    this.#handlers = handlers;
    this.#deciders = deciders;
    this.#seen = new Array<number>(this.#deciders).fill(UNSEEN);
    if (slot.core.options.freeze === true) deepFreeze(event.payload);
    if (slot.core.taps.length > 0) event.stamp();
  }

  /** Takes over from the fast path: the handlers before `index` have passed, or did not match. */
  takeOver(index: number, unmatched: number): this {
    for (let i = 0; i < index; i++) {
      this.#seen[i] = 0;
      this.step(this.#handlers[i] as Registration, (unmatched & (1 << i)) !== 0 ? "no-match" : "pass");
    }
    this.#index = index;
    return this;
  }

  /** The fast path has already called the handler at `#index`. */
  heard(returned: unknown, durationMs?: number): this {
    this.#seen[this.#index] = 0;
    this.answered(this.#handlers[this.#index++] as Registration, returned, durationMs);
    return this;
  }

  sawFailure(error: HookError, durationMs?: number): this {
    this.#seen[this.#index] = 0;
    this.failed(this.#handlers[this.#index++] as Registration, error, durationMs);
    return this;
  }

  protected override next(): Registration | undefined {
    while (!this.#isStopped) {
      while (this.#index < this.#deciders) {
        const index = this.#index++;
        const registration = this.#handlers[index] as Registration;
        if (this.#mustLook(registration, index) && this.#admits(registration, index)) return registration;
        if (this.#isStopped) return undefined;
      }
      if (!this.#someHaveNotSeen()) return undefined;
      if (++this.round > MAX_ROUNDS) this.#denyFight();
      this.#index = 0;
      this.#rewriters = [];
    }
    return undefined;
  }

  protected override answered(registration: Registration, returned: unknown, durationMs: number | undefined): void {
    const answer = readAnswer(returned);
    this.#standing?.delete(registration);
    this.#effects?.delete(registration);
    if (answer === undefined) return this.step(registration, "pass", durationMs);
    const denial = this.#examine(registration, answer);
    if (denial !== undefined) {
      this.step(registration, "deny", durationMs, denial.message, denial);
      return this.#deny({ reason: denial.message, by: registration.parts.name, registration, cause: denial, endLoop: false });
    }
    this.step(registration, actionOf(answer), durationMs, answer.reason);
    this.#carryOut(registration, answer);
  }

  protected override failed(registration: Registration, error: HookError, durationMs: number | undefined): void {
    recordFailure(registration, this.slot, error, false);
    this.#standing?.delete(registration);
    this.#effects?.delete(registration);
    const { onFailure, name } = registration.parts;
    this.step(registration, "failed", durationMs, error.message, error);
    if (onFailure === "abort")
      return this.abort(
        new HookError("HL_ABORTED", error.message, { event: this.slot.name, handler: name, failure: error.failure, cause: error }),
      );
    if (onFailure !== "closed" || !this.slot.canBlock) return;
    const reason = error.code === "HL_HANDLER_FAILED" ? messageOf(error.cause) : error.message;
    this.#deny({ reason, by: name, registration, cause: error, endLoop: false });
  }

  protected override ended(): void {
    if (this.#denial !== undefined) return this.#conclude("deny");
    const asking = this.#firstStanding("ask");
    if (asking !== undefined && this.#approvedVersion !== this.#version) return this.#ask(asking[0], asking[1]);
    const isAllowed = this.#approvedVersion === this.#version || this.#firstStanding("allow") !== undefined;
    this.#conclude(isAllowed ? "allow" : "pass");
  }

  protected override cancelled(reason: unknown): void {
    this.#asking?.abort(reason);
    const cause = new HookError("HL_CANCELLED", `The caller cancelled "${this.slot.name}" before it was decided.`, {
      event: this.slot.name,
      failure: "cancelled",
      cause: reason,
    });
    this.#denial = { reason: cause.message, by: undefined, registration: undefined, cause, endLoop: false };
    this.#conclude("deny");
  }

  #mustLook(registration: Registration, index: number): boolean {
    return registration.parts.stage === "rewrite" ? this.#seen[index] === UNSEEN : this.#seen[index] !== this.#version;
  }

  #admits(registration: Registration, index: number): boolean {
    const admission = admitGuard(registration, this.event, this.#seen[index] === UNSEEN);
    this.#seen[index] = this.#version;
    if (admission === "yes") return true;
    this.#standing?.delete(registration);
    this.#effects?.delete(registration);
    if (admission instanceof HookError) this.refuse(registration, admission);
    else this.step(registration, admission === "spent" ? "not-reached" : admission);
    return false;
  }

  #someHaveNotSeen(): boolean {
    return (
      this.#version > 0 &&
      this.#denial === undefined &&
      this.#handlers.some((registration, index) => index < this.#deciders && this.#mustLook(registration, index))
    );
  }

  /** Reports what is wrong with an answer; gives the error that denies, if it does. */
  #examine(registration: Registration, answer: Answer): HookError | undefined {
    const { slot } = this;
    let denial: HookError | undefined;
    for (const { error, isDecisive, isOnce } of objections(answer, slot)) {
      if (isDecisive) answer.verdict = answer.rewrite = undefined;
      const named = complain(error, registration, slot, isOnce);
      if (slot.canBlock && (isDecisive || registration.parts.onFailure !== "open")) denial ??= named;
    }
    return denial;
  }

  #carryOut(registration: Registration, answer: Answer): void {
    if (answer.effects.length > 0) {
      this.#effects ??= new Map();
      this.#effects.set(registration, answer.effects);
    }
    if (answer.verdict === "block") {
      return this.#deny({ reason: answer.reason, by: registration.parts.name, registration, cause: undefined, endLoop: answer.endLoop });
    }
    if (answer.rewrite !== undefined && this.#denial === undefined) this.#rewrite(registration, answer.rewrite);
    if (answer.verdict === undefined || this.#denial !== undefined) return;
    this.#standing ??= new Map();
    this.#standing.set(registration, { verdict: answer.verdict, reason: answer.reason, output: answer.output, version: this.#version });
    if (answer.verdict === "ask" && this.slot.core.options.onAsk === "stop") this.#isStopped = true;
  }

  #rewrite(registration: Registration, rewrite: NonNullable<Answer["rewrite"]>): void {
    const result = rewritten(this.event.payload, rewrite);
    if (result instanceof HookError) {
      const named = complain(result, registration, this.slot, false);
      if (this.slot.canBlock)
        this.#deny({ reason: named.message, by: registration.parts.name, registration, cause: named, endLoop: false });
      return;
    }
    if (!this.#adopt(result.payload)) return;
    this.#rewriters.push(registration);
    this.#seen[this.#handlers.indexOf(registration)] = this.#version;
    if (this.slot.core.options.onModify === "stop") this.#isStopped = true;
  }

  /** False when the payload is what it was. */
  #adopt(payload: unknown): boolean {
    if (deepEqual(payload, this.event.payload)) return false;
    if (this.slot.core.options.freeze === true) deepFreeze(payload);
    this.event = this.event.sibling(payload);
    this.#version++;
    return true;
  }

  #deny(denial: Denial): void {
    if (denial.registration !== undefined) denial.registration.denies++;
    this.#denial ??= denial;
    if (this.slot.core.options.runAll !== true) this.#isStopped = true;
  }

  #denyFight(): void {
    const names = this.#rewriters.map(({ parts }) => `"${parts.name}"`).join(" and ");
    const message = `Guards of "${this.slot.name}" kept rewriting each other's payload for ${MAX_ROUNDS} rounds: ${names}. Let them agree, or move one to stage "rewrite".`;
    const cause = new HookError("HL_REWRITE_LOOP", message, { event: this.slot.name, handler: this.#rewriters[0]?.parts.name });
    this.slot.core.report(cause);
    this.#isStopped = true;
    if (this.slot.canBlock)
      this.#denial ??= { reason: message, by: this.#rewriters[0]?.parts.name, registration: undefined, cause, endLoop: false };
  }

  #firstStanding(verdict: Standing["verdict"]): [Registration, Standing] | undefined {
    if (this.#standing === undefined) return undefined;
    for (const registration of this.#handlers) {
      const standing = this.#standing.get(registration);
      if (standing?.verdict !== verdict) continue;
      // An allow is good for the payload it was said of, and for no other.
      if (verdict !== "allow" || standing.version === this.#version) return [registration, standing];
    }
    return undefined;
  }

  #ask(registration: Registration, standing: Standing): void {
    const onAsk = this.slot.core.options.onAsk ?? "resolve";
    if (onAsk !== "resolve") return this.#conclude("ask");
    const { generation, event } = this;
    const asked = {
      payload: event.payload,
      session: event.session,
      reason: standing.reason,
      by: registration.parts.name,
      depth: event.depth + 1,
    };
    this.#approvals++;
    this.#asking ??= new AbortController();
    void requestApproval(this.slot, asked, this.#asking.signal).then((reply) => {
      if (generation === this.generation) this.#approved(reply);
    });
  }

  #approved(reply: ApprovalReply | HookError): void {
    if (reply instanceof HookError)
      this.#denial = { reason: reply.message, by: undefined, registration: undefined, cause: reply, endLoop: false };
    else if (reply.verdict === "deny")
      this.#denial = { reason: reply.reason, by: reply.by ?? "approver", registration: undefined, cause: undefined, endLoop: false };
    else this.#accept(reply);
    this.#index = 0;
    this.round = 0;
    this.proceed();
  }

  /** A payload the approver edited is a rewrite like any other: every guard looks again. */
  #accept(reply: ApprovalReply): void {
    if (reply.payload !== undefined) {
      const result = rewritten(this.event.payload, { as: "payload", value: reply.payload });
      if (result instanceof HookError) {
        const cause = new HookError(result.code, `The approver edited "${this.slot.name}" badly: ${result.message}.`, {
          event: this.slot.name,
          failure: "invalid_verdict",
        });
        this.#denial = { reason: cause.message, by: reply.by ?? "approver", registration: undefined, cause, endLoop: false };
        return;
      }
      this.#adopt(result.payload);
    }
    this.#approvedVersion = this.#version;
    this.#approvedBy = reply;
    if (this.#approvals > MAX_ROUNDS) this.#denyFight();
  }

  #conclude(verdict: Verdict): void {
    const { slot, event } = this;
    const decision = new DecisionRecord(verdict, event.payload, this.steps);
    decision.modified = this.#version > 0;
    this.#explain(decision, verdict);
    const denier = verdict === "deny" ? (this.#denial?.registration ?? null) : undefined;
    keepEffects(decision, slot, event, this.#handlers, this.#effects, denier);
    boundAgain(decision, slot, event);
    if (this.#deciders < this.#handlers.length && verdict !== "deny") observeStage(this.#handlers, this.#deciders, event);
    if (slot.core.taps.length > 0) tell(slot, event, (tap) => tap.dispatched?.(event, { kind: "gate", decision }));
    this.done(decision);
  }

  #explain(decision: DecisionRecord, verdict: Verdict): void {
    if (verdict === "deny") {
      const denial = this.#denial as Denial;
      decision.reason = denial.reason;
      decision.by = denial.by;
      decision.cause = denial.cause;
      decision.endLoop = denial.endLoop;
      return;
    }
    const spoken = this.#firstStanding(verdict === "ask" ? "ask" : "allow");
    if (verdict === "allow" && this.#approvedBy !== undefined && this.#approvedVersion === this.#version) {
      decision.reason = this.#approvedBy.reason;
      decision.by = this.#approvedBy.by ?? "approver";
    } else if (spoken !== undefined) {
      decision.reason = spoken[1].reason;
      decision.by = spoken[0].parts.name;
    }
    const again = this.#firstStanding("again");
    if (again !== undefined) decision.again = { reason: again[1].reason, by: again[0].parts.name };
    const handled = this.#firstStanding("handled");
    if (handled !== undefined) decision.handled = { output: handled[1].output, by: handled[0].parts.name };
  }
}

function actionOf(answer: Answer): Step["action"] {
  if (answer.verdict !== undefined) return answer.verdict === "block" ? "deny" : answer.verdict;
  if (answer.rewrite !== undefined) return "modify";
  return answer.effects[0]?.kind ?? "ignored";
}
