import type { HandlerRow, HookSummary } from "../../api/answers.js";
import type { HandlerRef } from "../../api/calls.js";
import { windowText } from "../../parts/window-tabs.js";
import { inert } from "../../text/inert.js";
import { factsOf, RULES } from "./handler-facts.js";
import { SwitchButton } from "./switch-button.js";
import { TestButton } from "./test-button.js";

interface DetailProps {
  readonly handler: HandlerRow;
  readonly hook: HookSummary | undefined;
  /** Missing where nothing can be done: what a process says of itself is no rule of yours, whatever it calls itself. */
  readonly onChanged: (() => void) | undefined;
}

export function HandlerDetail({ handler, hook, onChanged }: DetailProps) {
  const of = refOf(handler);
  return (
    <div class="detail-box">
      <dl class="facts">
        {factsOf(handler, hook, windowText.value).map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={name === "Match" || name === "File" ? "mono clipped" : "clipped"}>{inert(text)}</dd>
          </div>
        ))}
      </dl>
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
