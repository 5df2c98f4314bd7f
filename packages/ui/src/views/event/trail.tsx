import type { ComponentChildren } from "preact";
import { upgradeEnvelope } from "../../../../core/src/catalog/envelope-v1.js";
import type { HandlerRow, PlacedEvent } from "../../api/answers.js";
import { hub } from "../../api/calls.js";
import { Boundary } from "../../parts/boundary.js";
import { Icon, type IconName } from "../../parts/icon.js";
import { useLoaded } from "../../state/use-loaded.js";
import { durationText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";
import { runsOf } from "./trail-runs.js";
import { isOfHub, type Registered, type Step, wantedBy } from "./unmatched.js";

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

interface TrailProps {
  readonly event: PlacedEvent;
  readonly isStored: boolean;
  /** Only the process that reported the event says that a person, the hub or the policy decided. */
  readonly isClaimed: boolean;
}

/** The steps in order: the actor, what it said, why, and how long it took. */
export function Trail({ event: given, isStored, isClaimed }: TrailProps) {
  const event = upgradeEnvelope(given);
  const { data } = useLoaded(() => (isStored ? loadRegistered(event) : NOT_STORED), `trail ${event.id}`);
  const { trail: steps = [], modified } = event.decision ?? {};
  if (steps.length === 0) return <p class="dim">No handler checked it.</p>;
  return (
    <>
      <ol class={steps.every(isOfHub) ? "trail" : "trail is-mixed"}>
        {runsOf(steps).map((run, index) =>
          run.length === 1 ? (
            <Steps key={index} steps={run} event={event} registered={data} />
          ) : (
            <Unmatched key={index} steps={run}>
              <Steps steps={run} event={event} registered={data} />
            </Unmatched>
          ),
        )}
      </ol>
      {isClaimed && (
        <p class="trail-note">
          <Icon name="warn" size={12} /> The process {inert(event.source.app)} says so itself. What the hub and people decided is in events
          of hookline-hub.
        </p>
      )}
      {modified === true && <p class="dim trail-note">The payload was rewritten. The payload tab shows the version that may run.</p>}
    </>
  );
}

/** Most guards have nothing to do with a call: they stand in one line that opens. */
function Unmatched({ steps, children }: { readonly steps: readonly Step[]; readonly children: ComponentChildren }) {
  return (
    <li class={`trail-step ${innerClass(steps[0])}`}>
      <span class="trail-sign">
        <Icon name="pass" size={12} />
      </span>
      <details>
        <summary>
          {steps.length} did not match <span class="dim">{inert([...new Set(steps.map(({ actor }) => actor.name))].join(", "))}</span>
        </summary>
        <ol class="trail">{children}</ol>
      </details>
    </li>
  );
}

/** What the hub's guards did stands within the step that asked the hub; the answer to an approval stands for itself. */
function innerClass(step: Step | undefined): string {
  return step !== undefined && isOfHub(step) && step.stage !== "approval" ? "is-inner" : "";
}

interface StepsProps {
  readonly steps: readonly Step[];
  readonly event: PlacedEvent;
  readonly registered: Registered | undefined;
}

function Steps({ steps, event, registered }: StepsProps) {
  return (
    <>
      {steps.map((step, index) => (
        <Boundary key={index} of={step}>
          <TrailRow step={step}>
            {step.action === "no-match" && registered !== undefined && <Wanted step={step} event={event} registered={registered} />}
          </TrailRow>
        </Boundary>
      ))}
    </>
  );
}

const NOT_STORED = Promise.resolve<Registered>({ inHub: [], inProcess: [] });

/** Why a handler did not match, by what is registered now. */
function Wanted({ step, event, registered }: { readonly step: Step; readonly event: PlacedEvent; readonly registered: Registered }) {
  const { code, words } = wantedBy(step, event, registered);
  return (
    <>
      {code !== undefined && (
        <>
          {" "}
          <code class="trail-wanted" title={inert(code)}>
            {inert(code)}
          </code>
        </>
      )}
      {words !== undefined && `: ${words}`}
    </>
  );
}

function TrailRow({ step, children }: { readonly step: Step; readonly children: ComponentChildren }) {
  const { actor, stage, round, action, reason, failure, durationMs } = step;
  return (
    <li class={`trail-step trail-${action} ${innerClass(step)}`}>
      <span class="trail-sign">
        <Icon name={SIGNS[action] ?? "pass"} size={12} />
      </span>
      <div>
        <p>
          <strong>{inert(actor.name)}</strong> {WORDS[action] ?? inert(action)}
          {children}
          {round > 0 && <span class="dim"> on checking again ({round})</span>}
          {failure !== undefined && <span class="trail-failure"> {inert(failure)}</span>}
        </p>
        {reason !== undefined && (
          <p>
            <bdi>{inert(reason)}</bdi>
          </p>
        )}
        <p class="dim trail-meta">
          {inert(actor.kind)}
          {actor.at !== undefined && ` · in the ${inert(actor.at)}`}
          {isHandler(actor) && ` · ${inert(stage)}`}
          {actor.owner !== undefined && ` · ${inert(actor.owner)}`}
          {durationMs !== undefined && ` · ${durationText(durationMs)}`}
        </p>
      </div>
    </li>
  );
}

/** A person and a policy answer in no stage. */
function isHandler({ kind }: Step["actor"]): boolean {
  return kind !== "person" && kind !== "policy";
}

const NONE: Registered = { inHub: [], inProcess: [] };

/** Asks only for what the trail's `no-match` steps need. A process that has gone cannot say any more. */
async function loadRegistered({ decision, source }: PlacedEvent): Promise<Registered> {
  const unmatched = (decision?.trail ?? []).filter(({ action }) => action === "no-match");
  if (unmatched.length === 0) return NONE;
  return {
    inHub: unmatched.some(isOfHub) ? (await hub.handlers()).handlers : [],
    inProcess: unmatched.every(isOfHub) ? [] : await handlersIn(source.instance),
  };
}

async function handlersIn(instance: string): Promise<readonly HandlerRow[]> {
  const { sources } = await hub.sources();
  if (!sources.some(({ source }) => source.instance === instance)) return [];
  return (await hub.handlersOf(instance)).handlers;
}
