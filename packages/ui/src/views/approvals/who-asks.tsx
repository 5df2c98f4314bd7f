import { LongText } from "../../parts/long-text.js";
import type { Approval } from "../../state/approvals.js";
import { countText, pluralText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";

const MAX_NAME = 120;
const MAX_SHOWN = 20;

/** Who asks, in a few words. */
export function askersOf({ by, asks = [] }: Approval): string {
  const others = new Set(asks.map((ask) => ask.by).filter((name) => name !== by)).size;
  return others === 0 ? `${shortened(by)} asks` : `${shortened(by)} and ${pluralText(others, "other guard")} ask`;
}

/** Why: the reason of each guard that asks. */
export function WhoAsks({ approval: { by, reason, asks = [] } }: { readonly approval: Approval }) {
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
