import { useState } from "preact/hooks";
import { ApiError } from "../../api/api-error.js";
import { hub } from "../../api/calls.js";
import { Command } from "../../parts/command.js";
import { Empty } from "../../parts/empty.js";
import { ViewHead } from "../../parts/view-head.js";
import { canApprove } from "../../state/access.js";
import { noteOwnAnswer, type SettledApproval, settled } from "../../state/approval-fates.js";
import { type Approval, approvals, refreshApprovals } from "../../state/approvals.js";
import { connection } from "../../state/connection.js";
import { changeParams, params } from "../../state/location.js";
import { say, sayError } from "../../state/notices.js";
import { pluralText } from "../../text/amounts.js";
import { AlwaysList } from "./always-list.js";
import { type AnswerDraft, ApprovalCard } from "./approval-card.js";
import { NoticeSwitch } from "./notice-switch.js";
import { SettledCard } from "./settled-card.js";

/** Calls that wait for a person, and what to do about each. */
export function ApprovalsView() {
  const list = approvals.value ?? [];
  const cards = cardsOf(list, settled.value);
  const [answering, setAnswering] = useState<ReadonlySet<string>>(new Set());
  const chosen = list.find(({ id }) => id === params.value.get("id")) ?? list[0];
  const answer = async (approval: Approval, draft: AnswerDraft) => {
    setAnswering((ids) => new Set(ids).add(approval.id));
    noteOwnAnswer(approval.id);
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
      noteOwnAnswer(approval.id, false);
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
      {list.length > 0 && connection.value !== "live" && (
        <p class="said">The hub is away. What waits here cannot be answered until it is back.</p>
      )}
      {cards.length > 0 && (
        <ul class="cards">
          {cards.map((card, index) => (
            <li key={card.id}>
              {card.settled !== undefined ? (
                <SettledCard settled={card.settled} />
              ) : (
                <ApprovalCard
                  approval={card.approval}
                  isChosen={card.approval === chosen}
                  isBusy={answering.has(card.id)}
                  place={placeOf(cards, index)}
                  onChoose={() => changeParams({ id: card.id }, "replace")}
                  onAnswer={(draft) => void answer(card.approval, draft)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {approvals.value !== undefined && list.length === 0 && <NobodyWaits />}
      <AlwaysList />
    </section>
  );
}

interface Card {
  readonly id: string;
  readonly approval: Approval;
  readonly settled?: SettledApproval | undefined;
}

/** Those that wait and those that did a moment ago, each where it was. */
function cardsOf(waiting: readonly Approval[], gone: readonly SettledApproval[]): readonly Card[] {
  const cards = [
    ...waiting.map((approval): Card => ({ id: approval.id, approval })),
    ...gone.map((one): Card => ({ id: one.approval.id, approval: one.approval, settled: one })),
  ];
  return cards.sort((a, b) => a.approval.askedAt - b.approval.askedAt);
}

/** What stands above a card, and so where it stands. */
function placeOf(cards: readonly Card[], index: number): string {
  return cards
    .slice(0, index + 1)
    .map(({ id, settled: gone }) => (gone === undefined ? id : `-${id}`))
    .join();
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
