import type { HandlerRow, HookSummary } from "../../api/answers.js";
import type { HandlerRef } from "../../api/calls.js";
import { durationText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";
import { SwitchButton } from "./switch-button.js";
import { TestButton } from "./test-button.js";

interface DetailProps {
  readonly handler: HandlerRow;
  readonly hook: HookSummary | undefined;
  readonly onChanged: () => void;
}

/** Rules share this owner and go by their names. */
const RULES = "rules";

export function HandlerDetail({ handler, hook, onChanged }: DetailProps) {
  const of = refOf(handler);
  return (
    <div class="detail-box">
      <dl class="facts">
        {factsOf(handler, hook).map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={name === "Match" || name === "File" ? "mono clipped" : "clipped"}>{inert(text)}</dd>
          </div>
        ))}
      </dl>
      {of !== undefined && (hook !== undefined || of.owner === RULES) && (
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

function factsOf(handler: HandlerRow, hook: HookSummary | undefined): readonly (readonly [string, string])[] {
  const { description, match, tool, owner, path, permissions, priority, timeoutMs } = handler;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["About", description],
    ["Match", match],
    ["Tool", typeof tool === "string" ? tool : tool?.join(", ")],
    ["Owner", owner],
    ["File", path ?? hook?.path],
    ["Kind", hook === undefined ? undefined : `${hook.kind} of the ${hook.from}${hook.project === undefined ? "" : ` ${hook.project}`}`],
    ["Permissions", owner === RULES ? undefined : permissions?.join(", ")],
    ["Priority", String(priority)],
    ["Time limit", durationText(timeoutMs)],
    ["Problems", hook?.problems.join("; ")],
  ];
  return facts.flatMap(([name, text]) => (text === undefined || text === "" ? [] : [[name, text] as const]));
}
