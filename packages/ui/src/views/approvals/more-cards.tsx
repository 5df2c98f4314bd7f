import { Button } from "../../parts/button.js";
import { countText, pluralText } from "../../text/amounts.js";
import type { Few } from "./few-of-many.js";

const NAMED = 3;

/** That more calls wait than are shown, and of whom. */
export function MoreCards({ left, onMore }: { readonly left: Few["left"]; readonly onMore: () => void }) {
  const all = left.reduce((sum, { count }) => sum + count, 0);
  if (all === 0) return null;
  const named = left.slice(0, NAMED).map(({ app, count }) => `${countText(count)} of ${app}`);
  const others = left.length > NAMED ? `, and of ${pluralText(left.length - NAMED, "other")}` : "";
  return (
    <li class="more-cards">
      <p>
        {pluralText(all, "more call")} {all === 1 ? "waits" : "wait"}: {named.join(", ")}
        {others}.
      </p>
      <Button onClick={onMore}>Show more</Button>
    </li>
  );
}
