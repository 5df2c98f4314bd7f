import { type Fix, HookError } from "@hookline/core";
import { countText, inertText } from "@hookline/core/internal/text";
import type { Envelope } from "@hookline/core/sinks";
import type { Addressee, SessionEffects } from "../effects/session-effects.js";
import type { Store } from "../store/store.js";

/** An attached agent may wait at its prompt for hours. After a day without an event it counts as gone. */
const SILENT_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;

/** Events that a session has only while it is going on. */
const SIGNS_OF_LIFE = [
  "session:start",
  "session:reset",
  "resume:after",
  "prompt:*",
  "agent:start",
  "agent:step",
  "turn:before",
  "llm:before",
  "tool:before",
  "loop:checkpoint",
];

export interface LiveSessionOptions {
  readonly store: Pick<Store, "session" | "page">;
  readonly effects: Pick<SessionEffects, "reaches">;
  /** The ids of agents that can be attached. */
  readonly isAttachable: (id: string) => boolean;
  readonly now?: () => number;
}

/** Whom to tell for the model of a session to hear it. Throws `HL_NOT_FOUND` or `HL_NOT_LIVE`. */
export async function findLiveSession(
  id: string,
  { store, effects, isAttachable, now = Date.now }: LiveSessionOptions,
): Promise<Required<Addressee>> {
  const row = await store.session(id);
  if (row === undefined)
    throw new HookError("HL_NOT_FOUND", `The hub knows no session "${shown(id)}".`, { fix: { run: "hookline sessions" } });
  const { app, source: instance, lastAt } = row;
  if (await hasEnded(id, store)) throw notLive(id, "has ended", "Start it again, then send it.");
  const to = { source: { app, instance }, session: { id } };
  if (effects.reaches(instance)) return to;
  if (app !== instance || !isAttachable(app))
    throw notLive(id, `cannot be told: its process (${app === "" ? "unknown" : inertText(app)}) is not connected`, {
      run: "hookline status",
    });
  const silentMs = now() - lastAt;
  if (silentMs > SILENT_MS)
    throw notLive(id, `has not been heard of for ${countText(Math.floor(silentMs / HOUR_MS), "hour")}`, "Give it a prompt, then send it.");
  return to;
}

/** Its end is later than everything that only a session that goes on has. */
async function hasEnded(session: string, store: Pick<Store, "page">): Promise<boolean> {
  const newest = async (events: readonly string[]): Promise<readonly [at: number, place: number] | undefined> => {
    const [event] = (await store.page({ session, events }, { limit: 1 })).events;
    return event === undefined ? undefined : [Date.parse((JSON.parse(event.body) as Envelope).at), event.place];
  };
  const end = await newest(["session:end"]);
  if (end === undefined) return false;
  const life = await newest(SIGNS_OF_LIFE);
  return life === undefined || life[0] < end[0] || (life[0] === end[0] && life[1] < end[1]);
}

function notLive(id: string, why: string, fix: Fix): HookError {
  return new HookError("HL_NOT_LIVE", `The session "${shown(id)}" ${why}.`, { fix });
}

function shown(id: string): string {
  return inertText(id.slice(0, 200));
}
