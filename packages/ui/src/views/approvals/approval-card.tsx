import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../parts/button.js";
import { SessionLink } from "../../parts/session-link.js";
import { Ago } from "../../parts/time.js";
import { canApprove } from "../../state/access.js";
import type { Approval } from "../../state/approvals.js";
import { connection } from "../../state/connection.js";
import { isDeliberate } from "../../state/deliberate.js";
import { isFields, textAt } from "../../text/fields.js";
import { inert } from "../../text/inert.js";
import { AnswerKeys, EarlyKeys, whatFirst } from "./answer-keys.js";
import { Countdown } from "./countdown.js";
import { DenyForm } from "./deny-form.js";
import { EditForm } from "./edit-form.js";
import { useCalm } from "./use-calm.js";
import { SeenParts, useSeenParts } from "./use-seen.js";
import { WhatRuns } from "./what-runs.js";
import { askersOf, WhoAsks } from "./who-asks.js";

export interface AnswerDraft {
  readonly verdict: "allow" | "deny";
  readonly reason?: string;
  readonly payload?: unknown;
  readonly always?: true;
}

interface CardProps {
  readonly approval: Approval;
  readonly isChosen: boolean;
  readonly isBusy: boolean;
  /** Changes when the card may have moved. */
  readonly place: string;
  readonly onChoose: () => void;
  readonly onAnswer: (answer: AnswerDraft) => void;
}

/** One call that waits. */
export function ApprovalCard({ approval, isChosen, isBusy, place, onChoose, onAnswer }: CardProps) {
  const [mode, setMode] = useState<"look" | "deny" | "edit">("look");
  const [isAlways, setAlways] = useState(false);
  const isCalm = useCalm(place);
  const areKeysCalm = useCalm(`${place} ${isChosen} ${isDeliberate.value}`);
  const { areSeen, note } = useSeenParts();
  const isOff = isBusy || !canApprove.value || connection.value !== "live";
  const isLookedAt = isChosen && !isOff && mode === "look";
  const hasKeys = isLookedAt && isDeliberate.value && areKeysCalm;
  const allow = () => onAnswer({ verdict: "allow", ...(isAlways && { always: true }) });
  const card = useRef<HTMLElement>(null);
  const back = () => {
    setMode("look");
    // The form goes, and the focus with it: to the button that opened it.
    requestAnimationFrame(() => card.current?.querySelectorAll<HTMLElement>(".card-actions .button")[mode === "deny" ? 1 : 2]?.focus());
  };
  useEffect(() => {
    // Not under a pointer that is just pressing something in it: the press would miss.
    if (isChosen && card.current?.matches(":hover") === false) card.current.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  return (
    <article
      ref={card}
      class="card approval"
      aria-current={isChosen ? "true" : undefined}
      aria-keyshortcuts={hasKeys ? (areSeen ? "y n e" : "n e") : undefined}
      aria-label={`Approval: ${askersOf(approval)}`}
    >
      {hasKeys && <AnswerKeys onAllow={areSeen ? allow : undefined} onMode={setMode} />}
      {isLookedAt && !hasKeys && <EarlyKeys areSeen={areSeen} />}
      <header class="card-head">
        <h2>
          {askersOf(approval)} <span class="dim">{beforeWhat(approval)}</span>
        </h2>
        <Countdown from={approval.askedAt} to={approval.expiresAt} />
      </header>
      <WhoAsks approval={approval} />
      <SeenParts.Provider value={note}>
        <WhatRuns approval={approval} />
      </SeenParts.Provider>
      <p class="card-meta dim">
        {approval.source !== undefined && `${inert(approval.source.app)} `}
        {approval.session !== undefined && <SessionLink id={approval.session.id} length={24} />} asked <Ago at={approval.askedAt} />
      </p>
      {mode === "deny" && (
        <DenyForm isOff={isOff} onCancel={back} onDeny={(reason) => onAnswer({ verdict: "deny", ...(reason !== "" && { reason }) })} />
      )}
      {mode === "edit" && (
        <EditForm
          payload={approval.payload}
          isOff={isOff || !areSeen}
          onCancel={back}
          onAllow={(payload) => onAnswer({ verdict: "allow", payload })}
        />
      )}
      {mode === "look" && (
        <footer class="card-actions" onFocusCapture={onChoose}>
          <Button icon="allow" kind="main" keyHint="y" isDisabled={isOff} isWaiting={!isCalm || !areSeen} onClick={allow}>
            Allow
          </Button>
          <Button icon="deny" kind="danger" keyHint="n" isDisabled={isOff} onClick={() => setMode("deny")}>
            Deny…
          </Button>
          <Button icon="edit" keyHint="e" isDisabled={isOff} onClick={() => setMode("edit")}>
            Edit and allow…
          </Button>
          {isToolCall(approval) && (
            <label class="check" title="The same tool, input and folder, asked about by the same guard. Anything else waits again.">
              <input type="checkbox" checked={isAlways} disabled={isOff} onChange={(event) => setAlways(event.currentTarget.checked)} />
              Always allow exactly this
            </label>
          )}
          <p class={`card-first dim ${areSeen ? "is-about-keys" : ""}`}>{!isOff && whatFirst(areSeen, isChosen)}</p>
        </footer>
      )}
    </article>
  );
}

/** What happens when it is allowed. */
function beforeWhat({ event, payload }: Approval): string {
  const tool = textAt(payload, "tool", "name");
  return event === "tool:before" && tool !== undefined ? `before ${inert(tool)} runs` : `at ${inert(event)}`;
}

/** What the hub can know again: a tool, and what it is called with. */
function isToolCall({ payload }: Approval): boolean {
  return textAt(payload, "tool", "name") !== undefined && isFields(payload) && isFields(payload.tool) && payload.tool.input !== undefined;
}
