import { useState } from "preact/hooks";
import type { RuleSuggestion } from "../../api/answers.js";
import { hub } from "../../api/calls.js";
import { Boundary } from "../../parts/boundary.js";
import { Button } from "../../parts/button.js";
import { Ago } from "../../parts/time.js";
import { canApprove } from "../../state/access.js";
import { say, sayError } from "../../state/notices.js";
import { useLoaded } from "../../state/use-loaded.js";
import { countText, pluralText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";

/** It takes the hub a second, and an answer is soon enough at the next look. */
const RELOAD_MS = 120_000;

/** Rules for what was approved again and again, each with its backtest. `of`: only those that answer this rule. */
export function Suggestions({ of }: { readonly of?: string }) {
  const { data, reload } = useLoaded(hub.suggestions, "suggestions", RELOAD_MS);
  const found = (data?.suggestions ?? []).filter(({ answers }) => of === undefined || answers === of);
  if (found.length === 0) return null;
  return (
    <section class="suggestions" aria-label="Ask me less">
      <h2 class="section-title">Ask me less</h2>
      <p class="dim suggestions-about">
        Rules for calls that you approve again and again. Read what each would let through; nothing changes until you add it.
      </p>
      <ul class="cards">
        {found.map((suggestion) => (
          <li key={suggestion.name}>
            <Boundary of={suggestion}>
              <Card suggestion={suggestion} onAdded={reload} />
            </Boundary>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Card({ suggestion, onAdded }: { readonly suggestion: RuleSuggestion; readonly onAdded: () => void }) {
  const { name, answers, approvals, people, last, toml, answered, examples } = suggestion;
  const [isBusy, setBusy] = useState(false);
  const add = async () => {
    setBusy(true);
    try {
      await hub.addSuggestion(name);
      say("The rule is in hookline.toml.");
      onAdded();
    } catch (thrown) {
      sayError(thrown);
    }
    setBusy(false);
  };
  return (
    <article class="card suggestion">
      <h3>You approved this {pluralText(approvals, "time")}: make it a rule</h3>
      <p class="dim">
        {inert(answers)} asked, last <Ago at={last} />. Approved by {inert(people.join(", "))}.
      </p>
      <pre class="sample mono">{toml.trimEnd().split("\n").map(inert).join("\n")}</pre>
      <p>
        In the record it would have answered {pluralText(answered.approved, "call")} that {answered.approved === 1 ? "was" : "were"}{" "}
        approved, and let through {answered.others === 0 ? "no others" : <strong>{pluralText(answered.others, "other")}</strong>}.
      </p>
      <ul class="try-rule-calls">
        {examples.map(({ id, was, times, about }) => (
          <li key={id}>
            <span class={was === "approved" ? "dim" : "suggestion-other"}>
              {countText(times)} × {was}
            </span>{" "}
            <span class="mono clipped">{inert(about)}</span>
          </li>
        ))}
      </ul>
      <div class="card-actions">
        <Button kind="main" isDisabled={!canApprove.value} isWaiting={isBusy} onClick={() => void add()}>
          Add this rule
        </Button>
      </div>
    </article>
  );
}
