import type { Usage } from "./payloads.js";

/** What an agent or an SDK reports about a request, in its own words. */
export interface ReportedUsage {
  readonly input?: unknown;
  readonly output?: unknown;
  readonly cacheRead?: unknown;
  readonly cacheWrite?: unknown;
  readonly reasoning?: unknown;
  readonly costUsd?: unknown;
  /** Its input includes what was read from the cache and written to it. */
  readonly isCacheInInput?: boolean;
  /** Its output does not include the tokens of reasoning. */
  readonly isReasoningBesideOutput?: boolean;
}

/** The usage of a payload, whose fields count different tokens. Numbers that are not reported stay unknown. */
export function usageOf({ isCacheInInput, isReasoningBesideOutput, ...given }: ReportedUsage): Usage {
  const { input, output, cacheRead, cacheWrite, reasoning, costUsd } = given;
  const cached = isCacheInInput === true ? (numberOf(cacheRead) ?? 0) + (numberOf(cacheWrite) ?? 0) : 0;
  const beside = isReasoningBesideOutput === true ? (numberOf(reasoning) ?? 0) : 0;
  const [all, said] = [numberOf(input), numberOf(output)];
  const fields = {
    inputTokens: all === undefined ? undefined : all >= cached ? all - cached : all,
    outputTokens: said === undefined ? undefined : said + beside,
    cacheReadTokens: numberOf(cacheRead),
    cacheWriteTokens: numberOf(cacheWrite),
    reasoningTokens: numberOf(reasoning),
    costUsd: numberOf(costUsd),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Usage;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined;
}
