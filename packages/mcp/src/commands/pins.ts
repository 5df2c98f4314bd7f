import { readdirSync } from "node:fs";
import { HookError } from "@hookline/core";
import { inertText } from "@hookline/core/internal/text";
import type { CommandModule, McpTools, Terminal } from "hookline/internal/mcp";
import { differenceText } from "../state/pinned-texts.js";
import { readRecord, recordsFolder, type ServerRecord, writeRecord } from "../state/server-record.js";

interface Found {
  readonly id: string;
  readonly record: ServerRecord;
}

/** `hookline mcp pins list` */
export function pinsListCommand({ examples, format, EXIT }: McpTools): CommandModule<{ readonly json?: boolean }> {
  return {
    define(command) {
      command
        .option("--json", "print JSON")
        .addHelpText("after", "\nThe descriptions of a server's tools are pinned when it is first used.")
        .addHelpText("after", examples("hookline mcp pins"));
    },

    async run(terminal, { json = false }) {
      const found = readAll(terminal);
      if (json) {
        terminal.print(
          JSON.stringify(
            found.map(({ id, record: { name, shown, pins, changed } }) => ({ id, name, shown, pins, changed })),
            undefined,
            2,
          ),
        );
        return EXIT.ok;
      }
      if (found.length === 0)
        terminal.say("No MCP server was used yet. To put one behind the rules: hookline mcp wrap -- <server command>");
      const rows = found.map(({ record: { name, shown, pins, changed } }) => [
        inertText(name),
        String(Object.keys(pins).length),
        String(Object.keys(changed).length),
        inertText(shown),
      ]);
      if (rows.length > 0)
        for (const line of format.tableLines(["SERVER", "PINNED", "CHANGED", "PROGRAM"], rows, terminal.columns)) terminal.print(line);
      for (const { record } of found) show(record, format.unifiedDiff, terminal);
      return EXIT.ok;
    },
  };
}

/** `hookline mcp pins accept` */
export function pinsAcceptCommand({ examples, format, option, EXIT }: McpTools): CommandModule<{ readonly tool?: readonly string[] }> {
  return {
    define(command) {
      command
        .argument("<server>", "the server's name", option.text)
        .option("--tool <tool>", "accept only this one; can be repeated", option.texts)
        .addHelpText("after", "\nShows what it accepts. A gateway that runs uses it at the next call.")
        .addHelpText("after", examples("hookline mcp pins accept files", "hookline mcp pins accept files --tool read_file"));
    },

    async run(terminal, { tool: only }, [name = ""]) {
      const found = readAll(terminal).filter(({ record }) => record.name === name);
      if (found.length === 0)
        throw new HookError("HL_MCP_SETTING", `There is no MCP server "${name}".`, { fix: { run: "hookline mcp pins" } });
      const accepted = found.flatMap(({ id, record }) => accept(id, record, only, terminal, format.unifiedDiff));
      terminal.say(accepted.length === 0 ? "Nothing has changed." : `Accepted: ${accepted.map(inertText).join(", ")}.`);
      return EXIT.ok;
    },
  };
}

type Diff = McpTools["format"]["unifiedDiff"];

function accept(id: string, record: ServerRecord, only: readonly string[] | undefined, terminal: Terminal, diff: Diff): readonly string[] {
  const chosen = Object.entries(record.changed).filter(([item]) => only === undefined || only.includes(item));
  if (chosen.length === 0) return [];
  for (const [item, now] of chosen) terminal.print(differenceText(item, record.pins[item], now, diff));
  const names = new Set(chosen.map(([item]) => item));
  const { hello, ...rest } = record;
  writeRecord(recordsFolder(terminal.env), id, {
    ...rest,
    pins: { ...record.pins, ...Object.fromEntries(chosen) },
    changed: Object.fromEntries(Object.entries(record.changed).filter(([item]) => !names.has(item))),
  });
  return [...names];
}

function show({ name, pins, changed }: ServerRecord, diff: Diff, terminal: Terminal): void {
  for (const [item, now] of Object.entries(changed)) terminal.print(`\n${differenceText(item, pins[item], now, diff)}`);
  if (Object.keys(changed).length > 0) terminal.say(`To accept this: hookline mcp pins accept ${name}`);
}

function readAll({ env }: Terminal): readonly Found[] {
  const folder = recordsFolder(env);
  let names: string[] = [];
  try {
    names = readdirSync(folder).sort();
  } catch {
    // No gateway ran yet.
  }
  return names.flatMap((file) => {
    const id = file.endsWith(".json") ? file.slice(0, -".json".length) : undefined;
    const record = id === undefined ? undefined : readRecord(folder, id);
    return id === undefined || record === undefined ? [] : [{ id, record }];
  });
}
