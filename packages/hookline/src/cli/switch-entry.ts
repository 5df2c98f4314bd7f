import { readFileSync } from "node:fs";
import { replaceConfigFile } from "../config/edit-config.js";
import { indexAtLine, type SwitchedTable, setEnabled } from "../config/set-enabled.js";
import { CliError } from "./cli-error.js";

/** An entry of a list in hookline.toml, by the line of its header. */
interface Entry {
  readonly table: SwitchedTable;
  readonly file: string;
  readonly line: number;
}

/** Writes `enabled` into an entry; everything else in the file stays as it is. */
export function switchEntry(entry: Entry, isEnabled: boolean): void {
  replaceConfigFile(entry.file, edited(entry, isEnabled));
}

function edited({ table, file, line }: Entry, isEnabled: boolean): string {
  const text = readFileSync(file, "utf8");
  try {
    const index = indexAtLine(text, table, line);
    const next = index === undefined ? undefined : setEnabled(text, table, index, isEnabled);
    if (next !== undefined) return next;
  } catch (cause) {
    throw new CliError(`${file}:${line} cannot be edited: ${(cause as Error).message}`, { cause });
  }
  throw new CliError(`${file}:${line} was changed meanwhile.`, { next: `hookline ${table}s list` });
}
