import type { Bus } from "@hookline/core";
import { guardStrands } from "@hookline/core/adapters/strands";
import * as strands from "@strands-agents/sdk";
import { z } from "zod";

export async function play(bus: Bus, calls: readonly { readonly command: string; readonly callId: string }[]) {
  const ran: string[] = [];
  const told: string[] = [];
  const left = [...calls];
  class FakeModel extends strands.Model {
    override updateConfig(): void {}
    override getConfig() {
      return { modelId: "fake" };
    }
    override async *stream(messages: strands.Message[]): AsyncIterable<strands.ModelStreamEvent> {
      told.push(JSON.stringify(messages));
      const call = left.shift();
      yield { type: "modelMessageStartEvent", role: "assistant" };
      if (call === undefined) {
        yield { type: "modelContentBlockStartEvent" };
        yield { type: "modelContentBlockDeltaEvent", delta: { type: "textDelta", text: "done" } };
      } else {
        yield { type: "modelContentBlockStartEvent", start: { type: "toolUseStart", name: "shell", toolUseId: call.callId } };
        yield {
          type: "modelContentBlockDeltaEvent",
          delta: { type: "toolUseInputDelta", input: JSON.stringify({ command: call.command }) },
        };
      }
      yield { type: "modelContentBlockStopEvent" };
      yield { type: "modelMessageStopEvent", stopReason: call === undefined ? "endTurn" : "toolUse" };
      yield { type: "modelMetadataEvent", usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } };
    }
  }
  const shell = strands.tool({
    name: "shell",
    description: "runs a command",
    inputSchema: z.object({ command: z.string() }),
    callback: ({ command }) => {
      ran.push(command);
      return `ran ${command}`;
    },
  });
  const plugins = [guardStrands(bus, strands, { session: { id: "s1" } })];
  const agent = new strands.Agent({ model: new FakeModel(), tools: [shell], plugins, printer: false });
  await agent.invoke("go");
  return { ran, told: told.join("\n") };
}
