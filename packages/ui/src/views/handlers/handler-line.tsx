import { HANDLER_PERCENTILES } from "../../../../hookline/src/hub/protocol.js";
import type { HandlerRow, HookSummary, RuleSummary } from "../../api/answers.js";
import { Icon } from "../../parts/icon.js";
import { Ago } from "../../parts/time.js";
import { countText, durationText, pluralText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";
import { COLUMNS, kindOf } from "./handler-columns.js";
import { HandlerDetail } from "./handler-detail.js";
import { failureText } from "./handler-facts.js";
import { numbersOf } from "./handler-numbers.js";

/** Shown in the short note of a narrow table. */
const HIGHEST = HANDLER_PERCENTILES[HANDLER_PERCENTILES.length - 1] as (typeof HANDLER_PERCENTILES)[number];

interface HandlerLineProps {
  readonly handler: HandlerRow;
  readonly hook: HookSummary | undefined;
  /** What a rule has seen so far. */
  readonly remembers: RuleSummary["remembers"];
  /** It decides nothing: what it would have said is recorded. */
  readonly isShadow: boolean;
  /** The text for a handler that has not fired yet, as far as the hub knows. */
  readonly neverText: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onChanged: (() => void) | undefined;
}

export function HandlerLine({ handler, hook, remembers, isShadow, neverText, isOpen, onToggle, onChanged }: HandlerLineProps) {
  const { name, event, stage, onFailure, lastAt } = handler;
  const { isSinceStart, calls, denied, asked, failed, times } = numbersOf(handler);
  const highest = times[HIGHEST.field];
  return (
    <>
      <tr class={isOpen ? "is-open" : ""}>
        <th scope="row">
          <button type="button" class="row-toggle" aria-expanded={isOpen} onClick={onToggle}>
            <Icon name="chevron" size={12} />
            {inert(name)}
          </button>
          <span class="row-note dim" aria-hidden="true">
            <span>{pluralText(calls, "call")}</span> {highest !== undefined && <span>{`${HIGHEST.label} ${durationText(highest)}`}</span>}
          </span>
        </th>
        <td>{kindOf(handler)}</td>
        <td class="mono">{inert(event)}</td>
        <td class="roomy">{inert(stage)}</td>
        <td class="roomy">
          <span class={`mode mode-${onFailure}`}>{failureText(onFailure, hook)}</span>
        </td>
        <td class="number">
          {countText(calls)}
          {isSinceStart && <SinceStart />}
        </td>
        <td class="number">{countText(denied)}</td>
        <td class="number">{asked === undefined ? <span class="dim">–</span> : countText(asked)}</td>
        <td class={`number ${failed > 0 ? "is-bad" : ""}`}>{failed > 0 ? `! ${countText(failed)}` : "0"}</td>
        {HANDLER_PERCENTILES.map(({ field }) => (
          <td key={field} class="number">
            {durationOrDash(times[field])}
          </td>
        ))}
        <td>{lastAt !== undefined ? <Ago at={lastAt} /> : <span class="mark mark-never">{neverText}</span>}</td>
        <td>
          <HandlerState handler={handler} isShadow={isShadow} />
        </td>
      </tr>
      {isOpen && (
        <tr class="detail-row">
          <td colSpan={COLUMNS.length}>
            <HandlerDetail handler={handler} hook={hook} remembers={remembers} onChanged={onChanged} />
          </td>
        </tr>
      )}
    </>
  );
}

function durationOrDash(ms: number | undefined): string {
  return ms === undefined ? "–" : durationText(ms);
}

/** The table says below what the mark means. */
function SinceStart() {
  return (
    <>
      <span aria-hidden="true">*</span>
      <span class="unseen"> since start</span>
    </>
  );
}

function HandlerState({ handler: { health, stats, note }, isShadow }: { readonly handler: HandlerRow; readonly isShadow: boolean }) {
  if (stats?.suspendedUntil !== undefined && stats.suspendedUntil > Date.now()) return <span class="mark mark-bad">! suspended</span>;
  if (note !== undefined) return <span class="mark mark-bad">! no such tool</span>;
  if (isShadow)
    return (
      <span class="mark" title="It decides nothing. What it would have said is recorded.">
        ◌ shadow
      </span>
    );
  const restarts = health?.restarts ?? 0;
  const isBad = health != null && ["broken", "failed", "degraded", "restarting", "stopped"].includes(health.state);
  return (
    <span class={`mark ${isBad ? "mark-bad" : "mark-good"}`}>
      {isBad ? "! " : "✓ "}
      {inert(health?.state ?? "active")}
      {restarts > 0 && `, ${pluralText(restarts, "restart")}`}
    </span>
  );
}
