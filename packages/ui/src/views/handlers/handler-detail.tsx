import { useState } from "preact/hooks";
import type { HandlerRow, HookSummary, RuleSummary, TrialAnswer } from "../../api/answers.js";
import { type HandlerRef, hub } from "../../api/calls.js";
import { Button } from "../../parts/button.js";
import { VerdictMark } from "../../parts/verdict.js";
import { windowText } from "../../parts/window-tabs.js";
import { canApprove } from "../../state/access.js";
import { sayError } from "../../state/notices.js";
import { durationText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";
import { Suggestions } from "../approvals/suggestions.js";
import { factsOf, RULES } from "./handler-facts.js";
import { SwitchButton } from "./switch-button.js";
import { RuleMatches } from "./try-rule.js";

interface DetailProps {
  readonly handler: HandlerRow;
  readonly hook: HookSummary | undefined;
  /** What a rule has seen so far. */
  readonly remembers: RuleSummary["remembers"];
  /** Missing for handlers of a process: their names are its own claim, so they cannot be switched here. */
  readonly onChanged: (() => void) | undefined;
}

export function HandlerDetail({ handler, hook, remembers, onChanged }: DetailProps) {
  const of = refOf(handler);
  return (
    <div class="detail-box">
      <dl class="facts">
        {factsOf(handler, hook, windowText.value, remembers).map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={name === "Match" || name === "File" ? "mono clipped" : "clipped"}>{inert(text)}</dd>
          </div>
        ))}
      </dl>
      {onChanged !== undefined && of?.owner === RULES && <RuleMatches name={handler.name} />}
      {onChanged !== undefined && of?.owner === RULES && <Suggestions of={handler.name} />}
      {onChanged !== undefined && of !== undefined && handler.health?.state !== "broken" && (hook !== undefined || of.owner === RULES) && (
        <div class="card-actions">
          <TestButton of={of} event={handler.event} />
          <SwitchButton of={of} isOn={hook?.state !== "disabled"} onChanged={onChanged} />
        </div>
      )}
    </div>
  );
}

function refOf({ owner, name }: HandlerRow): HandlerRef | undefined {
  if (owner === undefined) return undefined;
  return owner === RULES ? { owner, name } : { owner };
}

/** Asks the handler about a sample event, without an agent. */
function TestButton({ of, event }: { readonly of: HandlerRef; readonly event: string }) {
  const [result, setResult] = useState<TrialAnswer>();
  const test = () => hub.testHandler(of, event).then(setResult, sayError);
  return (
    <>
      <Button icon="play" isDisabled={!canApprove.value} onClick={() => void test()}>
        Test with a sample event
      </Button>
      {result !== undefined && (
        <span role="status" class="test-result">
          {result.wasAsked ? <VerdictMark verdict={result.verdict} /> : "not asked: the sample does not match"} in {durationText(result.ms)}{" "}
          {inert(
            [result.reason, result.failure, ...result.errors, ...(result.notes ?? [])].filter((text) => text !== undefined).join("; "),
          )}
        </span>
      )}
    </>
  );
}
