import type { AgentContracts } from "../shared/contract.js";
import { events } from "./events.js";

export const contracts: AgentContracts = [
  {
    source: { tried: "documentation", url: "https://docs.windsurf.com/windsurf/cascade/hooks" },
    guarding: {
      level: "best effort",
      reason: "continues, by its documentation, after a hook that ends with any code besides 2",
      instead: "The rules hold as long as the hub answers; when it does not, calls run.",
    },
    events,
    dialect: "JSON with agent_action_name and tool_info; exit code 2 denies, with the reason on stderr",
    // An entry has no timeout.
    timeout: { unitMs: 1_000 },
    blocks: ["exit code 2"],
    failure: { mode: "open", runsAfter: ["every other exit code"] },
  },
];
