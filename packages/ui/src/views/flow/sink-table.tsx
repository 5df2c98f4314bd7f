import type { SinksAnswer } from "../../api/answers.js";
import { TableBox } from "../../parts/table-box.js";
import { countText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";
import { Drops, rateText, useRates } from "./source-table.js";

export function SinkTable({ sinks }: { readonly sinks: SinksAnswer["sinks"] }) {
  const rates = useRates(new Map(sinks.map(({ name, sent }) => [name, sent])));
  return (
    <TableBox label="Sinks">
      <thead>
        <tr>
          <th>Sink</th>
          <th>Type</th>
          <th>State</th>
          <th class="number">Sent</th>
          <th class="number">Rate</th>
          <th class="number">Behind</th>
          <th>Dropped</th>
          <th>Last error</th>
        </tr>
      </thead>
      <tbody>
        {sinks.map(({ name, type, state, sent, behind, dropped, lastError }) => (
          <tr key={name}>
            <th scope="row">{inert(name)}</th>
            <td>{inert(type)}</td>
            <td>
              <span class={`mark ${state === "ok" ? "mark-good" : "mark-bad"}`}>{state === "ok" ? "✓ ok" : `! ${state}`}</span>
            </td>
            <td class="number">{countText(sent)}</td>
            <td class="number">{rateText(rates.get(name))}</td>
            <td class="number">{countText(behind)}</td>
            <td>
              <Drops dropped={dropped} />
            </td>
            <td class="prose">{lastError === undefined ? <span class="dim">none</span> : inert(lastError)}</td>
          </tr>
        ))}
      </tbody>
    </TableBox>
  );
}
