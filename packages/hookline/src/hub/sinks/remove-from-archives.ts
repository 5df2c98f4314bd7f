import type { ArchiveSink, Sink } from "@hookline/core/sinks";
import type { SinkConfig } from "../../config/config.js";
import { createSink } from "./create-sink.js";

/** What a person is told about an archive. */
export interface ArchiveReport {
  readonly name: string;
  /** How many files with events of the sessions were deleted there. */
  readonly files: number;
  /** Why some may be left. */
  readonly fault?: string;
}

/** Deletes sessions from the archives among these sinks. An event that an archive has not got yet is deleted with the store. */
export function removeFromArchives(
  sinks: readonly SinkConfig[],
  sessions: readonly string[],
  signal: AbortSignal,
): Promise<readonly ArchiveReport[]> {
  return Promise.all(sinks.filter(({ type }) => type === "archive").map((config) => removeFrom(config, sessions, signal)));
}

async function removeFrom(config: SinkConfig, sessions: readonly string[], signal: AbortSignal): Promise<ArchiveReport> {
  let files = 0;
  let sink: Sink | undefined;
  try {
    sink = await createSink(config);
    if (!isArchive(sink)) throw new Error("it cannot delete events");
    for (const session of sessions) files += await sink.removeSession(session, signal);
    return { name: config.name, files };
  } catch (error) {
    return { name: config.name, files, fault: error instanceof Error ? error.message : String(error) };
  } finally {
    await sink?.close();
  }
}

function isArchive(sink: Sink): sink is ArchiveSink {
  return "removeSession" in sink;
}
