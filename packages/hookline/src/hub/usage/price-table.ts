import type { PriceConfig } from "../../config/config.js";

/** A model's list price in US dollars per million tokens, and the day on which it was compared with the vendor's page. */
export interface ListedPrice extends PriceConfig {
  readonly checked: string;
}

// From the vendors' pages, by https://github.com/pydantic/genai-prices, which says when each was checked:
// platform.claude.com/docs/en/about-claude/pricing, platform.openai.com/docs/pricing, ai.google.dev/gemini-api/docs/pricing,
// platform.moonshot.ai/docs/pricing, docs.x.ai/docs/models, docs.z.ai/guides/overview/pricing

type Line = readonly [checked: string, input: number, output: number, cacheRead?: number, cacheWrite?: number];

/** Longer prompts, other tiers, batches and caches that last an hour cost more or less than this. */
const LINES: { readonly [model: string]: Line } = {
  "claude-3-haiku": ["2026-07-29", 0.25, 1.25, 0.03, 0.3],
  "claude-3-5-haiku": ["2026-07-29", 0.8, 4, 0.08, 1],
  "claude-3-5-sonnet": ["2026-07-29", 3, 15, 0.3, 3.75],
  "claude-3-7-sonnet": ["2026-07-29", 3, 15, 0.3, 3.75],
  "claude-haiku-4-5": ["2026-07-29", 1, 5, 0.1, 1.25],
  "claude-sonnet-4": ["2026-07-29", 3, 15, 0.3, 3.75],
  "claude-sonnet-4-0": ["2026-07-29", 3, 15, 0.3, 3.75],
  "claude-sonnet-4-5": ["2026-07-29", 3, 15, 0.3, 3.75],
  "claude-sonnet-4-6": ["2026-07-29", 3, 15, 0.3, 3.75],
  "claude-sonnet-5": ["2026-07-29", 3, 15, 0.3, 3.75],
  "claude-opus-4": ["2026-07-29", 15, 75, 1.5, 18.75],
  "claude-opus-4-0": ["2026-07-29", 15, 75, 1.5, 18.75],
  "claude-opus-4-1": ["2026-07-29", 15, 75, 1.5, 18.75],
  "claude-opus-4-5": ["2026-07-29", 5, 25, 0.5, 6.25],
  "claude-opus-4-6": ["2026-07-29", 5, 25, 0.5, 6.25],
  "claude-opus-4-7": ["2026-07-29", 5, 25, 0.5, 6.25],
  "claude-opus-4-8": ["2026-07-29", 5, 25, 0.5, 6.25],
  "claude-opus-5": ["2026-07-29", 5, 25, 0.5, 6.25],
  "claude-fable-5": ["2026-07-29", 10, 50, 1, 12.5],
  "gpt-4o": ["2025-07-04", 2.5, 10, 1.25],
  "gpt-4o-mini": ["2025-07-04", 0.15, 0.6, 0.075],
  "gpt-4.1": ["2025-07-04", 2, 8, 0.5],
  "gpt-4.1-mini": ["2025-07-04", 0.4, 1.6, 0.1],
  "gpt-4.1-nano": ["2025-07-04", 0.1, 0.4, 0.025],
  o3: ["2025-07-12", 2, 8, 0.5],
  "o3-mini": ["2025-07-04", 1.1, 4.4, 0.55],
  "gpt-5": ["2025-11-13", 1.25, 10, 0.125],
  "gpt-5-codex": ["2025-11-13", 1.25, 10, 0.125],
  "gpt-5-mini": ["2025-11-13", 0.25, 2, 0.025],
  "gpt-5-nano": ["2025-11-13", 0.05, 0.4, 0.005],
  "gpt-5.1": ["2025-11-13", 1.25, 10, 0.125],
  "gpt-5.1-codex": ["2025-11-13", 1.25, 10, 0.125],
  "gpt-5.1-codex-mini": ["2025-11-13", 0.25, 2, 0.025],
  "gpt-5.2": ["2025-12-11", 1.75, 14, 0.175],
  "gpt-5.3": ["2026-05-07", 1.75, 14, 0.175],
  "gpt-5.3-codex": ["2026-02-05", 1.75, 14, 0.175],
  "gpt-5.4": ["2026-03-06", 2.5, 15, 0.25],
  "gpt-5.4-mini": ["2026-03-18", 0.75, 4.5, 0.075],
  "gpt-5.4-nano": ["2026-03-18", 0.2, 1.25, 0.02],
  "gpt-5.5": ["2026-04-24", 5, 30, 0.5],
  "gpt-5.6-luna": ["2026-08-02", 0.2, 1.2, 0.02, 0.25],
  "gpt-5.6-sol": ["2026-08-02", 5, 30, 0.5, 6.25],
  "gpt-5.6-terra": ["2026-08-02", 2, 12, 0.2, 2.5],
  "gemini-2.5-pro": ["2025-10-31", 1.25, 10, 0.125],
  "gemini-2.5-flash": ["2025-10-31", 0.3, 2.5, 0.03],
  "gemini-2.5-flash-lite": ["2025-10-31", 0.1, 0.4, 0.01],
  "gemini-3-flash": ["2025-12-19", 0.5, 3, 0.05],
  "gemini-3-pro": ["2025-11-18", 2, 12, 0.2],
  "gemini-3.1-flash-lite": ["2026-05-12", 0.25, 1.5, 0.025],
  "gemini-3.1-pro": ["2026-02-23", 2, 12, 0.2],
  "gemini-3.5-flash": ["2026-05-19", 1.5, 9, 0.15],
  "gemini-3.5-flash-lite": ["2026-07-22", 0.3, 2.5, 0.03],
  "gemini-3.6-flash": ["2026-08-13", 0.75, 3.75, 0.075],
  "gemini-3.7-flash": ["2026-08-13", 0.75, 3.75, 0.075],
  "kimi-k2-thinking": ["2026-03-11", 0.6, 2.5, 0.15],
  "kimi-k2.5": ["2026-03-11", 0.6, 3, 0.1],
  "kimi-k2.6": ["2026-05-22", 0.95, 4, 0.16],
  "kimi-k2.7-code": ["2026-06-15", 0.95, 4, 0.19],
  "kimi-k3": ["2026-07-16", 3, 15, 0.3],
  "grok-4": ["2025-07-12", 3, 15, 0.75],
  "grok-4.3": ["2026-05-12", 1.25, 2.5, 0.2],
  "grok-4.5": ["2026-07-08", 2, 6, 0.5],
  "grok-code-fast-1": ["2026-01-19", 0.2, 1.5, 0.02],
  "glm-5.2": ["2026-08-04", 1.4, 4.4, 0.26],
  "glm-5.3": ["2026-08-19", 1.4, 4.4, 0.26],
};

export const priceTable: ReadonlyMap<string, ListedPrice> = new Map(
  Object.entries(LINES).map(([model, [checked, input, output, cacheRead, cacheWrite]]) => {
    const cache = { ...(cacheRead !== undefined && { cacheRead }), ...(cacheWrite !== undefined && { cacheWrite }) };
    return [model, { model, checked, input, output, ...cache }];
  }),
);

/** The day of the oldest and of the newest price. */
export const PRICES_CHECKED = (() => {
  const days = [...priceTable.values()].map(({ checked }) => checked).sort();
  return { oldest: days[0] ?? "", newest: days.at(-1) ?? "" };
})();
