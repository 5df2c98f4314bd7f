import type { AgentContracts } from "../shared/contract.js";
import { events } from "./events.js";

export const contracts: AgentContracts = [
  {
    source: {
      tried: "documentation",
      url: "https://github.com/NousResearch/hermes-agent/blob/main/website/docs/user-guide/features/hooks.md",
    },
    guarding: { level: "strict" },
    events,
    dialect: "JSON with action, message, args and context; exit code 2 denies; the command is started without a shell",
    timeout: { unitMs: 1_000, defaultMs: 60_000 },
    blocks: ["exit code 2", 'action "block"', "with fail_closed, which --strict sets: a missing program, a timeout, malformed JSON"],
    failure: {
      mode: "open",
      runsAfter: ["every failure, without fail_closed", "an exit code besides 2 with nothing on stdout", "a hook that was not approved"],
    },
  },
];
