import { block, runExtension } from "@hookline/core/extension";

runExtension({
  name: "guard",
  hooks: { "tool:before": (event) => (event.payload.tool.input.command?.includes("rm -rf") ? block("no") : undefined) },
});
