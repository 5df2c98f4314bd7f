import { HookError } from "../catalog/errors.js";
import type { Answered, Asked } from "./approval.js";
import { MAX_ROUNDS } from "./checked-versions.js";
import { messageOf } from "./describe-error.js";
import { LazyPart } from "./lazy-part.js";
import type { Slot } from "./slot.js";
import type { ApprovalReply } from "./types.js";

/** Asks a person. */
export const approvals = new LazyPart(() => import("./approval.js"));

/** The questions of one gate to a person. A yes is good only for the version of the payload that it was given for. */
export class GateApproval {
  #questions = 0;
  #granted: { readonly version: number; readonly reply: ApprovalReply } | undefined;
  /** Created when the approver is asked: an AbortController costs more than the rest of a gate. */
  #asking: AbortController | undefined;

  /** Never rejects: whatever goes wrong comes back as an error, and means deny. */
  ask(slot: Slot, asked: Asked): Promise<Answered> {
    this.#questions++;
    this.#asking ??= new AbortController();
    const { signal } = this.#asking;
    const answered = approvals.use<Answered, Answered>(
      ({ requestApproval }) => requestApproval(slot, asked, signal),
      (reply) => ({ reply }),
    );
    return answered.catch((cause) => ({ reply: new HookError("HL_APPROVER_FAILED", messageOf(cause), { failure: "crash", cause }) }));
  }

  grant(version: number, reply: ApprovalReply): void {
    this.#granted = { version, reply };
  }

  /** The yes to this version. */
  grantedFor(version: number): ApprovalReply | undefined {
    return this.#granted?.version === version ? this.#granted.reply : undefined;
  }

  /** A payload is changed again after each yes. */
  get isEndless(): boolean {
    return this.#questions > MAX_ROUNDS;
  }

  cancel(reason: unknown): void {
    this.#asking?.abort(reason);
  }
}
