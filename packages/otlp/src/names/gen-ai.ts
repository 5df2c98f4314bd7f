/** The names of OpenTelemetry's conventions for generative AI, version 1.41. They are in development: this file is the place to follow them. */
export const GEN_AI = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  conversation: "gen_ai.conversation.id",
  agentName: "gen_ai.agent.name",
  agentId: "gen_ai.agent.id",
  requestModel: "gen_ai.request.model",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  toolName: "gen_ai.tool.name",
  toolType: "gen_ai.tool.type",
  toolCallId: "gen_ai.tool.call.id",
  toolArguments: "gen_ai.tool.call.arguments",
  toolResult: "gen_ai.tool.call.result",
  tokenType: "gen_ai.token.type",
  errorType: "error.type",
} as const;

/** Values of `gen_ai.operation.name`; the name of a span begins with it. */
export const OPERATION = { agent: "invoke_agent", tool: "execute_tool", model: "chat" } as const;

export const METRIC = {
  tokens: "gen_ai.client.token.usage",
  modelDuration: "gen_ai.client.operation.duration",
  toolDuration: "gen_ai.execute_tool.duration",
  cost: "hookline.cost",
  decisions: "hookline.decisions",
} as const;

/** What the conventions have no name for. */
export const HOOKLINE = {
  app: "hookline.app",
  event: "hookline.event",
  eventId: "hookline.event.id",
  verdict: "hookline.verdict",
  decidedBy: "hookline.decided_by",
  costUsd: "hookline.cost.usd",
  /** Why a span has ended whose own end was not reported. */
  endReason: "hookline.end_reason",
  /** The start was not seen; it is computed, or that of the first event that was. */
  startUnknown: "hookline.start_unknown",
} as const;

const PROVIDERS: readonly (readonly [RegExp, string])[] = [
  [/^claude|^anthropic/i, "anthropic"],
  [/^(gpt|o\d|chatgpt|codex|openai)/i, "openai"],
  [/^gemini/i, "gcp.gemini"],
  [/^grok/i, "x_ai"],
  [/^deepseek/i, "deepseek"],
  [/^(mistral|codestral|devstral)/i, "mistral_ai"],
  [/^(kimi|moonshot)/i, "moonshot_ai"],
  [/^command-/i, "cohere"],
];

/** The provider in the words of the conventions, from its own name or the model's. */
export function providerOf(provider: string | undefined, model: string | undefined): string | undefined {
  const bare = model?.replace(/^.*\//, "");
  const known = [provider, bare].flatMap((name) =>
    name === undefined ? [] : (PROVIDERS.find(([pattern]) => pattern.test(name))?.[1] ?? []),
  );
  return known[0] ?? provider;
}
