import { editCommand, inertJson, inertText } from "@hookline/core/internal/text";
import { configPath } from "../../config/config-path.js";
import { loadConfig } from "../../config/load-config.js";
import { readKnownTools, sayNotes } from "../agents/known-tools.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { durationText } from "../format/amounts.js";
import { tableLines } from "../format/table.js";
import { agoText, dateText } from "../format/times.js";
import { type HubFacts, readHub, sayFaults } from "../status/hub-facts.js";
import type { Terminal } from "../terminal.js";
import { findKnownHooks, type ProjectOption, projectOf, projectOption } from "./find-hooks.js";
import { type HookRow, hasRulesInForce, modeText, rowOf } from "./known-hook.js";

const heading = ["HOOK", "KIND", "FROM", "STATE", "EVENTS", "TIMEOUT", "ON FAILURE", "FIRED", "LAST FIRED"];

export const command: CommandModule<ProjectOption & { readonly json?: boolean }> = {
  define(command) {
    command
      .option(...projectOption)
      .option("--json", "print JSON")
      .addHelpText("after", examples("hookline hooks list", "hookline hooks list --json | jq '.[].name'"));
  },

  run: (terminal, { json = false, ...where }) => listHooks(terminal, projectOf(where), json),
};

async function listHooks(terminal: Terminal, project: string, json: boolean): Promise<number> {
  const hub = await readHub(terminal.env);
  const rows = await readRows(terminal.env, project, hub);
  if (json) terminal.print(inertJson(JSON.stringify(rows, undefined, 2)));
  else if (rows.length === 0) terminal.say("No hooks yet. To create one: hookline hooks new my-guard");
  else for (const line of tableLines(heading, rows.map(cellsOf), terminal.columns)) terminal.print(line);
  if (!json)
    for (const { name, problems, remarks } of rows)
      for (const text of [...problems, ...remarks]) terminal.say(`${inertText(name)}: ${inertText(text)}`);
  if (!json) sayNotes(rows, terminal);
  if (!json) for (const text of rows.flatMap(({ limits = [] }) => limits)) terminal.say(inertText(text));
  const names = new Set(rows.map(({ name }) => name));
  if (!json) sayFaults(hub?.faults.filter(({ kind, name }) => kind === "hook" && names.has(name)) ?? [], terminal);
  if (!json && hub !== undefined && rows.length > 0) terminal.say(`FIRED counts since the hub started, ${dateText(hub.startedAt)}.`);
  for (const text of waitingTexts(rows)) terminal.say(`${text} To review: hookline hooks trust`);
  const path = configPath(terminal.env);
  if ((await loadConfig(path)).config !== undefined) return EXIT.ok;
  // No hook of the file can be listed.
  terminal.say(`Run: ${inertText(editCommand(path))}`);
  return EXIT.failed;
}

function waitingTexts(rows: readonly HookRow[]): string[] {
  const stays = rows.filter(hasRulesInForce);
  const waiting = rows.filter((row) => (row.state === "untrusted" || row.state === "modified") && !stays.includes(row)).length;
  return [
    ...(waiting === 0 ? [] : [`${waiting} of the project's hooks ${waiting === 1 ? "does" : "do"} not run.`]),
    ...stays.map(({ name }) => `${inertText(name)} of the project has changed; the rules that you consented to stay in force.`),
  ];
}

/** Every hook, with what a running hub knows about it. */
export async function readRows(env: NodeJS.ProcessEnv, project: string, hub: HubFacts | undefined): Promise<readonly HookRow[]> {
  const known = await readKnownTools(env);
  return (await findKnownHooks(env, project)).map((hook) => rowOf(hook, hub?.handlers, known));
}

function cellsOf(row: HookRow): string[] {
  const { name, kind, from, state, events, timeoutMs, calls, lastFiredAt } = row;
  const limit = timeoutMs === undefined ? "-" : timeoutMs === 0 ? "none" : durationText(timeoutMs);
  const last = lastFiredAt !== undefined ? agoText(lastFiredAt) : calls === undefined ? "-" : "never fired";
  return [name, kind, from, state, events.join(", ") || "-", limit, modeText(row), calls === undefined ? "-" : String(calls), last];
}
