import { countText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";

/** What was dropped, by reason. */
export function Drops({ dropped }: { readonly dropped: { readonly [reason: string]: number } | undefined }) {
  const found = Object.entries(dropped ?? {}).filter(([, count]) => count > 0);
  if (found.length === 0) return <span class="dim">none</span>;
  return <span class="is-bad">{found.map(([reason, count]) => `! ${countText(count)} ${inert(reason)}`).join(", ")}</span>;
}
