import { inertText } from "@hookline/core/internal/text";
import type { Fault } from "../../hub/protocol.js";

/** `The rule "no-rm" is broken: …:3:31: … Every call that it might guard is denied … Run: hookline rules list` */
export function faultLine({ kind, name, project, state, what, effect, run }: Fault): string {
  const whose = project === undefined ? "" : ` of ${project}`;
  return inertText(`${KINDS[kind]} "${name}"${whose} ${STATES[state]}: ${what} ${effect} Run: ${run}`);
}

const STATES: { readonly [state in Fault["state"]]: string } = {
  broken: "is broken",
  modified: "has changed since you consented to it",
  failing: "failed at its last event",
};
const KINDS: { readonly [kind in Fault["kind"]]: string } = { rule: "The rule", hook: "The hook", config: "The configuration" };
