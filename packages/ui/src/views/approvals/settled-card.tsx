import { Button } from "../../parts/button.js";
import { Icon } from "../../parts/icon.js";
import { dismissSettled, type SettledApproval } from "../../state/settled-approvals.js";
import { summaryOf } from "../../text/event-summary.js";
import { inert } from "../../text/inert.js";

/** A call that waits no more: who answered it, and what. */
export function SettledCard({ settled }: { readonly settled: SettledApproval }) {
  const { approval, edited } = settled;
  const isAllowed = typeof settled.fate === "object" && settled.fate.verdict === "allow";
  return (
    <div class="card settled" role="status">
      <Icon name={isAllowed ? "allow" : "deny"} size={14} />
      <p>
        <strong>{fateText(settled)}</strong>{" "}
        <span class="mono dim">{edited === undefined ? inert(summaryOf(approval.payload)) : instead(approval.payload, edited)}</span>
      </p>
      <Button icon="close" kind="quiet" label="Dismiss" onClick={() => dismissSettled(approval.id)} />
    </div>
  );
}

function instead(asked: unknown, edited: unknown): string {
  return inert(`${summaryOf(edited)}  (instead of: ${summaryOf(asked)})`);
}

/** A second or so: the clocks of the hub and of the browser need not be the same. */
const NEARLY_MS = 1_500;

function fateText({ fate, isOwn, approval }: SettledApproval, now = Date.now()): string {
  if (fate === "restarted") return "The hub was restarted. The agent has to ask again.";
  if (fate === undefined) return isOwn ? "Answered here." : "No longer waiting.";
  const { verdict, by, reason, cause, isEdited, isAlways } = fate;
  if (cause !== undefined)
    return cause === "HL_APPROVAL_TIMEOUT" || now >= approval.expiresAt - NEARLY_MS
      ? "Expired: no answer came in time, so the call was denied."
      : "The agent stopped waiting, so the call was denied.";
  const what = verdict === "deny" ? "Denied" : isEdited === true ? "Edited and allowed" : "Allowed";
  const who = isOwn ? "here" : `elsewhere, by ${inert(by ?? "a person")}`;
  const howLong = isAlways === true ? ", and always from now on" : "";
  return `${what} ${who}${howLong}${reason === undefined || reason === "" ? "." : `: ${inert(reason)}`}`;
}
