import type { Bus } from "@hookline/core";
import { guardMastra } from "@hookline/core/adapters/mastra";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";

export async function play(bus: Bus, calls: readonly { readonly command: string; readonly callId: string }[]) {
  const ran: string[] = [];
  const told: unknown[] = [];
  const shell = createTool({
    id: "shell",
    description: "runs a command",
    inputSchema: z.object({ command: z.string() }),
    execute: async ({ command }) => {
      ran.push(command);
      return { text: `ran ${command}` };
    },
  });
  const left = [...calls];
  const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
  const model = {
    specificationVersion: "v2" as const,
    provider: "fake",
    modelId: "fake",
    supportedUrls: {},
    async doGenerate({ prompt }: { prompt: unknown }) {
      told.push(prompt);
      const call = left.shift();
      const content =
        call === undefined
          ? [{ type: "text" as const, text: "done" }]
          : [{ type: "tool-call" as const, toolCallId: call.callId, toolName: "shell", input: JSON.stringify({ command: call.command }) }];
      return { content, finishReason: call === undefined ? ("stop" as const) : ("tool-calls" as const), usage, warnings: [] };
    },
    async doStream(options: { prompt: unknown }) {
      const { content, finishReason } = await this.doGenerate(options);
      const [part] = content;
      const text = [
        { type: "text-start" as const, id: "1" },
        { type: "text-delta" as const, id: "1", delta: "done" },
        { type: "text-end" as const, id: "1" },
      ];
      const parts = [
        { type: "stream-start" as const, warnings: [] },
        ...(part?.type === "tool-call" ? [part] : text),
        { type: "finish" as const, finishReason, usage },
      ];
      const stream = new ReadableStream<(typeof parts)[number]>({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      });
      return { stream };
    },
  };
  const guard = guardMastra(bus, { session: { id: "s1" } });
  const agent = new Agent({ id: "tester", name: "tester", instructions: "test", model, tools: { shell }, hooks: guard.hooks() });
  await agent.generate("go", { prepareStep: guard.prepareStep, onStepFinish: guard.onStepFinish });
  return { ran, told: JSON.stringify(told) };
}
