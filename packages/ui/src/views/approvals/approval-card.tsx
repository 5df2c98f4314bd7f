import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../parts/button.js";
import { LongText } from "../../parts/long-text.js";
import { SessionLink } from "../../parts/session-link.js";
import { Ago } from "../../parts/time.js";
import { canApprove } from "../../state/access.js";
import type { Approval } from "../../state/approvals.js";
import { connection } from "../../state/connection.js";
import { isDeliberate } from "../../state/deliberate.js";
import { now } from "../../state/now.js";
import { countText, pluralText } from "../../text/amounts.js";
import { isFields, textAt } from "../../text/fields.js";
import { inert } from "../../text/inert.js";
import { exactText, leftText } from "../../text/times.js";
import { AnswerKeys, EarlyKeys, whatFirst } from "./answer-keys.js";
import { DenyForm } from "./deny-form.js";
import { EditForm } from "./edit-form.js";
import { SeenParts, useSeenParts } from "./use-seen.js";
import { WhatRuns } from "./what-runs.js";

export interface AnswerDraft {
  readonly verdict: "allow" | "deny";
  readonly reason?: string;
  readonly payload?: unknown;
  readonly always?: true;
}

/** The guards that ask, and why. */
interface Asking {
  readonly by: string;
  readonly reason?: string;
  readonly asks?: readonly { readonly by: string; readonly reason?: string }[];
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
          <AgentName app={approval.source?.app} payload={approval.payload} /> <span class="dim">{wantsWhat(approval)}</span>
        </h2>
        <Countdown from={approval.askedAt} to={approval.expiresAt} />
      </header>
      <div>
        <p class="card-askers">{askersOf(approval)}</p>
        <WhoAsks approval={approval} />
      </div>
      <SeenParts.Provider value={note}>
        <WhatRuns approval={approval} />
      </SeenParts.Provider>
      <p class="card-meta dim">
        {approval.session !== undefined && (
          <>
            Session <SessionLink id={approval.session.id} length={24} />,{" "}
          </>
        )}
        asked <Ago at={approval.askedAt} />
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
            <label
              class="check"
              title="Applies to the same call of the same program when the same guards ask. Only the session, the call's id and the time may differ."
            >
              <input type="checkbox" checked={isAlways} disabled={isOff} onChange={(event) => setAlways(event.currentTarget.checked)} />
              Always allow exactly this
            </label>
          )}
          {isAlways && approval.pins !== undefined && (
            <p class="card-first dim">
              Pinned: {approval.pins.map(inert).join(", ")}. Session, call id and time may differ; anything else is asked about again.
            </p>
          )}
          <p class={`card-first dim ${areSeen ? "is-about-keys" : ""}`}>{!isOff && whatFirst(areSeen, isChosen)}</p>
        </footer>
      )}
    </article>
  );
}

/** The agent that waits, and what it calls itself if that is something else. */
export function AgentName({ app, payload }: { readonly app: string | undefined; readonly payload: unknown }) {
  const own = textAt(payload, "agent", "name");
  return (
    <>
      <span class="card-agent">{app === undefined ? "An agent" : shortened(app)}</span>
      {own !== undefined && own !== app && <span class="dim"> ({shortened(own)})</span>}
    </>
  );
}

/** What happens when it is allowed. */
export function wantsWhat({ event, payload }: Pick<Approval, "event" | "payload">): string {
  const tool = textAt(payload, "tool", "name");
  return event === "tool:before" && tool !== undefined ? `wants to run ${inert(tool)}` : `waits at ${inert(event)}`;
}

/** What the hub can know again: a tool, and what it is called with. */
function isToolCall({ payload }: Approval): boolean {
  return textAt(payload, "tool", "name") !== undefined && isFields(payload) && isFields(payload.tool) && payload.tool.input !== undefined;
}

const SOON_MS = 30_000;

/** How long the answer can wait; then it is a deny. */
export function Countdown({ from, to }: { readonly from: number; readonly to: number }) {
  const left = Math.max(0, to - now.value);
  const share = Math.min(1, left / Math.max(1, to - from));
  return (
    <span class={`countdown ${left < SOON_MS ? "is-soon" : ""}`} role="timer" title={`Denied at ${exactText(to)}`}>
      <span class="countdown-bar" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span>
        <span class="dim">denied in</span> <span class="mono">{leftText(left)}</span> <span class="dim">unless answered</span>
      </span>
    </span>
  );
}

/** Until the user can have read it: another card may just have moved away from under the pointer. */
const READ_MS = 600;

/** False for a moment after `what` has changed: nothing that appeared just now may be answered by accident. */
export function useCalm(what: string): boolean {
  const [calm, setCalm] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setCalm(what), READ_MS);
    return () => clearTimeout(timer);
  }, [what]);
  return calm === what;
}

const MAX_NAME = 120;
const MAX_SHOWN = 20;

/** The asking agent and guards, in a few words. */
export function askersOf({ by, asks = [] }: Asking): string {
  const others = new Set(asks.map((ask) => ask.by).filter((name) => name !== by)).size;
  return others === 0 ? `${shortened(by)} asks` : `${shortened(by)} and ${pluralText(others, "other guard")} ask`;
}

/** Why: the reason of each guard that asks. */
export function WhoAsks({ approval: { by, reason, asks = [] } }: { readonly approval: Asking }) {
  if (asks.length < 2) return reason === undefined ? null : <Reason text={reason} />;
  return (
    <>
      {asks.slice(0, MAX_SHOWN).map((ask, index) => (
        <Reason key={index} by={ask.by} text={ask.reason ?? (ask.by === by ? reason : undefined) ?? "gives no reason"} />
      ))}
      {asks.length > MAX_SHOWN && <p class="dim">And {countText(asks.length - MAX_SHOWN)} more ask.</p>}
    </>
  );
}

function Reason({ by, text }: { readonly by?: string; readonly text: string }) {
  return (
    <p class="said said-ask">
      {by !== undefined && <strong>{shortened(by)}: </strong>}
      <LongText text={text} />
    </p>
  );
}

function shortened(name: string): string {
  const text = inert(name);
  return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text;
}
