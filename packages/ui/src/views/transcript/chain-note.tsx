import { Icon } from "../../parts/icon.js";
import { pluralText } from "../../text/amounts.js";
import type { Chain } from "./check-chain.js";

/** Whether the file is as it was written, as far as the file itself can tell. */
export function ChainNote({ chain }: { readonly chain: Chain }) {
  if (chain.state === "none") return null;
  const isBroken = chain.state === "broken";
  return (
    <p class={`said chain ${isBroken ? "said-deny" : ""}`} role="status">
      <Icon name={chain.state === "unbroken" ? "allow" : "warn"} size={14} /> {chainText(chain)}
    </p>
  );
}

function chainText(chain: Chain): string {
  switch (chain.state) {
    case "broken":
      return `Broken at ${chain.n === undefined ? `line ${chain.line}` : `entry ${chain.n}`}: ${chain.why}.`;
    case "unbroken":
      return `Unbroken, ${pluralText(chain.entries, "entry", "entries")}. ${chain.isClosed ? "It was closed by who wrote it." : "It was never closed, so its end may have been cut off."}`;
    case "unchecked":
      return "Not checked: at this address the browser has no SHA-256. Open the page on the hub's machine.";
    case "none":
      return "";
  }
}
