import type { Fault } from "../../hub/protocol.js";
import { inert } from "./inert.js";

/** `The rule "no-rm" is broken: …:3:31: … Every call that it might guard is denied … Run: hookline rules list` */
export function faultLine({ kind, name, project, state, what, effect, run }: Fault): string {
  const whose = project === undefined ? "" : ` of ${project}`;
  const how = state === "modified" ? "was changed since you consented to it" : "is broken";
  return inert(`${KINDS[kind]} "${name}"${whose} ${how}: ${what} ${effect} Run: ${run}`);
}

const KINDS: { readonly [kind in Fault["kind"]]: string } = { rule: "The rule", hook: "The hook", config: "The configuration" };
