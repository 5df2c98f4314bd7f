import type { Usage } from "../../catalog/payloads.js";
import { usageOf } from "../../catalog/usage.js";

/** What the AI SDK reports about a request, in the words of its versions 5 and 6. Mastra passes it on. */
export interface AiSdkUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  readonly inputTokenDetails?: { readonly cacheReadTokens?: number | undefined; readonly cacheWriteTokens?: number | undefined };
  readonly outputTokenDetails?: { readonly reasoningTokens?: number | undefined };
}

/** The SDK's input and output include the cache and the reasoning. */
export function aiSdkUsage(usage: AiSdkUsage = {}): Usage {
  const { inputTokens: input, outputTokens: output, inputTokenDetails: details } = usage;
  return usageOf({
    input,
    output,
    cacheRead: details?.cacheReadTokens ?? usage.cachedInputTokens,
    cacheWrite: details?.cacheWriteTokens,
    reasoning: usage.outputTokenDetails?.reasoningTokens ?? usage.reasoningTokens,
    isCacheInInput: true,
  });
}
