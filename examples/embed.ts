import { block, createBus } from "@hookline/core";

const bus = createBus({ source: "my-agent" });
bus.on("tool:before", ({ payload }) => (payload.tool.input.command?.includes("rm -rf") ? block("not here") : undefined), { name: "no-rm" });
const run = await bus.runTool({ tool: { name: "bash", input: { command: "rm -rf /" } } }, (input) => `ran ${input.command}`);
console.log(run.status, run.error); // → blocked not here
