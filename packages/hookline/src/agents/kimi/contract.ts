import { type AgentContracts, STRICT_UNLESS_KILLED } from "../shared/contract.js";
import { events } from "./events.js";

export const contracts: AgentContracts = [
  {
    from: "2.1.0",
    to: "2.1.0",
    source: { tried: "here", version: "2.1.0" },
    guarding: { level: STRICT_UNLESS_KILLED },
    events,
    dialect: "Claude Code's JSON on stdin; an exit code of 2 with stderr denies",
    timeout: { unitMs: 1_000, defaultMs: 30_000 },
    blocks: ["exit code 2", 'permissionDecision "deny", not for a prompt'],
    failure: {
      mode: "open",
      runsAfter: [
        "every other exit code",
        "a missing program",
        "text before the JSON",
        "malformed JSON",
        "a timeout",
        "one bad value in any hook of the file",
      ],
    },
    before: "A version that does not know one of the events ignores all hooks of the file, without a message.",
  },
];
