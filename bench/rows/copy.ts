import { type BusOptions, createBus, type Decision, type ToolPayload } from "@hookline/core";
import type { Group } from "../group.ts";
import { guards } from "../guards.ts";
import type { Contender } from "../measure.ts";

const THREE = 3;
const fields = (index: number): ToolPayload["tool"]["input"] => ({
  ...{ command: `ls ${index}`, path: `/src/${index}`, url: "", cwd: "/src", user: "agent" },
  ...{ timeout: 5, isQuiet: true, parent: null, shell: "sh", tag: "x" },
});
const ten: readonly ToolPayload[] = Array.from({ length: 8 }, (_, index) => ({ tool: { name: "bash", input: fields(index) } }));
const long: readonly ToolPayload[] = ten.map(({ tool }) => ({ tool: { ...tool, input: { ...tool.input, text: "x".repeat(1_000_000) } } }));

/** What the copy costs that guards judge: the same decision with it and without. */
export function copy(): Group {
  const rows = [row("copy, 3 guards, 10 fields", ten), row("copy, 3 guards, 1 MB of text", long)];
  return { rows };
}

function row(name: string, payloads: readonly ToolPayload[]) {
  return {
    name,
    checksum: 1,
    contenders: [decider("hookline", "ours", payloads, {}), decider("freeze: false", "peer", payloads, { freeze: false })],
  };
}

function decider(name: string, role: Contender["role"], payloads: readonly ToolPayload[], options: BusOptions): Contender {
  const bus = createBus({ source: "bench", ...options });
  for (const guard of guards.slice(0, THREE)) bus.on("tool:before", guard);
  const handle = bus.event("tool:before");
  return {
    name,
    role,
    run(iterations) {
      let passed = 0;
      for (let i = 0; i < iterations; i++) if ((handle.decide(payloads[i & 7] as ToolPayload) as Decision).allowed) passed++;
      return passed;
    },
  };
}
