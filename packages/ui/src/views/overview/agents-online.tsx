import type { OverviewAnswer } from "../../api/answers.js";
import { Ago } from "../../parts/time.js";
import { hrefOf } from "../../state/location.js";
import { now } from "../../state/now.js";
import { countText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";

const ONLINE_MS = 5 * 60_000;

/** Who sent something in the last five minutes, and who has gone quiet. */
export function AgentsOnline({ overview }: { readonly overview: OverviewAnswer }) {
  return (
    <section class="card bar-list" aria-label="Agents">
      <h2>Agents</h2>
      {overview.agents.length === 0 && <p class="dim">None.</p>}
      <ul>
        {overview.agents.map(({ app, lastAt, events }) => (
          <li key={app}>
            <a href={hrefOf("live", { source: app })}>{inert(app)}</a>
            <span class="number">
              {countText(events)} events,{" "}
              <span class={now.value - lastAt < ONLINE_MS ? "tone-allow" : "dim"}>
                {now.value - lastAt < ONLINE_MS ? "● " : "○ "}
                <Ago at={lastAt} />
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
