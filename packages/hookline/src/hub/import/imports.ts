import { randomBytes } from "node:crypto";
import { HookError } from "@hookline/core";
import type { Envelope } from "@hookline/core/sinks";
import { pastAgents } from "../../agents/agents.js";
import { isRefusal } from "../ingest/accept.js";
import { openOrigin } from "../ingest/origins.js";
import type { Accepted, Ingest } from "../parts.js";
import type { Store } from "../store/store.js";
import type { PutResult } from "./import-sessions.js";

/** An import that has sent nothing for so long is over. */
const IDLE_MS = 600_000;

/** The imports that the operator has begun. */
export interface Imports {
  /** Returns the key with which its events are sent. An import that was begun before is over. */
  begin(): string;
  /** Stores lines of an import. Throws `HL_NOT_FOUND` for a key that no import has. */
  put(key: string, lines: readonly string[]): Promise<PutResult & { readonly refused: number }>;
  /** Stores lines that the hub itself has read. */
  take(lines: readonly string[]): Promise<PutResult & { readonly refused: number }>;
}

/** The agents whose hooks do not report what they use. */
const WITHOUT_USAGE = new Set(pastAgents.filter(({ sessions }) => sessions.hasUsageAlone === true).map(({ id }) => id));

/** Whether only a session file tells of it, also while the hub watches the session. */
export function isOnlyInFile({ source, payload }: Envelope): boolean {
  return WITHOUT_USAGE.has(source.app) && (payload as { readonly usage?: unknown } | null)?.usage !== undefined;
}

export function createImports({ ingest, store }: { readonly ingest: Ingest; readonly store: Pick<Store, "watchedSince"> }): Imports {
  const origin = openOrigin("import");
  let open: { readonly key: string; usedAt: number } | undefined;

  /** The hub has recorded the rest of a session itself: only what came before is new. */
  async function unwatched(events: readonly Accepted[]): Promise<readonly Accepted[]> {
    const sessions = [...new Set(events.flatMap(({ envelope }) => envelope.session?.id ?? []))];
    const since = await store.watchedSince(sessions);
    return events.filter(({ envelope }) => {
      const first = envelope.session === undefined ? undefined : since[envelope.session.id];
      return first === undefined || Date.parse(envelope.at) < first || isOnlyInFile(envelope);
    });
  }

  async function take(lines: readonly string[]): Promise<PutResult & { readonly refused: number }> {
    const accepted = lines.map((line) => ingest.acceptMade(line, origin)).flatMap((result) => (isRefusal(result) ? [] : [result]));
    const wanted = await unwatched(accepted);
    const result = await ingest.append(wanted.map((event) => ({ ...event, isImported: true })));
    return { ...result, watched: accepted.length - wanted.length, refused: lines.length - accepted.length };
  }

  return {
    begin() {
      open = { key: randomBytes(16).toString("hex"), usedAt: Date.now() };
      return open.key;
    },
    async put(key, lines) {
      if (open?.key !== key || Date.now() - open.usedAt > IDLE_MS)
        throw new HookError("HL_NOT_FOUND", "There is no such import: another one has begun, or the hub was restarted.", {
          fix: { run: "hookline import" },
        });
      open.usedAt = Date.now();
      return take(lines);
    },
    take,
  };
}
