import type { Bus } from "@hookline/core";
import { guardAiSdk } from "@hookline/core/adapters/ai-sdk";
import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";

export async function play(bus: Bus, calls: readonly { readonly command: string; readonly callId: string }[]) {
  const ran: string[] = [];
  const shell = tool({
    description: "runs a command",
    inputSchema: z.object({ command: z.string() }),
    execute: async ({ command }) => {
      ran.push(command);
      return `ran ${command}`;
    },
  });
  const usage = {
    inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 5, text: 5, reasoning: 0 },
  };
  const model = new MockLanguageModelV4({
    doGenerate: [
      ...calls.map(({ command, callId }) => ({
        content: [{ type: "tool-call" as const, toolCallId: callId, toolName: "shell", input: JSON.stringify({ command }) }],
        finishReason: { unified: "tool-calls" as const, raw: undefined },
        usage,
        warnings: [],
      })),
      {
        content: [{ type: "text" as const, text: "done" }],
        finishReason: { unified: "stop" as const, raw: undefined },
        usage,
        warnings: [],
      },
    ],
  });
  const guard = guardAiSdk(bus, { session: { id: "s1" } });
  await generateText({
    model,
    prompt: "go",
    tools: guard.tools({ shell }),
    toolApproval: guard.toolApproval,
    prepareStep: guard.prepareStep(),
    telemetry: { integrations: [guard.telemetry] },
    stopWhen: stepCountIs(10),
  });
  return { ran, told: JSON.stringify(model.doGenerateCalls.map(({ prompt }) => prompt)) };
}
