import { countText, pluralText } from "../../text/amounts.js";

/** How many events the filter has found. `hasMore`: older ones were not counted. */
export function matchesText(count: number, hasMore: boolean): string {
  return hasMore ? `${countText(count)} and more matches` : pluralText(count, "match", "matches");
}
