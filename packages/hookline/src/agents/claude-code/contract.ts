import type { AgentContracts } from "../shared/contract.js";
import { events } from "./events.js";

export const contracts: AgentContracts = [
  {
    from: "2.1.325",
    to: "2.1.325",
    source: { tried: "here", version: "2.1.325" },
    guarding: { level: "strict" },
    events,
    dialect: "JSON on stdin and stdout; exit code 2 with stderr denies",
    timeout: { unitMs: 1_000, defaultMs: 600_000 },
    blocks: ["exit code 2", 'permissionDecision "deny"', 'with onFailure "block": exit code 1, a timeout, a refused connection'],
    failure: {
      mode: "open",
      runsAfter: [
        "text before the JSON",
        'malformed JSON, also with onFailure "block"',
        'exit code 1, a timeout or a missing program, without onFailure "block"',
        "a settings file that it cannot read",
      ],
    },
    before: "A version that does not know one of the events ignores all hooks of the file, without a message.",
  },
];
