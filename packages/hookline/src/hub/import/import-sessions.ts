import { errorText } from "@hookline/core";
import { createEnvelopePreparer } from "@hookline/core/internal/sinks";
import type { Envelope } from "@hookline/core/sinks";
import type { PastAgent } from "../../agents/agents.js";
import type { Environment } from "../../agents/shared/definition.js";
import { type FoundSessions, findSessions } from "./find-sessions.js";
import { newReadCounts, readSession } from "./read-session.js";

export interface ImportOptions {
  readonly agents: readonly PastAgent[];
  readonly env: Environment;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Stores events without secrets. */
  readonly put: (events: readonly Envelope[]) => Promise<PutResult>;
  readonly onProgress?: (done: { readonly bytes: number; readonly total: number; readonly events: number }) => void;
}

export interface PutResult {
  readonly stored: number;
  /** Events that were stored before. */
  readonly duplicates: number;
  /** Events that the hub has recorded itself. */
  readonly watched?: number;
}

/** What came of an agent's files. */
export interface ImportedAgent {
  readonly agent: string;
  readonly title: string;
  readonly files: number;
  readonly bytes: number;
  readonly sessions: number;
  readonly events: number;
  readonly stored: number;
  readonly duplicates: number;
  readonly watched: number;
  readonly lines: number;
  /** Lines of unknown kinds, by kind. */
  readonly unknown: { readonly [kind: string]: number };
  readonly unreadable: number;
  readonly old: number;
  readonly links: number;
  /** Files and folders that could not be read, and why. */
  readonly problems: readonly string[];
}

const MAX_BATCH_EVENTS = 200;
const MAX_BATCH_CHARS = 1024 * 1024;
const MAX_PROBLEMS = 20;

/** Reads the session files of agents, hides secrets as on every way into the store, and stores what they tell. Changes none of the files. */
export async function importSessions(options: ImportOptions): Promise<readonly ImportedAgent[]> {
  const { agents, env, since, onProgress = () => {} } = options;
  const found = agents.map((agent) => ({ agent, ...findSessions(agent, env, since) }));
  const total = found.reduce((sum, { files }) => sum + bytesOf(files), 0);
  const done = { bytes: 0, events: 0 };
  const advance = (bytes: number, events: number): void => {
    done.bytes += bytes;
    done.events += events;
    onProgress({ ...done, total });
  };
  const results: ImportedAgent[] = [];
  for (const one of found) results.push(await importAgent(one, options, advance));
  return results;
}

function bytesOf(files: FoundSessions["files"]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function importAgent(
  { agent, files, links, unreadable }: FoundSessions & { readonly agent: PastAgent },
  { since, put }: ImportOptions,
  advance: (bytes: number, events: number) => void,
): Promise<ImportedAgent> {
  const counts = newReadCounts();
  const sessions = new Set<string>();
  const problems: string[] = unreadable === 0 ? [] : [`${unreadable} folders could not be read.`];
  const totals = { events: 0, stored: 0, duplicates: 0, watched: 0 };
  const prepare = createEnvelopePreparer({ onError: ({ message }) => note(message) });
  let batch: Envelope[] = [];
  let chars = 0;
  /** A file that cannot be read is left out. A store that fails ends the import. */
  let putFailure: { readonly error: unknown } | undefined;

  function note(problem: string): void {
    if (problems.length < MAX_PROBLEMS) problems.push(problem);
  }
  async function flush(): Promise<void> {
    if (batch.length === 0) return;
    const {
      stored,
      duplicates,
      watched = 0,
    } = await put(batch).catch((error: unknown) => {
      putFailure = { error };
      throw error;
    });
    totals.stored += stored;
    totals.duplicates += duplicates;
    totals.watched += watched;
    [batch, chars] = [[], 0];
  }
  async function add(event: Envelope): Promise<void> {
    const { envelope, bytes } = prepare(event);
    if (event.session !== undefined) sessions.add(event.session.id);
    totals.events++;
    batch.push(envelope);
    chars += bytes;
    if (batch.length >= MAX_BATCH_EVENTS || chars >= MAX_BATCH_CHARS) await flush();
  }

  for (const { path } of files) {
    try {
      for await (const { bytes, events } of readSession({ agent, path, since, counts })) {
        for (const event of events) await add(event);
        advance(bytes, events.length);
      }
    } catch (error) {
      if (putFailure !== undefined) throw putFailure.error;
      note(`${path}: ${errorText(error)}`);
    }
  }
  await flush();
  const { unknown, ...lines } = counts;
  return {
    ...{ agent: agent.id, title: agent.title, files: files.length, bytes: bytesOf(files), sessions: sessions.size },
    ...totals,
    ...lines,
    unknown: Object.fromEntries(unknown),
    links,
    problems,
  };
}
