import type { UsageSums } from "../../hub/protocol.js";

/** `1,234,567`; an unknown number is not 0. */
export function tokensText(tokens: number | undefined): string {
  return tokens === undefined ? "unknown" : String(Math.round(tokens)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `$1.24` as the agent reported it, `~$1.24` if prices say so, `≥ $1.24` if some tokens have no price. */
export function costText({ costUsd, estimatedUsd = 0, unpricedTokens }: UsageSums): string {
  if (costUsd === undefined) return "unknown";
  const dollars = `$${costUsd.toFixed(costUsd > 0 && costUsd < 0.1 ? 4 : 2)}`;
  return `${unpricedTokens > 0 ? "≥ " : ""}${estimatedUsd > 0 ? "~" : ""}${dollars}`;
}
