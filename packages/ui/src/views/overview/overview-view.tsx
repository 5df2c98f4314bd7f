import type { OverviewAnswer } from "../../api/answers.js";
import { hub } from "../../api/calls.js";
import { Command } from "../../parts/command.js";
import { DemoButton } from "../../parts/demo-button.js";
import { Empty } from "../../parts/empty.js";
import { later } from "../../parts/later.js";
import { Ago } from "../../parts/time.js";
import { Trouble } from "../../parts/trouble.js";
import { ViewHead } from "../../parts/view-head.js";
import { WindowTabs, windowMinutes } from "../../parts/window-tabs.js";
import { hrefOf } from "../../state/location.js";
import { useLoaded } from "../../state/use-loaded.js";
import { countText, durationText, pluralText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";
import { Tiles } from "./tiles.js";

const EVERY_MS = 5_000;
const Chart = later(async () => (await import("./chart.js")).Chart);
const UsageCard = later(async () => (await import("../usage/usage-card.js")).UsageCard);

/** What went on lately, in numbers. */
export function OverviewView() {
  const minutes = windowMinutes.value;
  const { data, error } = useLoaded(() => hub.overview(minutes), `overview ${minutes}`, EVERY_MS);
  const isEmpty = data?.series.events.every((count) => count === 0) === true;
  return (
    <section class="view">
      <ViewHead title="Overview">
        <WindowTabs />
      </ViewHead>
      <Trouble error={error} />
      {isEmpty && (
        <Empty icon="overview" title="Nothing happened in this window">
          <p>
            Choose a longer period, or attach an agent: <Command>hookline start</Command>
          </p>
          <DemoButton />
        </Empty>
      )}
      {data !== undefined && !isEmpty && (
        <div class="view-scroll overview">
          <Tiles overview={data} />
          <div class="overview-charts">
            <Chart
              title="Events, denied and asked"
              overview={data}
              lines={[
                { label: "events", tone: "accent", values: data.series.events },
                { label: "denied", tone: "deny", values: data.series.denied, dash: [6, 3] },
                { label: "asked", tone: "ask", values: data.series.asked, dash: [2, 3] },
              ]}
              unit="count"
            />
            <Chart
              title="Time in gates"
              overview={data}
              lines={[
                { label: "p50", tone: "accent", values: data.latency.p50Ms },
                { label: "p95", tone: "ask", values: data.latency.p95Ms, dash: [2, 3] },
                { label: "p99", tone: "deny", values: data.latency.p99Ms, dash: [6, 3] },
              ]}
              unit="ms"
            />
          </div>
          <UsageCard />
          <div class="overview-lists">
            <TopTools overview={data} />
            <TopRules overview={data} />
            <AgentsOnline overview={data} />
          </div>
          <p class="dim overview-note">Each point of a chart is {durationText(data.stepMs)}.</p>
        </div>
      )}
    </section>
  );
}

function TopTools({ overview }: { readonly overview: OverviewAnswer }) {
  const rows = overview.topTools.map(({ tool, count, denied }) => ({
    name: inert(tool),
    href: hrefOf("live", { tool }),
    value: count,
    part: denied,
    note: denied > 0 ? `${countText(denied)} denied` : "",
  }));
  return <BarList title="Top tools, by calls" rows={rows} nothing="No tool was called." />;
}

function TopRules({ overview }: { readonly overview: OverviewAnswer }) {
  const rows = overview.topRules.map(({ rule, denied, asked }) => ({
    name: inert(rule),
    href: hrefOf("handlers", { find: rule }),
    value: denied + asked,
    part: denied,
    note: [denied > 0 ? `${countText(denied)} denied` : "", asked > 0 ? `${countText(asked)} asked` : ""]
      .filter((text) => text !== "")
      .join(", "),
  }));
  return <BarList title="Guards that denied or asked" rows={rows} nothing="No guard did." />;
}

interface BarRow {
  readonly name: string;
  readonly href: string;
  readonly value: number;
  /** How much of it was denied. */
  readonly part: number;
  readonly note: string;
}

/** Names with as long a bar as they have of the most. */
function BarList({ title, rows, nothing }: { readonly title: string; readonly rows: readonly BarRow[]; readonly nothing: string }) {
  const most = Math.max(1, ...rows.map(({ value }) => value));
  return (
    <section class="card bar-list" aria-label={title}>
      <h2>{title}</h2>
      {rows.length === 0 && <p class="dim">{nothing}</p>}
      <ul>
        {rows.map(({ name, href, value, part, note }) => (
          <li key={name}>
            <a href={href}>{name}</a>
            <span class="number">
              {countText(value)} {note !== "" && <span class="dim">({note})</span>}
            </span>
            <span class="bar-list-bar" aria-hidden="true">
              <span style={{ width: `${(value / most) * 100}%` }}>
                <span style={{ width: `${(part / Math.max(1, value)) * 100}%` }} />
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Agents with a process that runs now, and agents that were there in this window. */
function AgentsOnline({ overview }: { readonly overview: OverviewAnswer }) {
  return (
    <section class="card bar-list" aria-label="Agents">
      <h2>Agents</h2>
      {overview.agents.length === 0 && <p class="dim">None.</p>}
      <ul>
        {overview.agents.map(({ app, lastAt, events, online }) => (
          <li key={app}>
            <a href={hrefOf("live", { source: app })}>{inert(app)}</a>
            <span class="number">
              {pluralText(events, "event")},{" "}
              <span
                class={online > 0 ? "tone-allow" : "dim"}
                title={online > 0 ? `${pluralText(online, "process", "processes")} running` : undefined}
              >
                {online > 0 ? "● online, " : "○ offline, "}
                <Ago at={lastAt} />
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
