import { useState } from "preact/hooks";
import { ApiError } from "../../api/api-error.js";
import { hub } from "../../api/calls.js";
import { type Approval, refreshApprovals } from "../../state/approvals.js";
import { say, sayError } from "../../state/notices.js";
import { forgetOwnAnswer, noteOwnAnswer } from "../../state/settled-approvals.js";
import type { AnswerDraft } from "./approval-card.js";

interface Answering {
  /** Calls whose answer is on its way. */
  readonly ids: ReadonlySet<string>;
  readonly answer: (approval: Approval, draft: AnswerDraft) => Promise<void>;
}

/** Sends answers, each for exactly what was shown, and says what came of them. */
export function useAnswering(): Answering {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const answer = async (approval: Approval, draft: AnswerDraft): Promise<void> => {
    setIds((before) => new Set(before).add(approval.id));
    noteOwnAnswer(approval.id, draft.payload);
    try {
      await hub.answer(approval.id, { ...draft, hash: approval.hash });
      say(saying(draft), { kind: draft.verdict === "deny" ? "denied" : "good" });
    } catch (thrown) {
      forgetOwnAnswer(approval.id);
      sayGone(thrown);
    }
    await refreshApprovals();
    setIds((before) => new Set([...before].filter((id) => id !== approval.id)));
  };
  return { ids, answer };
}

function saying({ verdict, payload, always }: AnswerDraft): string {
  if (verdict === "deny") return "Denied.";
  if (always === true) return "Allowed, and always from now on.";
  return payload === undefined ? "Allowed." : "Edited and allowed: every guard looks at it again.";
}

function sayGone(thrown: unknown): void {
  if (thrown instanceof ApiError && thrown.code === "HL_APPROVAL_GONE")
    say("This call was already answered, or its agent no longer waits.", { kind: "bad" });
  else sayError(thrown);
}
