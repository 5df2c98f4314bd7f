import { createHash } from "node:crypto";
import type { Envelope } from "../../catalog/envelope.js";

/** One file of an archive: the events of one session in one period. */
export interface ArchiveFile {
  /** With slashes and without an ending: `2026-11-18/<session>/<time>-<id>`. */
  readonly name: string;
  readonly events: readonly Envelope[];
}

/** Events without a session. No session's folder begins with `_`. */
const NO_SESSION = "_none";

/**
 * The files of a batch. A file never holds two sessions, so a session can be deleted. Its name derives from its events, so a batch that is
 * sent again replaces its files.
 */
export function filesOf(batch: readonly Envelope[], by: "day" | "hour"): ArchiveFile[] {
  const parts = new Map<string, Envelope[]>();
  for (const envelope of batch) {
    const folder = `${periodOf(envelope.at, by)}/${sessionFolder(envelope.session?.id)}`;
    const part = parts.get(folder);
    if (part === undefined) parts.set(folder, [envelope]);
    else part.push(envelope);
  }
  return [...parts].map(([folder, events]) => ({ name: `${folder}/${nameOf(events)}`, events }));
}

/** A name that is safe in every file system and address; a long or odd id becomes its hash. */
export function sessionFolder(id: string | undefined): string {
  if (id === undefined) return NO_SESSION;
  return /^[A-Za-z0-9][\w-]{0,99}$/.test(id) ? id : `_${hashOf(id)}`;
}

/** Whether a folder of an archive is a period. */
export function isPeriod(name: string): boolean {
  return /^\d{4}-\d{2}-\d{2}(T\d{2})?$/.test(name);
}

/** In UTC. An event with a time that cannot be read is kept under the first day there is. */
function periodOf(at: string, by: "day" | "hour"): string {
  const time = Date.parse(at);
  return new Date(Number.isNaN(time) ? 0 : time).toISOString().slice(0, by === "day" ? 10 : 13);
}

function nameOf(events: readonly Envelope[]): string {
  const time = (events[0]?.at ?? "").replace(/\D/g, "").slice(0, 17).padEnd(17, "0");
  return `${time}-${hashOf(JSON.stringify(events.map(({ id }) => id)))}`;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
