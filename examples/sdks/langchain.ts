import type { Bus } from "@hookline/core";
import { guardLangChain } from "@hookline/core/adapters/langchain";
import { AIMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { createAgent, createMiddleware, ToolMessage, tool } from "langchain";
import { z } from "zod";

export async function play(bus: Bus, calls: readonly { readonly command: string; readonly callId: string }[]) {
  const ran: string[] = [];
  const shell = tool(
    async ({ command }: { command: string }) => {
      ran.push(command);
      return `ran ${command}`;
    },
    { name: "shell", description: "runs a command", schema: z.object({ command: z.string() }) },
  );
  const usage_metadata = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  const model = fakeModel();
  for (const { command, callId } of calls)
    model.respond(new AIMessage({ content: "", tool_calls: [{ name: "shell", args: { command }, id: callId }], usage_metadata }));
  model.respond(new AIMessage({ content: "done", usage_metadata }));
  const middleware = [createMiddleware(guardLangChain(bus, { ToolMessage, session: { id: "s1" } }))];
  const agent = createAgent({ model, tools: [shell], middleware });
  await agent.invoke({ messages: [{ role: "user", content: "go" }] });
  return { ran, told: JSON.stringify(model.calls.map(({ messages }) => messages)) };
}
