import { block, createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";

const bus = createBus({ source: "my-agent" });
connectToHub(bus); // optional: records every event at the hub, whose rules then apply here too
bus.on("tool:before", ({ payload }) => (payload.tool.input.command?.includes("deploy") ? block("not here") : undefined), { name: "guard" });

const call = { tool: { name: "bash", input: { command: "make deploy" } } };
const run = await bus.runTool(call, (input) => `ran ${input.command}`);
console.log(run.status, run.error); // → blocked not here
