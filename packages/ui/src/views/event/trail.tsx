import type { PlacedEvent } from "../../api/answers.js";
import { Icon, type IconName } from "../../parts/icon.js";
import { durationText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";

type Step = NonNullable<NonNullable<PlacedEvent["decision"]>["trail"]>[number];

const SIGNS: { readonly [action: string]: IconName } = {
  deny: "deny",
  ask: "ask",
  allow: "allow",
  modify: "edit",
  replace: "edit",
  failed: "warn",
  cancelled: "close",
};
const WORDS: { readonly [action: string]: string } = {
  "no-match": "did not match",
  pass: "passed",
  modify: "rewrote",
  deny: "denied",
  ask: "asked",
  allow: "allowed",
};

/** Which handlers looked, in order: what each said, why, and how long it took. */
export function Trail({ steps, isModified }: { readonly steps: readonly Step[]; readonly isModified: boolean }) {
  if (steps.length === 0) return <p class="dim">No handler looked at it.</p>;
  return (
    <>
      <ol class="trail">
        {steps.map((step, index) => (
          <TrailRow key={index} step={step} />
        ))}
      </ol>
      {isModified && <p class="dim trail-note">The payload was rewritten on the way; what the payload tab shows is what may run.</p>}
    </>
  );
}

function TrailRow({ step }: { readonly step: Step }) {
  const { handler, owner, stage, round, action, reason, failure, durationMs } = step;
  return (
    <li class={`trail-step trail-${action}`}>
      <span class="trail-sign">
        <Icon name={SIGNS[action] ?? "pass"} size={12} />
      </span>
      <div>
        <p>
          <strong>{inert(handler)}</strong> {WORDS[action] ?? inert(action)}
          {round > 0 && <span class="dim"> on looking again ({round})</span>}
          {failure !== undefined && <span class="trail-failure"> {inert(failure)}</span>}
        </p>
        {reason !== undefined && (
          <p>
            <bdi>{inert(reason)}</bdi>
          </p>
        )}
        <p class="dim trail-meta">
          {inert(stage)}
          {owner !== undefined && ` · ${inert(owner)}`}
          {durationMs !== undefined && ` · ${durationText(durationMs)}`}
        </p>
      </div>
    </li>
  );
}
