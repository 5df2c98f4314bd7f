import { useState } from "preact/hooks";
import { Boundary } from "../../parts/boundary.js";
import { Button } from "../../parts/button.js";
import { Command } from "../../parts/command.js";
import { Empty } from "../../parts/empty.js";
import { later } from "../../parts/later.js";
import { ViewHead } from "../../parts/view-head.js";
import { canApprove, phone } from "../../state/access.js";
import { type Approval, approvals, waitingCount } from "../../state/approvals.js";
import { connection } from "../../state/connection.js";
import { fleetParts } from "../../state/fleet-parts.js";
import { changeParams, params } from "../../state/location.js";
import { type SettledApproval, settled } from "../../state/settled-approvals.js";
import { useShortcuts } from "../../state/shortcuts.js";
import { countText, pluralText } from "../../text/amounts.js";
import { AlwaysList } from "./always-list.js";
import { ApprovalCard } from "./approval-card.js";
import { NoticeSwitch } from "./notice-switch.js";
import { SettledCard } from "./settled-card.js";
import { chooseShown, type ShownApprovals } from "./shown-approvals.js";
import { Suggestions } from "./suggestions.js";
import { useAnswering } from "./use-answering.js";
import { ViewOnly } from "./view-only.js";

const AnswersGiven = later(async () => (await import("./answers-given.js")).AnswersGiven);

/** Calls that wait for a person, and what to do about each. */
export function ApprovalsView() {
  const list = approvals.value ?? [];
  const [steps, setSteps] = useState(0);
  const wanted = params.value.get("id");
  const { shown, left } = chooseShown(list, steps, ({ id }) => id === wanted);
  const cards = cardsOf(shown, settled.value);
  const chosen = shown.find(({ id }) => id === wanted) ?? shown[0];
  const { ids: answering, answer } = useAnswering();
  const choose = (id: string | undefined) => id !== undefined && changeParams({ id }, "replace");
  const step = (by: number) => chosen !== undefined && choose(shown[shown.indexOf(chosen) + by]?.id);
  useShortcuts("Approvals", [
    { keys: ["j"], label: "Next call", run: () => step(1) },
    { keys: ["k"], label: "Call before", run: () => step(-1) },
  ]);
  return (
    <section class="view">
      <ViewHead
        title="Approvals"
        about={list.length === 0 ? undefined : `${pluralText(list.length, "call")} ${list.length === 1 ? "waits" : "wait"} for a person`}
      >
        <NoticeSwitch />
      </ViewHead>
      {(list.length > 0 || phone.value !== undefined) && <ViewOnly />}
      {list.length > 0 && connection.value !== "live" && <p class="said">The hub is away. You can answer these calls when it is back.</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <section class="view-scroll inbox" tabIndex={0} aria-label="Calls">
        {fleetParts.value !== undefined && <fleetParts.value.FleetQuestions />}
        {cards.length > 0 && (
          <ul class="cards">
            {cards.map((card, index) => (
              <li key={card.id}>
                <Boundary of={card.approval} instead={<CannotAnswer />}>
                  {card.settled !== undefined ? (
                    <SettledCard settled={card.settled} />
                  ) : (
                    <ApprovalCard
                      approval={card.approval}
                      isChosen={card.approval === chosen}
                      isBusy={answering.has(card.id)}
                      place={placeOf(cards, index)}
                      onChoose={() => choose(card.id)}
                      onAnswer={(draft) => void answer(card.approval, draft)}
                    />
                  )}
                </Boundary>
              </li>
            ))}
            <MoreCards left={left} onMore={() => setSteps(steps + 1)} />
          </ul>
        )}
        {approvals.value !== undefined && waitingCount.value === 0 && <NobodyWaits />}
        <Suggestions />
        <AnswersGiven />
        <AlwaysList />
      </section>
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

/** What cannot be shown is not answered here. */
function CannotAnswer() {
  return (
    <p>
      A call waits that the dashboard cannot show, so it cannot be answered here. In a terminal: <Command>hookline approvals</Command>
    </p>
  );
}

function NobodyWaits() {
  return (
    <Empty icon="approvals" title="No call waits for you">
      <p>
        When a rule or a hook says <Command>ask</Command>, the call waits here until{" "}
        {canApprove.value
          ? "you allow or deny it. Also in the terminal: "
          : "a person allows or denies it. This dashboard is view-only. To answer: "}
        <Command>{canApprove.value ? "hookline approvals" : "hookline open --approve"}</Command>
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

const NAMED = 3;

/** That more calls wait than are shown, and of whom. */
function MoreCards({ left, onMore }: { readonly left: ShownApprovals["left"]; readonly onMore: () => void }) {
  const all = left.reduce((sum, { count }) => sum + count, 0);
  if (all === 0) return null;
  const named = left.slice(0, NAMED).map(({ app, count }) => `${countText(count)} of ${app}`);
  const others = left.length > NAMED ? `, and of ${pluralText(left.length - NAMED, "other")}` : "";
  return (
    <li class="more-cards">
      <p>
        {pluralText(all, "more call")} {all === 1 ? "waits" : "wait"}: {named.join(", ")}
        {others}.
      </p>
      <Button onClick={onMore}>Show more</Button>
    </li>
  );
}
