import type { Fault } from "../api/answers.js";
import { hub } from "../api/calls.js";
import { Command } from "../parts/command.js";
import { Icon } from "../parts/icon.js";
import { isNarrow } from "../parts/narrow.js";
import { hrefOf } from "../state/location.js";
import { useLoaded } from "../state/use-loaded.js";
import { pluralText } from "../text/amounts.js";
import { inert } from "../text/inert.js";
import { WaitingChange } from "./waiting-change.js";

const EVERY_MS = 3_000;
const SHOWN = { wide: 3, narrow: 1 };
const KINDS: { readonly [kind in Fault["kind"]]: string } = { rule: "The rule", hook: "The hook", config: "The configuration" };

/** Rules, hooks and tables that are in a file but not in force. Every view shows them until they are fixed. Those that deny calls come first. */
export function FaultBanner() {
  const { data } = useLoaded(hub.faults, "faults", EVERY_MS);
  const faults = (data?.faults ?? []).toSorted((a, b) => Number(b.denies) - Number(a.denies));
  const shown = faults.slice(0, isNarrow.value ? SHOWN.narrow : SHOWN.wide);
  return (
    <div role="status" aria-label="What is broken">
      {shown.map((fault, index) => (
        <OneFault key={`${fault.kind} ${fault.name} ${index}`} fault={fault} />
      ))}
      {faults.length > shown.length && (
        <p class="banner banner-fault">
          And {pluralText(faults.length - shown.length, "more fault")}: <Command>hookline status</Command>{" "}
          <a href={hrefOf("handlers")}>Handlers</a>
        </p>
      )}
    </div>
  );
}

function OneFault({ fault }: { readonly fault: Fault }) {
  const { kind, name, project, state, what, effect, run } = fault;
  return (
    <div class="banner banner-fault">
      <Icon name="warn" size={14} />
      <div>
        <p>
          <strong>
            {KINDS[kind]} {inert(name)}
            {project !== undefined && ` of ${inert(project)}`} {STATES[state]}.
          </strong>{" "}
          {inert(effect)} Run: <Command>{inert(run)}</Command>
        </p>
        <p class="mono fault-what" title={inert(what)}>
          <bdi>{inert(what)}</bdi>
        </p>
        {state === "waiting" && <WaitingChange fault={fault} />}
      </div>
    </div>
  );
}

const STATES: { readonly [state in Fault["state"]]: string } = {
  broken: "is broken",
  modified: "was changed since consent",
  failing: "failed at its last event",
  waiting: "waits for acceptance",
};
