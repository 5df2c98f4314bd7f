import type { OverviewAnswer } from "../../api/answers.js";
import { waitingCount } from "../../state/approvals.js";
import { hrefOf } from "../../state/location.js";
import { durationText, shortCount } from "../../text/amounts.js";
import { isoText } from "../../text/times.js";

/** The few numbers that matter, each a way to what it counts. */
export function Tiles({ overview }: { readonly overview: OverviewAnswer }) {
  const { series, latency, stepMs, from } = overview;
  const since = isoText(from);
  const last = series.events.at(-1) ?? 0;
  const running = Math.max(1, Math.min(stepMs, Date.now() - (from + stepMs * (series.events.length - 1))));
  const p99 = latency.p99Ms.filter((ms) => ms !== null);
  return (
    <ul class="tiles">
      <Tile name="Events per second" value={((last * 1_000) / running).toFixed(1)} href={hrefOf("live")} />
      <Tile name="Events" value={shortCount(sum(series.events))} href={hrefOf("live", { since })} />
      <Tile name="Denied" value={shortCount(sum(series.denied))} href={hrefOf("live", { decision: "deny", since })} tone="deny" />
      <Tile name="Asked" value={shortCount(sum(series.asked))} href={hrefOf("live", { decision: "ask", since })} tone="ask" />
      <Tile name="Slowest gate p99" value={p99.length === 0 ? "–" : durationText(Math.max(...p99))} title="Approximate, within 20 %" />
      <Tile
        name="Waiting for you"
        value={String(waitingCount.value)}
        href={hrefOf("approvals")}
        tone={waitingCount.value > 0 ? "ask" : undefined}
      />
    </ul>
  );
}

interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly href?: string;
  readonly title?: string;
  readonly tone?: "deny" | "ask" | undefined;
}

function Tile({ name, value, href, title, tone }: TileProps) {
  const inside = (
    <>
      <span class="tile-name">{name}</span>
      <span class={`tile-value ${tone !== undefined && value !== "0" ? `tone-${tone}` : ""}`}>{value}</span>
    </>
  );
  return (
    <li class="tile" title={title}>
      {href === undefined ? <div>{inside}</div> : <a href={href}>{inside}</a>}
    </li>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
