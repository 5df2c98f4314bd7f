import { type AgentContracts, STRICT_UNLESS_KILLED } from "../shared/contract.js";
import { events } from "./events.js";

export const contracts: AgentContracts = [
  {
    from: "0.166.0",
    to: "0.166.0",
    source: { tried: "here", version: "0.166.0" },
    guarding: { level: STRICT_UNLESS_KILLED },
    events,
    dialect: "Claude Code's JSON, and no field besides",
    timeout: { unitMs: 1_000, defaultMs: 600_000 },
    blocks: ["exit code 2 with text on stderr", 'permissionDecision "deny" without unknown fields'],
    failure: {
      mode: "open",
      runsAfter: [
        "an unknown field beside a deny",
        "text before the JSON",
        "malformed JSON",
        "exit code 1 or 127",
        "a timeout",
        "hooks that were not reviewed",
      ],
    },
  },
];
