import type { Bus } from "@hookline/core";
import { guardOpenAiAgents } from "@hookline/core/adapters/openai-agents";
import { Agent, type Model, type ModelRequest, type ModelResponse, Runner, tool, Usage } from "@openai/agents";
import { z } from "zod";

export async function play(bus: Bus, calls: readonly { readonly command: string; readonly callId: string }[]) {
  const ran: string[] = [];
  const told: unknown[] = [];
  const shell = tool({
    name: "shell",
    description: "runs a command",
    parameters: z.object({ command: z.string() }),
    execute: async ({ command }) => {
      ran.push(command);
      return `ran ${command}`;
    },
  });
  const left = [...calls];
  const model: Model = {
    async getResponse({ input }: ModelRequest): Promise<ModelResponse> {
      told.push(input);
      const call = left.shift();
      const usage = new Usage({ requests: 1, inputTokens: 10, outputTokens: 5, totalTokens: 15 });
      if (call === undefined)
        return {
          usage,
          output: [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "done" }] }],
        };
      const { command, callId } = call;
      return {
        usage,
        output: [{ type: "function_call", name: "shell", callId, arguments: JSON.stringify({ command }), status: "completed" }],
      };
    },
    // biome-ignore lint/correctness/useYield: this model does not stream
    async *getStreamedResponse() {
      throw new Error("not used");
    },
  };
  const guard = guardOpenAiAgents(bus, { session: { id: "s1" } });
  const agent = new Agent({ name: "tester", model, tools: guard.tools([shell]) });
  const runner = new Runner({ tracingDisabled: true, callModelInputFilter: guard.callModelInputFilter });
  guard.observe(runner);
  await runner.run(agent, "go");
  return { ran, told: JSON.stringify(told) };
}
