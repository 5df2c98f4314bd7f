import { useState } from "preact/hooks";
import type { UsageAnswer, UsageSums } from "../../api/answers.js";
import { hub } from "../../api/calls.js";
import { SessionLink } from "../../parts/session-link.js";
import { TableBox } from "../../parts/table-box.js";
import { Tabs } from "../../parts/tabs.js";
import { Trouble } from "../../parts/trouble.js";
import { useKept } from "../../state/use-kept.js";
import { useLoaded } from "../../state/use-loaded.js";
import { costText, pluralText, shortCount } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";

const EVERY_MS = 30_000;
const RANGES = [
  { id: "24h", label: "24 h" },
  { id: "7d", label: "7 d" },
  { id: "30d", label: "30 d" },
  { id: "90d", label: "90 d" },
] as const;
const WAYS = [
  { id: "day", label: "Day" },
  { id: "agent", label: "Agent" },
  { id: "model", label: "Model" },
  { id: "project", label: "Project" },
  { id: "session", label: "Session" },
] as const;
type Way = (typeof WAYS)[number]["id"];

/** Tokens and money. An unknown number is not 0. */
export function UsageCard() {
  const [by, setBy] = useState<Way>("day");
  const [since, setSince] = useState("7d");
  const { data, error } = useLoaded(() => hub.usage(by, since), `usage ${by} ${since}`, EVERY_MS);
  const shown = useKept(data);
  return (
    <section class="card usage" aria-label="Usage and costs">
      <header class="usage-head">
        <h2>Usage and costs</h2>
        <Tabs tabs={WAYS} current={by} onChoose={(id) => setBy(id as Way)} label="Add up by" />
        <Tabs tabs={RANGES} current={since} onChoose={setSince} label="How far back, for usage" />
      </header>
      <Trouble error={error} />
      {shown !== undefined && <UsageTable answer={shown} />}
    </section>
  );
}

function UsageTable({ answer }: { readonly answer: UsageAnswer }) {
  const { rows, total, by } = answer;
  if (rows.length === 0) return <p class="dim">No agent has reported tokens or costs in this time.{silentText(answer)}</p>;
  return (
    <>
      <TableBox label={`Usage by ${by}`}>
        <thead>
          <tr>
            <th>{WAYS.find(({ id }) => id === by)?.label}</th>
            <th class="number">Cost</th>
            <th class="number">Input</th>
            <th class="number">Cache read</th>
            <th class="number">Cache write</th>
            <th class="number">Output</th>
            <th class="number">Reasoning</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, ...sums }) => (
            <UsageLine key={key} sums={sums}>
              {by === "session" && key !== "" ? <SessionLink id={key} length={22} /> : inert(key) || "unknown"}
            </UsageLine>
          ))}
          <UsageLine sums={total}>Total</UsageLine>
        </tbody>
      </TableBox>
      <p class="dim usage-note">{noteText(answer)}</p>
    </>
  );
}

function UsageLine({ sums, children }: { readonly sums: UsageSums; readonly children: preact.ComponentChildren }) {
  const tokens = [sums.inputTokens, sums.cacheReadTokens, sums.cacheWriteTokens, sums.outputTokens, sums.reasoningTokens];
  return (
    <tr>
      <th scope="row">{children}</th>
      <td class="number">{moneyText(sums) ?? <Unknown />}</td>
      {tokens.map((count, index) => (
        <td key={index} class="number">
          {count === undefined ? <Unknown /> : shortCount(count)}
        </td>
      ))}
    </tr>
  );
}

function Unknown() {
  return <span class="dim">unknown</span>;
}

/** `~` is an estimate, `≥` leaves some tokens out. */
function moneyText({ costUsd, estimatedUsd = 0, unpricedTokens }: UsageSums): string | undefined {
  if (costUsd === undefined) return undefined;
  return `${unpricedTokens > 0 ? "≥ " : ""}${estimatedUsd > 0 ? "~" : ""}${costText(costUsd)}`;
}

function noteText(answer: UsageAnswer): string {
  const { total, pricesChecked, isCut } = answer;
  const { oldest, newest } = pricesChecked;
  return [
    (total.estimatedUsd ?? 0) > 0 ? `~ is an estimate from list prices, checked between ${oldest} and ${newest}.` : "",
    total.unpricedTokens > 0 ? `≥ leaves out ${shortCount(total.unpricedTokens)} tokens of models without a known price.` : "",
    isCut ? "Only the first 1,000 rows are shown." : "",
    silentText(answer),
  ]
    .filter((text) => text !== "")
    .join(" ");
}

function silentText({ silent }: UsageAnswer): string {
  if (silent.length === 0) return "";
  return ` Without numbers: ${silent.map(({ app, sessions }) => `${pluralText(sessions, "session")} of ${inert(app)}`).join(", ")}.`;
}
