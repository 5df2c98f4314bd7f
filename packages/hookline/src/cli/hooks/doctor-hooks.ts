import { existsSync } from "node:fs";
import { join } from "node:path";
import { errorText, stateFolder } from "@hookline/core/internal/machine";
import { editCommand, inertText, shellWord } from "@hookline/core/internal/text";
import { pickHandler } from "../../extensions/folder/pick-files.js";
import type { InstalledHook } from "../../extensions/installed/installed-hook.js";
import { createTrust, type Trust } from "../../extensions/trust/trust.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { readHub } from "../status/hub-facts.js";
import type { Terminal } from "../terminal.js";
import { findKnownHooks, type ProjectOption, projectOf, projectOption } from "./find-hooks.js";
import { fingerprintOf, type HookRow, hasRulesInForce, modeText } from "./known-hook.js";
import { readRows } from "./list-hooks.js";

export const command: CommandModule<ProjectOption & { readonly reviewed?: boolean }> = {
  define(command) {
    command
      .option(...projectOption)
      .option("--reviewed", "mark your own hooks as reviewed")
      .addHelpText("after", "\nStarts each hook once to see that it comes up. Exit code 1 when a hook cannot be used.")
      .addHelpText("after", examples("hookline hooks doctor", "hookline hooks doctor --reviewed"));
  },

  run: (terminal, { reviewed = false, ...where }) => examineHooks(terminal, projectOf(where), reviewed),
};

async function examineHooks(terminal: Terminal, project: string, reviewed: boolean): Promise<number> {
  const rows = await readRows(terminal.env, project, await readHub(terminal.env));
  const trust = createTrust(stateFolder(terminal.env));
  const own = await readOwn(terminal.env, project);
  const faults = await findStartFaults(await findKnownHooks(terminal.env, project));
  const findings = [
    ...recordFindings(trust),
    ...rows.flatMap(findingsOf),
    ...faults.map((fault) => ({ ...fault, isBad: true, next: mending(rows, fault) })),
  ];
  for (const finding of findings) printFinding(finding, terminal);
  for (const row of rows)
    for (const text of notesOn(row)) terminal.print(`note ${inertText(row.name)}: ${terminal.typeable(inertText(text))}`);
  const unreviewed = trust.newSinceReview(own);
  for (const name of unreviewed)
    terminal.print(`${terminal.paint("yellow", "new ")} ${inertText(name)}: new or changed since your last review`);
  if (reviewed) trust.review(own);
  else if (unreviewed.length > 0) terminal.say("After you have reviewed the new ones: hookline hooks doctor --reviewed");
  terminal.say(`${countText(rows.length, "hook")}, ${countText(findings.length, "finding")}.${reviewed ? " Marked as reviewed." : ""}`);
  return findings.some(({ isBad }) => isBad) ? EXIT.failed : EXIT.ok;
}

/** The user's own hooks, as a review compares them. */
export async function readOwn(env: NodeJS.ProcessEnv, project: string): Promise<{ readonly [name: string]: string }> {
  const hooks = await findKnownHooks(env, project);
  return Object.fromEntries(hooks.filter(({ from }) => from === "user").map((hook) => [hook.name, fingerprintOf(hook)]));
}

/** A hook that cannot be used at all is among the hooks. */
function recordFindings(trust: Trust): HookFinding[] {
  try {
    const fault = trust.fault();
    return fault === undefined ? [] : [{ name: "trust.json", what: errorText(fault), isBad: true }];
  } catch {
    return [];
  }
}

interface HookFinding {
  readonly name: string;
  readonly what: string;
  readonly isBad: boolean;
  /** What to type. */
  readonly next?: string;
}

function printFinding({ name, what, isBad, next }: HookFinding, { print, paint, typeable }: Terminal): void {
  print(`${isBad ? paint("red", "FAIL") : paint("yellow", "warn")} ${inertText(name)}: ${typeable(inertText(what))}`);
  if (next !== undefined) print(`     run: ${typeable(inertText(next))}`);
}

function findingsOf(row: HookRow): HookFinding[] {
  const { name, state, problems, calls, lastFiredAt } = row;
  const trust = `hookline hooks trust ${shellWord(name)}`;
  const isBad = state !== "active" && state !== "disabled" && !hasRulesInForce(row);
  const answers: { readonly [state: string]: string } = { untrusted: trust, waiting: `hookline policy accept ${shellWord(name)}` };
  const next = (isBad ? answers[state] : undefined) ?? editor(row.manifest ?? row.path);
  const found: HookFinding[] = state === "modified" ? [] : problems.map((what) => ({ name, what, isBad, next }));
  const say = (finding: Omit<HookFinding, "name">) => found.push({ name, ...finding });
  const test = `hookline hooks test ${shellWord(name)}`;
  if (state === "modified") {
    const effect = isBad ? "It does not run, and what it guards is denied." : "The rules that you consented to stay in force.";
    say({ what: [...problems, effect].join(" "), isBad, next: trust });
  }
  if (state === "untrusted") say({ what: "you have not consented to it, so it does not run", isBad: false, next: trust });
  if (state === "failing")
    say({
      what: "it failed at its last event; the hub's terminal shows the error, or hub.log if the hub runs in the background",
      isBad: true,
      next: test,
    });
  if (state === "suspended") say({ what: "it failed too often and is suspended for a while", isBad: true, next: test });
  if (state === "active" && calls !== undefined && lastFiredAt === undefined) say({ what: "it has never fired", isBad: false });
  return found;
}

/** Remarks that are not faults. */
function notesOn(row: HookRow): readonly string[] {
  return row.dialect === undefined ? row.remarks : [`${modeText(row)} (its dialect and failure mode)`, ...row.remarks];
}

/** Opens the code of a hook in a folder, because not every editor opens a folder. */
function mending(rows: readonly HookRow[], { name }: { readonly name: string }): string {
  const { kind, path = "", manifest = path } = rows.find((row) => row.name === name) ?? {};
  const handler = kind === "folder" ? pickHandler((file) => existsSync(join(path, file))) : undefined;
  return editor(handler === undefined ? manifest : join(path, handler));
}

/** The file of a position such as `hookline.toml:3`. */
function editor(path: string): string {
  return editCommand(path.replace(/:\d+$/, ""));
}

interface StartFault {
  readonly name: string;
  readonly what: string;
}

/** Starts or loads every hook that would run, one by one, and reports those that fail. Stops them again afterwards. */
export async function findStartFaults(hooks: readonly InstalledHook[]): Promise<readonly StartFault[]> {
  const faults = await Promise.all(hooks.map(tryStart));
  return faults.flat();
}

async function tryStart(hook: InstalledHook): Promise<StartFault[]> {
  const source = hook.state === "active" ? hook.open?.() : undefined;
  try {
    await source?.start?.();
    return [];
  } catch (error) {
    return [{ name: hook.name, what: `it cannot be started: ${errorText(error)}` }];
  } finally {
    await source?.close();
  }
}
