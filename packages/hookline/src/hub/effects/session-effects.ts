import type { Effects, ReminderSpec } from "@hookline/core";
import type { LineEffects } from "@hookline/core/forward";
import type { EnvelopeSource } from "@hookline/core/sinks";
import { newId } from "../ingest/new-id.js";

/** Whose model is told. Without a session: at the first boundary of whichever session the process has. */
interface Addressee {
  readonly source: Pick<EnvelopeSource, "app" | "instance">;
  readonly session?: { readonly id: string } | undefined;
}

/** What the model is told, in plain text and as reminders. */
export interface Telling {
  readonly injections: readonly string[];
  readonly reminders: readonly ReminderSpec[];
}

/** What was left, from then until the agent has it. */
interface Left extends Telling {
  readonly id: string;
  readonly to: Addressee;
  readonly at: number;
  readonly onDelivered?: (() => void) | undefined;
}

/** One process on the line, as far as effects go. */
export interface EffectsLine {
  delivered(ids: unknown): void;
  close(): void;
}

export interface SessionEffects {
  /** Leaves something for a model. A process on the line is sent it at once; for everybody else it waits until `take`. */
  leave(to: Addressee, telling: Telling, onDelivered?: () => void): "sent" | "waiting";
  /** What waits for a session of an app, to be told now. */
  take(app: string, session: string): Telling;
  /** A process has come: what waits for it is sent. What it had not told when it went waits for it again. */
  connect(source: Addressee["source"], send: (frame: LineEffects) => void): EffectsLine;
  readonly counters: { readonly left: number; readonly delivered: number; readonly waiting: number; readonly dropped: number };
}

/** An agent that says nothing for so long is not told any more. */
const KEEP_MS = 3_600_000;
const MAX_WAITING = 10_000;
const MAX_PER_SESSION = 100;

/** What observers in the hub and operators leave for the models of agents, on its way there. */
export function createSessionEffects(now: () => number = Date.now): SessionEffects {
  const lines = new Map<string, { readonly send: (left: Left) => void }>();
  /** By app and session, the oldest first. */
  let waiting: readonly Left[] = [];
  let [left, delivered, dropped] = [0, 0, 0];

  function wait(entry: Left): void {
    const isCurrent = (other: Left): boolean => now() - other.at < KEEP_MS;
    const others = waiting.filter((other) => isCurrent(other));
    const twins = others.filter((other) => isFor(other, entry.to.source.app, entry.to.session?.id));
    const crowded = twins.length >= MAX_PER_SESSION ? twins[0] : others.length >= MAX_WAITING ? others[0] : undefined;
    const kept = others.filter((other) => other !== crowded);
    dropped += waiting.length - kept.length;
    waiting = [...kept, entry];
  }

  function done(entries: readonly Left[]): void {
    delivered += entries.length;
    for (const { onDelivered } of entries) onDelivered?.();
  }

  return {
    leave(to, { injections, reminders }, onDelivered) {
      if (injections.length + reminders.length === 0) return "sent";
      left++;
      const entry: Left = { id: newId(), to, injections, reminders, at: now(), onDelivered };
      const line = lines.get(to.source.instance);
      if (line === undefined) wait(entry);
      else line.send(entry);
      return line === undefined ? "waiting" : "sent";
    },
    take(app, session) {
      if (waiting.length === 0) return NOTHING;
      const taken = waiting.filter((entry) => isFor(entry, app, session) && now() - entry.at < KEEP_MS);
      if (taken.length === 0) return NOTHING;
      waiting = waiting.filter((entry) => !taken.includes(entry));
      done(taken);
      return { injections: taken.flatMap(({ injections }) => injections), reminders: taken.flatMap(({ reminders }) => reminders) };
    },
    connect({ instance }, tell) {
      const sent = new Map<string, Left>();
      const line = {
        send(entry: Left): void {
          sent.set(entry.id, entry);
          tell(frameOf(entry));
        },
      };
      lines.set(instance, line);
      const own = waiting.filter(({ to }) => to.source.instance === instance);
      waiting = waiting.filter((entry) => !own.includes(entry));
      for (const entry of own) line.send(entry);
      return {
        delivered(ids) {
          const entries = (Array.isArray(ids) ? ids : []).flatMap((id) => sent.get(id) ?? []);
          for (const { id } of entries) sent.delete(id);
          done(entries);
        },
        close() {
          if (lines.get(instance) === line) lines.delete(instance);
          for (const entry of sent.values()) wait(entry);
          sent.clear();
        },
      };
    },
    get counters() {
      return { left, delivered, waiting: waiting.length, dropped };
    },
  };
}

const NOTHING: Telling = { injections: [], reminders: [] };

/** Reminders without who left them: that is in the record. */
export function tellingOf({ injections, reminders }: Effects): Telling {
  return { injections, reminders: reminders.map(({ spec }) => spec) };
}

function isFor({ to }: Left, app: string, session: string | undefined): boolean {
  return to.source.app === app && to.session?.id === session;
}

function frameOf({ id, to: { session }, injections, reminders }: Left): LineEffects {
  return {
    type: "effects",
    id,
    ...(session !== undefined && { session: { id: session.id } }),
    ...(injections.length > 0 && { injections }),
    ...(reminders.length > 0 && { reminders }),
  };
}
