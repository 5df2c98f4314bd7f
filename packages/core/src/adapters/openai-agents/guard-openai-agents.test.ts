import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { createBus } from "../../bus/bus.js";
import { guardOpenAiAgents } from "./guard-openai-agents.js";

// The SDK itself is driven by npm run test:sdks.
it("refuses tools that run on this machine and are not functions, and leaves hosted ones as they are", () => {
  const { tools } = guardOpenAiAgents(createBus());
  const run = async () => ({ output: [] });
  for (const own of [{ shell: { run } }, { editor: { createFile: run } }, { computer: { click: run } }])
    expect(() => tools([{ type: "local", name: "own", ...own }])).toThrow('The tool "own" would not be guarded');
  const hosted = [
    { type: "hosted_tool", name: "web_search" },
    { type: "shell", name: "shell", environment: { type: "container_auto" } },
  ];
  expect(tools(hosted)).toEqual(hosted);
});

it("reports what a run has used, with what came from the cache apart", async () => {
  const bus = createBus();
  const runner = new EventEmitter();
  guardOpenAiAgents(bus).observe(runner);
  const reported: unknown[] = [];
  bus.on("session:end", ({ payload }) => void reported.push(payload.usage));
  const usage = {
    inputTokens: 1_500,
    outputTokens: 40,
    inputTokensDetails: [{ cached_tokens: 900 }, { cached_tokens: 100 }],
    outputTokensDetails: [{ reasoning_tokens: 30 }, {}],
  };
  runner.emit("agent_end", { usage });
  expect(reported).toEqual([{ inputTokens: 500, outputTokens: 40, cacheReadTokens: 1_000, reasoningTokens: 30 }]);
});
