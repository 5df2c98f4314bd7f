import type { AgentContracts } from "../shared/contract.js";
import { events, observedEvents } from "./events.js";

const timeout = { unitMs: 1_000, defaultMs: 30_000 };
const dialect = "JSON on stdin; an exit code of 2 with stderr denies";

export const contracts: AgentContracts = [
  {
    from: "1.35.0",
    to: "1.35.0",
    source: {
      tried: "documentation",
      url: "https://github.com/block/goose/blob/main/documentation/docs/guides/context-engineering/hooks.md",
    },
    guarding: { level: "strict" },
    events,
    dialect,
    timeout,
    blocks: ["exit code 2", 'decision "block"', 'with on_failure "block": every other result but an allow'],
    failure: {
      mode: "open",
      runsAfter: ["every failure, in versions without on_failure", "a hooks.json that it cannot read"],
    },
  },
  {
    from: "1.34.0",
    to: "1.34.0",
    source: { tried: "here", version: "1.34.0" },
    guarding: {
      level: "observe",
      reason: "runs every call in version 1.34, whatever its hooks say",
      instead: "Newer versions can be denied calls, by their documentation.",
    },
    events: observedEvents,
    dialect,
    timeout,
    blocks: [],
    failure: { mode: "open", runsAfter: ["everything"] },
    before: "Older versions may have no hooks.",
  },
];
