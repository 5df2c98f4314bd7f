import type { AgentContracts } from "../shared/contract.js";
import { events } from "./events.js";

export const contracts: AgentContracts = [
  {
    source: { tried: "documentation", url: "https://cursor.com/docs/hooks" },
    guarding: { level: "strict" },
    events,
    dialect:
      'JSON with permission, user_message and agent_message; exit code 2 denies; a pass is permission "allow", because silence may deny',
    timeout: { unitMs: 1_000 },
    blocks: ["exit code 2", 'permission "deny"', "with failClosed, which --strict sets: a crash, a timeout, malformed JSON"],
    failure: { mode: "open", runsAfter: ["a crash, a timeout or malformed JSON, without failClosed"] },
  },
];
