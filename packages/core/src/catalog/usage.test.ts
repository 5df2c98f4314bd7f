import { expect, it } from "vitest";
import { usageOf } from "./usage.js";

it("counts each token once, however an agent reports it", () => {
  const anthropic = usageOf({ input: 10, output: 5, cacheRead: 100, cacheWrite: 20 });
  const openAi = usageOf({ input: 130, output: 5, cacheRead: 100, cacheWrite: 20, reasoning: 3, isCacheInInput: true });
  const gemini = usageOf({ input: 110, output: 2, cacheRead: 100, reasoning: 3, isCacheInInput: true, isReasoningBesideOutput: true });
  expect(anthropic).toEqual({ inputTokens: 10, outputTokens: 5, cacheReadTokens: 100, cacheWriteTokens: 20 });
  expect(openAi).toEqual({ ...anthropic, reasoningTokens: 3 });
  expect(gemini).toEqual({ inputTokens: 10, outputTokens: 5, cacheReadTokens: 100, reasoningTokens: 3 });
});

it("leaves a number unknown that is missing or invalid", () => {
  expect(usageOf({})).toEqual({});
  expect(usageOf({ input: "10", output: -1, cacheRead: null, costUsd: Number.NaN })).toEqual({});
  expect(usageOf({ input: 0, costUsd: 0 })).toEqual({ inputTokens: 0, costUsd: 0 });
});

it("keeps an input that cannot include what was read from the cache", () => {
  expect(usageOf({ input: 10, cacheRead: 100, isCacheInInput: true })).toEqual({ inputTokens: 10, cacheReadTokens: 100 });
});
