import { stateFolder } from "@hookline/core/discover";
import { createTrust } from "../../extensions/trust/trust.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { inert } from "../format/inert.js";
import type { Terminal } from "../terminal.js";
import { findKnownHooks } from "./find-hooks.js";
import { fingerprintOf, type HookRow } from "./known-hook.js";
import { readRows } from "./list-hooks.js";
import type { HooksOptions } from "./options.js";

/** `hookline hooks doctor`: what is wrong with the hooks, and which are new since you last looked. */
export async function examineHooks(terminal: Terminal, { project, reviewed = false }: HooksOptions): Promise<number> {
  const rows = await readRows(terminal.env, project);
  const trust = createTrust(stateFolder(terminal.env));
  const own = await readOwn(terminal.env, project);
  const findings = rows.flatMap(findingsOf);
  for (const { name, what, isBad } of findings)
    terminal.print(`${isBad ? terminal.paint("red", "FAIL") : terminal.paint("yellow", "warn")} ${inert(name)}: ${inert(what)}`);
  for (const name of trust.newSinceReview(own))
    terminal.print(`${terminal.paint("yellow", "new ")} ${inert(name)}: new or changed since your last review`);
  if (reviewed) trust.review(own);
  terminal.say(`${countText(rows.length, "hook")}, ${countText(findings.length, "finding")}.${reviewed ? " Noted as reviewed." : ""}`);
  return findings.some(({ isBad }) => isBad) ? EXIT.failed : EXIT.ok;
}

/** The user's own hooks, as a review compares them. */
export async function readOwn(env: NodeJS.ProcessEnv, project: string): Promise<{ readonly [name: string]: string }> {
  const hooks = await findKnownHooks(env, project);
  return Object.fromEntries(hooks.filter(({ from }) => from === "user").map((hook) => [hook.name, fingerprintOf(hook)]));
}

interface HookFinding {
  readonly name: string;
  readonly what: string;
  readonly isBad: boolean;
}

function findingsOf({ name, state, problems, calls, lastFiredAt }: HookRow): HookFinding[] {
  const found = problems.map((what) => ({ name, what, isBad: state !== "active" && state !== "disabled" }));
  const say = (what: string, isBad: boolean) => found.push({ name, what, isBad });
  if (state === "modified" && problems.length === 0) say("it was changed since consent and does not run. Run: hookline hooks trust", true);
  if (state === "untrusted") say("nobody has consented to it, so it does not run. Run: hookline hooks trust", false);
  if (state === "suspended") say("it failed too often and is left out for a while", true);
  if (state === "active" && calls !== undefined && lastFiredAt === undefined) say("it has never fired", false);
  return found;
}
