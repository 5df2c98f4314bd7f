import { realpathSync, statSync } from "node:fs";
import { relative, sep } from "node:path";
import { errorText } from "@hookline/core";
import { createEnvelopePreparer } from "@hookline/core/internal/sinks";
import { encodeEnvelope } from "@hookline/core/sinks";
import { type PastAgent, pastAgents } from "../../agents/agents.js";
import type { Environment } from "../../agents/shared/definition.js";
import { type Imports, isOnlyInFile } from "../import/imports.js";
import { newReadCounts, readSession } from "../import/read-session.js";
import type { Arrival } from "../parts.js";

/** The moments at which an agent has written down what it used. */
const MOMENTS = new Set(["finish:before", "turn:end", "session:end", "worker:completed"]);
/** The agent writes its file after it has told its hook. */
const PAUSE_MS = 2_000;
/** Larger files are left to `hookline import`. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_WAITING = 64;

interface FileUsageOptions {
  readonly imports: Pick<Imports, "take">;
  readonly env: Environment;
  readonly onProblem: (text: string) => void;
  readonly pauseMs?: number;
}

/** Reads what agents use from their session files when a turn ends, for agents whose hooks do not report it. */
export function createFileUsage({ imports, env, onProblem, pauseMs = PAUSE_MS }: FileUsageOptions) {
  const agents = new Map(pastAgents.filter(({ sessions }) => sessions.hasUsageAlone === true).map((agent) => [agent.id, agent]));
  const waiting = new Map<string, NodeJS.Timeout>();
  const prepare = createEnvelopePreparer({ onError: ({ message }) => onProblem(message) });
  let reading = Promise.resolve();

  async function read(agent: PastAgent, path: string): Promise<void> {
    for await (const { events } of readSession({ agent, path, since: 0, counts: newReadCounts() })) {
      const lines = events.filter(isOnlyInFile).map((event) => encodeEnvelope(prepare(event).envelope));
      // What was stored before is known by its id.
      if (lines.length > 0) await imports.take(lines);
    }
  }

  function see({ envelope: { event, source, payload } }: Arrival): void {
    const agent = agents.get(source.app);
    if (agent === undefined || !MOMENTS.has(event)) return;
    const path = sessionPath(agent, (payload as { readonly transcript?: unknown } | null)?.transcript, env);
    if (path === undefined || waiting.has(path) || waiting.size >= MAX_WAITING) return;
    const timer = setTimeout(() => {
      waiting.delete(path);
      reading = reading
        .then(() => read(agent, path))
        .catch((error: unknown) => onProblem(`What ${agent.title} used could not be read: ${errorText(error)}`));
    }, pauseMs);
    waiting.set(path, timer.unref());
  }

  return {
    see: (arrivals: readonly Arrival[]): void => arrivals.forEach(see),
    async close(): Promise<void> {
      for (const timer of waiting.values()) clearTimeout(timer);
      waiting.clear();
      await reading;
    },
  };
}

/** The path if it is one of the agent's own session files: an event may name any file. */
function sessionPath({ sessions }: PastAgent, given: unknown, env: Environment): string | undefined {
  if (typeof given !== "string") return undefined;
  try {
    const path = realpathSync(given);
    const isOwn = sessions.folders(env).some((folder) => {
      const below = relative(realpathSync(folder.path), path);
      return !below.startsWith("..") && folder.isSession(below.split(sep).join("/"));
    });
    return isOwn && statSync(path).size <= MAX_BYTES ? path : undefined;
  } catch {
    return undefined;
  }
}
