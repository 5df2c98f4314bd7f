import type { AgentContracts } from "../shared/contract.js";
import { events } from "./events.js";

export const contracts: AgentContracts = [
  {
    source: { tried: "documentation", url: "https://antigravity.google/docs/hooks" },
    guarding: {
      level: "best effort",
      reason: "does not say in its documentation that a hook which fails denies the call",
      instead: "The rules hold as long as the hub answers; when it does not, calls run.",
    },
    events,
    dialect: 'JSON with toolCall in, decision and reason out; a pass is decision "allow", because silence may deny',
    timeout: { unitMs: 1_000 },
    blocks: ['decision "deny"'],
    failure: { mode: "open", runsAfter: ["a failure of which its documentation says nothing"] },
  },
];
