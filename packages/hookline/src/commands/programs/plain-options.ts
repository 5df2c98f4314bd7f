import type { OptionTable } from "../program-entry.js";

/** A table of options that change no fact, separated by commas: `"-v --verbose, -n --lines NUM, --color [WHEN]"`. */
export function plain(list: string): OptionTable {
  return Object.fromEntries(list.split(/,\s*/).map((spellings) => [spellings.trim(), {}]));
}
