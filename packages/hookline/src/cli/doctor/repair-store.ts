import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorText, HookError } from "@hookline/core";
import { quoted } from "@hookline/core/internal/text";
import { takeHubLocks } from "../../hub/lifecycle/hub-options.js";
import { finishRestore, isRestored, offerRestored } from "../../hub/store/store-files.js";
import { CliError } from "../cli-error.js";
import { countText } from "../format/amounts.js";
import { createProgress } from "../progress.js";
import type { Terminal } from "../terminal.js";
import type { Facts } from "./facts.js";

const STORE = "events.db";
const FILES = [STORE, `${STORE}-wal`, `${STORE}-shm`];
const MAX_RUNS = 10;

/** Puts what can be read of the store into a new one. The damaged files stay, in a folder of their own. */
export async function repairStore({ state, data }: Pick<Facts, "state" | "data">, terminal: Terminal): Promise<void> {
  const store = join(data, STORE);
  if (filesIn(data).length === 0 && !isRestored(store))
    throw new CliError(`There is no store in ${data}, so there is nothing to repair.`, { fix: { run: "hookline up" } });
  const locks = lockedOut({ state, data });
  try {
    finishRestore(store);
    await repair(data, terminal);
  } finally {
    locks.release();
  }
}

function filesIn(data: string): readonly string[] {
  return FILES.filter((name) => existsSync(join(data, name)));
}

/** A hub that does not answer has the store open, too. */
function lockedOut(folders: Pick<Facts, "state" | "data">): { release(): void } {
  try {
    return takeHubLocks(folders);
  } catch (cause) {
    if (!(cause instanceof HookError) || cause.code !== "HL_HUB_RUNNING") throw cause;
    throw new CliError("The hub has the store open.", {
      fix: { run: "hookline down --force && hookline doctor --repair && hookline up --detach" },
      cause,
    });
  }
}

async function repair(data: string, terminal: Terminal): Promise<void> {
  const { salvage } = await import("../../hub/store/repair/salvage.js");
  const progress = createProgress(terminal);
  const store = join(data, STORE);
  const made = `${store}.repaired`;
  removeAll(made);
  const { events, damaged, lost, isEndUnknown, unread } = attempt(made, () =>
    salvage(store, made, {
      onProgress: (pages, of) => progress.show(`Reading the damaged store: ${Math.floor((100 * pages) / Math.max(of, 1))} %`),
    }),
  );
  const aside = join(data, `damaged-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`);
  mkdirSync(aside, { mode: 0o700 });
  offerRestored(made, store);
  for (const name of filesIn(data)) renameSync(join(data, name), join(aside, name));
  finishRestore(store);
  progress.end();
  terminal.print(`The new store has ${countText(events, "event")}.`);
  if (damaged > 0)
    terminal.print(`${countText(damaged, "event")} of them: the text is damaged. They are marked, and their text is not shown.`);
  terminal.print(lossText(lost, isEndUnknown));
  if (isEndUnknown) terminal.print("More events may be lost after the last one: the file no longer says how many there were.");
  if (unread.length > 0) terminal.print(`The file no longer says: ${unread.map(meaningOf).join("; ")}.`);
  terminal.print(`The damaged files are in ${aside}. Remove that folder when you no longer need it.`);
  terminal.print("Next: hookline up --detach, then hookline verify to see which decisions are gone.");
}

/** If it fails, as on a full disk, the damaged store is still where it was. */
function attempt<T>(made: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    removeAll(made);
    throw new CliError(`The store was not repaired, and is as it was: ${errorText(cause)}.`, {
      fix: { run: ["EACCES", "EPERM", "EROFS"].includes(codeOf(cause)) ? "hookline doctor" : `df -h ${quoted(dirname(made))}` },
      cause,
    });
  }
}

function codeOf(error: unknown): string {
  return String((error as { readonly code?: unknown }).code);
}

function removeAll(store: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(`${store}${end}`, { force: true });
}

function lossText(lost: readonly (readonly [number, number])[], isEndUnknown: boolean): string {
  if (lost.length === 0) return isEndUnknown ? "No event is missing before the last one." : "No event is lost, as far as the file tells.";
  const total = lost.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  const runs = lost.slice(0, MAX_RUNS).map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
  const more = lost.length > MAX_RUNS ? ` and ${lost.length - MAX_RUNS} more ranges` : "";
  return `Lost: ${countText(total, "event")}, at the positions ${runs.join(", ")}${more}. Events that were deleted on purpose count here, too.`;
}

function meaningOf(table: string): string {
  return table === "cursors" ? "how far sinks have read (they may send events twice)" : "what the hub had noted about itself";
}
