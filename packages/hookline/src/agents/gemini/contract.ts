import { type AgentContracts, STRICT_UNLESS_KILLED } from "../shared/contract.js";
import { events } from "./events.js";

export const contracts: AgentContracts = [
  {
    from: "0.61.0",
    to: "0.61.0",
    source: { tried: "here", version: "0.61.0" },
    guarding: { level: STRICT_UNLESS_KILLED },
    events,
    dialect: "JSON with decision and reason; exit code 2 with stderr denies",
    timeout: { unitMs: 1, defaultMs: 60_000 },
    blocks: ["exit code 2 with text on stderr", 'decision "deny"', "every exit code but 0 and 1"],
    failure: {
      mode: "open",
      runsAfter: ["text before the JSON", "malformed JSON", "exit code 1", "a timeout"],
    },
  },
];
