import type { HandlerRow } from "../../api/answers.js";
import { countText, pluralText } from "../../text/amounts.js";

/** How many handlers there are, how many of them are shown, and how many have not fired yet, as far as the hub knows. */
export interface Tally {
  readonly all: number;
  readonly shown: number;
  readonly never: number;
}

export function tallyOf(all: readonly HandlerRow[], shown: readonly HandlerRow[]): Tally {
  return { all: all.length, shown: shown.length, never: all.filter(({ lastAt }) => lastAt === undefined).length };
}

export function sumOf(tallies: readonly Tally[]): Tally {
  const sum = (field: keyof Tally): number => tallies.reduce((total, tally) => total + tally[field], 0);
  return { all: sum("all"), shown: sum("shown"), never: sum("never") };
}

/** Such as `29 handlers (17 in the hub, 12 in 2 processes), 9 never fired`. */
export function tallyText(hub: Tally, processes: readonly Tally[]): string {
  const { all, shown, never } = sumOf([hub, ...processes]);
  const theirs = processes.filter((tally) => tally.all > 0);
  const where = `${countText(hub.all)} in the hub, ${countText(all - hub.all)} in ${pluralText(theirs.length, "process", "processes")}`;
  return [
    shown < all ? `${countText(shown)} of ` : "",
    pluralText(all, "handler"),
    theirs.length === 0 ? "" : ` (${where})`,
    never === 0 ? "" : `, ${countText(never)} never fired`,
  ].join("");
}
