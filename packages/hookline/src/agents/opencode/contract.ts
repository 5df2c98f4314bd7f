import type { AgentContracts } from "../shared/contract.js";
import { events } from "./events.js";

export const contracts: AgentContracts = [
  {
    from: "1.18.33",
    to: "1.18.33",
    source: { tried: "here", version: "1.18.33" },
    guarding: { level: "strict" },
    events,
    dialect: "a plugin in its process, which changes what its hooks are given",
    timeout: { unitMs: 1, defaultMs: Number.POSITIVE_INFINITY },
    blocks: ["a hook that throws"],
    failure: { mode: "closed", runsAfter: ["a plugin that cannot be loaded, unless no provider of models is enabled without it"] },
  },
];
