import { setTimeout as sleep } from "node:timers/promises";
import { didYouMean, inertJson, inertText } from "@hookline/core/internal/text";
import { encodeEnvelope } from "@hookline/core/sinks";
import { type PastAgent, pastAgents } from "../../agents/agents.js";
import { findSessions } from "../../hub/import/find-sessions.js";
import { type ImportedAgent, type ImportOptions, importSessions } from "../../hub/import/import-sessions.js";
import type { ImportAnswer, ImportBegun } from "../../hub/protocol.js";
import { EXAMPLE_AGENT } from "../agents/agent-argument.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { bytesText, countText } from "../format/amounts.js";
import { tableLines } from "../format/table.js";
import { connectHub, type HubClient } from "../hub-client.js";
import { sinceOf } from "../import/since.js";
import { time } from "../option-values.js";
import { createProgress } from "../progress.js";
import type { Terminal } from "../terminal.js";

interface Options {
  readonly since?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export const command: CommandModule<Options> = {
  define(command) {
    command
      .argument("[agents...]", `which agents (default: all): ${pastAgents.map(({ id }) => id).join(", ")}`)
      .option("--since <time>", "only events from this time on: 30d, 12h or 2026-01-31 (default: everything)", time)
      .option("--dry-run", "read the files and store nothing")
      .option("--json", "print JSON")
      .addHelpText(
        "after",
        "\nReads the session files of agents on this machine and adds their events to the hub's record, marked as imported.",
      )
      .addHelpText("after", "No file is changed, nothing is sent to another machine, and secrets are hidden. Importing twice adds nothing.")
      .addHelpText("after", "Imported events decide nothing: no hook, stream or sink gets them.")
      .addHelpText("after", examples("hookline import", `hookline import ${EXAMPLE_AGENT} --since 30d`, "hookline import --dry-run"));
  },

  async run(terminal, { since, dryRun = false, json = false }, names) {
    const chosen = chooseAgents(names);
    const from = since === undefined ? 0 : sinceOf(since);
    const put = dryRun ? async () => ({ stored: 0, duplicates: 0 }) : await openImport(terminal, chosen, from);
    const progress = createProgress(terminal);
    const imported = await importSessions({
      agents: chosen,
      env: terminal.env,
      since: from,
      put,
      onProgress: ({ bytes, total, events }) => progress.show(`${bytesText(bytes)} of ${bytesText(total)}, ${countText(events, "event")}`),
    });
    progress.end();
    if (json) terminal.print(inertJson(JSON.stringify(imported, undefined, 2)));
    else printImported(imported, terminal, dryRun);
    return EXIT.ok;
  },
};

function chooseAgents(names: readonly string[]): readonly PastAgent[] {
  const known = pastAgents.map(({ id }) => id);
  for (const name of names)
    if (!known.includes(name))
      throw new CliError(
        `Hookline cannot read sessions of "${inertText(name)}".${didYouMean(name, known)} It reads those of ${known.join(", ")}.`,
        {
          exitCode: EXIT.usage,
          fix: { run: "hookline import --help" },
        },
      );
  return names.length === 0 ? pastAgents : pastAgents.filter(({ id }) => names.includes(id));
}

async function openImport({ env }: Terminal, chosen: readonly PastAgent[], since: number): Promise<ImportOptions["put"]> {
  const hub = await connectHub(env);
  const files = chosen.reduce((sum, agent) => sum + findSessions(agent, env, since).files.length, 0);
  if (files === 0) return async () => ({ stored: 0, duplicates: 0 });
  const { key } = await hub.post<ImportBegun>("/api/imports", JSON.stringify({ files }));
  return (events) => send(hub, key, events.map(encodeEnvelope).join("\n"));
}

const TRIES = 20;
const WAIT_MS = 250;
const SEND_MS = 120_000;

/** A hub that is busy says so, and is asked again. */
async function send(hub: HubClient, key: string, lines: string): Promise<ImportAnswer> {
  for (let tries = 1; ; tries++) {
    try {
      return await hub.post<ImportAnswer>(`/api/imports/${key}`, lines, "application/x-ndjson", SEND_MS);
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== "HL_TOO_MANY" || tries >= TRIES) throw error;
      await sleep(WAIT_MS);
    }
  }
}

const heading = ["AGENT", "FILES", "SESSIONS", "EVENTS", "NEW", "KNOWN", "UNKNOWN LINES", "UNREADABLE"];

function printImported(imported: readonly ImportedAgent[], terminal: Terminal, isDry: boolean): void {
  const read = imported.filter(({ files }) => files > 0);
  if (read.length === 0) terminal.say("No session files of agents were found. To see which agents are here: hookline agents");
  else
    for (const line of tableLines(
      heading,
      read.map((one) => cellsOf(one, isDry)),
      terminal.columns,
    ))
      terminal.print(line);
  for (const { title, unknown, problems, links } of read) {
    const kinds = Object.entries(unknown).map(([kind, count]) => `${inertText(kind)} (${count})`);
    if (kinds.length > 0)
      terminal.say(`${title} has lines that this version does not know, so what they tell is missing: ${kinds.join(", ")}.`);
    if (links > 0) terminal.say(`${title}: ${countText(links, "link")} instead of files, not followed.`);
    for (const problem of problems) terminal.say(inertText(problem));
  }
  const stored = imported.reduce((sum, one) => sum + one.stored, 0);
  if (isDry) terminal.say("Nothing was stored.");
  else if (read.length > 0) terminal.say(`${countText(stored, "event")} added. To see what rules would have done: hookline rules backtest`);
}

/** Only a hub knows which events are new. */
function cellsOf(one: ImportedAgent, isDry: boolean): string[] {
  const { title, files, sessions, events, stored, duplicates, watched, unknown, unreadable } = one;
  const unknownLines = Object.values(unknown).reduce((sum, count) => sum + count, 0);
  const compared = isDry ? ["-", "-"] : [stored, duplicates + watched];
  return [title, ...[files, sessions, events, ...compared, unknownLines, unreadable].map(String)];
}
