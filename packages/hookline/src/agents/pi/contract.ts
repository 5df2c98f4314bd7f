import type { AgentContracts } from "../shared/contract.js";
import { events } from "./events.js";

export const contracts: AgentContracts = [
  {
    from: "0.74.2",
    to: "0.74.2",
    source: { tried: "here", version: "0.74.2" },
    guarding: { level: "strict" },
    events,
    dialect: "an extension in its process, which returns what to do",
    timeout: { unitMs: 1, defaultMs: Number.POSITIVE_INFINITY },
    blocks: ["block with a reason", "a handler that throws", "an extension that cannot be loaded: pi ends"],
    failure: { mode: "closed", runsAfter: ["the extension's file is removed"] },
  },
];
