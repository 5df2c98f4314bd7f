import type { AgentContracts } from "../shared/contract.js";
import { events } from "./events.js";

export const contracts: AgentContracts = [
  {
    from: "3.0.65",
    to: "3.0.65",
    source: { tried: "here", version: "3.0.65" },
    guarding: {
      level: "best effort",
      reason: "ignores exit codes, so a hook that fails cannot deny",
      instead: "The rules hold as long as the hub answers; when it does not, calls run.",
    },
    events,
    dialect: "JSON with cancel, errorMessage, overrideInput and contextModification; a file for each event",
    timeout: { unitMs: 1_000, defaultMs: Number.POSITIVE_INFINITY },
    blocks: ['"cancel": true, which ends the whole run'],
    failure: { mode: "open", runsAfter: ["every exit code", "text before the JSON", "malformed JSON", "a missing file"] },
  },
];
