import { Button } from "../../parts/button.js";
import { Icon } from "../../parts/icon.js";
import { pluralText } from "../../text/amounts.js";
import type { Chain } from "./check-chain.js";

interface ChainNoteProps {
  readonly chain: Chain;
  /** Missing where the broken entry is of no event. */
  readonly onGo: (() => void) | undefined;
}

/** Whether the file is as it was written, as far as the file itself can tell. */
export function ChainNote({ chain, onGo }: ChainNoteProps) {
  if (chain.state === "none") return null;
  const isBroken = chain.state === "broken";
  return (
    <div class={`said chain ${isBroken ? "said-deny" : ""}`} role="status">
      <span>
        <Icon name={chain.state === "unbroken" ? "allow" : "warn"} size={14} /> {chainText(chain)}
      </span>
      {isBroken && onGo !== undefined && <Button onClick={onGo}>Go to {placeText(chain)}</Button>}
    </div>
  );
}

function placeText({ n, line }: Extract<Chain, { readonly state: "broken" }>): string {
  return n === undefined ? `line ${line}` : `entry ${n}`;
}

function chainText(chain: Chain): string {
  switch (chain.state) {
    case "broken":
      return `Broken at ${placeText(chain)}: ${chain.why}.`;
    case "unbroken":
      return `Unbroken: all of its ${pluralText(chain.entries, "entry", "entries")}. ${chain.isClosed ? "The writer closed it." : "It was never closed, so its end may have been cut off."}`;
    case "unchecked":
      return "Not checked: at this address the browser has no SHA-256. Open the dashboard on the hub's machine.";
    case "none":
      return "";
  }
}
