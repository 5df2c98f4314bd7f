import type { HandlerRow, HookSummary } from "../../api/answers.js";
import { Icon } from "../../parts/icon.js";
import { Ago } from "../../parts/time.js";
import { countText, durationText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";
import { HandlerDetail } from "./handler-detail.js";

interface HandlerLineProps {
  readonly handler: HandlerRow;
  readonly hook: HookSummary | undefined;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onChanged: () => void;
}

const COLUMNS = 11;

export function HandlerLine({ handler, hook, isOpen, onToggle, onChanged }: HandlerLineProps) {
  const { name, event, stage, onFailure, stats } = handler;
  const failed = (stats?.failures ?? 0) + (stats?.timeouts ?? 0);
  return (
    <>
      <tr class={isOpen ? "is-open" : ""}>
        <th scope="row">
          <button type="button" class="row-toggle" aria-expanded={isOpen} onClick={onToggle}>
            <Icon name="chevron" size={12} />
            {inert(name)}
          </button>
        </th>
        <td class="mono">{inert(event)}</td>
        <td class="wide">{stage}</td>
        <td>
          <span class={`mode mode-${onFailure}`}>
            {onFailure === "closed" ? "closed: denies" : onFailure === "open" ? "open: goes on" : onFailure}
          </span>
        </td>
        <td class="number">{countText(stats?.calls ?? 0)}</td>
        <td class="number">{countText(stats?.denies ?? 0)}</td>
        <td class={`number ${failed > 0 ? "is-bad" : ""}`}>{failed > 0 ? `! ${countText(failed)}` : "0"}</td>
        <td class="number wide">{msText(stats?.p50Ms)}</td>
        <td class="number wide">{msText(stats?.p99Ms)}</td>
        <td>{stats?.neverFired === false ? <Ago at={stats.lastFiredAt} /> : <span class="mark mark-never">never fired</span>}</td>
        <td>
          <HandlerState handler={handler} />
        </td>
      </tr>
      {isOpen && (
        <tr class="detail-row">
          <td colSpan={COLUMNS}>
            <HandlerDetail handler={handler} hook={hook} onChanged={onChanged} />
          </td>
        </tr>
      )}
    </>
  );
}

function HandlerState({ handler: { health, stats } }: { readonly handler: HandlerRow }) {
  if (stats?.suspendedUntil !== undefined && stats.suspendedUntil > Date.now()) return <span class="mark mark-bad">! suspended</span>;
  const restarts = health?.restarts ?? 0;
  const isBad = health !== undefined && ["failed", "degraded", "restarting", "stopped"].includes(health.state);
  return (
    <span class={`mark ${isBad ? "mark-bad" : "mark-good"}`}>
      {isBad ? "! " : "✓ "}
      {health?.state ?? "active"}
      {restarts > 0 && `, ${restarts} restarts`}
    </span>
  );
}

function msText(ms: number | undefined): string {
  return ms === undefined ? "–" : durationText(ms);
}
