import { type AgentContracts, STRICT_UNLESS_KILLED } from "../shared/contract.js";
import { events } from "./events.js";

export const contracts: AgentContracts = [
  {
    from: "0.24.4",
    to: "0.24.4",
    source: { tried: "here", version: "0.24.4" },
    guarding: { level: STRICT_UNLESS_KILLED },
    events,
    dialect: "Claude Code's JSON, with its own names of tools; a new input is ignored",
    // A value below 1,000 means seconds. Hookline reads it as milliseconds, so it never counts on more time than there is.
    timeout: { unitMs: 1, defaultMs: 60_000 },
    blocks: ["exit code 2 with text on stderr", 'permissionDecision "deny"'],
    failure: {
      mode: "open",
      runsAfter: [
        "exit code 2 without text",
        "every other exit code",
        "a missing program",
        "text before the JSON",
        "malformed JSON",
        "a timeout",
      ],
    },
  },
];
