import { inertText, shellWord } from "@hookline/core/internal/text";
import type { Fault, HandlersAnswer, StatusAnswer } from "../../hub/protocol.js";

type Counts = { readonly [state: string]: number };

/** The state of the hub's rules and hooks, as `hookline status` shows it. */
export interface Guards {
  readonly hooks: StatusAnswer["hooks"];
  readonly rules: Counts;
  readonly faults: readonly Fault[];
}

export function guardsOf({ hooks, faults }: Pick<StatusAnswer, "hooks" | "faults">, { rules }: Pick<HandlersAnswer, "rules">): Guards {
  const count = (wanted: string): number => rules.filter(({ state }) => state === wanted).length;
  const counts = Object.entries({ active: count("active"), disabled: count("disabled"), broken: count("broken") });
  return { hooks, faults, rules: Object.fromEntries(counts.filter(([, found]) => found > 0)) };
}

/** `3 active, ! 1 broken`. */
export function countsText(counts: Counts): string {
  const states = Object.entries(counts).map(([state, count]) => `${BAD.has(state) ? "! " : ""}${count} ${state}`);
  return states.length === 0 ? "none" : states.join(", ");
}

/** The rules in force. An edit that the hub could not take is not among them, so "none" alone would be wrong. */
export function rulesText({ rules, faults }: Pick<Guards, "rules" | "faults">): string {
  const edited = faults.find(({ kind, isEdit }) => isEdit && kind !== "hook");
  if (edited === undefined) return countsText(rules);
  return `${countsText(rules)}, ! ${edited.kind === "rule" ? `the rule ${inertText(edited.name)}` : inertText(edited.name)} is broken: its last edit is not in force`;
}

const BAD: ReadonlySet<string> = new Set(["broken", "modified"]);

/** What the user should look at, each with the command to run. */
export function guardWarnings({ hooks, faults }: Guards): string[] {
  const untrusted = hooks.untrusted.map(({ project, hooks: names }) => ({
    project,
    names: names.filter((name) => !faults.some((fault) => fault.project === project && name === `${fault.name} (${fault.state})`)),
  }));
  return [
    ...faults.map(faultLine),
    ...untrusted
      .filter(({ names }) => names.length > 0)
      .map(({ project, names }) => `Hooks of ${inertText(project)} do not run: ${inertText(names.join(", "))}. Run: ${trust(project)}`),
  ];
}

function trust(project: string): string {
  return `hookline hooks trust --project ${inertText(shellWord(project))}`;
}

/** `The rule "no-rm" is broken: …:3:31: … Every call that it might guard is denied … Run: hookline rules list` */
export function faultLine(fault: Fault): string {
  return `${faultText(fault)} Run: ${inertText(fault.run)}`;
}

/** The same without the command. */
export function faultText({ kind, name, project, state, what, effect }: Fault): string {
  const whose = project === undefined ? "" : ` of ${project}`;
  // The words of another program may end without a full stop.
  const sentence = /[.!?…]$/.test(what) ? what : `${what}.`;
  return inertText(`${KINDS[kind]} "${name}"${whose} ${STATES[state]}: ${sentence} ${effect}`);
}

const STATES: { readonly [state in Fault["state"]]: string } = {
  broken: "is broken",
  modified: "has changed since you consented to it",
  failing: "failed at its last event",
  waiting: "waits for acceptance",
};
const KINDS: { readonly [kind in Fault["kind"]]: string } = { rule: "The rule", hook: "The hook", config: "The configuration" };
