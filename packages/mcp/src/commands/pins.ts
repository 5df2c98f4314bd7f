import { createHash } from "node:crypto";
import { HookError } from "@hookline/core";
import { inertText, shellWord } from "@hookline/core/internal/text";
import type { CommandModule, McpTools, Terminal } from "hookline/internal/mcp";
import { differenceText } from "../state/pinned-texts.js";
import { type FoundRecord, readRecords } from "../state/read-records.js";
import {
  changeRecord,
  type Pin,
  type Pins,
  type RecordPlace,
  readRecord,
  recordsFolder,
  type ServerRecord,
} from "../state/server-record.js";

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
      const found = readRecords(terminal.env);
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
      for (const name of new Set(found.map(({ record }) => record.name)))
        show(
          name,
          found.filter(({ record }) => record.name === name),
          format.unifiedDiff,
          terminal,
        );
      return EXIT.ok;
    },
  };
}

/** `hookline mcp pins accept` */
export function pinsAcceptCommand(tools: McpTools): CommandModule<{ readonly tool?: readonly string[] }> {
  const { examples, format, option, EXIT } = tools;
  return {
    define(command) {
      command
        .argument("<server>", "the server's name", option.text)
        .argument("[digest]", "of the changes, as `hookline mcp pins` shows it; without it, a terminal is asked", option.text)
        .option("--tool <tool>", "accept only this one; can be repeated", option.texts)
        .addHelpText("after", "\nShows what it accepts, and accepts nothing else. A gateway that runs uses it at the next call.")
        .addHelpText(
          "after",
          examples("hookline mcp pins accept files", "hookline mcp pins accept files 4f1c0a9be2d37765 --tool read_file"),
        );
    },

    async run(terminal, { tool: only }, [name = "", digest]) {
      const found = readRecords(terminal.env).filter(({ record }) => record.name === name);
      if (found.length === 0)
        throw new HookError("HL_MCP_SETTING", `There is no MCP server "${name}".`, { fix: { run: "hookline mcp pins" } });
      const changes = changesOf(found, only);
      if (changes.length === 0) {
        terminal.say("Nothing has changed.");
        return EXIT.ok;
      }
      for (const { item, before, now } of changes) terminal.print(differenceText(item, before, now, format.unifiedDiff));
      const shown = digestOf(changes);
      const way = `hookline mcp pins accept ${name} ${shown}${(only ?? []).map((tool) => ` --tool ${shellWord(tool)}`).join("")}`;
      if (digest === undefined && !(await tools.askFor(terminal, "Accept this?", `the digest of what is shown: ${way}`)))
        return EXIT.failed;
      if (digest !== undefined && digest !== shown) throw otherDigest(name);
      for (const { id } of found)
        accept(
          changes.filter((change) => change.id === id),
          { folder: recordsFolder(terminal.env), id, withLock: tools.withLock },
        );
      terminal.say(`Accepted: ${changes.map(({ item }) => inertText(item)).join(", ")}.`);
      return EXIT.ok;
    },
  };
}

type Diff = McpTools["format"]["unifiedDiff"];

/** An item of a record that differs from its pin. */
interface Change {
  readonly id: string;
  readonly item: string;
  readonly before: Pin | undefined;
  readonly now: Pin;
}

function changesOf(found: readonly FoundRecord[], only?: readonly string[]): readonly Change[] {
  return found.flatMap(({ id, record: { pins, changed } }) =>
    Object.entries(changed)
      .filter(([item]) => only === undefined || only.includes(item))
      .map(([item, now]) => ({ id, item, before: ownOf(pins, item), now })),
  );
}

/** Names exactly these changes: the old texts and the new ones. Order does not matter. */
function digestOf(changes: readonly Change[]): string {
  const rows = changes.map(({ id, item, before, now }) => JSON.stringify([id, item, before?.hash ?? null, now.hash]));
  return createHash("sha256").update(rows.sort().join("\n")).digest("hex").slice(0, 16);
}

/** Accepts what was shown. A server may have changed its texts since. */
function accept(changes: readonly Change[], place: RecordPlace): void {
  if (changes.length === 0) return;
  changeRecord(place, () => {
    const record = readRecord(place.folder, place.id);
    if (record === undefined || changes.some(({ item, before, now }) => !isSame({ item, before, now }, record)))
      throw otherDigest(record?.name);
    const { hello: _, ...rest } = record;
    const accepted = Object.fromEntries(changes.map(({ item, now }) => [item, now]));
    const changed = Object.fromEntries(Object.entries(record.changed).filter(([item]) => !Object.hasOwn(accepted, item)));
    return { ...rest, pins: { ...record.pins, ...accepted }, changed };
  });
}

function isSame({ item, before, now }: Omit<Change, "id">, { pins, changed }: ServerRecord): boolean {
  return ownOf(pins, item)?.hash === before?.hash && ownOf(changed, item)?.hash === now.hash;
}

function otherDigest(name = ""): HookError {
  return new HookError(
    "HL_MCP_SETTING",
    `The MCP server "${name}" has other changes than those that the digest names. Nothing was accepted.`,
    {
      fix: { run: "hookline mcp pins" },
    },
  );
}

function ownOf(pins: Pins, item: string): Pin | undefined {
  return Object.hasOwn(pins, item) ? pins[item] : undefined;
}

/** All changes of one name, then what accepts them: names need not be unique. */
function show(name: string, found: readonly FoundRecord[], diff: Diff, terminal: Terminal): void {
  const changes = changesOf(found);
  for (const { item, before, now } of changes) terminal.print(`\n${differenceText(item, before, now, diff)}`);
  if (changes.length > 0) terminal.say(`To accept this: hookline mcp pins accept ${name} ${digestOf(changes)}`);
}
