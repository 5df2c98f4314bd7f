import type { AgentContracts } from "../shared/contract.js";
import { events } from "./events.js";

export const contracts: AgentContracts = [
  {
    from: "1.0.102",
    to: "1.0.102",
    source: { tried: "here", version: "1.0.102" },
    guarding: { level: "strict" },
    events,
    dialect: "JSON with permissionDecision at its top; exit code 2 denies",
    timeout: { unitMs: 1_000, defaultMs: 30_000 },
    blocks: ["exit code 2", 'permissionDecision "deny"', "exit code 1 or a missing program"],
    failure: {
      mode: "closed",
      runsAfter: ["text before the JSON", "malformed JSON", "a timeout"],
    },
  },
];
