import { useState } from "preact/hooks";
import { ApiError } from "../../api/api-error.js";
import { hub } from "../../api/calls.js";
import { Command } from "../../parts/command.js";
import { Empty } from "../../parts/empty.js";
import { ViewHead } from "../../parts/view-head.js";
import { canApprove } from "../../state/access.js";
import { type Approval, approvals, refreshApprovals } from "../../state/approvals.js";
import { changeParams, params } from "../../state/location.js";
import { say, sayError } from "../../state/notices.js";
import { pluralText } from "../../text/amounts.js";
import { AlwaysList } from "./always-list.js";
import { type AnswerDraft, ApprovalCard } from "./approval-card.js";
import { NoticeSwitch } from "./notice-switch.js";

/** Calls that wait for a person, and what to do about each. */
export function ApprovalsView() {
  const list = approvals.value ?? [];
  const [answering, setAnswering] = useState<ReadonlySet<string>>(new Set());
  const chosen = list.find(({ id }) => id === params.value.get("id")) ?? list[0];
  const answer = async (approval: Approval, draft: AnswerDraft) => {
    setAnswering((ids) => new Set(ids).add(approval.id));
    try {
      await hub.answer(approval.id, { ...draft, hash: approval.hash });
      say(
        draft.verdict === "deny"
          ? "Denied."
          : draft.payload === undefined
            ? "Allowed."
            : "Edited and allowed: every guard looks at it again.",
      );
    } catch (thrown) {
      sayGone(thrown);
    }
    await refreshApprovals();
    setAnswering((ids) => new Set([...ids].filter((id) => id !== approval.id)));
  };
  return (
    <section class="view">
      <ViewHead
        title="Approvals"
        about={list.length === 0 ? undefined : `${pluralText(list.length, "call")} ${list.length === 1 ? "waits" : "wait"} for a person`}
      >
        <NoticeSwitch />
      </ViewHead>
      {!canApprove.value && list.length > 0 && (
        <p class="said">
          This page may look, not answer. To answer: <Command>hookline open --approve</Command>
        </p>
      )}
      {approvals.value !== undefined && list.length === 0 ? (
        <NobodyWaits />
      ) : (
        <ul class="cards">
          {list.map((approval) => (
            <li key={approval.id}>
              <ApprovalCard
                approval={approval}
                isChosen={approval === chosen}
                isBusy={answering.has(approval.id)}
                onChoose={() => changeParams({ id: approval.id }, "replace")}
                onAnswer={(draft) => void answer(approval, draft)}
              />
            </li>
          ))}
        </ul>
      )}
      <AlwaysList />
    </section>
  );
}

function sayGone(thrown: unknown): void {
  if (thrown instanceof ApiError && thrown.code === "HL_APPROVAL_GONE")
    say("Somebody else was first: it was answered already, or nobody waits any more.", { kind: "bad" });
  else sayError(thrown);
}

function NobodyWaits() {
  return (
    <Empty icon="approvals" title="Nobody waits for you">
      <p>
        When a rule or a hook says <Command>ask</Command>, the call waits here until you allow or deny it. Also in the terminal:{" "}
        <Command>hookline approvals</Command>
      </p>
      <p class="dim">
        A rule that asks, in <span class="mono">hookline.toml</span>:
      </p>
      <pre class="sample mono">{SAMPLE}</pre>
    </Empty>
  );
}

const SAMPLE = `[[rule]]
name = "ask-before-push"
match = "tool.input.command contains 'git push'"
do = "ask"
message = "A push. Are you sure?"`;
