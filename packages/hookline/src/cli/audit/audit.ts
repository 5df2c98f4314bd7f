import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeEnvelope } from "@hookline/core/sinks";
import { pastAgents } from "../../agents/agents.js";
import type { RuleConfig } from "../../config/config.js";
import { backtest } from "../../hub/backtest/backtest.js";
import { type ImportedAgent, importSessions } from "../../hub/import/import-sessions.js";
import type { BacktestAnswer } from "../../hub/protocol.js";
import { openDatabase } from "../../hub/store/open-database.js";
import { openStore } from "../../hub/store/open-store.js";

export interface AuditOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly rules: readonly RuleConfig[];
  /** The names of those that are in the user's file. */
  readonly own: readonly string[];
  readonly onProgress: (text: { readonly bytes: number; readonly total: number } | { readonly calls: number; readonly of: number }) => void;
}

/** What an agent did, as far as its files say so. */
export interface AuditedAgent
  extends Pick<ImportedAgent, "agent" | "title" | "files" | "sessions" | "unknown" | "unreadable" | "problems"> {
  readonly prompts: number;
  readonly calls: number;
  /** Calls by tool, the most frequent first. */
  readonly tools: readonly { readonly tool: string; readonly calls: number }[];
  /** Missing where the files do not say it. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly costUsd?: number;
}

export interface Audit {
  readonly since: number;
  /** The rules that are in the user's file. */
  readonly own: readonly string[];
  readonly agents: readonly AuditedAgent[];
  readonly result: BacktestAnswer;
}

const EXAMPLES = 15;

/** Reads the session files into a store of its own, sends their calls through rules, and removes the store. */
export async function audit({ env, since, rules, own, onProgress }: AuditOptions): Promise<Audit> {
  const scratch = mkdtempSync(join(tmpdir(), "hookline-audit-"));
  const remove = (): void => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  // Also if it is interrupted, because the store holds what agents did.
  const interrupted = (): void => process.exit(130);
  process.once("exit", remove).once("SIGINT", interrupted).once("SIGTERM", interrupted);
  try {
    const path = join(scratch, "events.db");
    const imported = await importInto(path, { env, since, onProgress });
    const agents = imported.filter(({ files }) => files > 0).map((agent) => ({ ...agent, ...readFacts(path, agent.agent) }));
    const result = backtest({ store: path, rules, since, examples: EXAMPLES, onProgress: (calls, of) => onProgress({ calls, of }) });
    return { since, own, agents, result };
  } finally {
    process.off("exit", remove).off("SIGINT", interrupted).off("SIGTERM", interrupted);
    remove();
  }
}

async function importInto(
  path: string,
  { env, since, onProgress }: Omit<AuditOptions, "rules" | "own">,
): Promise<readonly ImportedAgent[]> {
  const store = await openStore(path, { ballastBytes: 0 });
  try {
    return await importSessions({
      agents: pastAgents,
      env,
      since,
      onProgress,
      async put(events) {
        const places = await store.append(events.map((envelope) => ({ envelope, body: encodeEnvelope(envelope), isImported: true })));
        const stored = places.filter((place) => place > 0).length;
        return { stored, duplicates: events.length - stored };
      },
    });
  } finally {
    await store.close();
  }
}

type Facts = Pick<AuditedAgent, "prompts" | "calls" | "tools" | "inputTokens" | "outputTokens" | "costUsd">;

function readFacts(path: string, agent: string): Facts {
  const database = openDatabase(path, { readOnly: true });
  try {
    const tools = database
      .prepare(
        "SELECT coalesce(tool, '') AS tool, count(*) AS calls FROM events WHERE event = 'tool:before' AND app = ? GROUP BY 1 ORDER BY 2 DESC",
      )
      .all(agent) as unknown as { tool: string; calls: number }[];
    const { prompts } = database.prepare("SELECT count(*) AS prompts FROM events WHERE event = 'prompt:submit' AND app = ?").get(agent) as {
      prompts: number;
    };
    // A sum of what is unknown is unknown, not 0.
    const sums = database
      .prepare(
        `SELECT sum(coalesce(llm_in, turn_in)) AS inputTokens, sum(coalesce(llm_out, turn_out)) AS outputTokens,
                sum(coalesce(llm_cost, turn_cost)) AS costUsd FROM sessions WHERE app = ?`,
      )
      .get(agent) as { [sum: string]: number | null };
    const known = Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== null));
    return { prompts, calls: tools.reduce((sum, { calls }) => sum + calls, 0), tools, ...known };
  } finally {
    database.close();
  }
}
