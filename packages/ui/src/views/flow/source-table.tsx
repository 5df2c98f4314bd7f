import { useRef } from "preact/hooks";
import type { SourcesAnswer } from "../../api/answers.js";
import { Boundary } from "../../parts/boundary.js";
import { TableBox } from "../../parts/table-box.js";
import { Ago } from "../../parts/time.js";
import { hrefOf } from "../../state/location.js";
import { countText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";

export function SourceTable({ sources }: { readonly sources: SourcesAnswer["sources"] }) {
  const rates = useRates(new Map(sources.map(({ source, received }) => [source.instance, received])));
  return (
    <>
      <TableBox label="Sources">
        <thead>
          <tr>
            <th>Process</th>
            <th>Folder</th>
            <th>Connected</th>
            <th>Last event</th>
            <th class="number">Received</th>
            <th class="number">Rate</th>
            <th class="number">Waiting</th>
            <th>Dropped</th>
            <th class="number">Never arrived</th>
          </tr>
        </thead>
        <tbody>
          {sources.map((row) => (
            <Boundary key={row.source.instance} of={row} columns={9}>
              <Row row={row} rate={rates.get(row.source.instance)} />
            </Boundary>
          ))}
        </tbody>
      </TableBox>
      <p class="dim table-note">
        Waiting and dropped: counted in the process, before sending. Never arrived: sequence numbers that the hub has not seen, although
        later ones came.
      </p>
    </>
  );
}

function Row({ row, rate }: { readonly row: SourcesAnswer["sources"][number]; readonly rate: number | undefined }) {
  const { source, cwd, connectedAt, received, counters, gaps, lastEventAt } = row;
  return (
    <tr>
      <th scope="row">
        <a href={hrefOf("live", { source: source.instance })}>{inert(source.app)}</a>{" "}
        <span class="dim">
          {inert(source.host)} pid {source.pid}
        </span>
      </th>
      <td class="mono clipped">{inert(cwd ?? "–")}</td>
      <td>
        <Ago at={Date.parse(connectedAt)} />
      </td>
      <td>
        <Ago at={lastEventAt === undefined ? undefined : Date.parse(lastEventAt)} />
      </td>
      <td class="number">{countText(received)}</td>
      <td class="number">{rateText(rate)}</td>
      <td class="number">{counters === undefined ? "–" : countText(counters.pending)}</td>
      <td>
        <Drops dropped={counters?.dropped} />
      </td>
      <td class={`number ${gaps > 0 ? "is-bad" : ""}`}>{gaps > 0 ? `! ${countText(gaps)}` : "0"}</td>
    </tr>
  );
}

/** What was dropped, by reason. */
export function Drops({ dropped }: { readonly dropped: { readonly [reason: string]: number } | undefined }) {
  const found = Object.entries(dropped ?? {}).filter(([, count]) => count > 0);
  if (found.length === 0) return <span class="dim">none</span>;
  return <span class="is-bad">{found.map(([reason, count]) => `! ${countText(count)} ${inert(reason)}`).join(", ")}</span>;
}

interface Reading {
  readonly at: number;
  readonly count: number;
}

const MIN_MS = 500;

/** How fast counters grow, per second, since they were last read. */
export function useRates(counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const kept = useRef(new Map<string, Reading>());
  const rates = useRef(new Map<string, number>());
  const at = performance.now();
  for (const [key, count] of counts) {
    const before = kept.current.get(key);
    if (before !== undefined && (at - before.at < MIN_MS || count < before.count)) continue;
    if (before !== undefined) rates.current.set(key, ((count - before.count) * 1_000) / (at - before.at));
    kept.current.set(key, { at, count });
  }
  return rates.current;
}

export function rateText(perSecond: number | undefined): string {
  if (perSecond === undefined) return "–";
  return `${perSecond < 10 ? perSecond.toFixed(1) : perSecond.toFixed(0)}/s`;
}
