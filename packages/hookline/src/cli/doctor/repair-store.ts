import { existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { CliError } from "../cli-error.js";
import { countText } from "../format/amounts.js";
import { createProgress } from "../progress.js";
import type { Terminal } from "../terminal.js";
import type { Facts } from "./facts.js";

const STORE = "events.db";
const FILES = [STORE, `${STORE}-wal`, `${STORE}-shm`];
const MAX_RUNS = 10;

/** Puts what can be read of the store into a new one. The damaged files stay, in a folder of their own. */
export async function repairStore({ data, hub }: Pick<Facts, "data" | "hub">, terminal: Terminal): Promise<void> {
  if (hub !== undefined)
    throw new CliError("The hub has the store open.", {
      fix: { run: "hookline down && hookline doctor --repair && hookline up --detach" },
    });
  const files = FILES.filter((name) => existsSync(join(data, name)));
  if (files.length === 0)
    throw new CliError(`There is no store in ${data}, so there is nothing to repair.`, { fix: { run: "hookline up" } });
  const aside = join(data, `damaged-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`);
  mkdirSync(aside, { mode: 0o700 });
  for (const name of files) renameSync(join(data, name), join(aside, name));
  const { salvage } = await import("../../hub/store/repair/salvage.js");
  const progress = createProgress(terminal);
  const made = join(data, `${STORE}.repaired`);
  const { events, damaged, lost, unread } = salvage(join(aside, STORE), made, {
    onProgress: (pages, of) => progress.show(`Reading the damaged store: ${Math.floor((100 * pages) / Math.max(of, 1))} %`),
  });
  renameSync(made, join(data, STORE));
  progress.end();
  terminal.print(`The new store has ${countText(events, "event")}.`);
  if (damaged > 0)
    terminal.print(`${countText(damaged, "event")} of them: the text is damaged. They are marked, and their text is not shown.`);
  terminal.print(lossText(lost));
  if (unread.length > 0) terminal.print(`The file no longer says: ${unread.map(meaningOf).join("; ")}.`);
  terminal.print(`The damaged files are in ${aside}. Remove that folder when you no longer need it.`);
  terminal.print("Next: hookline up --detach, then hookline verify to see which decisions are gone.");
}

function lossText(lost: readonly (readonly [number, number])[]): string {
  if (lost.length === 0) return "No event is lost, as far as the file tells.";
  const total = lost.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  const runs = lost.slice(0, MAX_RUNS).map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
  const more = lost.length > MAX_RUNS ? ` and ${lost.length - MAX_RUNS} more ranges` : "";
  return `Lost: ${countText(total, "event")}, at the positions ${runs.join(", ")}${more}. Events that were deleted on purpose count here, too.`;
}

function meaningOf(table: string): string {
  return table === "cursors" ? "how far sinks have read (they may send events twice)" : "what the hub had noted about itself";
}
