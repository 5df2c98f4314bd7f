import type { AgentContracts } from "../shared/contract.js";
import { events } from "./events.js";

export const contracts: AgentContracts = [
  {
    source: { tried: "documentation", url: "https://kiro.dev/docs/hooks/" },
    guarding: {
      level: "best effort",
      reason: "does not say in its documentation that a hook which takes too long denies the call",
      instead: "The rules hold as long as the hub answers; when it does not, calls run.",
    },
    events,
    dialect: "Claude Code's JSON on stdin; exit code 2 denies, with the reason on stderr; text on stdout reaches the model",
    timeout: { unitMs: 1_000, defaultMs: 60_000 },
    blocks: ["exit code 2"],
    failure: { mode: "open", runsAfter: ["a timeout, of which its documentation says nothing"] },
  },
];
