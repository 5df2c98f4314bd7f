import { expect, it } from "vitest";
import { createBus } from "../../bus/bus.js";
import { modify } from "../../catalog/outcomes.js";
import { guardMastra } from "./guard-mastra.js";

// The SDK itself is driven by npm run test:sdks.
it("denies a call whose input cannot take the rewrite", async () => {
  const bus = createBus();
  bus.on("tool:before", ({ payload }) => modify({ ...payload, tool: { ...payload.tool, input: { path: "b" } } }));
  const { beforeToolCall } = guardMastra(bus).hooks();
  const denied = { proceed: false, output: expect.stringContaining("denied") };
  expect(await beforeToolCall({ toolName: "read", input: Object.freeze({ path: "a" }) })).toEqual(denied);
  expect(await beforeToolCall({ toolName: "read", input: Object.seal({ path: "a" }) })).toEqual(denied);
  const input = { path: "a" };
  expect(await beforeToolCall({ toolName: "read", input })).toBeUndefined();
  expect(input).toEqual({ path: "b" });
});
