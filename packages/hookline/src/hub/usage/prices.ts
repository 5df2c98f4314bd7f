import { compileGlob } from "@hookline/core/internal";
import type { PriceConfig } from "../../config/config.js";
import type { RowUsage } from "../store/row.js";
import { priceTable } from "./price-table.js";

const MILLION = 1e6;

/** What models cost: by the user's `[prices]`, and by the table. */
export interface Prices {
  /** Undefined for a model without a price. */
  find(model: string): PriceConfig | undefined;
}

export function createPrices(own: readonly PriceConfig[]): Prices {
  const patterns = own.map((price) => ({ price, matches: compileGlob(price.model) }));
  return {
    find: (model) =>
      patterns.find(({ matches }) => matches(model))?.price ?? plainNames(model).flatMap((name) => priceTable.get(name) ?? [])[0],
  };
}

/** What tokens cost. A cache without a price of its own costs what input costs. */
export function costOf(price: PriceConfig, usage: Omit<RowUsage, "costUsd">): number {
  const { input, output, cacheRead = input, cacheWrite = input } = price;
  const parts = [
    [usage.inputTokens, input],
    [usage.outputTokens, output],
    [usage.cacheReadTokens, cacheRead],
    [usage.cacheWriteTokens, cacheWrite],
  ] as const;
  return parts.reduce((sum, [tokens, each]) => sum + ((tokens ?? 0) * each) / MILLION, 0);
}

/** A model's name without its provider, region and date, such as `us.anthropic.claude-sonnet-4-5-20250929-v1:0`. No other model is guessed. */
function plainNames(model: string): string[] {
  const bare = (model.toLowerCase().split("/").at(-1) ?? "")
    .replace(/^(?:(?:us|eu|apac|global)\.)?(?:anthropic|openai|google)\./, "")
    .replace(/\[1m\]$/, "")
    .replace(/-v\d+(?::\d+)?$/, "")
    .replace(/[@-](?:\d{8}|\d{4}-\d{2}-\d{2}|latest|preview|default)$/, "")
    .replace(/-preview$/, "");
  return [bare, bare.startsWith("claude-") ? bare.replaceAll(".", "-") : bare];
}
