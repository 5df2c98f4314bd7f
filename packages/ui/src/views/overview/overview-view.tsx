import { hub } from "../../api/calls.js";
import { Command } from "../../parts/command.js";
import { DemoButton } from "../../parts/demo-button.js";
import { Empty } from "../../parts/empty.js";
import { Trouble } from "../../parts/trouble.js";
import { ViewHead } from "../../parts/view-head.js";
import { WindowTabs, windowMinutes } from "../../parts/window-tabs.js";
import { useLoaded } from "../../state/use-loaded.js";
import { durationText } from "../../text/amounts.js";
import { AgentsOnline } from "./agents-online.js";
import { Chart } from "./chart.js";
import { Tiles } from "./tiles.js";
import { TopRules, TopTools } from "./top-lists.js";

const EVERY_MS = 5_000;

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
            Look further back, or attach an agent: <Command>hookline attach claude-code</Command>
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
              title="Time that gates took"
              overview={data}
              lines={[
                { label: "p50", tone: "accent", values: data.latency.p50Ms },
                { label: "p95", tone: "ask", values: data.latency.p95Ms, dash: [2, 3] },
                { label: "p99", tone: "deny", values: data.latency.p99Ms, dash: [6, 3] },
              ]}
              unit="ms"
            />
          </div>
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
