import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../parts/button.js";
import { SessionLink } from "../../parts/session-link.js";
import { Ago } from "../../parts/time.js";
import { canApprove } from "../../state/access.js";
import type { Approval } from "../../state/approvals.js";
import { useShortcuts } from "../../state/shortcuts.js";
import { inert } from "../../text/inert.js";
import { Countdown } from "./countdown.js";
import { DenyForm } from "./deny-form.js";
import { EditForm } from "./edit-form.js";
import { WhatRuns } from "./what-runs.js";

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
  readonly onChoose: () => void;
  readonly onAnswer: (answer: AnswerDraft) => void;
}

/** One call that waits. */
export function ApprovalCard({ approval, isChosen, isBusy, onChoose, onAnswer }: CardProps) {
  const [mode, setMode] = useState<"look" | "deny" | "edit">("look");
  const [isAlways, setAlways] = useState(false);
  const isOff = isBusy || !canApprove.value;
  const allow = () => onAnswer({ verdict: "allow", ...(isAlways && { always: true }) });
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isChosen) card.current?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  return (
    <article
      ref={card}
      class="card approval"
      aria-current={isChosen ? "true" : undefined}
      aria-label={`Approval: ${inert(approval.by)} asks`}
    >
      {isChosen && !isOff && mode === "look" && <AnswerKeys onAllow={allow} onMode={setMode} />}
      <header class="card-head">
        <h2>
          {inert(approval.by)} <span class="dim">asks at</span> {inert(approval.event)}
        </h2>
        <Countdown from={approval.askedAt} to={approval.expiresAt} />
      </header>
      {approval.reason !== undefined && (
        <p class="said said-ask">
          <bdi>{inert(approval.reason)}</bdi>
        </p>
      )}
      <WhatRuns approval={approval} />
      <p class="card-meta dim">
        {approval.source !== undefined && `${inert(approval.source.app)} `}
        {approval.session !== undefined && <SessionLink id={approval.session.id} length={24} />} asked <Ago at={approval.askedAt} />
      </p>
      {mode === "deny" && (
        <DenyForm onCancel={() => setMode("look")} onDeny={(reason) => onAnswer({ verdict: "deny", ...(reason !== "" && { reason }) })} />
      )}
      {mode === "edit" && (
        <EditForm
          payload={approval.payload}
          onCancel={() => setMode("look")}
          onAllow={(payload) => onAnswer({ verdict: "allow", payload })}
        />
      )}
      {mode === "look" && (
        <footer class="card-actions" onFocusCapture={onChoose}>
          <Button icon="allow" kind="main" keyHint={isChosen ? "y" : undefined} isDisabled={isOff} onClick={allow}>
            Allow
          </Button>
          <Button icon="deny" kind="danger" keyHint={isChosen ? "n" : undefined} isDisabled={isOff} onClick={() => setMode("deny")}>
            Deny…
          </Button>
          <Button icon="edit" keyHint={isChosen ? "e" : undefined} isDisabled={isOff} onClick={() => setMode("edit")}>
            Edit and allow…
          </Button>
          <label class="check">
            <input type="checkbox" checked={isAlways} disabled={isOff} onChange={(event) => setAlways(event.currentTarget.checked)} />
            Always allow exactly this
          </label>
        </footer>
      )}
    </article>
  );
}

/** Until somebody can have read it, a key does nothing: the card before may just have gone away under the finger. */
const READ_MS = 600;

function AnswerKeys({ onAllow, onMode }: { readonly onAllow: () => void; readonly onMode: (mode: "deny" | "edit") => void }) {
  const shownAt = useRef(performance.now());
  const whenRead = (run: () => void) => () => {
    if (performance.now() - shownAt.current >= READ_MS) run();
  };
  useShortcuts("Approvals", [
    { keys: ["y"], label: "Allow the chosen call", run: whenRead(onAllow) },
    { keys: ["n"], label: "Deny it, with a reason", run: whenRead(() => onMode("deny")) },
    { keys: ["e"], label: "Edit and allow it", run: whenRead(() => onMode("edit")) },
  ]);
  return null;
}
