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
